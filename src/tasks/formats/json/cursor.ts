import type { Json } from '../../../base/json.ts';
import { skipComment, skipSpace } from '../../../base/json-scan.ts';
import { parseExactJson } from '../../../base/raw-number.ts';
import { emptyAt, type Place, type RowCursor } from '../../cursor.ts';
import { MAX_DEPTH } from '../source.ts';

/** Returns what is at an offset of a row of JSON text, even if the syntax is broken. */
export function jsonCursor(text: string, offset: number): RowCursor {
  return new CursorReader(text, Math.min(Math.max(offset, 0), text.length)).read();
}

interface Token {
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
  readonly value: string;
}

/** Other kinds of white space separate nothing in JSON; they begin a word. */
const WORD_END = /[ \t\r\n{}[\],:"]/;

/**
 * Reads incomplete JSON as the user means it while typing: keys without a value, values without a comma, strings
 * without an end. Reads on after the cursor, so that the task is complete.
 */
class CursorReader {
  readonly #text: string;
  readonly #end: number;
  readonly #cursor: number;
  readonly #path: (string | number)[] = [];
  #at = 0;
  #depth = 0;
  #place: Place | undefined;

  constructor(text: string, cursor: number) {
    this.#text = text;
    this.#end = text.length;
    this.#cursor = cursor;
  }

  read(): RowCursor {
    const task = this.#value();
    const place = this.#place ?? { ...emptyAt(this.#cursor), at: 'between', path: [], followed: true };
    return { ...place, task };
  }

  /** The next character after white space and comments; empty at the end. */
  #next(): string {
    for (;;) {
      const space = skipSpace(this.#text, this.#at, this.#end);
      const comment = skipComment(this.#text, space, this.#end);
      this.#at = comment;
      if (comment === space) return space < this.#end ? (this.#text[space] ?? '') : '';
    }
  }

  #value(): Json | undefined {
    const from = this.#at;
    const next = this.#next();
    if (next === '{' || next === '[') {
      this.#cursorBetween(from, this.#at);
      if (this.#depth === MAX_DEPTH) {
        this.#at = this.#end;
        return undefined;
      }
      this.#depth += 1;
      const value = next === '{' ? this.#object() : this.#list();
      this.#depth -= 1;
      return value;
    }
    const token = this.#token();
    if (token === null) {
      this.#cursorAtValue(from, this.#at, true);
      return undefined;
    }
    this.#cursorBetween(from, token.start);
    this.#cursorOnValue(token);
    return valueOfToken(token);
  }

  #object(): Json {
    const members: [string, Json][] = [];
    this.#at += 1;
    /** Where the last member ended, if no comma has followed. */
    let complete: number | undefined;
    for (;;) {
      const from = this.#at;
      const next = this.#next();
      this.#cursorAtKey(from, this.#at, complete, next);
      if (next === '') return Object.fromEntries(members);
      if (next === '}') {
        this.#at += 1;
        return Object.fromEntries(members);
      }
      if (next === ']') {
        // The bracket closes an enclosing list if this object lacks its brace; otherwise it closes nothing.
        if (this.#path.some((step) => typeof step === 'number')) return Object.fromEntries(members);
        this.#at += 1;
        continue;
      }
      if (next === ',') {
        complete = undefined;
        this.#at += 1;
        continue;
      }
      const key = this.#token(/^[^":,\]}\r\n]*/);
      if (key === null) {
        // A bracket or a colon instead of a key.
        if (next === ':') this.#at += 1;
        else this.#value();
        continue;
      }
      const member = this.#member(key, complete);
      if (member !== undefined) members.push([key.value, member]);
      complete = this.#at;
    }
  }

  /** Reads the colon and the value after a key, if present. */
  #member(key: Token, commaBefore: number | undefined): Json | undefined {
    const colon = this.#next() === ':';
    if (this.#holds(key)) {
      const commaAfter = (!colon && this.#hasNext()) || undefined;
      this.#set({ ...this.#placeOf(key), at: 'key', followed: colon, commaBefore, commaAfter });
    }
    this.#path.push(key.value);
    if (colon) {
      this.#cursorBetween(key.end, this.#at + 1, true);
      this.#at += 1;
    } else this.#at = key.end;
    const value = colon ? this.#memberValue() : undefined;
    this.#path.pop();
    return value;
  }

  #memberValue(): Json | undefined {
    const from = this.#at;
    const next = this.#next();
    const isNextKey = next === '"' && this.#isKey();
    if (next === '' || ',}]:'.includes(next) || isNextKey) {
      this.#cursorAtValue(from, this.#at, !isNextKey);
      // Text on another line belongs to the next member.
      this.#at = isNextKey ? from : this.#at;
      return undefined;
    }
    this.#at = from;
    return this.#value();
  }

  #list(): Json {
    const items: Json[] = [];
    this.#at += 1;
    let complete: number | undefined;
    for (;;) {
      const from = this.#at;
      const next = this.#next();
      this.#cursorAtItem(from, this.#at, items.length, complete, next);
      if (next === '') return items;
      if (next === ']') {
        this.#at += 1;
        return items;
      }
      if (next === '}') {
        if (this.#path.some((step) => typeof step === 'string')) return items;
        this.#at += 1;
        continue;
      }
      if (next === ',' || next === ':') {
        complete = undefined;
        this.#at += 1;
        continue;
      }
      // A key on a line of its own: the closing bracket of the list is missing.
      if (next === '"' && complete === undefined && items.length > 0 && this.#isKey()) return items;
      this.#path.push(items.length);
      const value = this.#value();
      this.#path.pop();
      if (value !== undefined) items.push(value);
      complete = this.#at;
    }
  }

  /** Whether a string that begins here is followed by a colon. */
  #isKey(): boolean {
    const back = this.#at;
    const token = this.#token();
    const isKey = token !== null && this.#next() === ':';
    this.#at = back;
    return isKey;
  }

  /** Whether another value follows that needs a comma before it. */
  #hasNext(): boolean {
    const next = this.#text[skipSpace(this.#text, this.#at, this.#end)] ?? '';
    return this.#at < this.#end && next !== '' && !',:}]'.includes(next);
  }

  /** Reads a string or a word (a number, `true`, an unquoted text); null if neither begins here. */
  #token(content = /^[^",\]}\r\n]*/): Token | null {
    const start = this.#at;
    const first = this.#text[start] ?? '';
    if (first === '"') return this.#string(start, content);
    let end = start;
    while (end < this.#end && !WORD_END.test(this.#text[end] ?? '')) end += 1;
    if (end === start) return null;
    this.#at = end;
    return { start, end, quoted: false, value: this.#text.slice(start, end) };
  }

  /** @param content how much of an unterminated string is its content */
  #string(start: number, content: RegExp): Token {
    let end = start + 1;
    while (end < this.#end) {
      const character = this.#text[end] ?? '';
      if (character === '\n' || character === '\r' || character === '"') break;
      end += character === '\\' ? 2 : 1;
    }
    end = Math.min(end, this.#end);
    const hasQuote = this.#text[end] === '"' && end < this.#end;
    const after = hasQuote ? (this.#text[end + 1] ?? '') : '';
    const holds = start < this.#cursor && this.#cursor <= end;
    // A quote directly before a letter opens the next string: the current one is unterminated.
    const opensNext = hasQuote && holds && end + 1 < this.#end && !/[\s,:}\]"]/.test(after);
    if (hasQuote && !opensNext) {
      this.#at = end + 1;
      return { start, end: end + 1, quoted: true, value: unescapeJson(this.#text.slice(start + 1, end)) };
    }
    const from = holds ? this.#cursor : start + 1;
    const rest = content.exec(this.#text.slice(from, Math.min(end, this.#end)))?.[0] ?? '';
    end = from + rest.trimEnd().length;
    this.#at = end;
    return { start, end, quoted: true, value: unescapeJson(this.#text.slice(start + 1, end)) };
  }

  #holds(token: Token): boolean {
    return token.start <= this.#cursor && this.#cursor <= token.end;
  }

  #placeOf(token: Token): Omit<Place, 'at' | 'path' | 'followed'> {
    const inside = (from: number, to: number): string => {
      const begin = token.quoted ? token.start + 1 : token.start;
      const end = token.quoted && isClosed(this.#text, token) ? token.end - 1 : token.end;
      const text = this.#text.slice(Math.max(from, begin), Math.min(to, end));
      return token.quoted ? unescapeJson(text) : text;
    };
    return {
      start: token.start,
      end: token.end,
      before: inside(token.start, this.#cursor),
      after: inside(this.#cursor, token.end),
      quoted: token.quoted,
    };
  }

  /** Sets what the cursor is in, unless it is already known. */
  #set(place: Omit<Place, 'path'>): void {
    this.#place ??= { ...place, path: [...this.#path] };
  }

  #cursorOnValue(token: Token): void {
    if (!this.#holds(token)) return;
    const another = this.#hasNext();
    this.#set({ ...this.#placeOf(token), at: 'value', followed: !another, commaAfter: another || undefined });
  }

  #cursorAtValue(from: number, to: number, isFollowed: boolean): void {
    if (!this.#isIn(from, to)) return;
    this.#set({ ...emptyAt(this.#cursor), at: 'value', followed: isFollowed, commaAfter: !isFollowed || undefined });
  }

  #cursorBetween(from: number, to: number, exclusive = false): void {
    const before = exclusive ? this.#cursor > from && this.#cursor < to : this.#cursor >= from && this.#cursor < to;
    if (before) this.#set({ ...emptyAt(this.#cursor), at: 'between', followed: true });
  }

  #cursorAtKey(from: number, to: number, complete: number | undefined, next: string): void {
    if (!this.#isBefore(from, to, next)) return;
    if (complete !== undefined && next === ',') {
      this.#cursorBetween(from, to + 1);
      return;
    }
    const commaAfter = !',}]'.includes(next) || undefined;
    this.#set({ ...emptyAt(this.#cursor), at: 'key', followed: false, commaBefore: complete, commaAfter });
  }

  #cursorAtItem(from: number, to: number, index: number, complete: number | undefined, next: string): void {
    if (this.#place !== undefined || !this.#isBefore(from, to, next)) return;
    const newLine = complete === undefined || /[\r\n]/.test(this.#text.slice(complete, this.#cursor));
    const isBehind = complete !== undefined && (next === ',' || !newLine);
    this.#path.push(isBehind ? index - 1 : index);
    if (isBehind) this.#cursorBetween(from, to + 1);
    else {
      const commaAfter = !',}]'.includes(next) || undefined;
      this.#set({ ...emptyAt(this.#cursor), at: 'value', followed: !commaAfter, commaBefore: complete, commaAfter });
    }
    this.#path.pop();
  }

  /** In the white space that ends at `to`. Directly before a word or a string, the cursor belongs to that. */
  #isBefore(from: number, to: number, next: string): boolean {
    if (next === '' || ',}]:{['.includes(next)) return this.#isIn(from, to);
    return from <= this.#cursor && this.#cursor < to;
  }

  #isIn(from: number, to: number): boolean {
    return from <= this.#cursor && this.#cursor <= to;
  }
}

/** Whether the token is terminated by its own quote. */
function isClosed(text: string, token: Token): boolean {
  if (token.end - token.start < 2 || text[token.end - 1] !== '"') return false;
  const slashes = /\\*$/.exec(text.slice(token.start + 1, token.end - 1))?.[0].length ?? 0;
  return slashes % 2 === 0;
}

/** The content of a string; an unknown escape keeps its characters. */
function unescapeJson(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))?/gs, (_, code: string | undefined, letter: string | undefined) =>
    code === undefined ? (ESCAPES[letter ?? ''] ?? letter ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** The value of a word: a number, true, false, null, or a text that lacks its quotes. */
function valueOfToken({ quoted, value }: Token): Json {
  if (quoted) return value;
  try {
    return parseExactJson(value, null) as Json;
  } catch {
    // Incomplete.
    return value;
  }
}
