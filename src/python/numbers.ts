import { isList, isObject, type Json } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import { digitsOf, exactNumber, isNumber, isRawNumber, nearestNumber, type RawNumber } from '../base/raw-number.ts';

/**
 * How numbers are written where JavaScript prints them otherwise, by the JSON pointers of their places: a program in Python
 * distinguishes `1.0` from `1`, and has whole numbers of any size.
 */
export type NumberTexts = Readonly<Record<string, string>>;

/** How a number is written in a file; undefined if that is not known. */
export type NumberText = (path: Path) => string | undefined;

/** How Python's `json.dumps` writes a number that is written as `text` in a file. */
export function pythonNumber(number: number | RawNumber, text?: string): string {
  const value = nearestNumber(number);
  const digitsInText = (text ?? (isRawNumber(number) ? number.rawJSON : undefined))
    ?.replaceAll('_', '')
    .replace(/^\+/, '');
  if (digitsInText === undefined || !/^-?\.?\d/.test(digitsInText)) {
    return Number.isSafeInteger(value) ? String(value) : pythonFloat(value);
  }
  const isInteger = /^-?(?:0[xob][\da-f]+|\d+)$/i.test(digitsInText);
  return isInteger ? digitsOf(exactNumber(digitsInText, value)) : pythonFloat(value);
}

/** Python's `repr` of a float: the shortest digits, with an exponent below -4 and from 16. */
function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value < 0 ? '-Infinity' : 'Infinity';
  const [digits = '0', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  const text = Object.is(value, -0) ? '-0' : String(value);
  return text.includes('.') ? text : `${text}.0`;
}

/** The numbers in a value at a path that are written otherwise than JavaScript prints them. */
export function numberTexts(value: Json, path: Path, textOf: NumberText): NumberTexts {
  const texts: Record<string, string> = {};
  const collect = (inner: Json, at: Path): void => {
    if (isNumber(inner)) {
      const text = pythonNumber(inner, textOf(at));
      if (text !== JSON.stringify(nearestNumber(inner))) texts[pointerTo(at)] = text;
    } else if (isList(inner)) {
      for (const [index, item] of inner.entries()) collect(item, [...at, index]);
    } else if (isObject(inner)) {
      for (const [key, item] of Object.entries(inner)) collect(item, [...at, key]);
    }
  };
  collect(value, path);
  return texts;
}

/** The numbers of a list without those in one item, whose value was replaced. */
export function numbersOutside(texts: NumberTexts, index: number): NumberTexts {
  return Object.fromEntries(Object.entries(texts).filter(([pointer]) => pointer.split('/')[1] !== String(index)));
}

/** JSON of a value at a path, with its numbers as they are written. */
export function printJson(value: Json, texts: NumberTexts, path: Path = []): string {
  if (Object.keys(texts).length === 0) return JSON.stringify(value);
  if (typeof value === 'number') return texts[pointerTo(path)] ?? JSON.stringify(value);
  if (isList(value)) {
    return `[${value.map((item, index) => printJson(item, texts, [...path, index])).join(',')}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${printJson(item, texts, [...path, key])}`,
  );
  return `{${members.join(',')}}`;
}

function pointerTo(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
