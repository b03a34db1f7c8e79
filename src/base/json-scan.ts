import type { Span } from './range.ts';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const SLASH = 47;
const STAR = 42;
const LF = 10;
const CR = 13;
const LINE_BREAK = /[\r\n]/;

export interface ValueScan {
  /** Offset after the value. */
  readonly end: number;
  /** Number of members in all its objects, duplicates included. */
  readonly members: number;
  readonly depth: number;
  /** Its brackets match and its strings are terminated. */
  readonly balanced: boolean;
  /** The text ended before the value was surely complete: more text could change the result. */
  readonly ranOut: boolean;
  /** Brackets that were open at the end of the text, outermost first; absent if it ended in a string or a comment. */
  readonly open?: readonly number[];
}

export function skipSpace(text: string, from: number, to: number): number {
  let at = from;
  while (at < to) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== LF && code !== CR && code !== 9) break;
    at += 1;
  }
  return at;
}

/** The offset after a comment that begins at `at`, or `at` if there is none. */
export function skipComment(text: string, at: number, to: number): number {
  if (text.charCodeAt(at) !== SLASH) return at;
  const next = text.charCodeAt(at + 1);
  if (next === SLASH) {
    let end = at + 2;
    while (end < to && text.charCodeAt(end) !== LF && text.charCodeAt(end) !== CR) end += 1;
    return end;
  }
  if (next === STAR) {
    const close = text.indexOf('*/', at + 2);
    return close === -1 || close + 2 > to ? to : close + 2;
  }
  return at;
}

/** What to remove with a comment: its line if it has one to itself, else the white space before it at a line end. */
export function commentSpan(text: string, start: number, end: number): Span {
  let after = end;
  while (text[after] === ' ' || text[after] === '\t') after += 1;
  const next = text[after];
  if (next !== undefined && next !== '\n' && next !== '\r') return { start, end };
  let before = start;
  while (text[before - 1] === ' ' || text[before - 1] === '\t') before -= 1;
  const isAlone = before === 0 || text[before - 1] === '\n';
  if (!isAlone || next === undefined) return { start: before, end: after };
  return { start: before, end: after + (text.startsWith('\r\n', after) ? 2 : 1) };
}

/** The offset after the string that begins at `at`; -1 if it does not end on its line. */
export function skipString(text: string, at: number, to: number): number {
  for (let end = at + 1; end < to; end += 1) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end + 1;
    if (code === BACKSLASH) end += 1;
    else if (code === LF || code === CR) return -1;
  }
  return -1;
}

/**
 * Finds the end of a JSON value from its brackets and strings alone, several times faster than parsing. The parser
 * checks whether it is valid.
 * @param openBefore open brackets of the value before `from`
 */
export function scanValue(text: string, from: number, to: number, openBefore: readonly number[] = []): ValueScan {
  const open = [...openBefore];
  let members = 0;
  let depth = 0;
  let at = from;
  while (at < to) {
    const code = text.charCodeAt(at);
    switch (code) {
      case QUOTE: {
        const end = skipString(text, at, to);
        if (end === -1) {
          const ranOut = !LINE_BREAK.test(text.slice(at, to));
          return { end: at, members, depth, balanced: false, ranOut };
        }
        at = end;
        if (open.length === 0) return { end: at, members, depth, balanced: true, ranOut: false };
        continue;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        open.push(code);
        if (open.length > depth) depth = open.length;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET: {
        const last = open.pop();
        if (last === undefined) return { end: at, members, depth, balanced: true, ranOut: false };
        if (last !== code - 2) return { end: at, members, depth, balanced: false, ranOut: false };
        if (open.length === 0) return { end: at + 1, members, depth, balanced: true, ranOut: false };
        break;
      }
      case COLON:
        members += 1;
        break;
      case COMMA:
        if (open.length === 0) return { end: at, members, depth, balanced: true, ranOut: false };
        break;
      case SLASH: {
        const end = skipComment(text, at, to);
        if (end > at) {
          at = end;
          if (at === to) return { end: to, members, depth, balanced: open.length === 0, ranOut: true };
          continue;
        }
        break;
      }
    }
    at += 1;
  }
  return { end: to, members, depth, balanced: open.length === 0, ranOut: true, open };
}

/** Maximum bracket depth of a text, whether the brackets match or not. */
export function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inside = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inside) {
      if (code === 92) at += 1;
      else if (code === 34 || code === 10) inside = false;
    } else if (code === 34) inside = true;
    else if (code === 123 || code === 91) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 125 || code === 93) depth -= 1;
  }
  return deepest;
}
