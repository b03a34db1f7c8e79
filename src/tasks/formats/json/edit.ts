import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import type { Json } from '../../../base/json.ts';
import { nesting } from '../../../base/json-scan.ts';
import type { Span } from '../../../base/range.ts';
import type { Change } from '../../change.ts';
import { Draft } from '../../draft.ts';
import { applyChanges, type Outcome, TreeEditor } from '../editor.ts';
import { isFirstOnLine, lineIndent } from '../layout.ts';
import { MAX_DEPTH, type OffsetEdit } from '../source.ts';
import { type JsonStyle, printJson, quote, styleOf } from './print.ts';

/**
 * Returns edits that apply changes to one row of JSON text, in the layout of the surrounding text.
 * @param text of the whole file
 * @returns null if the row is broken, or a path leads through a value that has no members
 */
export function editRow(text: string, row: Span, changes: readonly Change[]): readonly OffsetEdit[] | null {
  const draft = new Draft(text);
  const isApplied = applyChanges(changes, () => {
    const tree = parseSound(draft.text.slice(row.start, row.end + draft.text.length - text.length));
    return tree && new RowEditor(draft, row.start, tree);
  });
  return isApplied ? draft.edits : null;
}

/** Parses a text that is unambiguous: comments and trailing commas are not JSON, but leave no doubt. */
function parseSound(text: string): Node | null {
  if (nesting(text) > MAX_DEPTH) return null;
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  return tree === undefined || errors.length > 0 ? null : tree;
}

class RowEditor extends TreeEditor<Node> {
  readonly #draft: Draft;
  /** Offset of the row: node offsets are relative to it. */
  readonly #offset: number;
  protected readonly root: Node;
  readonly #style: JsonStyle;

  constructor(draft: Draft, offset: number, root: Node) {
    super();
    this.#draft = draft;
    this.#offset = offset;
    this.root = root;
    this.#style = styleOf(draft.text, offset, root);
  }

  protected child(node: Node, step: string | number): Node | undefined {
    if (node.type === 'array') return typeof step === 'number' ? node.children?.[step] : undefined;
    return node.type === 'object' ? membersNamed(node, String(step)).at(-1)?.children?.[1] : undefined;
  }

  protected replace(node: Node, value: Json): Outcome {
    const { start, end } = this.#span(node);
    const { text } = this.#draft;
    const isBroken = isContainer(node) && BREAK.test(text.slice(start, end));
    this.#draft.replace(start, end, this.#print(value, lineIndent(text, start), start, isBroken));
    return 'done';
  }

  protected append(parent: Node, step: string | number, value: Json): Outcome {
    if (!isContainer(parent) || (parent.type === 'array' && typeof step !== 'number')) return 'impossible';
    const { text } = this.#draft;
    const isList = parent.type === 'array';
    const prefix = isList ? '' : quote(String(step)) + this.#style.colon;
    const last = parent.children?.at(-1);
    if (last === undefined) {
      const { start, end } = this.#span(parent);
      // With a comment in between, it is unclear what it describes.
      if (text.slice(start + 1, end - 1).trim() !== '') return 'impossible';
      const isBroken = parent === this.root || BREAK.test(text.slice(start, end));
      const whole: Json = isList ? [value] : { [step]: value };
      this.#draft.replace(start, end, this.#print(whole, lineIndent(text, start), start, isBroken));
      return 'done';
    }
    const { start, end } = this.#span(last);
    const indent = lineIndent(text, start);
    const separator = isFirstOnLine(text, start) ? `,${this.#style.lineEnd}${indent}` : this.#style.comma;
    const lead = separator + prefix;
    // The column after a line break counts from there, any other column from the beginning of the line.
    const at = separator.endsWith(indent) && separator !== this.#style.comma ? indent.length : column(text, end);
    this.#draft.replace(end, end, lead + printJson(value, this.#style, indent, at + lead.trimStart().length));
    return 'done';
  }

  protected rename(parent: Node, name: string, key: string): Outcome {
    if (parent.type !== 'object') return 'impossible';
    const members = membersNamed(parent, name);
    const keyNode = members.at(-1)?.children?.[0];
    if (keyNode === undefined) return 'impossible';
    // Otherwise a member that the old name hides would reappear, or the wrong one of two with the new name would count.
    const [other] = [...members.slice(0, -1), ...(key === name ? [] : membersNamed(parent, key))];
    if (other !== undefined) {
      this.#cut(parent, other);
      return 'partly';
    }
    const { start, end } = this.#span(keyNode);
    this.#draft.replace(start, end, quote(key));
    return 'done';
  }

  protected remove(parent: Node, step: string | number): Outcome {
    const item = parent.type === 'array' ? this.child(parent, step) : undefined;
    const [first = item, ...more] = parent.type === 'object' ? membersNamed(parent, String(step)) : [];
    if (first === undefined) return 'impossible';
    this.#cut(parent, first);
    return more.length > 0 ? 'partly' : 'done';
  }

  #cut(parent: Node, child: Node): void {
    const { children = [] } = parent;
    const spans = children.map((one) => this.#span(one));
    const { start, end } = removal(this.#draft.text, this.#span(parent), spans, children.indexOf(child));
    this.#draft.replace(start, end, '');
  }

  #span(node: Node): Span {
    const start = this.#offset + node.offset;
    return { start, end: start + node.length };
  }

  #print(value: Json, indent: string, at: number, isBroken: boolean): string {
    return printJson(value, this.#style, indent, column(this.#draft.text, at), isBroken);
  }
}

const BREAK = /[\r\n]/;

function isContainer(node: Node): boolean {
  return node.type === 'object' || node.type === 'array';
}

function membersNamed(node: Node, key: string): Node[] {
  return (node.children ?? []).filter((member) => member.children?.[0]?.value === key);
}

function column(text: string, offset: number): number {
  return offset - Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) - 1;
}

/** What to remove with a member or an item: its comma, and its line if it has one to itself. */
function removal(text: string, parent: Span, items: readonly Span[], index: number): Span {
  const [before, own, after] = [items[index - 1], items[index] as Span, items[index + 1]];
  if (after !== undefined && (before === undefined || isFirstOnLine(text, own.start))) {
    return { start: own.start, end: after.start };
  }
  return before === undefined ? { start: parent.start + 1, end: parent.end - 1 } : { start: before.end, end: own.end };
}

/** A list of rows in the text of a file. */
export interface RowList {
  /** From its opening bracket to the closing one. */
  readonly span: Span;
  readonly rows: readonly Span[];
}

/** Edits that insert a row into a list; null if the surrounding text is broken. */
export function insertIntoList(text: string, list: RowList, index: number, value: Json): OffsetEdit[] | null {
  const { rows, span } = list;
  const next = rows[index];
  const near = next ?? rows.at(-1);
  if (near === undefined) {
    if (index !== 0 || text.slice(span.start + 1, span.end - 1).trim() !== '') return null;
    const style = styleOf(text, span.start, undefined);
    return [{ ...span, text: printJson([value], style, lineIndent(text, span.start), 0, true) }];
  }
  const tree = index <= rows.length ? parseSound(text.slice(near.start, near.end)) : null;
  if (tree === null) return null;
  const style = styleOf(text, near.start, tree);
  const indent = lineIndent(text, near.start);
  const json = printJson(value, style, indent, indent.length, true);
  const between = isFirstOnLine(text, near.start) ? `,${style.lineEnd}${indent}` : ', ';
  return next === undefined
    ? [{ start: near.end, end: near.end, text: between + json }]
    : [{ start: near.start, end: near.start, text: json + between }];
}

/** Edits that create the first row of an empty file, in a list to which more can be added. */
export function insertIntoNothing(text: string, index: number, value: Json): OffsetEdit[] | null {
  if (index !== 0) return null;
  const style = styleOf(text, 0, undefined);
  return [{ start: 0, end: text.length, text: printJson([value], style, '', 0, true) + style.lineEnd }];
}

/** Edits that remove a row from a list. */
export function removeFromList(text: string, { span, rows }: RowList, index: number): OffsetEdit[] | null {
  return index in rows ? [{ ...removal(text, span, rows, index), text: '' }] : null;
}

/** Edits that insert a row into JSON lines, on a line of its own. */
export function insertLine(text: string, rows: readonly Span[], index: number, value: Json): OffsetEdit[] | null {
  if (index > rows.length) return null;
  const next = rows[index];
  const near = next ?? rows.at(-1);
  const tree = near === undefined ? null : parseSound(text.slice(near.start, near.end));
  // A lone carriage return does not separate JSON lines.
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const style = { ...styleOf(text, near?.start ?? 0, tree ?? undefined), inline: true, brace: '', lineEnd };
  const json = printJson(value, style, '', 0);
  if (near === undefined) return [{ start: 0, end: text.length, text: json + style.lineEnd }];
  const at = next === undefined ? near.end : near.start - lineIndent(text, near.start).length;
  return [{ start: at, end: at, text: next === undefined ? style.lineEnd + json : json + style.lineEnd }];
}

/** Edits that remove a row with its line from JSON lines. */
export function removeLine(text: string, rows: readonly Span[], index: number): OffsetEdit[] | null {
  const own = rows[index];
  if (own === undefined) return null;
  const newline = text.indexOf('\n', own.end);
  const start = own.start - lineIndent(text, own.start).length;
  if (newline !== -1) return [{ start, end: newline + 1, text: '' }];
  const before = text.slice(0, start);
  return [{ start: before.replace(/\r?\n$/, '').length, end: text.length, text: '' }];
}
