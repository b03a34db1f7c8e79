import { isRawNumber } from './raw-number.ts';

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** The escape sequence of a UTF-16 code unit in a JSON string: `\u2028`. */
export function escapeForJson(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Whether a value is an object, and neither a list nor a number. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** Whether a value is a list. Unlike `Array.isArray`, it keeps the type of the items. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value if it is an object, otherwise an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value if it is a list, otherwise an empty list. */
export function listOf(value: unknown): readonly Json[] {
  return isList(value) ? value : [];
}

/** The value if it is a text that is not empty, otherwise null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Whether two JSON values are equal. Neither the order of keys matters, nor members that are undefined. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a).filter(([, value]) => value !== undefined);
  const right = new Map(Object.entries(b).filter(([, value]) => value !== undefined));
  return left.length === right.size && left.every(([key, value]) => right.has(key) && equalJson(value, right.get(key)));
}
