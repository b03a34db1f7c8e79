import { basename } from 'node:path';
import { groupsOf, type JobRunState, type JobState } from '../../presentation/jobs/present.ts';
import type { TaskReference } from '../../presentation/tasks/reference.ts';
import { seedsOf } from '../../runs/job/seeds.ts';
import { solutionName } from '../../runs/solutions/solution-file.ts';
import { SOLUTION } from '../runs/agents.ts';
import type { JobOptions } from './jobs.ts';

/** The tasks of a job and the options for running them again. `failures`: only tasks with a run that did not pass. */
export function rerunOf(
  job: Pick<JobState, 'runs'>,
  failures: boolean,
): { readonly tasks: readonly TaskReference[]; readonly options: JobOptions } {
  const groups = groupsOf(job);
  const chosenGroups = groups.filter((group) => !failures || group.some(({ result }) => result?.success !== true));
  const agents = new Set(chosenGroups.flat().flatMap(({ plannedRun }) => agentOf(plannedRun)));
  const [agent] = agents;
  const longest = groups.reduce((a, b) => (b.length > a.length ? b : a), []);
  const group = Math.max(1, longest.length);
  return {
    tasks: chosenGroups.flatMap(([first]) =>
      first === undefined
        ? []
        : [{ file: first.plannedRun.file, index: first.plannedRun.index, name: first.plannedRun.task_id }],
    ),
    options: {
      group,
      seeds: seedsOf(longest.map(({ plannedRun }) => plannedRun)),
      agent: agents.size === 1 ? agent : undefined,
    },
  };
}

/** The agent of a run; none for a run that was refused. The solutions of different tasks are the same agent. */
function agentOf({ agent, task_id }: JobRunState['plannedRun']): readonly string[] {
  if (agent === null) return [];
  return [agent.startsWith('replay:') && basename(agent) === solutionName(task_id) ? SOLUTION : agent];
}
