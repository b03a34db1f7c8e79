import type { ActionInput, Point } from '../../../actions/action.ts';
import type { ListOption } from '../../../environments/environment.ts';

/** A key that is held while the mouse does something; Playwright's names. */
export const HELD_KEYS = ['Alt', 'Control', 'Meta', 'Shift'] as const;
export type HeldKey = (typeof HELD_KEYS)[number];

/** One thing that a person did in the live picture. Points are whole CSS pixels of the page. */
export type HandInput =
  | {
      readonly kind: 'click';
      readonly point: Point;
      readonly button: 'left' | 'right' | 'middle';
      /** How often in quick succession. */
      readonly count: number;
      readonly hold: readonly HeldKey[];
    }
  /** The wheel was turned by pixels: right and down are positive. */
  | {
      readonly kind: 'scroll';
      readonly point: Point;
      readonly x: number;
      readonly y: number;
      readonly hold: readonly HeldKey[];
    }
  /** The way of the pressed mouse, its start first. */
  | { readonly kind: 'drag'; readonly path: readonly Point[]; readonly hold: readonly HeldKey[] }
  | { readonly kind: 'text'; readonly text: string }
  /** A key that types nothing, or a combination; Playwright's names, the main key last. */
  | { readonly kind: 'key'; readonly keys: readonly string[] };

/** What the person wants next: something done in the picture, an action in words, or the end of the run. */
export type HandWish =
  | HandInput
  | { readonly kind: 'action'; readonly action: ActionInput }
  | { readonly kind: 'done' };

/** What is asked of the person where the browser would open something that no picture shows. */
export type HandQuestion =
  | {
      readonly kind: 'select';
      readonly label: string;
      readonly options: readonly ListOption[];
      readonly multiple: boolean;
    }
  | { readonly kind: 'value'; readonly label: string; readonly type: string; readonly value: string }
  | { readonly kind: 'file'; readonly label: string };

/** Answers a question with one or several texts; null where the person leaves it. */
export type AskPerson = (question: HandQuestion, signal: AbortSignal) => Promise<readonly string[] | null>;

/** How long nobody may type or scroll, in milliseconds, before what was typed or scrolled becomes a step. */
const PAUSE_MS: Readonly<Partial<Record<HandWish['kind'], number>>> = { text: 400, scroll: 150 };

/** More of the same key than this do not wait: a key that is held down repeats faster than a page can follow. */
const REPEATS = 4;

/**
 * What a person does in the live picture on its way to the run. Typing is one step until the person pauses or does
 * something else; what is typed too much and taken back at once never reaches the page. So is turning the wheel.
 */
export class Hands {
  readonly ask: AskPerson;
  /** What is typed goes to a password field, or may. */
  typesSecret = false;
  readonly #wishes: HandWish[] = [];
  readonly #listeners = new Set<() => void>();
  #wake: () => void = () => {};
  #changed = 0;

  constructor(ask: AskPerson) {
    this.ask = ask;
  }

  /** What is typed and not yet on its way to the page, to be shown: a secret as dots. */
  get typing(): string {
    const last = this.#wishes.at(-1);
    if (last?.kind !== 'text') return '';
    return this.typesSecret ? '•'.repeat(last.text.length) : last.text;
  }

  /** Told when `typing` may have changed. Returns the function that stops listening. */
  onTyping(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  push(wish: HandWish): void {
    if (!this.#merge(wish)) this.#wishes.push(wish);
    this.#changed = performance.now();
    this.#tell();
  }

  /** The next wish; rejects with the signal's reason once that is aborted. */
  async next(signal: AbortSignal): Promise<HandWish> {
    for (;;) {
      signal.throwIfAborted();
      const [first, second] = this.#wishes;
      const pause = first === undefined || second !== undefined ? 0 : (PAUSE_MS[first.kind] ?? 0);
      const left = pause - (performance.now() - this.#changed);
      if (first !== undefined && left <= 0) {
        this.#wishes.shift();
        this.#tell();
        return first;
      }
      await this.#change(first === undefined ? null : left, signal);
    }
  }

  #merge(wish: HandWish): boolean {
    const last = this.#wishes.at(-1);
    if (wish.kind === 'text' && last?.kind === 'text') {
      this.#wishes.splice(-1, 1, { kind: 'text', text: last.text + wish.text });
      return true;
    }
    if (wish.kind === 'scroll' && last?.kind === 'scroll' && String(last.hold) === String(wish.hold)) {
      this.#wishes.splice(-1, 1, { ...last, x: last.x + wish.x, y: last.y + wish.y });
      return true;
    }
    if (wish.kind !== 'key') return false;
    const keys = wish.keys.join('+');
    if (last?.kind === 'text' && keys === 'Backspace') {
      const text = withoutLast(last.text);
      this.#wishes.splice(-1, 1, ...(text === '' ? [] : [{ kind: 'text', text } as const]));
      return true;
    }
    const latest = this.#wishes.slice(-REPEATS);
    return latest.length === REPEATS && latest.every((one) => one.kind === 'key' && one.keys.join('+') === keys);
  }

  /** Resolves when something was wished, after `ms`, or when the signal is aborted. */
  #change(ms: number | null, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = ms === null ? undefined : setTimeout(end, ms);
      signal.addEventListener('abort', end, { once: true });
      this.#wake = end;
    });
  }

  #tell(): void {
    this.#wake();
    for (const listener of this.#listeners) listener();
  }
}

/** A text without its last character as a person counts them. */
function withoutLast(text: string): string {
  return [...new Intl.Segmenter().segment(text)]
    .slice(0, -1)
    .map(({ segment }) => segment)
    .join('');
}
