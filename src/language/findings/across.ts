import type { Finding } from '../../tasks/finding.ts';
import type { Problem } from '../../tasks/problem.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import { type Name, namesOf } from './repeats.ts';

/** A file that shares more names than this with others is a copy of them, and says so once. */
const MOST = 10;

interface Bearer {
  readonly file: TaskFile;
  readonly row: TaskRow;
  readonly name: Name;
}

/**
 * Ids and slugs that tasks of several files share: a run over both files, its report and HUD's platform cannot tell them
 * apart. What is repeated inside of one file is said by `Diagnosis`.
 * @param files the earlier one of two keeps its names
 * @returns by the absolute path of the file
 */
export function duplicatesAcross(files: readonly TaskFile[]): ReadonlyMap<string, readonly Finding[]> {
  const first = new Map<string, Bearer>();
  const findings = new Map<string, readonly Finding[]>();
  for (const file of files) {
    const shared: { readonly here: Bearer; readonly there: Bearer }[] = [];
    for (const row of file.rows) {
      for (const name of namesOf(row)) {
        const key = `${name.kind} ${name.name}`;
        const there = first.get(key);
        if (there === undefined) first.set(key, { file, row, name });
        else if (there.file !== file) shared.push({ here: { file, row, name }, there });
      }
    }
    if (shared.length === 0) continue;
    findings.set(
      file.file,
      shared.length > MOST ? [summary(file, shared)] : shared.map(({ here, there }) => sharedName(here, there)),
    );
  }
  return findings;
}

function sharedName({ file, row, name }: Bearer, there: Bearer): Finding {
  const other = relativeName(there.file.file, file.file);
  const said = (message: string): Problem => ({
    path: name.path,
    severity: 'warning',
    code: name.kind === 'id' ? 'duplicate-id' : 'duplicate-slug',
    message,
  });
  const { range } = there.row.finding(said(''));
  return {
    ...row.finding(
      said(
        `The ${name.kind} “${name.name}” stands in ${other}, line ${range.start.line + 1}, too: what runs both files cannot tell the two apart`,
      ),
    ),
    related: [{ file: there.file.file, range, message: `The other “${name.name}”` }],
  };
}

function summary(file: TaskFile, shared: readonly { readonly here: Bearer; readonly there: Bearer }[]): Finding {
  const others = [...new Set(shared.map(({ there }) => there.file.file))].map((other) =>
    relativeName(other, file.file),
  );
  const start = { line: 0, character: 0 };
  return {
    file: file.file,
    range: { start, end: { line: 0, character: 1 } },
    severity: 'warning',
    code: 'duplicate-id',
    message: `${shared.length} tasks of this file have the id or slug of one in ${others.slice(0, 3).join(', ')}${others.length > 3 ? ` and ${others.length - 3} more` : ''}: what runs both files cannot tell them apart`,
  };
}

/** The path from the folder of the one file to the other, both absolute. */
function relativeName(to: string, from: string): string {
  const [target, source] = [to, from].map((path) => path.split(/[\\/]/));
  if (target === undefined || source === undefined) return to;
  let common = 0;
  while (common < source.length - 1 && common < target.length - 1 && source[common] === target[common]) common += 1;
  return [...source.slice(common, -1).map(() => '..'), ...target.slice(common)].join('/');
}
