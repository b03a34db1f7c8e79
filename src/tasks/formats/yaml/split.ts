import type { Work } from '../../../base/slices.ts';
import { nextLine } from '../layout.ts';

/** Where the items of a block list begin in a YAML file. */
interface ListHead {
  readonly from: number;
  /** Column of the dashes. */
  readonly indent: number;
  /** The list is under a `tasks:` key of the file. */
  readonly inSet: boolean;
}

/** Locations of the items of a block list. */
interface ListItems {
  /** Offsets of the lines that the items begin in. */
  readonly starts: readonly number[];
  /** Offset of the line after the last item: the end of the text, or what follows the list. */
  readonly end: number;
}

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const HASH = 35;
const DASH = 45;
/** Number of characters to search in one go. */
const SLICE = 1_000_000;

/** A key at the beginning of a line, as far as that can be determined without parsing. */
const KEY = /^(?:[A-Za-z_][\w.-]*|"[^"\\\n]*"|'[^'\n]*')[ \t]*:(?=[ \t\r\n]|$)/;
/** Text that could also be a key: `<<:`, `? `, or a key in another script. */
const ODD_KEY = /^(?:[?:](?=\s)|[^\s#-][^\n]*:(?=[ \t\r\n]|$))/;
const TASKS = /^(?:tasks|"tasks"|'tasks')[ \t]*:[ \t]*(?:#[^\n]*)?\r?$/;

/**
 * Finds the items of a block list from the indentation of its lines alone: inside an item, YAML allows only comments, blank
 * lines, and the closing bracket of a flow collection at or before the column of its dash.
 * @returns null if the lines contain a document marker or a key that only a parser recognizes
 */
export function* splitItems(text: string, { from, indent, inSet }: ListHead): Work<ListItems | null> {
  const starts: number[] = [];
  let pause = from + SLICE;
  for (let at = from; at < text.length; ) {
    const next = nextLine(text, at);
    let first = at;
    while (text.charCodeAt(first) === SPACE) first += 1;
    const column = first - at;
    if (column <= indent && !isBlankOrComment(text, first)) {
      const isDash = text.charCodeAt(first) === DASH;
      if (column === indent && isDash && isBlank(text, first + 1)) starts.push(at);
      else if (column === 0 && isMarker(text, at)) return null;
      else if (column === 0 && inSet && !isDash) {
        const line = text.slice(at, next);
        if (KEY.test(line)) return { starts, end: at };
        if (ODD_KEY.test(line)) return null;
      }
    }
    at = next;
    if (at > pause) {
      pause = at + SLICE;
      yield;
    }
  }
  return { starts, end: text.length };
}

/**
 * Start of the first item of the file's list, based on the text before it.
 * @returns null if the file is not a block list, or its context needs a parser: directives, several documents
 */
export function headOf(text: string): ListHead | null {
  let inSet = false;
  let expectsList = true;
  let hasMarker = false;
  for (let at = 0; at < text.length; ) {
    const next = nextLine(text, at);
    let first = at;
    while (text.charCodeAt(first) === SPACE) first += 1;
    if (!isBlankOrComment(text, first)) {
      const line = text.slice(at, next).replace(/\n$/, '');
      const isItem = text.charCodeAt(first) === DASH && isBlank(text, first + 1);
      if (expectsList && isItem) return { from: at, indent: first - at, inSet };
      if (first === at && !inSet && !hasMarker && /^---[ \t]*(?:#[^\n]*)?\r?$/.test(line)) hasMarker = true;
      else {
        if (first === at && (isMarker(text, at) || line.startsWith('%'))) return null;
        if (!inSet && !(first === at && KEY.test(line))) return null;
        inSet = true;
        if (first === at || expectsList) expectsList = first === at && TASKS.test(line);
      }
    }
    at = next;
  }
  return null;
}

/** Whether the rest of a line is blank or a comment. */
function isBlankOrComment(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === HASH) return true;
  return isBlank(text, at) && code !== SPACE && (code !== TAB || text.slice(at, nextLine(text, at)).trim() === '');
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (
    code === SPACE || code === TAB || code === LF || Number.isNaN(code) || (code === CR && isLineEnd(text, at + 1))
  );
}

function isLineEnd(text: string, at: number): boolean {
  return at >= text.length || text.charCodeAt(at) === LF;
}

/** `---` or `...` alone: the start or end of a document. */
function isMarker(text: string, at: number): boolean {
  return (text.startsWith('---', at) || text.startsWith('...', at)) && isBlank(text, at + 3);
}

/** The anchors (`&`) or aliases (`*`) in a text, and other text that looks like them. */
export function namesAfter(sign: '&' | '*', text: string): { readonly name: string; readonly at: number }[] {
  const names: { name: string; at: number }[] = [];
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) {
    let end = at + 1;
    while (end < text.length && !/[\s,[\]{}]/.test(text[end] ?? '')) end += 1;
    if (end > at + 1 && beginsNode(text, at)) names.push({ name: text.slice(at + 1, end), at });
  }
  return names;
}

function beginsNode(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && /[ \t]/.test(text[before - 1] ?? '')) before -= 1;
  const last = text[before - 1];
  if (last === undefined || /[\n\r\-:?,[{]/.test(last)) return true;
  const word = /\S{1,200}$/.exec(text.slice(Math.max(0, before - 200), before))?.[0] ?? '';
  return /^(?:[-:?,[{]*)!/.test(word);
}
