import { isAlias, isMap, isNode, isPair, isScalar, isSeq, type Node, type Pair } from 'yaml';
import type { Span } from '../../../base/range.ts';
import { exactNumber, isRawNumber } from '../../../base/raw-number.ts';

/** The key of a member as a string. YAML also allows lists, mappings, and aliases as keys, but tasks do not. */
export function keyOf({ key }: Pair): string {
  if (isScalar(key)) return typeof key.value === 'number' ? numberKey(key.source, key.value) : String(key.value ?? '');
  if (isAlias(key)) return `*${key.source}`;
  return isSeq(key) ? '[]' : isMap(key) ? '{}' : String(key ?? '');
}

function numberKey(source: string | undefined, value: number): string {
  const number = exactNumber(source ?? '', value);
  return isRawNumber(number) ? number.rawJSON : String(value);
}

/** `<<`: the members of another mapping. */
export function isMerge(pair: Pair): boolean {
  const { key } = pair;
  return (
    isScalar(key) &&
    (key.value === '<<' || typeof key.value === 'symbol') &&
    key.type !== 'QUOTE_DOUBLE' &&
    key.type !== 'QUOTE_SINGLE'
  );
}

/** A node, or null in place of a value that the text lacks. */
export function nodeOrNull(value: unknown): Node | null {
  return isNode(value) ? value : null;
}

export function spanOf(node: Node): Span {
  const start = node.range?.[0] ?? 0;
  return { start, end: Math.max(start, endOf(node)) };
}

/** The end of a node. A block collection ends with its last value, without the lines that follow. */
function endOf(node: Node): number {
  const end = node.range?.[1] ?? 0;
  if (!(isMap(node) || isSeq(node)) || node.flow === true) return end;
  let last: unknown = node;
  while ((isMap(last) || isSeq(last)) && last.flow !== true) {
    const item: unknown = last.items.at(-1);
    if (isPair(item)) {
      const [start, valueEnd] = isNode(item.value) ? (item.value.range ?? [0, 0]) : [0, 0];
      // A missing value has no location: the key is the end.
      last = isNode(item.value) && (isMap(item.value) || isSeq(item.value) || valueEnd > start) ? item.value : item.key;
    } else if (isNode(item)) last = item;
    else return end;
  }
  return isNode(last) ? (last.range?.[1] ?? end) : end;
}
