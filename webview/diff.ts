import { diffArrays } from 'diff';

/** A line of a text compared with the previous text. `was`: the previous text of a changed line. */
export type DiffLine =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }
  | { readonly kind: 'changed'; readonly text: string; readonly was: string };

/** Maximum number of added and removed lines. Beyond it, the whole text counts as replaced. */
const MAX_EDITS = 4_000;

/**
 * The lines of `after`, and those of `before` that are removed, in order. A removed and an added line about the same
 * element (`[31] button …`) form a changed line.
 */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [lines(before), lines(after)];
  const parts = diffArrays(a, b, { maxEditLength: MAX_EDITS }) ?? [
    { value: a, removed: true, added: false },
    { value: b, removed: false, added: true },
  ];
  return pairChanged(
    parts.flatMap(({ value, added, removed }) => {
      const kind = added ? 'added' : removed ? 'removed' : 'same';
      return value.map((text): DiffLine => ({ kind, text }));
    }),
  );
}

function lines(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}

/** In each block of removed and added lines, combines those about the same element into changed lines. */
function pairChanged(diff: readonly DiffLine[]): DiffLine[] {
  const out: DiffLine[] = [];
  let removedLines: DiffLine[] = [];
  let addedLines: DiffLine[] = [];
  function flush(): void {
    let nextIndex = 0;
    let waiting: DiffLine[] = [];
    for (const line of addedLines) {
      const id = elementId(line.text);
      const at =
        id === null ? -1 : removedLines.findIndex((old, index) => index >= nextIndex && elementId(old.text) === id);
      const oldLine = removedLines[at];
      if (oldLine === undefined) waiting.push(line);
      else {
        out.push(...removedLines.slice(nextIndex, at), ...waiting, {
          kind: 'changed',
          text: line.text,
          was: oldLine.text,
        });
        nextIndex = at + 1;
        waiting = [];
      }
    }
    out.push(...removedLines.slice(nextIndex), ...waiting);
    removedLines = [];
    addedLines = [];
  }
  for (const line of diff) {
    if (line.kind === 'removed') removedLines.push(line);
    else if (line.kind === 'added') addedLines.push(line);
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

/** Changed lines with `around` unchanged lines before and after; `null` for omitted lines. */
export function hunks(diff: readonly DiffLine[], around: number, limit: number): readonly (DiffLine | null)[] {
  const inContext = new Uint8Array(diff.length);
  for (const [at, line] of diff.entries()) {
    if (line.kind !== 'same') inContext.fill(1, Math.max(0, at - around), at + around + 1);
  }
  const out: (DiffLine | null)[] = [];
  for (const [at, line] of diff.entries()) {
    if (inContext[at] === 1) out.push(line);
    else if (out.length > 0 && out.at(-1) !== null) out.push(null);
    if (out.length >= limit) {
      out.push(null);
      break;
    }
  }
  if (out.at(-1) === null && out.length < limit) out.pop();
  return out;
}
