import type { Node } from 'jsonc-parser';
import { escapeForJson, type Json } from '../../../base/json.ts';
import { digitsOf, isNumber, isRawNumber } from '../../../base/raw-number.ts';
import type { Writer } from '../../writer.ts';
import { lineEndOf, lineIndent } from '../layout.ts';

/** The layout of a JSON text, detected from its content. */
export interface JsonStyle {
  /** Indentation of one level. */
  readonly unit: string;
  readonly lineEnd: string;
  /** Everything is on one line. */
  readonly inline: boolean;
  /** Every nonempty list and object is broken into lines, as `JSON.stringify` and Python's `indent` do. */
  readonly expanded: boolean;
  readonly colon: string;
  readonly comma: string;
  /** White space between a brace and its content on the same line. */
  readonly brace: string;
}

/** JSON, with a space after commas and colons. */
export const jsonWriter: Writer = {
  value: (value) => onOneLine(value, { colon: ': ', comma: ', ', brace: ' ' }),
  member: (key) => `${quote(key)}: `,
};

/** Longer lines are broken. */
const WIDTH = 80;

const BREAK = /[\r\n]/;

/**
 * Detects the layout of the text around a value.
 * @param text of the whole file
 * @param value a syntax tree whose offsets are relative to `offset`
 */
export function styleOf(text: string, offset: number, value: Node | undefined): JsonStyle {
  const observations: Observations = { multiline: 0, oneLine: 0 };
  const own = value === undefined ? '' : text.slice(offset + value.offset, offset + value.offset + value.length);
  const inline = value !== undefined && !own.includes('\n');
  if (value !== undefined) visit(value, text, offset, observations, true);
  const colon = observations.colon ?? ': ';
  return {
    unit: observations.unit ?? (lineIndent(text, offset + (value?.offset ?? 0)) || '  '),
    lineEnd: lineEndOf(text),
    inline,
    expanded: observations.multiline > 0 && observations.oneLine === 0,
    colon,
    comma: observations.comma ?? (colon === ':' ? ',' : ', '),
    brace: observations.brace ?? (inline ? '' : ' '),
  };
}

interface Observations {
  unit?: string;
  multiline: number;
  oneLine: number;
  colon?: string;
  comma?: string;
  brace?: string;
}

function visit(node: Node, text: string, offset: number, observations: Observations, isRoot: boolean): void {
  const [first, second] = node.children ?? [];
  if (first === undefined) return;
  if (node.type === 'property') {
    if (second === undefined || node.colonOffset === undefined) return;
    observations.colon ??= text.slice(offset + node.colonOffset + 1, offset + second.offset) === '' ? ':' : ': ';
    visit(second, text, offset, observations, false);
    return;
  }
  const before = text.slice(offset + node.offset + 1, offset + first.offset);
  if (BREAK.test(before)) {
    const outer = lineIndent(text, offset + node.offset);
    const inner = lineIndent(text, offset + first.offset);
    if (inner.startsWith(outer) && inner.length > outer.length) observations.unit ??= inner.slice(outer.length);
    if (!isRoot) observations.multiline += 1;
  } else {
    observations.oneLine += 1;
    if (node.type === 'object') observations.brace ??= before === '' ? '' : ' ';
    if (second !== undefined) {
      const between = text.slice(offset + first.offset + first.length, offset + second.offset);
      if (!BREAK.test(between)) observations.comma ??= /\s$/.test(between) ? ', ' : ',';
    }
  }
  for (const child of node.children ?? []) visit(child, text, offset, observations, false);
}

/**
 * Writes a value in the layout of the surrounding text.
 * @param indent indentation of the line that it begins in
 * @param column length of the text before it on that line
 * @param isBroken break the value itself into lines even if it fits on one
 */
export function printJson(value: Json, style: JsonStyle, indent: string, column: number, isBroken = false): string {
  const line = onOneLine(value, style);
  if (style.inline || typeof value !== 'object' || value === null || isRawNumber(value)) return line;
  const isList = Array.isArray(value);
  const items: readonly (readonly [key: string, item: Json])[] = isList
    ? (value as readonly Json[]).map((item) => ['', item])
    : Object.entries(value).map(([key, item]) => [`${quote(key)}${style.colon}`, item]);
  if (items.length === 0) return line;
  if (!isBroken && !style.expanded && column + line.length <= WIDTH) return line;
  const inner = indent + style.unit;
  const lines = items.map(([key, item]) => inner + key + printJson(item, style, inner, inner.length + key.length));
  const { lineEnd } = style;
  const body = lines.join(`,${lineEnd}`);
  return `${isList ? '[' : '{'}${lineEnd}${body}${lineEnd}${indent}${isList ? ']' : '}'}`;
}

function onOneLine(value: Json, style: Pick<JsonStyle, 'colon' | 'comma' | 'brace'>): string {
  if (typeof value === 'string') return quote(value);
  if (isNumber(value)) return digitsOf(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => onOneLine(item, style)).join(style.comma)}]`;
  const members = Object.entries(value).map(([key, item]) => quote(key) + style.colon + onOneLine(item, style));
  return members.length === 0 ? '{}' : `{${style.brace}${members.join(style.comma)}${style.brace}}`;
}

/** Python's `splitlines`, which HUD uses for JSON lines, also breaks lines at these characters. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(/[\u0085\u2028\u2029]/g, escapeForJson);
}
