import type { ActionInput, Point } from '../actions/action.ts';
import { Listeners } from '../base/listeners.ts';
import type { ListOption } from '../environments/environment.ts';

/** Keys that can be held during a mouse gesture; Playwright's names. */
export const HELD_KEYS = ['Alt', 'Control', 'Meta', 'Shift'] as const;
export type HeldKey = (typeof HELD_KEYS)[number];

/** One gesture in the live view. Points are whole CSS pixels of the page. */
export type ManualGesture =
  | {
      readonly kind: 'click';
      readonly point: Point;
      readonly button: 'left' | 'right' | 'middle';
      /** 2 for a double-click. */
      readonly count: number;
      readonly hold: readonly HeldKey[];
    }
  /** Scrolled by pixels; right and down are positive. */
  | {
      readonly kind: 'scroll';
      readonly point: Point;
      readonly x: number;
      readonly y: number;
      readonly hold: readonly HeldKey[];
    }
  /** The path of the pressed mouse, beginning with its start. */
  | { readonly kind: 'drag'; readonly path: readonly Point[]; readonly hold: readonly HeldKey[] }
  | { readonly kind: 'text'; readonly text: string }
  /** A key that types no text, or a combination; Playwright's names, the main key last. */
  | { readonly kind: 'key'; readonly keys: readonly string[] };

/** What the user wants next: a gesture, an action string, or the end of the run. */
export type ManualRequest =
  | ManualGesture
  | { readonly kind: 'action'; readonly action: ActionInput }
  | { readonly kind: 'done' };

/** A question to the user where the browser would open a native control that the live view does not show. */
export type ManualQuestion =
  | {
      readonly kind: 'select';
      readonly label: string;
      readonly options: readonly ListOption[];
      readonly multiple: boolean;
    }
  | { readonly kind: 'value'; readonly label: string; readonly type: string; readonly value: string }
  | { readonly kind: 'file'; readonly label: string };

/** Resolves with one or more texts; null if the user dismissed the question. */
export type AskUser = (question: ManualQuestion, signal: AbortSignal) => Promise<readonly string[] | null>;

/** Pause in milliseconds after which typed text or scrolling becomes a step. */
const PAUSE_MS: Readonly<Partial<Record<ManualRequest['kind'], number>>> = { text: 400, scroll: 150 };

/** Maximum number of queued repeats of one key: a key that is held down repeats faster than a page can follow. */
const MAX_REPEATS = 4;

/**
 * Queues what the user does in the live view until the run takes it. Consecutive typing becomes one step, without the
 * characters that were deleted at once; so does consecutive scrolling.
 */
export class ManualInput {
  readonly ask: AskUser;
  /** Typed text goes to a password field, or may. */
  typesSecret = false;
  readonly #requests: ManualRequest[] = [];
  readonly #listeners = new Listeners<[]>();
  /** Calls the listener when `typing` may have changed. Returns a function that removes the listener. */
  readonly onTyping = this.#listeners.add;
  #resolveChange: () => void = () => {};
  #changedAt = 0;

  constructor(ask: AskUser) {
    this.ask = ask;
  }

  /** Typed text that the run has not taken yet, for display; dots for a password field. */
  get typing(): string {
    const last = this.#requests.at(-1);
    if (last?.kind !== 'text') return '';
    return this.typesSecret ? '•'.repeat(last.text.length) : last.text;
  }

  push(request: ManualRequest): void {
    if (!this.#merge(request)) this.#requests.push(request);
    this.#changedAt = performance.now();
    this.#notify();
  }

  /** The next request. Rejects with the signal's reason when the signal is aborted. */
  async next(signal: AbortSignal): Promise<ManualRequest> {
    for (;;) {
      signal.throwIfAborted();
      const [first, second] = this.#requests;
      const pause = first === undefined || second !== undefined ? 0 : (PAUSE_MS[first.kind] ?? 0);
      const remaining = pause - (performance.now() - this.#changedAt);
      if (first !== undefined && remaining <= 0) {
        this.#requests.shift();
        this.#notify();
        return first;
      }
      await this.#change(first === undefined ? null : remaining, signal);
    }
  }

  #merge(request: ManualRequest): boolean {
    const last = this.#requests.at(-1);
    if (request.kind === 'text' && last?.kind === 'text') {
      this.#requests.splice(-1, 1, { kind: 'text', text: last.text + request.text });
      return true;
    }
    if (request.kind === 'scroll' && last?.kind === 'scroll' && String(last.hold) === String(request.hold)) {
      this.#requests.splice(-1, 1, { ...last, x: last.x + request.x, y: last.y + request.y });
      return true;
    }
    if (request.kind !== 'key') return false;
    const keys = request.keys.join('+');
    if (last?.kind === 'text' && keys === 'Backspace') {
      const text = withoutLast(last.text);
      this.#requests.splice(-1, 1, ...(text === '' ? [] : [{ kind: 'text', text } as const]));
      return true;
    }
    const latest = this.#requests.slice(-MAX_REPEATS);
    return latest.length === MAX_REPEATS && latest.every((one) => one.kind === 'key' && one.keys.join('+') === keys);
  }

  /** Resolves on the next push, after `ms`, or when the signal is aborted. */
  #change(ms: number | null, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = ms === null ? undefined : setTimeout(end, ms);
      signal.addEventListener('abort', end, { once: true });
      this.#resolveChange = end;
    });
  }

  #notify(): void {
    this.#resolveChange();
    this.#listeners.notify();
  }
}

/** A text without its last grapheme cluster. */
function withoutLast(text: string): string {
  return [...new Intl.Segmenter().segment(text)]
    .slice(0, -1)
    .map(({ segment }) => segment)
    .join('');
}
