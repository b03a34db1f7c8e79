const NAME_START = /(?=--|-?(?:[a-zA-Z_\u0080-\u{10ffff}]|\\[^\n]))/uy;
const NAME = /(?:\\.?|[\w\u0080-\u{10ffff}-])+/suy;
const STRING = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/sy;
/** Comments separate tokens as white space does. */
const SPACE = /(?:\s|\/\*[\s\S]*?\*\/)+/y;

/** Pseudo-classes that hold selectors. */
const WITH_SELECTORS = new Set([
  'not',
  'is',
  'where',
  'has',
  'matches',
  '-webkit-any',
  'host',
  'host-context',
  'light',
]);
/** Pseudo-classes of Playwright that take a string (`text-matches` also takes flags). */
const WITH_TEXT = new Set(['has-text', 'text', 'text-is', 'text-matches']);
const WITHOUT_ARGUMENTS: Readonly<Record<string, string>> = {
  contains: 'write :has-text("...")',
  eq: 'write >> nth=0',
  first: 'write >> nth=0',
  last: 'write >> nth=-1',
  selected: 'write :checked',
};

/** Returns the problem of a CSS selector, which may use Playwright's pseudo-classes, or null. */
export function cssProblem(selector: string): string | null {
  try {
    const reader = new CssReader(selector);
    reader.list('');
    return null;
  } catch (error) {
    if (error instanceof CssError) return error.message;
    throw error;
  }
}

class CssError extends Error {}

class CssReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads a list of selectors up to `close`, which is not consumed, or to the end if `close` is empty. */
  list(close: string): void {
    this.#depth += 1;
    if (this.#depth > 50) throw new CssError('it is nested more than 50 levels deep');
    for (;;) {
      this.#complex(close);
      if (this.#peek() !== ',') break;
      this.#at += 1;
    }
    this.#depth -= 1;
    if (this.#peek() !== close) throw this.#unexpectedCharacter();
  }

  #complex(close: string): void {
    this.#space();
    // A leading combinator is relative to the element that was matched before.
    if (this.#combinator()) this.#space();
    let compounds = 0;
    for (;;) {
      const next = this.#peek();
      if (next === '' || next === ',' || next === close) {
        if (compounds === 0) throw new CssError(`a selector is missing ${this.#place()}`);
        return;
      }
      this.#compound();
      compounds += 1;
      const hasSpace = this.#space();
      if (this.#combinator()) {
        this.#space();
        const after = this.#peek();
        if (after === '' || after === ',' || after === close) {
          throw new CssError(`a selector is missing ${this.#place()}`);
        }
      } else if (!hasSpace && !['', ',', close].includes(this.#peek())) throw this.#unexpectedCharacter();
    }
  }

  #compound(): void {
    const start = this.#at;
    if (this.#peek() === '*') this.#at += 1;
    else if (this.#startsName()) this.#name();
    for (;;) {
      switch (this.#peek()) {
        case '#':
          this.#at += 1;
          this.#name('#');
          break;
        case '.':
          this.#at += 1;
          this.#name('.');
          break;
        case '[':
          this.#attribute();
          break;
        case ':':
          this.#pseudo();
          break;
        default:
          if (this.#at === start) throw this.#unexpectedCharacter();
          return;
      }
    }
  }

  #attribute(): void {
    const start = this.#at;
    this.#at += 1;
    this.#space();
    const attribute = this.#name();
    this.#space();
    const operator = this.#take(/[~|^$*]?=/y);
    if (operator !== null) {
      this.#space();
      if (this.#startsString()) this.#string();
      else if (this.#startsName()) this.#name();
      else {
        const value = /^[^\]\s]*/.exec(this.#text.slice(this.#at))?.[0] ?? '';
        throw new CssError(
          value === ''
            ? `a value is missing ${this.#place()}`
            : `the value needs quotes: [${attribute}${operator}"${value}"]`,
        );
      }
      this.#space();
      if (this.#take(/[iIsS]/y) !== null) this.#space();
    }
    if (this.#peek() !== ']') {
      throw this.#at >= this.#text.length
        ? new CssError(`the “[” at position ${start} is not closed`)
        : this.#unexpectedCharacter();
    }
    this.#at += 1;
  }

  #pseudo(): void {
    this.#at += 1;
    if (this.#peek() === ':') throw new CssError('pseudo-elements (“::”) cannot be selected');
    const name = this.#name(':').toLowerCase();
    const hint = WITHOUT_ARGUMENTS[name];
    if (hint !== undefined && Object.hasOwn(WITHOUT_ARGUMENTS, name)) {
      throw new CssError(`“:${name}” is jQuery's, not CSS: ${hint}`);
    }
    if (this.#peek() !== '(') {
      if (WITH_TEXT.has(name)) throw new CssError(`“:${name}” takes a string: :${name}("...")`);
      return;
    }
    const open = this.#at;
    this.#at += 1;
    this.#space();
    if (WITH_SELECTORS.has(name)) this.list(')');
    else if (WITH_TEXT.has(name)) {
      this.#texts(name);
    } else this.#anything(open);
    if (this.#peek() !== ')') throw new CssError(`the “(” at position ${open} is not closed`);
    this.#at += 1;
  }

  #texts(name: string): void {
    const most = name === 'text-matches' ? 2 : 1;
    for (let count = 1; ; count += 1) {
      if (!this.#startsString()) throw new CssError(`“:${name}” takes a string in quotes: :${name}("...")`);
      this.#string();
      this.#space();
      if (this.#peek() !== ',' || count === most) return;
      this.#at += 1;
      this.#space();
    }
  }

  /** Skips arguments that only the browser parses. They must be closed and not be empty. */
  #anything(open: number): void {
    const start = this.#at;
    let depth = 0;
    for (; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#peek();
      if (this.#startsString()) {
        this.#string();
        this.#at -= 1;
      } else if (character === '\\') this.#at += 1;
      else if (character === '(') depth += 1;
      else if (character === ')') {
        if (depth === 0) break;
        depth -= 1;
      }
    }
    if (this.#peek() === ')' && this.#text.slice(start, this.#at).trim() === '') {
      throw new CssError(`the parentheses at position ${open} are empty`);
    }
  }

  #startsString(): boolean {
    return this.#peek() === '"' || this.#peek() === "'";
  }

  #string(): void {
    if (this.#take(STRING) === null) throw new CssError(`the string at position ${this.#at} is not terminated`);
  }

  #startsName(): boolean {
    return this.#take(NAME_START) !== null;
  }

  #name(before = ''): string {
    if (!this.#startsName()) {
      const digits = /^-?\d[\w-]*/.exec(this.#text.slice(this.#at))?.[0];
      if (digits !== undefined && (before === '#' || before === '.')) {
        const attribute = before === '#' ? `[id="${digits}"]` : `[class~="${digits}"]`;
        throw new CssError(
          `“${before}${digits}” is not valid CSS because names cannot begin with a digit: use ${attribute}`,
        );
      }
      if (this.#at >= this.#text.length)
        throw new CssError(
          before === '' ? 'a name is missing at the end' : `a name is missing after “${before}” at the end`,
        );
      throw this.#unexpectedCharacter();
    }
    return this.#take(NAME) ?? '';
  }

  #combinator(): boolean {
    return this.#take(/[>+~]/y) !== null;
  }

  #space(): boolean {
    return this.#take(SPACE) !== null;
  }

  /** Reads what a sticky pattern matches here; null if it does not match. */
  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0] ?? null;
    this.#at += match?.length ?? 0;
    return match;
  }

  #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  #place(): string {
    return this.#at >= this.#text.length ? 'at the end' : `before “${this.#peek()}” at position ${this.#at}`;
  }

  #unexpectedCharacter(): CssError {
    return this.#at >= this.#text.length
      ? new CssError('it ends too early: a closing bracket is missing')
      : new CssError(`“${this.#peek()}” at position ${this.#at} is not expected`);
  }
}
