import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isNotFound } from '../../base/file-kind.ts';
import type { KnownFile } from '../../environments/known-file.ts';
import { solutionPath } from '../solutions/solution-file.ts';
import type { RunPlan } from './plan.ts';

/** Absolute paths of the files that the run uses and that its agent must not read. `agentFiles`: those of the agent itself. */
export function withheldFiles(plan: RunPlan, agentFiles: readonly KnownFile[]): KnownFile[] {
  const { task, taskFiles = [] } = plan;
  const solution = solutionPath(task);
  return [
    ...[...new Set([task.file, ...taskFiles])].map((path) => ({ path, role: 'task' as const })),
    ...(solution === null ? [] : [{ path: solution, role: 'solution' as const }]),
    ...agentFiles,
    ...recordings(plan).map((path) => ({ path, role: 'trace' as const })),
  ];
}

/** The folders of this job and of the jobs next to it. Anything else in `out` may belong to the user. */
function recordings({ out, jobId }: RunPlan): string[] {
  const entries = entriesOf(out);
  const jobs = entries.filter((name) => name === jobId || existsSync(join(out, name, 'job.json')));
  return entries.length > 0 && jobs.length === entries.length
    ? [out]
    : [...new Set([jobId, ...jobs])].map((name) => join(out, name));
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
