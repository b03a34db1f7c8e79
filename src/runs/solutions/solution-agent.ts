import { resolve } from 'node:path';
import type { Task } from '../../tasks/task.ts';
import { solutionOf, solutionPath } from './solution-file.ts';

const REPLAY = 'replay:';
const INTEGRATION_TEST = 'integration_test';

/** The agent that solves a task: its solution file, else the tool calls in it; null if it has neither. */
export function solutionAgent(task: Pick<Task, 'env' | 'file' | 'id' | 'index'>): string | null {
  const solution = solutionOf(task);
  if (solution !== null) return `${REPLAY}${solution}`;
  return task.env['solution'] === undefined ? null : INTEGRATION_TEST;
}

/**
 * Whether an agent is the solution of the task of a run, so that the run proves it.
 *
 * @param agent as the user wrote it
 * @param cwd base of a relative path in it
 */
export function isSolutionAgent(
  agent: string,
  { file, task_id: id }: { readonly file: string; readonly task_id: string },
  cwd: string,
): boolean {
  if (agent === INTEGRATION_TEST) return true;
  return agent.startsWith(REPLAY) && resolve(cwd, agent.slice(REPLAY.length)) === solutionPath({ file, id, index: 0 });
}
