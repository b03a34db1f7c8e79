/** Returns the word of a list that is closest to a misspelled one; null if none is close enough. */
export function nearestWord(word: string, words: Iterable<string>): string | null {
  const target = fold(word);
  const limit = Math.max(1, Math.floor(target.length / 3));
  let best: string | null = null;
  let bestDistance = limit + 1;
  for (const candidate of words) {
    const foldedCandidate = fold(candidate);
    if (Math.abs(foldedCandidate.length - target.length) >= bestDistance) continue;
    const distance = editDistance(target, foldedCandidate, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Returns `. Did you mean “x”?`, or nothing. */
export function didYouMean(near: string | null): string {
  return near === null ? '' : `. Did you mean “${near}”?`;
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[-_.\s]/g, '');
}

/** Damerau-Levenshtein distance of two words, computed up to `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let distance = Math.min(change, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(distance);
    }
    if (Math.min(...row) >= limit) return limit;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? limit;
}
