import { dirname, relative, sep } from 'node:path';
import type { Work } from '../../base/slices.ts';
import type { Finding } from '../../tasks/finding.ts';
import { type Problem, warning } from '../../tasks/problem.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import { type Name, namesOf } from './duplicates.ts';

/** A file that shares more names than this with others is a copy of them and gets one summary. */
const MAX_SHARED_NAMES = 10;

interface Bearer {
  readonly file: TaskFile;
  readonly row: TaskRow;
  readonly name: Name;
}

/** A name that a row shares with a row of an earlier file. */
export interface SharedName {
  readonly here: Bearer;
  readonly there: Bearer;
}

/**
 * Finds ids and slugs that tasks of several files share: a run over both files, its report, and HUD's platform cannot
 * distinguish them. `Diagnosis` reports duplicates within one file. Yields after each row.
 * @param files of two files, the earlier one keeps its names
 * @returns by the absolute path of the file
 */
export function* namesAcross(files: readonly TaskFile[]): Work<ReadonlyMap<string, readonly SharedName[]>> {
  const namesByFile = new Map<string, readonly SharedName[]>();
  if (files.length < 2) return namesByFile;
  // Stores existing rows only: garbage of a hundred thousand temporary objects would cause a noticeable pause.
  const first = { id: new Map<string, TaskRow>(), slug: new Map<string, TaskRow>() };
  for (const [index, file] of files.entries()) {
    const sharedNames: SharedName[] = [];
    for (const row of file.rows) {
      for (const name of namesOf(row)) {
        const there = first[name.kind].get(name.name);
        if (there === undefined) first[name.kind].set(name.name, row);
        else if (!stands({ file, row: there })) {
          const earlier = files.slice(0, index).find((other) => stands({ file: other, row: there }));
          const same = namesOf(there).find(({ kind, name: other }) => kind === name.kind && other === name.name);
          if (earlier === undefined || same === undefined) continue;
          sharedNames.push({ here: { file, row, name }, there: { file: earlier, row: there, name: same } });
        }
      }
      yield;
    }
    if (sharedNames.length > 0) namesByFile.set(file.file, sharedNames);
  }
  return namesByFile;
}

/** The findings for the names that a file shares. Ignores rows that no longer exist. */
export function sharedFindings(names: readonly SharedName[]): readonly Finding[] {
  const current = names.filter(({ here, there }) => stands(here) && stands(there));
  const [one] = current;
  if (one === undefined) return [];
  return current.length > MAX_SHARED_NAMES ? [summary(one.here.file, current)] : current.map(sharedName);
}

function stands({ file, row }: Pick<Bearer, 'file' | 'row'>): boolean {
  return file.rows[row.index] === row;
}

function sharedName({ here: { file, row, name }, there }: SharedName): Finding {
  const other = relativeName(there.file.file, file.file);
  const problemOf = (message: string): Problem => warning(`duplicate-${name.kind}`, name.path, message);
  const { range } = there.row.finding(problemOf(''));
  const message = `The ${name.kind} “${name.name}” is also used in ${other}, line ${range.start.line + 1}. Runs of both files cannot distinguish the tasks`;
  return {
    ...row.finding(problemOf(message)),
    related: [{ file: there.file.file, range, message: `The other “${name.name}”` }],
  };
}

function summary(file: TaskFile, names: readonly SharedName[]): Finding {
  const others = [...new Set(names.map(({ there }) => there.file.file))].map((other) => relativeName(other, file.file));
  const start = { line: 0, character: 0 };
  return {
    file: file.file,
    range: { start, end: { line: 0, character: 1 } },
    severity: 'warning',
    code: 'duplicate-id',
    message: `${names.length} tasks in this file have the id or slug of a task in ${others.slice(0, 3).join(', ')}${others.length > 3 ? ` and ${others.length - 3} more` : ''}. Runs of both files cannot distinguish them`,
  };
}

/** The relative path from the folder of `from` to `to`, both absolute. */
function relativeName(to: string, from: string): string {
  return relative(dirname(from), to).replaceAll(sep, '/');
}
