import type { BrowserContext, Route } from 'playwright-core';
import type { Messages } from '../observing/messages.ts';
import { type PageFiles, TASK_ORIGIN } from './page-files.ts';

/** Serves a task's page files at their own origin, and inline HTML at its root, by intercepting requests. */
export class TaskPages {
  readonly #context: BrowserContext;
  #files: PageFiles;
  readonly #messages: Messages;
  #inline: string | null = null;
  #serving: Promise<unknown> | null = null;

  constructor(context: BrowserContext, files: PageFiles, messages: Messages) {
    this.#context = context;
    this.#files = files;
    this.#messages = messages;
  }

  /** Call this before a tab opens one of the pages. */
  async serve(): Promise<void> {
    this.#serving ??= this.#context.route(`${TASK_ORIGIN}/**`, (route) => this.#answer(route));
    await this.#serving;
  }

  /** Replaces the files by those of another task. */
  serveNow(files: PageFiles): void {
    this.#files = files;
    this.#inline = null;
  }

  /** Serves HTML at the origin's root and returns its URL. */
  show(html: string): string {
    this.#inline = html;
    return `${TASK_ORIGIN}/`;
  }

  async #answer(route: Route): Promise<void> {
    const url = new URL(route.request().url());
    try {
      if (url.pathname === '/' && this.#inline !== null) {
        await this.#fulfil(route, 200, 'text/html; charset=utf-8', this.#inline);
        return;
      }
      const file = await this.#files.page(url.pathname);
      if ('body' in file) {
        await this.#fulfil(route, 200, file.type, file.body);
        return;
      }
      if (url.pathname !== '/favicon.ico') this.#messages.add('request', `404: ${file.refusal}`, url.href);
      const page = `<!doctype html><title>Not found</title><p>${escapeHtml(file.refusal)}</p>`;
      await this.#fulfil(route, 404, 'text/html; charset=utf-8', page);
    } catch (error) {
      // Failures are reported in the console of the page, unless the page was closed.
      if (!isPageGone(error)) {
        this.#messages.add('request', `500: ${String(error)}`, url.href);
        // It may already be answered, or its page may be closed.
        await route.abort().catch(() => undefined);
      }
    }
  }

  async #fulfil(route: Route, status: number, contentType: string, body: string | Buffer): Promise<void> {
    await route.fulfill({ status, contentType, body, headers: { 'cache-control': 'no-store' } });
  }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** Whether a response failed because the page was closed or navigated. */
export function isPageGone(error: unknown): boolean {
  return /closed|Route is already handled|Invalid InterceptionId/i.test(String(error));
}
