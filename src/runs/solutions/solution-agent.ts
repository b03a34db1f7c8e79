import type { Task } from '../../tasks/task.ts';
import { solutionOf } from './solution-file.ts';

/** The agent that solves a task: its solution file, else the tool calls in it; null if it has neither. */
export function solutionAgent(task: Pick<Task, 'env' | 'file' | 'id' | 'index'>): string | null {
  const solution = solutionOf(task);
  if (solution !== null) return `replay:${solution}`;
  return task.env['solution'] === undefined ? null : 'integration_test';
}
