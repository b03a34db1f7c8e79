import { basename } from 'node:path';
import { describeAgent, splitAgent } from '../../runs/agents/registry.ts';

/** What is known when a task is run and nobody has named an agent. */
export interface Remembered {
  /** The agent that this task was last run with. */
  readonly last: string | undefined;
  /** The task's solution, `<id>.actions` beside its file. */
  readonly solution: string | null;
  /** Whether what an agent names by a path is there. */
  exists(path: string): boolean;
}

/** Stands for the solution of each task where an agent of several tasks is named. */
export const SOLUTION = 'solution';

/** The agent that is the user at the run panel. */
export const MANUAL = 'manual';

/** The agent to run with: the last one used for that task, else its solution, else null: the person, where there is one. */
export function chooseAgent(known: Remembered): string | null {
  if (known.last !== undefined && usable(known.last, known.exists)) return known.last;
  return known.solution === null ? null : `replay:${known.solution}`;
}

/** An agent whose file is gone cannot be used any more. */
function usable(agent: string, exists: (path: string) => boolean): boolean {
  const path = pathOf(agent);
  return path === null || exists(path);
}

/** The file or folder that an agent names, or null where it names none. */
export function pathOf(agent: string): string | null {
  const found = splitAgent(agent);
  return found?.kind.argument?.type === 'file' && found.argument !== '' ? found.argument : null;
}

/** A short text for an agent: `solution`, or as `describeAgent`. `task`: the name of the task. */
export function agentLabel(agent: string, task?: string): string {
  if (task !== undefined && agent.startsWith('replay:') && basename(agent) === `${task}.actions`) return 'solution';
  return describeAgent(agent);
}

/** A first solution to start from: what is there to write, and an end. */
export function solutionDraft(prompt: string | null): string {
  const goal = (prompt ?? '').split(/\r?\n/).filter((line) => line.trim() !== '');
  return [
    ...goal.map((line) => `# ${line}`),
    "# One action a line, such as: click('#ok'), fill('#name', 'Ada'), press('#name', 'Enter'), scroll(0, 300)",
    '',
    '',
  ].join('\n');
}
