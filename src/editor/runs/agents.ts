import { splitAgent } from '../../agents/registry.ts';

/** What determines the agent of a run if none is specified. */
export interface AgentCandidates {
  /** The agent last used for the task. */
  readonly last: string | undefined;
  /** The agent of the task's solution. */
  readonly solution: string | null;
  /** Whether the file of an agent exists. */
  exists(path: string): boolean;
}

/** Selects the solution of each task as the agent of several tasks. */
export const SOLUTION = 'solution';

/** The agent that is the user at the run panel. */
export const MANUAL = 'manual';

/** The agent for a run: the one last used for the task, otherwise its solution, otherwise null. */
export function chooseAgent({ last, solution, exists }: AgentCandidates): string | null {
  if (last === undefined) return solution;
  const parts = splitAgent(last);
  const path = parts?.kind.argument?.type === 'file' ? parts.argument : '';
  // An agent whose file was deleted cannot be used.
  return path === '' || exists(path) ? last : solution;
}

/** The initial text of a solution. */
export function solutionDraft(prompt: string | null): string {
  const goal = (prompt ?? '').split(/\r?\n/).filter((line) => line.trim() !== '');
  return [
    ...goal.map((line) => `# ${line}`),
    "# One action per line, for example: click('#ok'), fill('#name', 'Ada'), press('#name', 'Enter'), scroll(0, 300)",
    '',
    '',
  ].join('\n');
}
