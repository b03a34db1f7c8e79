import type { BrowserContext, ConsoleMessage } from 'playwright-core';
import type { PageMessage } from '../../environment.ts';
import { TASK_ORIGIN } from '../pages/page-files.ts';

const MOST = 200;
const LONGEST = 2000;
/** A console that says more than this is not listened to until the next observation: each message costs time and memory. */
const MOST_HEARD = 2000;

/** What the pages of a context say between two observations: console, uncaught errors, dialogs, failed requests. */
export class Messages {
  #list: PageMessage[] = [];
  #dropped = 0;
  #heard = 0;
  /** Listens to consoles again. */
  #resume: (() => void) | null = null;

  /** Takes over everything that a context's pages say, and answers their dialogs so that nothing waits for a user. */
  listen(context: BrowserContext): void {
    const hear = (message: ConsoleMessage): void => {
      this.#heard += 1;
      if (this.#heard > MOST_HEARD) {
        context.off('console', hear);
        this.#resume = () => context.on('console', hear);
      }
      const { url, lineNumber } = message.location();
      const text = message.text();
      const location = url === '' ? undefined : `${url}:${lineNumber + 1}`;
      if (text.startsWith('Failed to load resource')) {
        // A failed request of the task's own pages is reported with its reason, by `OwnPages`.
        if (!url.startsWith(`${TASK_ORIGIN}/`) && !isFavicon(url)) this.add('request', text, url);
      } else this.add(KINDS[message.type()] ?? 'log', text, location);
    };
    context.on('console', hear);
    context.on('weberror', (error) => {
      const thrown = error.error();
      this.add(
        'exception',
        thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
        error.page()?.url(),
      );
    });
    context.on('dialog', (dialog) => {
      const accept = dialog.type() === 'alert' || dialog.type() === 'beforeunload';
      const answer = accept ? 'accepted' : 'dismissed';
      this.add('dialog', `${dialog.type()} “${dialog.message()}” was ${answer}`, dialog.page()?.url());
      // A dialog whose page went away needs no answer.
      (accept ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
    });
  }

  add(kind: PageMessage['kind'], text: string, location?: string): void {
    if (this.#list.length >= MOST) {
      this.#dropped += 1;
      return;
    }
    const cut = text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
    this.#list.push({ kind, text: cut, ...(location === undefined ? {} : { location }) });
  }

  /** What was said since the last time. */
  take(): PageMessage[] {
    const list = this.#list;
    const more = this.#resume === null ? `${this.#dropped}` : `at least ${this.#dropped}`;
    if (this.#dropped > 0) list.push({ kind: 'warning', text: `${more} more messages were left out` });
    this.#list = [];
    this.#dropped = 0;
    this.#heard = 0;
    this.#resume?.();
    this.#resume = null;
    return list;
  }
}

/** Full Chromium asks every site for this file, whether or not a page names it. */
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
