import type { Json } from '../base/json.ts';
import { parseExactJson } from '../base/raw-number.ts';

/** Strings, which may contain anything, and the literals that Python writes for numbers that JSON does not have. */
const LITERALS = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g;
/** Stands for NaN while the text is parsed: JSON has an expression for infinity, but none for NaN. */
const NAN = `NaN-${crypto.randomUUID()}`;

/** Parses JSON as Python's `json.loads` does, with `NaN` and `Infinity`. Throws `SyntaxError`. */
export function parsePythonJson(text: string): Json {
  return parseWith(text, (json, revive) => JSON.parse(json, revive));
}

/** As `parsePythonJson`, with the digits of all numbers. */
export function parseExactPythonJson(text: string): Json {
  return parseWith(text, (json, revive) => parseExactJson(json, Number.POSITIVE_INFINITY, revive));
}

type Revive = (key: string, value: unknown) => unknown;

function parseWith(text: string, parse: (json: string, revive?: Revive) => unknown): Json {
  try {
    return parse(text) as Json;
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
  }
  const json = text.replace(LITERALS, (literal) => {
    if (literal.startsWith('"')) return literal;
    if (literal === 'NaN') return JSON.stringify(NAN);
    return literal.startsWith('-') ? '-1e999' : '1e999';
  });
  return parse(json, (_key, value) => (value === NAN ? Number.NaN : value)) as Json;
}

/** A value as Python writes it: with `NaN` and `Infinity`. For messages. */
function printPythonJson(value: Json | undefined): string {
  if (typeof value === 'number') return Number.isNaN(value) ? 'NaN' : String(value);
  const numbers: string[] = [];
  const text =
    JSON.stringify(value, (_key, inner: Json) => {
      if (typeof inner !== 'number' || Number.isFinite(inner)) return inner;
      numbers.push(String(inner));
      return `${NAN}${numbers.length - 1}`;
    }) ?? 'nothing';
  return numbers.reduce((at, number, index) => at.replace(`"${NAN}${index}"`, number), text);
}

/** The maximum length of JSON in a message. */
const EXCERPT_LENGTH = 300;

/** The beginning of a value, as Python writes it. For messages. */
export function abbreviateJson(value: Json | undefined): string {
  const text = printPythonJson(value);
  return text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text;
}
