/**
 * A copy of a list with `count` of its items from `first` on spliced by others. In a list of a hundred thousand a keystroke
 * replaces one by one: that costs a single copy of the list.
 */
export function spliced<T>(list: readonly T[], first: number, count: number, by: readonly T[]): T[] {
  if (by.length !== count) return list.slice(0, first).concat(by, list.slice(first + count));
  const copy = list.slice();
  for (let index = 0; index < count; index += 1) copy[first + index] = by[index] as T;
  return copy;
}
