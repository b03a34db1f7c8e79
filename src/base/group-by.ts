import { getOrCreate } from './get-or-create.ts';

/** The items by key, with the keys in the order of their first items. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) getOrCreate(groups, keyOf(item), (): Item[] => []).push(item);
  return groups;
}
