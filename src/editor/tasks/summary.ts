import { environmentKind } from '../../environments/kinds.ts';
import type { Finding } from '../../tasks/finding.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import type { FileSummary, Problems, TaskSummary } from './model.ts';

/** What the tree shows of a file, from what was read of it. `path`: folders and name below the root. */
export function summarise(file: TaskFile, findings: readonly Finding[], path: readonly string[]): FileSummary {
  return {
    file: file.file,
    path,
    title: file.set?.name ?? null,
    tasks: file.rows.map((row) => summariseTask(file, row, findings)),
    problems: problemsOf(findings),
  };
}

function summariseTask(file: TaskFile, row: TaskRow, findings: readonly Finding[]): TaskSummary {
  const { task, range } = row;
  const inside = findings.filter(
    ({ range: { start } }) => start.line >= range.start.line && start.line <= range.end.line && within(start, range),
  );
  return {
    file: file.file,
    index: row.index,
    name: row.name,
    prompt: task?.prompt ?? null,
    environment: task === null ? '' : environmentLabel(task.env),
    tags: task?.tags ?? [],
    line: range.start.line,
    problems: problemsOf(inside),
    readable: task !== null,
  };
}

/** `browser`, `qa`; an environment that does not run here keeps its own name. */
export function environmentLabel(env: Parameters<typeof environmentKind>[0]): string {
  const known = environmentKind(env);
  return 'kind' in known ? known.kind : env.type;
}

function problemsOf(findings: readonly Finding[]): Problems {
  return {
    errors: findings.filter(({ severity }) => severity === 'error').length,
    warnings: findings.filter(({ severity }) => severity === 'warning').length,
  };
}

function within(position: Finding['range']['start'], range: Finding['range']): boolean {
  const after =
    position.line > range.start.line ||
    (position.line === range.start.line && position.character >= range.start.character);
  const before =
    position.line < range.end.line || (position.line === range.end.line && position.character <= range.end.character);
  return after && before;
}
