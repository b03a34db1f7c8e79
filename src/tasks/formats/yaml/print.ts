import { isList, isObject, type Json } from '../../../base/json.ts';
import { isRawNumber } from '../../../base/raw-number.ts';
import { lineEndOf } from '../layout.ts';
import { flowValue, type Quoting, scalarText } from './writer.ts';

/** The layout of a YAML text, detected from its lines. */
export interface YamlStyle extends Quoting {
  /** Indentation of a mapping relative to its key. */
  readonly unit: number;
  /** Indentation of the dashes of a list relative to its key. */
  readonly dash: number;
  readonly lineEnd: string;
  /** White space between a brace and its content. */
  readonly brace: string;
}

/** Longer lists are broken into lines. */
const WIDTH = 60;

export function yamlStyleOf(text: string): YamlStyle {
  const sample = text.slice(0, 20_000);
  const nestedMapping =
    /^( *(?:- +){0,5})[^\s#"'][^\n]*:[ \t]*(?:#[^\n]*)?\r?\n(?: *(?:#[^\n]*)?\r?\n)*( +)(?!-[ \r\n])[^\s#]/m.exec(
      sample,
    );
  const nestedList =
    /^( *(?:- +){0,5})[^\s#"'][^\n]*:[ \t]*(?:#[^\n]*)?\r?\n(?: *(?:#[^\n]*)?\r?\n)*( *)-[ \r\n]/m.exec(sample);
  const double = count(sample, /(?:^|[\s[{,])"/gm);
  const single = count(sample, /(?:^|[\s[{,])'/gm);
  const plain = count(sample, /(?:: |- |[[{,] ?)[A-Za-z]/g) - count(sample, /- [\w]+:(?: |\r?$)/gm);
  return {
    unit: Math.max(1, difference(nestedMapping, 2)),
    dash: Math.max(0, difference(nestedList, 2)),
    lineEnd: lineEndOf(text),
    quote: single > double ? "'" : '"',
    plain: plain > 0 || single + double === 0,
    brace: /\{[^\s}]/.test(sample) ? '' : ' ',
  };
}

function difference(match: RegExpExecArray | null, otherwise: number): number {
  return match === null ? otherwise : (match[2] ?? '').length - (match[1] ?? '').length;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Whether a value is written on the line of its key: a text, an empty list, a short list of scalars. */
export function isInline(value: Json, style: YamlStyle): boolean {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return true;
  const items = Object.values(value) as readonly Json[];
  if (items.length === 0) return true;
  if (!Array.isArray(value) || items.some((item) => isList(item) || isObject(item))) return false;
  return flowValue(value, style).length <= WIDTH;
}

/**
 * A value in block style, without a final line end. Its first line starts at `column`, the others are indented.
 * @param wide break lists into lines even if they are short
 */
export function printBlock(value: Json, style: YamlStyle, column: number, wide = false): string {
  const next = style.lineEnd + ' '.repeat(column);
  if (Array.isArray(value) && value.length > 0 && (wide || !isInline(value, style))) {
    return value.map((item: Json) => `- ${printBlock(item, style, column + 2)}`).join(next);
  }
  if (!isObject(value)) return printInline(value, style, column);
  const members = Object.entries(value);
  return members.length === 0
    ? '{}'
    : members.map(([key, item]) => printMember(key, item as Json, style, column)).join(next);
}

/** A member in block style, without a final line end; its key starts at `column`. */
export function printMember(key: string, value: Json, style: YamlStyle, column: number): string {
  const name = `${scalarText(key, style)}:`;
  if (isInline(value, style)) return `${name} ${printInline(value, style, column + style.unit)}`;
  const inner = column + (Array.isArray(value) ? style.dash : style.unit);
  return name + style.lineEnd + ' '.repeat(inner) + printBlock(value, style, inner);
}

/** @param column of the lines of a multiline text */
export function printInline(value: Json, style: YamlStyle, column: number): string {
  return typeof value === 'string' && isLiteral(value)
    ? literal(value, style, Math.max(1, column))
    : flowValue(value, style);
}

/** Whether the lines can be written as a literal block scalar (`|`) without changes. */
function isLiteral(text: string): boolean {
  return /\n./.test(text) && !/^\s/.test(text) && !/\s$/.test(text.replace(/\n$/, '')) && PRINTABLE.test(text);
}

const PRINTABLE =
  /^[\t\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufdcf\ufdf0-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u;

function literal(text: string, style: YamlStyle, column: number): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const indent = ' '.repeat(column);
  const body = lines.map((line) => (line === '' ? '' : indent + line)).join(style.lineEnd);
  return `|${text.endsWith('\n') ? '' : '-'}${style.lineEnd}${body}`;
}
