import type { BrowserContext, ConsoleMessage } from 'playwright-core';
import { defined } from '../../../base/defined.ts';
import type { PageMessage } from '../../environment.ts';
import { TASK_ORIGIN } from '../pages/page-files.ts';

const MAX_KEPT = 200;
const MAX_LENGTH = 2000;
/**
 * After this number of messages, the console is ignored until the next observation, because each message costs time and
 * memory.
 */
const MAX_MESSAGES = 2000;

/** The messages of a context's pages between two observations: console, uncaught errors, dialogs, failed requests. */
export class Messages {
  #list: PageMessage[] = [];
  #droppedCount = 0;
  #receivedCount = 0;
  /** Listens to consoles again. */
  #resume: (() => void) | null = null;

  /** Collects the messages of a context's pages, except those of dialogs, which `Dialogs` adds. */
  listen(context: BrowserContext): void {
    const onMessage = (message: ConsoleMessage): void => {
      this.#receivedCount += 1;
      if (this.#receivedCount > MAX_MESSAGES) {
        context.off('console', onMessage);
        this.#resume = () => context.on('console', onMessage);
      }
      const { url, lineNumber } = message.location();
      const text = message.text();
      const location = url === '' ? undefined : `${url}:${lineNumber + 1}`;
      if (text.startsWith('Failed to load resource')) {
        // `TaskPages` reports a failed request of the task's own pages with its reason.
        if (!url.startsWith(`${TASK_ORIGIN}/`) && !isFavicon(url)) this.add('request', text, url);
      } else this.add(KINDS[message.type()] ?? 'log', text, location);
    };
    context.on('console', onMessage);
    context.on('weberror', (error) => {
      const reason = error.error();
      this.add(
        'exception',
        reason instanceof Error ? (reason.stack ?? reason.message) : String(reason),
        error.page()?.url(),
      );
    });
  }

  add(kind: PageMessage['kind'], text: string, location?: string): void {
    if (this.#list.length >= MAX_KEPT) {
      this.#droppedCount += 1;
      return;
    }
    const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
    this.#list.push({ kind, text: cut, ...defined({ location }) });
  }

  /** Returns the messages since the last call. */
  take(): PageMessage[] {
    const list = this.#list;
    const more = this.#resume === null ? `${this.#droppedCount}` : `at least ${this.#droppedCount}`;
    if (this.#droppedCount > 0) list.push({ kind: 'warning', text: `${more} more messages were left out` });
    this.#list = [];
    this.#droppedCount = 0;
    this.#receivedCount = 0;
    this.#resume?.();
    this.#resume = null;
    return list;
  }
}

/** Whether a URL is that of a favicon, which full Chromium requests from every site. */
function isFavicon(url: string): boolean {
  return URL.canParse(url) && new URL(url).pathname === '/favicon.ico';
}

const KINDS: Readonly<Record<string, PageMessage['kind']>> = {
  log: 'log',
  debug: 'log',
  info: 'info',
  warning: 'warning',
  error: 'error',
  assert: 'error',
};
