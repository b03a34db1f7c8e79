import type { Json } from '../base/json.ts';

/** The integers that a number represents exactly. Python's integers have any size. */
export const EXACT_RANGE = `from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;
/** The message about any other integer. */
export const EXACT_INTEGERS = `only integers ${EXACT_RANGE} keep all digits`;

/** The paths of the integers in a value that may have been written with other digits. */
export function* integersOutOfRange(
  value: Json,
  path: readonly (string | number)[] = [],
): Generator<readonly (string | number)[]> {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) yield path;
  else if (Array.isArray(value))
    for (const [at, item] of value.entries()) yield* integersOutOfRange(item, [...path, at]);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) yield* integersOutOfRange(item as Json, [...path, key]);
  }
}
