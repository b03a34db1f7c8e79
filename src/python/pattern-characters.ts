import { otherCases } from './pattern-case.ts';

/** A pattern that Python rejects (`invalid`), or that has no equivalent in JavaScript (`untranslatable`). */
export class PatternError extends Error {
  readonly problem: 'invalid' | 'untranslatable';
  /** Zero-based position in the pattern. */
  readonly at: number | null;
  constructor(problem: PatternError['problem'], message: string, at: number | null) {
    super(message);
    this.problem = problem;
    this.at = at;
  }
}

const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const CLASSES = {
  unicode: { d: '\\p{Nd}', w: '\\p{L}\\p{N}_', s: SPACE },
  ascii: { d: '0-9', w: 'a-zA-Z0-9_', s: '\\t-\\r\\x20' },
} as const;
const CONTROL: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** Reads the characters of a pattern of Python's module `re`: literals, escapes, classes, names. */
export abstract class PatternCharacters {
  protected readonly chars: readonly string[];
  protected at = 0;

  constructor(source: string) {
    this.chars = [...source];
  }

  /** Whether `\w`, `\d`, `\s`, and `\b` match ASCII characters only. */
  protected abstract get asciiOnly(): boolean;
  protected abstract get ignoreCase(): boolean;

  protected refuse(message: string, at = this.at): never {
    throw new PatternError('invalid', message, at);
  }

  protected refuseTranslation(message: string, at: number): never {
    throw new PatternError('untranslatable', message, at);
  }

  /** The next characters. */
  protected ahead(length: number): string {
    return this.chars.slice(this.at, this.at + length).join('');
  }

  protected peek(text: string): boolean {
    return [...text].every((char, index) => this.chars[this.at + index] === char);
  }

  protected take(text: string): boolean {
    if (!this.peek(text)) return false;
    this.at += text.length;
    return true;
  }

  protected skipComment(): boolean {
    const start = this.at;
    if (!this.take('(?#')) return false;
    while (this.at < this.chars.length && this.chars[this.at] !== ')') this.at++;
    if (!this.take(')')) this.refuse('missing ), unterminated comment', start);
    return true;
  }

  protected groupName(end: string): string {
    const start = this.at;
    while (this.at < this.chars.length && this.chars[this.at] !== end) this.at++;
    const name = this.chars.slice(start, this.at).join('');
    if (!this.take(end)) this.refuse(`missing ${end}, unterminated name`, start);
    if (name === '') this.refuse('missing group name', start);
    if (!/^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(name)) this.refuse(`bad character in group name '${name}'`, start);
    return name;
  }

  protected classes() {
    return this.asciiOnly ? CLASSES.ascii : CLASSES.unicode;
  }

  /** The class of a shorthand such as `\d`. Advances only if it is one. */
  protected shorthand(char: string): string | undefined {
    const lower = char.toLowerCase();
    if (lower !== 'd' && lower !== 'w' && lower !== 's') return undefined;
    this.at++;
    return `[${char === lower ? '' : '^'}${this.classes()[lower]}]`;
  }

  /** An escaped character; `at` is after the backslash. */
  protected escapedCharacter(start: number): string {
    const char = this.chars[this.at++] ?? this.refuse('bad escape (end of pattern)', start);
    const control = CONTROL[char];
    if (control !== undefined) return String.fromCharCode(control);
    const length = { x: 2, u: 4, U: 8 }[char];
    if (length !== undefined) {
      const digits = this.ahead(length);
      const code = /^[0-9a-fA-F]+$/.test(digits) && digits.length === length ? Number.parseInt(digits, 16) : Number.NaN;
      if (!(code <= 0x10ffff)) this.refuse(`incomplete escape \\${char}${digits}`, start);
      this.at += length;
      return String.fromCodePoint(code);
    }
    if (char === 'N') this.refuseTranslation('named characters, \\N{…}, are not supported', start);
    if (/[0-7]/.test(char)) {
      const digits = /^[0-7]{1,3}/.exec(this.chars.slice(this.at - 1, this.at + 2).join(''))?.[0] ?? '';
      const code = Number.parseInt(digits, 8);
      if (code > 0o377) this.refuse(`octal escape value \\${digits} outside of range 0-0o377`, start);
      this.at += digits.length - 1;
      return String.fromCharCode(code);
    }
    if (/[A-Za-z0-9]/.test(char)) this.refuse(`bad escape \\${char}`, start);
    return char;
  }

  protected characterClass(start: number): string {
    const isNegated = this.take('^');
    let text = '';
    for (let first = true; ; first = false) {
      if (this.at >= this.chars.length) this.refuse('unterminated character set', start);
      if (!first && this.take(']')) break;
      const from = this.#member(start);
      if (!this.peek('-') || this.chars[this.at + 1] === ']' || this.at + 1 >= this.chars.length) {
        text += 'set' in from ? from.set : this.#range(from.char, from.char);
        continue;
      }
      const at = this.at++;
      const to = this.#member(start);
      if ('set' in from || 'set' in to) this.refuse('bad character range', at);
      if ((from.char.codePointAt(0) ?? 0) > (to.char.codePointAt(0) ?? 0)) {
        this.refuse(`bad character range ${from.char}-${to.char}`, at - 1);
      }
      text += this.#range(from.char, to.char);
    }
    return `[${isNegated ? '^' : ''}${text}]`;
  }

  /** A literal character outside of a class. */
  protected single(char: string): string {
    const cases = this.ignoreCase ? otherCases(char, char, this.asciiOnly) : [];
    return cases.length === 0 ? literal(char) : `[${[char, ...cases].map(literal).join('')}]`;
  }

  #range(from: string, to: string): string {
    const cases = this.ignoreCase ? otherCases(from, to, this.asciiOnly) : [];
    const range = from === to ? literal(from) : `${literal(from)}-${literal(to)}`;
    return `${range}${cases.map(literal).join('')}`;
  }

  #member(start: number): { char: string } | { set: string } {
    const char = this.chars[this.at++] ?? this.refuse('unterminated character set', start);
    if (char !== '\\') return { char };
    const set = this.shorthand(this.chars[this.at] ?? '');
    return set === undefined ? { char: this.escapedCharacter(this.at - 1) } : { set };
  }
}

/** A literal character, escaped for use inside and outside of a class. */
export function literal(char: string): string {
  return /[\p{L}\p{N}_]/u.test(char) ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
