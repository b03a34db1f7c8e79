import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { Json, JsonObject } from '../../../base/json.ts';
import { nesting, scanValue, type ValueScan } from '../../../base/json-scan.ts';
import type { Lines } from '../../../base/lines.ts';
import type { Part, Path } from '../../../base/path.ts';
import type { Span } from '../../../base/range.ts';
import { exactNumber, parseExactJson } from '../../../base/raw-number.ts';
import type { Change } from '../../change.ts';
import type { RowCursor } from '../../cursor.ts';
import { UNKNOWN } from '../../unknown.ts';
import { MAX_DEPTH, type OffsetEdit, type RowContent, type RowSource, type TextProblem, textError } from '../source.ts';
import { jsonCursor } from './cursor.ts';
import { editRow } from './edit.ts';
import { commentProblem, trailingCommaProblem } from './problems.ts';

const SENTENCES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'Invalid JSON value',
  InvalidNumberFormat: 'Invalid JSON number',
  PropertyNameExpected: 'Expected a key in double quotes',
  ValueExpected: 'Expected a value',
  ColonExpected: 'Expected a colon',
  CommaExpected: 'Expected a comma',
  CloseBraceExpected: 'Expected a closing brace',
  CloseBracketExpected: 'Expected a closing bracket',
  EndOfFileExpected: 'Unexpected text',
  UnexpectedEndOfComment: 'This comment is not terminated',
  UnexpectedEndOfString: 'This string is not terminated on its line',
  UnexpectedEndOfNumber: 'This number is incomplete',
  InvalidUnicode: 'Invalid Unicode escape: expected \\u and four hexadecimal digits',
  InvalidEscapeCharacter: 'Invalid escape sequence in JSON',
  InvalidCharacter: 'Control characters must be escaped in JSON strings',
};

const NO_PROBLEMS: readonly TextProblem[] = [];

/** What a text contains in which a number such as 1e-400 is read as 0. */
const UNDERFLOW = /[eE]-\d{3}|\.\d{300}/;

/**
 * How the end of a row was found: by its brackets (`sure`); if they do not match, by the next line that looks like the
 * beginning of a row, after a mismatch inside the row (`near`) or an unclosed bracket (`open`); or by less (`guess`).
 * In JSON lines it is the end of the line.
 */
export type Extent = 'sure' | 'near' | 'open' | 'guess' | 'line';

/** A row of JSON text. The value comes from `JSON.parse`; ranges come from a syntax tree that is built on demand. */
export class JsonRow implements RowSource {
  start: number;
  end: number;
  readonly extent: Extent;
  readonly #lines: Lines;
  /** The tree of the row that was used last. A tree takes ten times the memory of its text. */
  static #last: { readonly row: JsonRow; readonly tree: Node | undefined } | undefined;

  constructor(lines: Lines, start: number, end: number, extent: Extent) {
    this.#lines = lines;
    this.start = start;
    this.end = end;
    this.extent = extent;
  }

  /** Moves the row by a number of characters that were inserted before it. */
  move(by: number): void {
    this.start += by;
    this.end += by;
  }

  /** Whether a row read from the same text is equal. */
  isLike({ start, end, extent }: JsonRow): boolean {
    return this.start === start && this.end === end && this.extent === extent;
  }

  get base(): number {
    return this.start;
  }

  get #text(): string {
    return this.#lines.slice(this.start, this.end);
  }

  get #balanced(): boolean {
    if (this.extent !== 'line') return this.extent === 'sure';
    const { balanced, end } = this.#scan();
    return balanced && end === this.end - this.start;
  }

  #scan(): ValueScan {
    return scanValue(this.#text, 0, this.end - this.start);
  }

  read(): RowContent {
    const { text: whole, from } = this.#lines.around(this.start, this.end);
    const to = from + this.end - this.start;
    const text = whole.slice(from, to);
    if (this.extent !== 'sure' && this.extent !== 'line') return this.#tolerant(text);
    let value: Json;
    try {
      value = JSON.parse(text) as Json;
    } catch {
      // The parser reports what is wrong, and where.
      return this.#tolerant(text);
    }
    const counts = { members: 0, finite: true, small: true, zero: false, tooDeep: false };
    count(value, counts, 1);
    if (counts.tooDeep) return this.#nestedTooDeeply();
    const isExact = counts.finite && counts.small && !(counts.zero && UNDERFLOW.test(text));
    const exactValue = isExact ? value : parseExactJson(text, UNKNOWN);
    if (counts.finite && (hasMembers(whole, from, to, counts.members) || this.#scan().members === counts.members)) {
      return { value: exactValue as Json, readable: true, problems: NO_PROBLEMS };
    }
    return { value: exactValue as Json, readable: true, problems: this.#odd(text) };
  }

  #nestedTooDeeply(): RowContent {
    const message = `This task has more than ${MAX_DEPTH} levels of nesting`;
    const problems = [textError({ start: 0, end: 1 }, 'nested-too-deeply', message)];
    return { value: undefined, readable: false, problems };
  }

  locate(path: Path, part: Part): Span | undefined {
    let node = this.#tree();
    let key: Node | undefined;
    for (const step of path) {
      if (node?.type === 'array' && typeof step === 'number') {
        [key, node] = [undefined, node.children?.[step]];
      } else if (node?.type === 'object') {
        const member = node.children?.findLast((child) => child.children?.[0]?.value === String(step));
        if (member === undefined) return undefined;
        [key, node] = member.children ?? [];
      } else return undefined;
    }
    const target = part === 'key' ? (key ?? node) : (node ?? key);
    return target && spanOf(target);
  }

  #tree(): Node | undefined {
    if (JsonRow.#last?.row === this) return JsonRow.#last.tree;
    const text = this.#text;
    const tree = this.#isTooDeep() ? undefined : parseTree(text);
    JsonRow.#last = { row: this, tree };
    return tree;
  }

  #isTooDeep(): boolean {
    const { balanced, depth } = this.#scan();
    return (balanced ? depth : nesting(this.#text)) > MAX_DEPTH;
  }

  edit(changes: readonly Change[]): readonly OffsetEdit[] | null {
    return this.#isTooDeep() ? null : editRow(this.#lines.text, this, changes);
  }

  cursor(offset: number): RowCursor {
    return jsonCursor(this.#text, offset);
  }

  /** Reports duplicate keys and numbers that are too large, in a text that is valid JSON. */
  #odd(text: string): TextProblem[] {
    const problems: TextProblem[] = [];
    const visit = (node: Node): void => {
      if (node.type === 'object') {
        const keys = new Set<string>();
        for (const member of (node.children ?? []).toReversed()) {
          const key = member.children?.[0];
          if (key === undefined) continue;
          const name = String(key.value);
          if (keys.has(name)) {
            const message = `Duplicate key “${name}”: only its last value counts`;
            problems.push({ ...textError(spanOf(key), 'duplicate-key', message), severity: 'warning' });
          }
          keys.add(name);
        }
      } else if (node.type === 'number' && !Number.isFinite(node.value)) {
        const message = 'This number is too large; only finite numbers are allowed';
        problems.push(textError(spanOf(node), 'number-not-finite', message));
      }
      node.children?.forEach(visit);
    };
    const tree = parseTree(text);
    if (tree !== undefined) visit(tree);
    return problems.sort((a, b) => a.start - b.start);
  }

  #tolerant(text: string): RowContent {
    if (this.#isTooDeep()) return this.#nestedTooDeeply();
    const errors: ParseError[] = [];
    const tree = parseTree(text, errors, { allowTrailingComma: false, disallowComments: true });
    const problems: TextProblem[] = [];
    const trailing = trailingCommas(text);
    let readable = this.#balanced;
    for (const { error, offset, length } of errors.toSorted((a, b) => a.offset - b.offset)) {
      const name = printParseErrorCode(error);
      const span = spanOf({ offset, length });
      if (name === 'InvalidCommentToken') {
        problems.push(commentProblem(text, span));
        continue;
      }
      const comma = trailing.get(offset);
      if (comma !== undefined) {
        if (problems.every(({ start }) => start !== comma)) problems.push(trailingCommaProblem(comma));
        continue;
      }
      if (readable || problems.every((problem) => problem.code !== 'syntax')) {
        problems.push(textError(span, 'syntax', sentence(name, text.slice(span.start, span.end))));
      }
      readable = false;
    }
    if (problems.length === 0) {
      problems.push(textError({ start: 0, end: text.length }, 'syntax', 'Invalid JSON'));
      readable = false;
    }
    return { value: tree && jsonOf(tree, text), readable, problems };
  }
}

export function spanOf({ offset, length }: Pick<Node, 'offset' | 'length'>): Span {
  return { start: offset, end: offset + length };
}

/** The node at a path, or the nearest one that encloses it. */
export function nearestNode(tree: Node, path: Path): Node {
  let node = tree;
  for (let length = 1; length <= path.length; length += 1) {
    node = findNodeAtLocation(tree, path.slice(0, length)) ?? node;
  }
  return node;
}

/** Describes a syntax error of `jsonc-parser`; `text` is the text at its location. */
export function sentence(name: string, text: string): string {
  const description = SENTENCES[name] ?? 'Invalid JSON';
  return name === 'InvalidSymbol' && /^-?(nan|infinity)$/i.test(text)
    ? `${text} is not a JSON number; only finite numbers are allowed`
    : description;
}

/** Commas with only white space and comments before the closing bracket: the bracket's offset to the comma's. */
function trailingCommas(text: string): ReadonlyMap<number, number> {
  const scanner = createScanner(text, true);
  const commas = new Map<number, number>();
  let last = '';
  let lastOffset = 0;
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    const token = text[offset] ?? '';
    if (token === '/' && /[/*]/.test(text[offset + 1] ?? '')) continue;
    if (last === ',' && (token === '}' || token === ']')) commas.set(offset, lastOffset);
    last = token;
    lastOffset = offset;
  }
  return commas;
}

/** Whether a part of valid JSON has that many members, by its colons: in a string, no quote precedes a colon. */
function hasMembers(text: string, from: number, to: number, members: number): boolean {
  // The search would go through all rows without members that follow.
  if (members === 0) return true;
  let keys = 0;
  for (let at = text.indexOf(':', from); at !== -1 && at < to; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (before === 34) keys += 1;
    else if (before <= 32) return false;
  }
  return keys === members;
}

interface Counts {
  members: number;
  finite: boolean;
  /** No number is so large that it can have more digits than JavaScript reads. */
  small: boolean;
  zero: boolean;
  tooDeep: boolean;
}

function count(value: Json, counts: Counts, depth: number): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) counts.finite = false;
    else if (value === 0) counts.zero = true;
    else if (Math.abs(value) > Number.MAX_SAFE_INTEGER) counts.small = false;
  } else if (typeof value === 'object' && value !== null) {
    if (depth > MAX_DEPTH) counts.tooDeep = true;
    else if (Array.isArray(value)) {
      for (const item of value) if (typeof item !== 'string') count(item, counts, depth + 1);
    } else {
      const object = value as JsonObject;
      for (const key in object) {
        counts.members += 1;
        const item = object[key];
        if (typeof item !== 'string' && item !== undefined) count(item, counts, depth + 1);
      }
    }
  }
}

/** The value of a syntax tree, with `UNKNOWN` in place of infinite numbers. */
function jsonOf(node: Node, text: string): Json {
  if (node.type === 'number') {
    const { start, end } = spanOf(node);
    return Number.isFinite(node.value) ? exactNumber(text.slice(start, end), node.value) : UNKNOWN;
  }
  const children = node.children ?? [];
  if (node.type === 'array') return children.map((item) => jsonOf(item, text));
  if (node.type !== 'object') return node.value as Json;
  const members = children.flatMap(({ children: [key, item] = [] }) =>
    key === undefined || item === undefined ? [] : [[String(key.value), jsonOf(item, text)] as const],
  );
  return Object.fromEntries(members);
}
