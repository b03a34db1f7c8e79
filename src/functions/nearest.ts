import type { ShownElement } from './page/page-text.ts';

/** Below this share of common letter pairs two texts have nothing to do with each other. */
const LIKE = 0.4;

/** Of the candidates the one that looks most like the text, if any does. */
export function nearest<Candidate>(
  text: string,
  candidates: readonly Candidate[],
  textOf: (candidate: Candidate) => string,
): Candidate | undefined {
  const wanted = pairs(text);
  let best: Candidate | undefined;
  let bestLikeness = LIKE;
  for (const candidate of candidates) {
    const found = textOf(candidate);
    // What is many times as long is no counterpart, even if it holds every letter.
    if (found.length > 8 * text.length + 40) continue;
    const likeness = compare(wanted, pairs(found));
    if (likeness > bestLikeness) {
      best = candidate;
      bestLikeness = likeness;
    }
  }
  return best;
}

const ROLES: Readonly<Record<string, string>> = {
  a: 'link',
  button: 'button',
  input: 'field',
  textarea: 'field',
  select: 'list',
  label: 'label',
  li: 'list item',
  td: 'cell',
  th: 'cell',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
};

/** `button`, `heading`; text that is nothing in particular has none. */
export function roleName({ role, tag }: ShownElement): string {
  return role === 'presentation' || role === 'none' ? '' : role || (ROLES[tag] ?? '');
}

/** Letter pairs of the words, with how often each stands. */
function pairs(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.toLowerCase().split(/[^\p{L}\p{N}]+/u)) {
    const chars = [...` ${word} `];
    for (let at = 0; at + 1 < chars.length && word !== ''; at++) {
      const pair = `${chars[at]}${chars[at + 1]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
  }
  return counts;
}

/** Twice the common pairs over all pairs: 0 to 1. */
function compare(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0;
  let all = 0;
  for (const [pair, count] of a) {
    common += Math.min(count, b.get(pair) ?? 0);
    all += count;
  }
  for (const count of b.values()) all += count;
  return all === 0 ? 0 : (2 * common) / all;
}
