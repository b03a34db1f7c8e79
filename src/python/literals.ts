import { asciiDigits } from './digits.ts';
import { unescapePython } from './escapes.ts';

/** A Python literal in an action string. Tuples become lists; integers and floats become numbers. */
export type Literal = string | number | boolean | null | readonly Literal[] | { readonly [key: string]: Literal };

/** Distinguishes a literal from none. */
interface Read {
  readonly value: Literal;
}

/** Maximum nesting depth of lists, tuples, and dicts; Python's own parser fails at about the same depth. */
const DEPTH = 60;

/** A string that Python cannot read, such as `'\x4'`. As in BrowserGym, it fails the whole action. */
export class LiteralError extends Error {}

/**
 * Reads tokens of Python calls from a text, following BrowserGym's loose grammar (recorded from browsergym 0.14.3).
 * Each `read…` method either returns a value and advances `at`, or returns undefined and leaves `at` unchanged.
 */
export class LiteralReader {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): boolean {
    return this.at >= this.#text.length;
  }

  /** Skips white space and `# comments`. */
  skip(): void {
    for (;;) {
      const char = this.#text[this.at];
      if (char === ' ' || char === '\n' || char === '\t' || char === '\r') this.at++;
      else if (char === '#') {
        const end = this.#text.indexOf('\n', this.at);
        this.at = end < 0 ? this.#text.length : end;
      } else return;
    }
  }

  /** Reads one character after white space. */
  readChar(char: string): boolean {
    const start = this.at;
    this.skip();
    if (this.#text[this.at] === char) {
      this.at++;
      return true;
    }
    this.at = start;
    return false;
  }

  /** Latin letters only, as in the original. */
  readIdentifier(): string | undefined {
    return this.#match(/[A-Za-z_ªµºÀ-ÖØ-öø-ÿ][A-Za-z0-9_ªµ·ºÀ-ÖØ-öø-ÿ]*/y);
  }

  readElement(depth = 0): Read | undefined {
    const start = this.at;
    this.skip();
    const element = this.#element(depth);
    if (!element) this.at = start;
    return element;
  }

  #match(pattern: RegExp): string | undefined {
    const start = this.at;
    this.skip();
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.#text)?.[0];
    if (match === undefined) this.at = start;
    else this.at += match.length;
    return match;
  }

  #element(depth: number): Read | undefined {
    const text = this.#string();
    if (text !== undefined) return { value: text };
    const char = this.#text[this.at];
    if (char === '[') return this.#list(']', depth);
    if (char === '(') return this.#list(')', depth);
    if (char === '{') return this.#dict(depth);
    const float = this.#match(/[+-]?(?:\p{Nd}+[eE][+-]?\p{Nd}+|(?:\p{Nd}+\.\p{Nd}*|\.\p{Nd}+)(?:[eE][+-]?\p{Nd}+)?)/uy);
    if (float !== undefined) return { value: Number(asciiDigits(float)) };
    const integer = this.#match(/[+-]?\p{Nd}+/uy);
    // Python's integers have no -0.
    if (integer !== undefined) return { value: Number(asciiDigits(integer)) + 0 };
    const word = this.#match(/(?:True|False|None)(?![A-Za-z0-9_$])/y);
    return word === undefined ? undefined : { value: word === 'None' ? null : word === 'True' };
  }

  #list(close: ']' | ')', depth: number): Read | undefined {
    if (depth >= DEPTH) return undefined;
    this.at++;
    const items: Literal[] = [];
    for (;;) {
      const item = this.readElement(depth + 1);
      if (!item) break;
      items.push(item.value);
      if (!this.readChar(',')) break;
    }
    return this.readChar(close) ? { value: items } : undefined;
  }

  #dict(depth: number): Read | undefined {
    if (depth >= DEPTH) return undefined;
    this.at++;
    const entries: [string, Literal][] = [];
    for (;;) {
      this.skip();
      const key = this.#string();
      if (key === undefined) break;
      const value = this.readChar(':') ? this.readElement(depth + 1) : undefined;
      if (!value) return undefined;
      entries.push([key, value.value]);
      if (!this.readChar(',')) break;
    }
    return this.readChar('}') ? { value: Object.fromEntries(entries) } : undefined;
  }

  /** The longer match wins: `'''text'''` or `''`. */
  #string(): string | undefined {
    // BrowserGym does not allow line continuations inside triple quotes.
    const triple = this.#match(/(['"])\1\1(?:\\[^\n]|[^\\])*?\1\1\1/y);
    if (triple !== undefined) return contentOf(triple.slice(3, -3));
    const single = this.#match(/(['"])(?:\\(?!x(?![0-9a-fA-F]))[\s\S]|[^\\\n\r])*?\1/y);
    return single === undefined ? undefined : contentOf(single.slice(1, -1));
  }
}

/** The text that the source between the quotes of a string stands for. */
function contentOf(body: string): string {
  if (body.includes('\0')) throw new LiteralError('source code string cannot contain null bytes');
  return unescapePython(body.replace(/\r\n?/g, '\n'), (sequence) => {
    throw new LiteralError(
      sequence === '\\N'
        ? 'a string holds a character by its name (\\N{…}): write the character itself'
        : `a string holds an escape that is cut short: ${sequence}`,
    );
  });
}
