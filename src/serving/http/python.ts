import type { Json } from '../../base/json.ts';
import { pythonFloat } from '../../python/numbers.ts';

// OpenEnv's server reads JSON with Python, and its errors print values as Python does.

/** Why Python refuses a text as JSON. Positions count characters, not UTF-16 units. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  readonly at: number;
  /** The message with the place, as Python prints it. */
  readonly full: string;

  constructor(message: string, text: string, unit: number) {
    super(message);
    const lines = text.slice(0, unit).split('\n');
    this.at = characters(text.slice(0, unit));
    this.full = `${message}: line ${lines.length} column ${characters(lines.at(-1) ?? '') + 1} (char ${this.at})`;
  }
}

/** The length of a text as Python counts it. */
export function characters(text: string): number {
  let count = text.length;
  for (const [pair] of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) count -= pair.length - 1;
  return count;
}

/** Reads JSON as Python does, which takes NaN and Infinity for numbers. Throws `JsonFault`. */
export function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return new Reader(text, Number).read() as Json;
  }
}

/** A number as it stands in a text: Python tells `1.0` from `1`, and keeps all digits of a whole number. */
class Numeral {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }

  /** Whether JSON has words for it. */
  get isJson(): boolean {
    return isWhole(this.source) || Number.isFinite(Number(this.source));
  }
}

/** The values of a text that `readJson` could read, to be printed. Some are nested too deeply (`JsonFault`). */
export type Printable = Json | Numeral | readonly Printable[] | { readonly [key: string]: Printable };

/** Reads JSON with its numbers as they were written. */
export function readPrintable(text: string): Printable {
  return new Reader(text, (source) => new Numeral(source)).read();
}

/** A value as JSON with the numbers as Python prints them. Those that JSON has no words for are null. */
export function jsonOf(value: Printable): string {
  if (value instanceof Numeral) return value.isJson ? reprNumber(value.source) : 'null';
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${jsonOf(inner)}`)}}`;
}

/** Whether JSON in UTF-8 has words for a value: for NaN, infinite numbers, and half of a surrogate pair it has none. */
export function hasJson(value: Printable): boolean {
  if (typeof value === 'string') return !/\p{Cs}/u.test(value);
  if (value instanceof Numeral) return value.isJson;
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).flat().every(hasJson);
}

/** The value of a key of an object. */
export function part(object: Printable, key: string): Printable {
  return (object as { readonly [key: string]: Printable })[key] ?? null;
}

/** No client has a reason to send more arrays and objects in each other. */
const MAX_DEPTH = 1000;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|-?Infinity|NaN/y;
const PLAIN = /[^"\\\p{Cc}]*/uy;
const WORDS = { null: null, true: true, false: false } as const;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Python's own reader of JSON, step by step, because its errors depend on the order of its steps. */
class Reader {
  readonly #text: string;
  readonly #number: (source: string) => Printable;
  #at = 0;
  #depth = 0;

  constructor(text: string, number: (source: string) => Printable) {
    this.#text = text;
    this.#number = number;
  }

  read(): Printable {
    if (this.#text.startsWith('\ufeff')) throw this.#fault('Unexpected UTF-8 BOM (decode using utf-8-sig)');
    this.#skip();
    const value = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) throw this.#fault('Extra data');
    return value;
  }

  #fault(message: string, at = this.#at): JsonFault {
    return new JsonFault(message, this.#text, at);
  }

  /** The next character; empty at the end. */
  #next(): string {
    return this.#text.charAt(this.#at);
  }

  #skip(): void {
    while (this.#next() !== '' && ' \t\n\r'.includes(this.#next())) this.#at += 1;
  }

  #value(): Printable {
    if (this.#next() === '"') return this.#string();
    if (this.#next() === '{' || this.#next() === '[') {
      if (this.#depth >= MAX_DEPTH) throw this.#fault('Too many arrays and objects in each other');
      this.#depth += 1;
      const value = this.#next() === '{' ? this.#object() : this.#array();
      this.#depth -= 1;
      return value;
    }
    for (const [word, value] of Object.entries(WORDS)) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    NUMBER.lastIndex = this.#at;
    const [source] = NUMBER.exec(this.#text) ?? [];
    if (source === undefined) throw this.#fault('Expecting value');
    this.#at += source.length;
    return this.#number(source);
  }

  #object(): Printable {
    const entries: [string, Printable][] = [];
    this.#at += 1;
    this.#skip();
    while (entries.length > 0 || this.#next() !== '}') {
      if (this.#next() !== '"') throw this.#fault('Expecting property name enclosed in double quotes');
      const key = this.#string();
      this.#skip();
      this.#take(':');
      entries.push([key, this.#value()]);
      this.#skip();
      if (this.#next() === '}') break;
      this.#take(',');
    }
    this.#at += 1;
    return Object.fromEntries(entries);
  }

  #array(): Printable {
    const values: Printable[] = [];
    this.#at += 1;
    this.#skip();
    while (values.length > 0 || this.#next() !== ']') {
      values.push(this.#value());
      this.#skip();
      if (this.#next() === ']') break;
      this.#take(',');
    }
    this.#at += 1;
    return values;
  }

  /** Takes what must stand between two values, and the white space after it. */
  #take(delimiter: string): void {
    if (this.#next() !== delimiter) throw this.#fault(`Expecting '${delimiter}' delimiter`);
    this.#at += 1;
    this.#skip();
  }

  #string(): string {
    const begin = this.#at;
    let value = '';
    this.#at += 1;
    for (;;) {
      PLAIN.lastIndex = this.#at;
      value += PLAIN.exec(this.#text)?.[0] ?? '';
      this.#at = PLAIN.lastIndex;
      const char = this.#next();
      this.#at += 1;
      if (char === '"') return value;
      if (char === '') throw this.#fault('Unterminated string starting at', begin);
      if (char === '\\') value += this.#escape(begin);
      else if (char < ' ') throw this.#fault('Invalid control character at', this.#at - 1);
      else value += char;
    }
  }

  /** Reads what stands after a backslash. */
  #escape(begin: number): string {
    const at = this.#at;
    const char = this.#next();
    if (char === '') throw this.#fault('Unterminated string starting at', begin);
    if (char !== 'u') {
      const meant = ESCAPES[char];
      if (meant === undefined) throw this.#fault('Invalid \\escape', at - 1);
      this.#at += 1;
      return meant;
    }
    const digits = this.#text.slice(at + 1, at + 5);
    // Python wants something after the digits, too.
    if (!/^[\da-f]{4}$/i.test(digits) || at + 5 >= this.#text.length) throw this.#fault('Invalid \\uXXXX escape', at);
    this.#at += 5;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }
}

/** A value as Python's `repr` prints it. */
export function repr(value: Printable): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return reprNumber(String(value));
  if (value instanceof Numeral) return reprNumber(value.source);
  if (typeof value === 'string') return reprText(value);
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  const entries = Object.entries(value).map(([key, inner]) => `${reprText(key)}: ${repr(inner)}`);
  return `{${entries.join(', ')}}`;
}

/** A value as Python's `str` prints it. */
export function str(value: Printable): string {
  return typeof value === 'string' ? value : repr(value);
}

function reprNumber(source: string): string {
  if (isWhole(source)) return source === '-0' ? '0' : source;
  const value = Number(source);
  if (!Number.isFinite(value)) return String(value).replace('Infinity', 'inf').toLowerCase();
  return pythonFloat(value);
}

function isWhole(source: string): boolean {
  return /^-?\d+$/.test(source);
}

function reprText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(/[\p{C}\p{Z}\\'"]/gu, (char) => {
    if (char === ' ') return char;
    if (char === '\\' || char === quote) return `\\${char}`;
    if (char === '"' || char === "'") return char;
    const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[char];
    if (short !== undefined) return short;
    const code = (char.codePointAt(0) ?? 0).toString(16);
    if (code.length <= 2) return `\\x${code.padStart(2, '0')}`;
    return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
  });
  return `${quote}${inner}${quote}`;
}

/** The name of a value's type in Python. */
export function typeName(value: Printable): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Numeral) return isWhole(value.source) ? 'int' : 'float';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return { boolean: 'bool', string: 'str', object: 'dict' }[typeof value as 'boolean' | 'string' | 'object'];
}
