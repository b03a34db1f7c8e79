import { exactNumber, type RawNumber } from '../../../base/raw-number.ts';
import { unescapePython } from '../../../python/escapes.ts';
import type { RuleCode } from '../../rules/rules.ts';

/** The value of a literal; `unknown` and `error` are parts of a message. */
export type Literal<T> =
  | { readonly value: T }
  | { readonly unknown: string }
  | { readonly error: string; readonly code: RuleCode };

const OPENING = /^([A-Za-z]*)("""|'''|"|')/;
const PREFIX = /^(?:[rbuft]|[bft]r|r[bft])?$/;
/** A line end that no backslash continues. */
const LINE_END = /^(?:[^\\\n]|\\[\s\S])*\n/;
const NAMED = /(?:^|[^\\])(?:\\\\)*\\N\{/;
const NAMED_CHARACTER = { unknown: 'a character by its Unicode name' } as const;

/**
 * The value of a Python string literal.
 * @param source with prefix and quotes; the closing quotes can be missing
 * @param constant returns the text of a name in an f-string, or undefined if it is not known
 */
export function readString(source: string, constant: (name: string) => string | undefined): Literal<string> {
  const opening = OPENING.exec(source);
  if (opening === null) return { error: 'Not a string', code: 'syntax' };
  const prefix = (opening[1] ?? '').toLowerCase();
  const quote = opening[2] ?? '';
  if (!PREFIX.test(prefix)) return { error: `Python has no string prefix “${opening[1]}”`, code: 'syntax' };
  const body = source.slice(opening[0].length, closedBy(source, opening[0].length, quote) ? -quote.length : undefined);
  // Python reads every line end of a file as \n.
  const text = body.includes('\r') ? body.replace(/\r\n?/g, '\n') : body;
  const value = prefix.includes('f') ? readFormatted(text, prefix.includes('r'), constant) : null;
  // An expression in an f-string can contain line ends.
  if (quote.length === 1 && (value === null || 'value' in value) && LINE_END.test(text)) {
    return { error: 'This string is not terminated on its line', code: 'syntax' };
  }
  if (value !== null) return value;
  if (prefix.includes('b')) return { unknown: 'bytes' };
  if (prefix.includes('t')) return { unknown: 'a template string' };
  return plain(text, prefix.includes('r'));
}

/** The length of a string's prefix and opening quotes. */
export function openingLength(source: string): number {
  return OPENING.exec(source)?.[0].length ?? 0;
}

/** The length of its closing quotes; 0 if they are missing. */
export function closingLength(source: string): number {
  const opening = OPENING.exec(source);
  const quote = opening?.[2] ?? '';
  return opening !== null && closedBy(source, opening[0].length, quote) ? quote.length : 0;
}

function closedBy(source: string, from: number, quote: string): boolean {
  if (source.length < from + quote.length || !source.endsWith(quote)) return false;
  const backslashes = /\\*$/.exec(source.slice(from, -quote.length))?.[0].length ?? 0;
  return backslashes % 2 === 0;
}

function plain(text: string, isRaw: boolean): Literal<string> {
  if (isRaw || !text.includes('\\')) return { value: text };
  if (NAMED.test(text)) return NAMED_CHARACTER;
  let error: string | undefined;
  const value = unescapePython(text, (sequence) => {
    error ??= `Invalid Python escape sequence ${sequence}…`;
  });
  return error === undefined ? { value } : { error, code: 'syntax' };
}

function readFormatted(text: string, isRaw: boolean, constant: (name: string) => string | undefined): Literal<string> {
  if (!isRaw && NAMED.test(text)) return NAMED_CHARACTER;
  let value = '';
  let from = 0;
  const brace = /\{\{|\}\}|[{}]/g;
  for (let match = brace.exec(text); match !== null; match = brace.exec(text)) {
    const before = plain(text.slice(from, match.index), isRaw);
    if (!('value' in before)) return before;
    value += before.value;
    from = match.index + match[0].length;
    if (match[0].length === 2) {
      value += match[0][0];
      continue;
    }
    if (match[0] === '}') return { error: 'A single } is not allowed in an f-string. Write }}', code: 'syntax' };
    const name = /^\s*([\p{L}_][\p{L}\p{N}_]*)\s*\}/u.exec(text.slice(from));
    const insertion = name === null ? undefined : constant(name[1] ?? '');
    if (name === null || insertion === undefined) {
      return { unknown: `an f-string with ${name === null ? 'an expression' : `the variable ${name[1]}`}` };
    }
    value += insertion;
    from += name[0].length;
    brace.lastIndex = from;
  }
  const rest = plain(text.slice(from), isRaw);
  return 'value' in rest ? { value: value + rest.value } : rest;
}

/** The value of a Python number literal after a sign, 1 or -1. */
export function readNumber(source: string, sign: number): Literal<number | RawNumber> {
  if (/_$|__/.test(source)) return { error: 'Invalid Python number', code: 'syntax' };
  const digits = source.replaceAll('_', '').toLowerCase();
  if (digits.endsWith('j')) return { unknown: 'a complex number' };
  const value = sign * Number(digits);
  const literal = sign < 0 ? `-${digits}` : digits;
  if (/^0[xob]/.test(digits)) return finite(literal, value + 0);
  if (/^0\d+$/.test(digits) && !/^0+$/.test(digits))
    return { error: 'Python does not allow leading zeros in integers', code: 'syntax' };
  // Python's integers have no -0.
  return finite(literal, /^\d+$/.test(digits) ? value + 0 : value);
}

function finite(text: string, value: number): Literal<number | RawNumber> {
  return Number.isFinite(value)
    ? { value: exactNumber(text, value) }
    : { error: 'Only finite numbers are allowed', code: 'number-not-finite' };
}
