import { isList, isObject } from './json.ts';
import type { Path } from './path.ts';
import { isRawNumber, nearestNumber, type RawNumber } from './raw-number.ts';

/** The numbers in a value that JavaScript numbers cannot hold, with their paths. */
export function* rawNumbersIn(value: unknown, path: Path = []): Generator<readonly [path: Path, number: RawNumber]> {
  if (isRawNumber(value)) yield [path, value];
  else if (isList(value)) for (const [index, item] of value.entries()) yield* rawNumbersIn(item, [...path, index]);
  else if (isObject(value)) for (const [key, item] of Object.entries(value)) yield* rawNumbersIn(item, [...path, key]);
}

export function hasRawNumbers(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isRawNumber(value) || Object.values(value).some(hasRawNumbers);
}

/** The value with the nearest JavaScript numbers in place of those that JavaScript numbers cannot hold. */
export function nearestNumbers<T>(value: T): T {
  return hasRawNumbers(value) ? (nearestInside(value) as T) : value;
}

function nearestInside(value: unknown): unknown {
  if (isRawNumber(value)) return nearestNumber(value);
  if (isList(value)) return value.map(nearestNumbers);
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, nearestNumbers<unknown>(item)]));
}
