import { basename } from 'node:path';
import { groupBy } from '../../base/group-by.ts';
import type { JobRunState, JobState } from '../../presentation/jobs/present.ts';
import type { TaskReference } from '../../presentation/tasks/reference.ts';
import { seedsOf } from '../../runs/job/seeds.ts';
import { solutionName } from '../../runs/solutions/solution-file.ts';
import { SOLUTION } from '../runs/agents.ts';
import type { JobOptions } from './jobs.ts';

/** The tasks of a job and the options for running them again. `failures`: only tasks with a run that did not pass. */
export function rerunOf(
  { runs }: Pick<JobState, 'runs'>,
  failures: boolean,
): { readonly tasks: readonly TaskReference[]; readonly options: JobOptions } {
  const groups = groupBy(runs, ({ plannedRun: planned }) => planned.group_id);
  const chosenGroups = [...groups.values()].filter(
    (group) => !failures || group.some(({ result }) => result?.success !== true),
  );
  const agents = new Set(chosenGroups.flat().flatMap(({ plannedRun: planned }) => agentOf(planned)));
  const [agent] = agents;
  const longest = [...groups.values()].reduce<readonly JobRunState[]>((a, b) => (b.length > a.length ? b : a), []);
  const group = Math.max(1, longest.length);
  return {
    tasks: chosenGroups.flatMap(([first]) =>
      first === undefined
        ? []
        : [{ file: first.plannedRun.file, index: first.plannedRun.index, name: first.plannedRun.task_id }],
    ),
    options: {
      group,
      seeds: seedsOf(longest.map(({ plannedRun: planned }) => planned)),
      agent: agents.size === 1 ? agent : undefined,
    },
  };
}

/** The agent of a run; none for a run that was refused. The solutions of different tasks are the same agent. */
function agentOf({ agent, task_id }: JobRunState['plannedRun']): readonly string[] {
  if (agent === null) return [];
  return [agent.startsWith('replay:') && basename(agent) === solutionName(task_id) ? SOLUTION : agent];
}
