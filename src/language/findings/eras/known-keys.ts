import { KNOWN_KEYS } from '../../../tasks/era.ts';
import { didYouMean, nearestWord } from '../../../tasks/nearest.ts';
import type { Path } from '../../../tasks/path.ts';
import type { Problem } from '../../../tasks/problem.ts';
import type { Era } from '../../../tasks/task.ts';

type Row = Readonly<Record<string, unknown>>;

const knownSets = new Map<readonly string[], ReadonlySet<string>>();

/** Keys that the object may not have: HUD ignores them without a word, so that a typo passes. */
export function unknownKeys(row: Row, known: readonly string[], path: Path, era?: Era): Problem[] {
  let set = knownSets.get(known);
  if (set === undefined) {
    set = new Set(known);
    knownSets.set(known, set);
  }
  const problems: Problem[] = [];
  for (const key of Object.keys(row)) {
    // Where a file of one task names its JSON Schema, for other editors.
    if (key === '$schema' && path.length === 0) continue;
    if (!set.has(key)) problems.push(unknownKey(key, row, known, path, era));
  }
  return problems;
}

function unknownKey(key: string, row: Row, known: readonly string[], path: Path, era: Era | undefined): Problem {
  const at = [...path, key];
  const near = nearestWord(
    key,
    known.filter((name) => !(name in row)),
  );
  const other = era === undefined ? undefined : eraWith(key);
  const what = path.length === 0 ? 'of a task' : `of ${path.join('.')}`;
  return {
    path: at,
    part: 'key',
    severity: 'warning',
    code: 'unknown-key',
    message:
      other === undefined
        ? `“${key}” is no key ${what}: it is ignored, as in HUD${didYouMean(near)}`
        : `“${key}” is a key of HUD ${other}; this is a task of ${nameOf(era)}, where it is ignored`,
    repairs: [
      ...(near === null ? [] : [{ title: `Change to “${near}”`, changes: [{ rename: at, key: near }] }]),
      { title: `Remove “${key}”`, changes: [{ remove: at }] },
    ],
  };
}

function eraWith(key: string): Era | undefined {
  return (['0.4', '0.5', '0.6'] as const).find((era) => KNOWN_KEYS[era].includes(key));
}

function nameOf(era: Era | undefined): string {
  return era === 'rfc' ? 'the RFC' : `HUD ${era}`;
}
