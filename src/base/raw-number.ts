/** A number that a JavaScript number cannot hold, such as 2^53 + 1 or 1e-400. `JSON.stringify` prints its digits. */
export type RawNumber = { readonly rawJSON: string };

declare global {
  /** What TypeScript does not declare yet. */
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

/** `JSON.parse`, whose reviver also gets the text of a value. */
const parseWithSource = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/** Integers from here on are printed with an exponent by JavaScript. */
const WITH_EXPONENT = 1e21;

export function isRawNumber(value: unknown): value is RawNumber {
  return typeof value === 'object' && JSON.isRawJSON(value);
}

/** Whether a value is a number, however large or small. */
export function isNumber(value: unknown): value is number | RawNumber {
  return typeof value === 'number' || isRawNumber(value);
}

/**
 * The number that a text stands for: its value if that has the same digits. Only digits after the decimal point can be
 * rounded, as in every program, unless nothing remains of them.
 * @param text as in JSON, YAML, or Python, without underscores
 * @param value of the text in JavaScript
 */
export function exactNumber(text: string, value: number): number | RawNumber {
  const [, sign = '', integer = ''] = /^([+-]?)(0[xob][\da-f]+|\d+)$/i.exec(text) ?? [];
  if (integer !== '') {
    if (Number.isSafeInteger(value)) return value;
    const magnitude = BigInt(integer);
    const isExact = Math.abs(value) < WITH_EXPONENT && BigInt(Math.abs(value)) === magnitude;
    return isExact ? value : JSON.rawJSON(`${sign === '-' ? '-' : ''}${magnitude}`);
  }
  if (!Number.isFinite(value)) return value;
  const isRounded =
    value === 0
      ? significantDigits(text) !== ''
      : Math.abs(value) > Number.MAX_SAFE_INTEGER &&
        [value.toExponential(), String(BigInt(value))].every(
          (digits) => significantDigits(digits) !== significantDigits(text),
        );
  if (!isRounded) return value;
  return JSON.rawJSON(
    text
      .replace('+', '')
      .replace(/^(-?)\./, '$10.')
      .replace(/\.0*(?=e)/i, '')
      .replace(/\.$/, '.0'),
  );
}

/** The digits of a number without its sign, its exponent, and the zeros before and after them. */
function significantDigits(text: string): string {
  return text
    .replace(/e.*$/i, '')
    .replace(/[-+.]/g, '')
    .replace(/^0+|0+$/g, '');
}

/** The JavaScript number that is nearest to a number. */
export function nearestNumber(value: number | RawNumber): number {
  return typeof value === 'number' ? value : Number(value.rawJSON);
}

/**
 * Parses JSON with the digits of all numbers.
 * @param ofInfinite stands for numbers that are infinite in JavaScript
 * @param revive replaces other values than numbers, as the reviver of `JSON.parse` does
 */
export function parseExactJson(
  text: string,
  ofInfinite: unknown = Number.POSITIVE_INFINITY,
  revive = (_key: string, value: unknown): unknown => value,
): unknown {
  return parseWithSource(text, (key, value, { source }) => {
    if (typeof value !== 'number') return revive(key, value);
    return Number.isFinite(value) ? exactNumber(source ?? '', value) : ofInfinite;
  });
}

/** The digits of a number, in JSON. */
export function digitsOf(value: number | RawNumber): string {
  const isPlain = typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) >= WITH_EXPONENT;
  return isPlain ? JSON.stringify(value) : String(BigInt(value));
}
