import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { KnownFile } from '../../environments/known-file.ts';
import { isAbsent } from '../../tasks/presence.ts';
import { parseAgent } from '../agents/spec.ts';
import { solutionPath } from '../solutions/solution-file.ts';
import type { RunPlan } from './plan.ts';

/** The files that a run knows and that its agent must not get, as absolute paths. Throws `AgentError`. */
export function withheldFiles(plan: RunPlan): KnownFile[] {
  const { task, taskFiles = [] } = plan;
  const solution = solutionPath(task);
  return [
    ...[...new Set([task.file, ...taskFiles])].map((path) => ({ path, role: 'task' as const })),
    ...(solution === null ? [] : [{ path: solution, role: 'solution' as const }]),
    ...filesOfAgent(plan),
    ...recordings(plan).map((path) => ({ path, role: 'trace' as const })),
  ];
}

function filesOfAgent({ agent, cwd }: RunPlan): KnownFile[] {
  const spec = parseAgent(agent, cwd);
  switch (spec.kind) {
    case 'noop':
    case 'manual':
      return [];
    case 'replay':
      return [{ path: spec.path, role: spec.recorded ? 'trace' : 'solution' }];
    case 'module':
      return [{ path: spec.path, role: 'agent' }];
    case 'process':
      return [spec.command, ...spec.args]
        .map((word) => resolve(cwd, word))
        .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
        .map((path) => ({ path, role: 'agent' }));
  }
}

/** The directories of this job and of those beside it. Other content of `out` is not ours: it may be anything. */
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
    if (isAbsent(error)) return [];
    throw error;
  }
}
