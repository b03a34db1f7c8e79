import type { Tree, TreeCursor } from 'web-tree-sitter';
import { runToEnd, type Work } from '../../../base/slices.ts';
import { parsePython, parsePythonInSlices } from './grammar.ts';

export const NAME = 1;
export const NUMBER = 2;
/** A whole string with its prefix and quotes. */
export const TEXT = 3;
/** An unterminated string; it extends to the end of its line. */
export const OPEN_TEXT = 4;
export const MARK = 5;
/** Text that is invalid at this location in any Python program. */
export const ODD = 6;

/** Number of tree nodes between two pauses. */
const NODES_PER_SLICE = 10_000;

/** The tokens of a Python text, without comments. Unlike nodes of a tree, they are correct around broken syntax. */
export class Tokens {
  readonly text: string;
  readonly kinds: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  #closing: Int32Array | undefined;

  constructor(text: string, tokens: { kinds: readonly number[]; starts: readonly number[]; ends: readonly number[] }) {
    this.text = text;
    this.kinds = Uint8Array.from(tokens.kinds);
    this.starts = Uint32Array.from(tokens.starts);
    this.ends = Uint32Array.from(tokens.ends);
  }

  get length(): number {
    return this.kinds.length;
  }

  kind(index: number): number {
    return this.kinds[index] ?? 0;
  }

  start(index: number): number {
    return this.starts[index] ?? this.text.length;
  }

  end(index: number): number {
    return this.ends[index] ?? this.text.length;
  }

  word(index: number): string {
    return this.text.slice(this.start(index), this.end(index));
  }

  /** Whether a name or an operator has this text. */
  is(index: number, word: string): boolean {
    const kind = this.kinds[index];
    if (kind !== NAME && kind !== MARK) return false;
    const start = this.start(index);
    return this.end(index) - start === word.length && this.text.startsWith(word, start);
  }

  /** The column of a token that is the first on its line, else -1. A backslash joins two lines. */
  lineColumn(index: number): number {
    const start = this.start(index);
    let at = start;
    while (at > 0 && !this.#isLineEnd(at - 1)) {
      const code = this.text.charCodeAt(at - 1);
      if (code !== 32 && code !== 9 && code !== 12) return -1;
      at -= 1;
    }
    return this.#isJoined(at) ? -1 : start - at;
  }

  /** Whether the line that begins at an offset continues the previous one. */
  #isJoined(lineStart: number): boolean {
    const isPair = this.text.startsWith('\r\n', lineStart - 2);
    const last = lineStart - (isPair ? 3 : 2);
    // A comment can also end with a backslash.
    return last >= 0 && this.text[last] === '\\' && !/#.*$/.test(this.text.slice(Math.max(0, last - 1000), last));
  }

  #isLineEnd(offset: number): boolean {
    const code = this.text.charCodeAt(offset);
    return code === 10 || code === 13;
  }

  /** 1 for an opening bracket, -1 for a closing one, else 0. */
  bracket(index: number): number {
    if (this.kinds[index] !== MARK || this.end(index) - this.start(index) !== 1) return 0;
    const code = this.text.charCodeAt(this.start(index));
    if (code === 40 || code === 91 || code === 123) return 1;
    return code === 41 || code === 93 || code === 125 ? -1 : 0;
  }

  /** Index of the bracket that closes the one at `open`; -1 if the brackets before `end` do not match. */
  matching(open: number, end: number = this.length): number {
    this.#closing ??= this.#match();
    const close = this.#closing[open] ?? -1;
    return close < end ? close : -1;
  }

  /** The closing bracket of each opening one, else -1. One pass keeps texts of open brackets linear. */
  #match(): Int32Array {
    const closing = new Int32Array(this.length).fill(-1);
    let open: number[] = [];
    for (let index = 0; index < this.length; index += 1) {
      const turn = this.bracket(index);
      if (turn === 1) open.push(index);
      if (turn !== -1) continue;
      const last = open.pop();
      if (last === undefined) continue;
      const code = this.text.charCodeAt(this.start(last));
      if (this.text.charCodeAt(this.start(index)) === (code === 40 ? 41 : code + 2)) closing[last] = index;
      // Brackets that enclose an unmatched one have no match.
      else open = [];
    }
    return closing;
  }
}

/** The tokens of a text of a few lines. */
export function tokensOf(text: string): Tokens {
  const tree = parsePython(text);
  return runToEnd(collect(text, tree));
}

/** The tokens of a whole file, in slices; null where it takes far too long. */
export function* tokensInSlices(text: string): Work<Tokens | null> {
  const tree = yield* parsePythonInSlices(text);
  return tree === null ? null : yield* collect(text, tree);
}

function* collect(text: string, tree: Tree | null): Work<Tokens> {
  const collector = new Collector(text);
  const cursor = tree?.walk();
  try {
    if (cursor !== undefined) yield* collector.walk(cursor);
  } finally {
    cursor?.delete();
    tree?.delete();
  }
  return new Tokens(text, collector);
}

class Collector {
  readonly kinds: number[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly #text: string;
  /** Everything before this offset has tokens. */
  #end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  *walk(cursor: TreeCursor): Work<void> {
    for (let count = 1; ; count += 1) {
      if (count % NODES_PER_SLICE === 0) yield;
      if (!this.#string(cursor)) {
        if (cursor.gotoFirstChild()) continue;
        this.#leaf(cursor);
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return this.#gap(this.#text.length);
      }
    }
  }

  /** A string is one token, whatever its content. */
  #string(cursor: TreeCursor): boolean {
    const type = cursor.nodeType;
    if (type !== 'string' && type !== 'string_start') return false;
    const start = cursor.startIndex;
    const end = cursor.endIndex;
    if (start < this.#end) return true;
    this.#gap(start);
    const whole = type === 'string' && isWhole(cursor) ? end : undefined;
    const last = whole ?? stringEnd(this.#text, start);
    if (last !== undefined) this.#add(TEXT, start, last);
    else this.#add(OPEN_TEXT, start, lineEnd(this.#text, start));
    return true;
  }

  #leaf(cursor: TreeCursor): void {
    const start = cursor.startIndex;
    const end = cursor.endIndex;
    const type = cursor.nodeType;
    if (start < this.#end || start === end || type === 'ERROR') return;
    this.#gap(start);
    if (type === 'comment' || type === 'line_continuation') this.#end = end;
    else if (type === 'integer' || type === 'float') this.#add(NUMBER, start, end);
    else if (type.startsWith('string_')) this.#add(ODD, start, end);
    else this.#add(/[\p{L}_]/u.test(this.#text[start] ?? '') ? NAME : MARK, start, end);
  }

  #add(kind: number, start: number, end: number): void {
    this.kinds.push(kind);
    this.starts.push(start);
    this.ends.push(end);
    this.#end = end;
  }

  /** Text that the tree omits before an offset: white space, or text that it could not parse. */
  #gap(to: number): void {
    let start = this.#end;
    while (start < to && isSpace(this.#text.charCodeAt(start))) start += 1;
    let end = to;
    while (end > start && isSpace(this.#text.charCodeAt(end - 1))) end -= 1;
    if (start < end) this.#add(ODD, start, end);
  }
}

/** The end of a string that the tree could not parse; undefined if it is unterminated. */
function stringEnd(text: string, start: number): number | undefined {
  OPENING.lastIndex = start;
  const quote = OPENING.exec(text)?.[1];
  if (quote === undefined) return undefined;
  for (let at = OPENING.lastIndex; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (quote.length === 1 && (character === '\n' || character === '\r')) return undefined;
    else if (character === quote[0] && text.startsWith(quote, at)) return at + quote.length;
  }
  return undefined;
}

const OPENING = /[A-Za-z]*("""|'''|"|')/y;

function lineEnd(text: string, from: number): number {
  const rest = /[\r\n]/g;
  rest.lastIndex = from;
  return rest.exec(text)?.index ?? text.length;
}

/** Whether its last child is the closing quote. */
function isWhole(cursor: TreeCursor): boolean {
  if (!cursor.gotoLastChild()) return false;
  const whole = cursor.nodeType === 'string_end' && cursor.startIndex < cursor.endIndex;
  cursor.gotoParent();
  return whole;
}

/** White space, and the backslash that joins two lines. */
function isSpace(code: number): boolean {
  return (code >= 9 && code <= 13) || code === 32 || code === 92 || code === 0xfeff;
}
