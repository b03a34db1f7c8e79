import { finalName } from './page/final-name.ts';
import type { ShownElement } from './page/page-text.ts';

/** Texts with a smaller share of common letter pairs are not similar. */
const THRESHOLD = 0.4;

/** The candidate that is most similar to the text, if any is. */
export function nearest<Candidate>(
  text: string,
  candidates: readonly Candidate[],
  textOf: (candidate: Candidate) => string,
): Candidate | undefined {
  const textPairs = pairs(text);
  let best: Candidate | undefined;
  let bestSimilarity = THRESHOLD;
  for (const candidate of candidates) {
    const candidateText = textOf(candidate);
    // A much longer text is not similar even if it contains every letter.
    if (candidateText.length > 8 * text.length + 40) continue;
    const similarity = compare(textPairs, pairs(candidateText));
    if (similarity > bestSimilarity) {
      best = candidate;
      bestSimilarity = similarity;
    }
  }
  return best;
}

/** `nearest: `#apply``: the name that is most similar to the id or class at the end of a selector. */
export function nearestElement(selector: string, names: readonly string[]): string {
  const name = finalName(selector);
  const like = name === null ? undefined : nearest(name.name, names, (one) => one);
  return like === undefined ? '' : `nearest: \`${name?.kind === 'id' ? '#' : '.'}${like}\``;
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

/** `button`, `heading`; empty for plain text. */
export function roleName({ role, tag }: ShownElement): string {
  return role === 'presentation' || role === 'none' ? '' : role || (ROLES[tag] ?? '');
}

/** The letter pairs of all words, with the number of their occurrences. */
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

/** The Dice coefficient, from 0 to 1: twice the number of common pairs divided by the number of all pairs. */
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
