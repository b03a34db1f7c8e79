import { asciiDigits } from './digits.ts';

/** A Python literal in an action string. Tuples become lists; integers and floats become numbers. */
export type Literal = string | number | boolean | null | readonly Literal[] | { readonly [key: string]: Literal };

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

  readElement(depth = 0): { readonly value: Literal } | undefined {
    const start = this.at;
    this.skip();
    const read = this.#element(depth);
    if (!read) this.at = start;
    return read;
  }

  #match(pattern: RegExp): string | undefined {
    const start = this.at;
    this.skip();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) this.at = start;
    else this.at += found.length;
    return found;
  }

  #element(depth: number): { readonly value: Literal } | undefined {
    const char = this.#text[this.at];
    if (char === "'" || char === '"') {
      const value = this.#string(char);
      return value === undefined ? undefined : { value };
    }
    if (char === '[') return this.#list(']', depth);
    if (char === '(') return this.#list(')', depth);
    if (char === '{') return this.#dict(depth);
    const float = this.#match(/[+-]?(?:\p{Nd}+[eE][+-]?\p{Nd}+|(?:\p{Nd}+\.\p{Nd}*|\.\p{Nd}+)(?:[eE][+-]?\p{Nd}+)?)/uy);
    if (float !== undefined) return { value: Number(asciiDigits(float)) };
    const integer = this.#match(/[+-]?\p{Nd}+/uy);
    // Python's integers have no -0.
    if (integer !== undefined) return { value: Number(asciiDigits(integer)) + 0 };
    switch (this.#match(/(?:True|False|None)(?![A-Za-z0-9_$])/y)) {
      case 'True':
        return { value: true };
      case 'False':
        return { value: false };
      case 'None':
        return { value: null };
      default:
        return undefined;
    }
  }

  #list(close: ']' | ')', depth: number): { readonly value: Literal } | undefined {
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

  #dict(depth: number): { readonly value: Literal } | undefined {
    if (depth >= DEPTH) return undefined;
    this.at++;
    const entries: [string, Literal][] = [];
    for (;;) {
      this.skip();
      const char = this.#text[this.at];
      const key = char === "'" || char === '"' ? this.#string(char) : undefined;
      if (key === undefined) break;
      const value = this.readChar(':') ? this.readElement(depth + 1) : undefined;
      if (!value) return undefined;
      entries.push([key, value.value]);
      if (!this.readChar(',')) break;
    }
    return this.readChar('}') ? { value: Object.fromEntries(entries) } : undefined;
  }

  /** The longer match wins: `'''text'''` or `''`. */
  #string(quote: "'" | '"'): string | undefined {
    const start = this.at;
    const end = this.#tripleEnd(quote) ?? this.#singleEnd(quote);
    if (!end) return undefined;
    this.at = end.next;
    return unescaped(this.#text.slice(start + end.quotes, end.next - end.quotes));
  }

  #tripleEnd(quote: string): { next: number; quotes: number } | undefined {
    const triple = quote.repeat(3);
    if (!this.#text.startsWith(triple, this.at)) return undefined;
    for (let at = this.at + 3; at < this.#text.length; at++) {
      if (this.#text.startsWith(triple, at)) return { next: at + 3, quotes: 3 };
      if (this.#text[at] !== '\\') continue;
      at++;
      // BrowserGym does not allow line continuations inside triple quotes.
      if (this.#text[at] === '\n') return undefined;
    }
    return undefined;
  }

  #singleEnd(quote: string): { next: number; quotes: number } | undefined {
    for (let at = this.at + 1; at < this.#text.length; at++) {
      const char = this.#text[at];
      if (char === quote) return { next: at + 1, quotes: 1 };
      if (char === '\n' || char === '\r') return undefined;
      if (char !== '\\') continue;
      at++;
      if (this.#text[at] === 'x' && !/[0-9a-fA-F]/.test(this.#text[at + 1] ?? '')) return undefined;
    }
    return undefined;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** The value of the content of a Python string. */
function unescaped(body: string): string {
  if (body.includes('\0')) throw new LiteralError('source code string cannot contain null bytes');
  return body.replace(/\r\n?/g, '\n').replace(ESCAPE, (whole, sign: string) => {
    const simple = ESCAPES[sign];
    if (simple !== undefined) return simple;
    if (/^[0-7]/.test(sign)) return String.fromCharCode(Number.parseInt(sign, 8));
    const kind = sign[0];
    if (kind === 'x' || kind === 'u' || kind === 'U') {
      const digits = sign.slice(1);
      const length = kind === 'x' ? 2 : kind === 'u' ? 4 : 8;
      const code = digits.length === length ? Number.parseInt(digits, 16) : Number.NaN;
      if (!(code <= 0x10ffff)) throw new LiteralError(`a string holds an escape that is cut short: ${whole}`);
      return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
    }
    if (kind === 'N')
      throw new LiteralError('a string holds a character by its name (\\N{…}): write the character itself');
    return whole;
  });
}

const ESCAPE = /\\([0-7]{1,3}|x[0-9a-fA-F]{0,2}|u[0-9a-fA-F]{0,4}|U[0-9a-fA-F]{0,8}|.)/gs;
