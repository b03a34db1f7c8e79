/** How many items two lists have in common at their beginning, and at their end after that. */
export function commonEnds<T>(a: readonly T[], b: readonly T[]): { readonly first: number; readonly last: number } {
  const limit = Math.min(a.length, b.length);
  let first = 0;
  while (first < limit && a[first] === b[first]) first += 1;
  let last = 0;
  while (last < limit - first && a[a.length - 1 - last] === b[b.length - 1 - last]) last += 1;
  return { first, last };
}

/**
 * Returns a copy of a list in which `by` replaces `count` items from `first`. A keystroke in a list of a hundred
 * thousand replaces items one for one, which costs a single copy of the list.
 */
export function splice<T>(list: readonly T[], first: number, count: number, by: readonly T[]): T[] {
  if (by.length !== count) return list.slice(0, first).concat(by, list.slice(first + count));
  const copy = list.slice();
  for (let index = 0; index < count; index += 1) copy[first + index] = by[index] as T;
  return copy;
}
