import { groupBy } from '../../base/group-by.ts';

/**
 * 1 minus the edit distance (Levenshtein) divided by the longer length, in code points and lower case: `match_fuzzy` of
 * HUD 0.2.10.
 */
export function fuzzySimilarity(response: string, answer: string): number {
  const a = [...response.toLowerCase()];
  const b = [...answer.toLowerCase()];
  const longer = Math.max(a.length, b.length);
  return longer === 0 ? 1 : 1 - distance(a, b) / longer;
}

function distance(a: readonly string[], b: readonly string[]): number {
  let row = Uint32Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [above, one] of a.entries()) {
    const next = new Uint32Array(row.length);
    next[0] = above + 1;
    for (const [left, other] of b.entries()) {
      const substitution = (row[left] ?? 0) + (one === other ? 0 : 1);
      next[left + 1] = Math.min(substitution, (row[left + 1] ?? 0) + 1, (next[left] ?? 0) + 1);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** From this length on, Python's `difflib` ignores characters that make up more than 1 % of the text. */
const LONG_TEXT = 200;

/**
 * `ratio` of Python's `difflib.SequenceMatcher`, with its rule for long texts: twice the number of matching characters
 * divided by the number of characters in both. `match_diff` of HUD 0.2.10 uses it.
 */
export function diffSimilarity(response: string, answer: string): number {
  const a = [...response];
  const b = [...answer];
  if (a.length + b.length === 0) return 1;
  const places = placesOf(b);
  let common = 0;
  const open: (readonly [aFrom: number, aTo: number, bFrom: number, bTo: number])[] = [[0, a.length, 0, b.length]];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const [aFrom, aTo, bFrom, bTo] = part;
    const { at, to, size } = longest(a, b, places, part);
    if (size === 0) continue;
    common += size;
    open.push([aFrom, at, bFrom, to], [at + size, aTo, to + size, bTo]);
  }
  return (2 * common) / (a.length + b.length);
}

function placesOf(text: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = groupBy(text.keys(), (index) => text[index] ?? '');
  if (text.length >= LONG_TEXT) {
    const most = Math.floor(text.length / 100) + 1;
    for (const [char, indexes] of places) if (indexes.length > most) places.delete(char);
  }
  return places;
}

/** The longest common substring of both parts, the first of several. */
function longest(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  [aFrom, aTo, bFrom, bTo]: readonly [number, number, number, number],
): { readonly at: number; readonly to: number; readonly size: number } {
  let [at, to, size] = [aFrom, bFrom, 0];
  let lengths = new Map<number, number>();
  for (let index = aFrom; index < aTo; index++) {
    const next = new Map<number, number>();
    for (const place of places.get(a[index] ?? '') ?? []) {
      if (place < bFrom) continue;
      if (place >= bTo) break;
      const length = (lengths.get(place - 1) ?? 0) + 1;
      next.set(place, length);
      if (length > size) [at, to, size] = [index - length + 1, place - length + 1, length];
    }
    lengths = next;
  }
  // Ignored characters count if they are adjacent to the match.
  while (at > aFrom && to > bFrom && a[at - 1] === b[to - 1]) [at, to, size] = [at - 1, to - 1, size + 1];
  while (at + size < aTo && to + size < bTo && a[at + size] === b[to + size]) size += 1;
  return { at, to, size };
}
