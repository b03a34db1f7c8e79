/** One line of a text against the text before it. `was`: how a changed line read. */
export type DiffLine =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }
  | { readonly kind: 'changed'; readonly text: string; readonly was: string };

/** Cells of the comparison table; beyond it the middle is said to be replaced as a whole. */
const LIMIT = 4_000_000;

/**
 * The lines of `after`, and those of `before` that are gone, in order. A removed and an added line about the same
 * element (`[31] button …`) are one changed line.
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const a = lines(before);
  const b = lines(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...b.slice(0, head).map(same),
    ...pairChanged(diffMiddle(a.slice(head, a.length - tail), b.slice(head, b.length - tail))),
    ...b.slice(b.length - tail).map(same),
  ];
}

function lines(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}

/** Longest common subsequence. */
function diffMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (a.length === 0 || b.length === 0 || a.length * b.length > LIMIT) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
    }
  }
  const out: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const was = a[i];
    const is = b[j];
    if (was !== undefined && was === is) {
      out.push({ kind: 'same', text: was });
      i++;
      j++;
    } else if (
      was !== undefined &&
      (is === undefined || (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      out.push(removed(was));
      i++;
    } else if (is !== undefined) {
      out.push(added(is));
      j++;
    }
  }
  return out;
}

/** Within each block of removed and added lines, those about one element become one changed line. */
function pairChanged(diff: readonly DiffLine[]): DiffLine[] {
  const out: DiffLine[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  function flush(): void {
    let given = 0;
    let waiting: DiffLine[] = [];
    for (const line of added) {
      const id = elementId(line.text);
      const at = id === null ? -1 : removed.findIndex((old, place) => place >= given && elementId(old.text) === id);
      const was = removed[at];
      if (was === undefined) waiting.push(line);
      else {
        out.push(...removed.slice(given, at), ...waiting, { kind: 'changed', text: line.text, was: was.text });
        given = at + 1;
        waiting = [];
      }
    }
    out.push(...removed.slice(given), ...waiting);
    removed = [];
    added = [];
  }
  for (const line of diff) {
    if (line.kind === 'removed') removed.push(line);
    else if (line.kind === 'added') added.push(line);
    else {
      flush();
      out.push(line);
    }
  }
  flush();
  return out;
}

function elementId(line: string): string | null {
  return /^\s*\[([^\]]+)\]/.exec(line)?.[1] ?? null;
}

/** Changed lines with `around` unchanged ones on either side; `null` where lines are left out. */
export function hunks(diff: readonly DiffLine[], around: number, limit: number): readonly (DiffLine | null)[] {
  const near = new Uint8Array(diff.length);
  for (const [at, line] of diff.entries()) {
    if (line.kind !== 'same') near.fill(1, Math.max(0, at - around), at + around + 1);
  }
  const out: (DiffLine | null)[] = [];
  for (const [at, line] of diff.entries()) {
    if (near[at] === 1) out.push(line);
    else if (out.length > 0 && out.at(-1) !== null) out.push(null);
    if (out.length >= limit) {
      out.push(null);
      break;
    }
  }
  if (out.at(-1) === null && out.length < limit) out.pop();
  return out;
}
