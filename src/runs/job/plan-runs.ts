import { isAbsolute } from 'node:path';
import { AgentError } from '../../agents/agent-error.ts';
import { AGENT_SYNTAX, parseAgent, splitAgent } from '../../agents/registry.ts';
import { diagnose, refusal } from '../../language/findings/diagnose.ts';
import { choosePlacement } from '../../placement/choose.ts';
import type { PlacementKind } from '../../tasks/placement-kind.ts';
import { type JobPlan, type PlannedRun, portablePath } from '../../traces/job-file.ts';
import { newGroupId, newRunId } from '../../traces/names.ts';
import type { RunError } from '../../traces/trace.ts';
import { type Selection, selectedTasks } from '../selection/select.ts';
import type { Selected } from '../selection/selected.ts';
import { shownPath } from '../selection/shown-path.ts';
import { solutionAgent } from '../solutions/solution-agent.ts';
import { UsageError } from '../usage-error.ts';
import type { JobRun } from './job-runs.ts';
import { seedOf } from './seeds.ts';

export const SEEDS = ['same', 'consecutive'] as const;

/** What applies to all runs of a job. */
export interface PlanOptions {
  /** Null: the solution of each task. */
  readonly agent: string | null;
  readonly seed: number;
  /** Number of runs of each task. */
  readonly group: number;
  /** The repeats of a task have the same seed, or seeds that count up. */
  readonly seeds: (typeof SEEDS)[number];
  /** Null: as each task says. */
  readonly placement: PlacementKind | null;
  readonly cwd: string;
  /** How the user specifies an agent if no task has a solution: `Specify an agent with --agent`. */
  readonly hint: string;
}

/**
 * Plans all runs of the selected tasks before the first one starts: the agent of each task, and whether the task can run.
 * Throws `UsageError` `no_agent` if no task has an agent.
 */
export function planRuns(selection: Selection, options: PlanOptions): JobRun[] {
  const runs: JobRun[] = [];
  const add = (of: { file: string; id: string; index: number }, run: Pick<JobRun, 'task'> & Partial<PlannedRun>) => {
    const { task, ...more } = run;
    const planned = {
      run_id: newRunId(of),
      file: of.file,
      task_id: of.id,
      index: of.index,
      group_id: newGroupId(),
      seed: options.seed,
      agent: null,
      placement: choosePlacement(task ?? { metadata: {} }, { requested: options.placement, setting: null }),
      error: null,
      ...more,
    };
    runs.push({ planned, task, done: null });
  };
  let withoutAgent = 0;
  for (const selected of selectedTasks(selection)) {
    const { file, row, userFunctions } = selected;
    const of = { file: file.file, id: row.name, index: row.index };
    const reason = refusal(file, row, userFunctions);
    if (reason !== null || row.task === null) {
      add(of, { task: null, error: reason ?? unreadable(selected) });
      continue;
    }
    const { task } = row;
    const agent = options.agent ?? solutionAgent(task);
    if (agent === null) {
      withoutAgent += 1;
      add(of, { task: null, error: noAgent(selected, options.cwd) });
      continue;
    }
    const group_id = newGroupId();
    for (let repeat = 0; repeat < options.group; repeat += 1) {
      const seed = seedOf({ first: options.seed, consecutive: options.seeds === 'consecutive' }, repeat);
      add(of, { task, agent, group_id, seed });
    }
  }
  if (withoutAgent > 0 && withoutAgent === runs.length) {
    throw new UsageError('no_agent', `No task has a solution. ${options.hint}: ${AGENT_SYNTAX}.`);
  }
  for (const { file, userFunctions } of selection.files) {
    // A file without rows gets an entry of its own, with its first error.
    if (file.rows.length > 0) continue;
    const broken = diagnose(file, userFunctions).find((finding) => finding.severity === 'error');
    if (broken === undefined) continue;
    const { message, code, range } = broken;
    add({ file: file.file, id: '0', index: 0 }, { task: null, error: { message, code, file: file.file, range } });
  }
  return runs;
}

/** Throws `UsageError` unless this is an agent that runs outside of the editor. */
export function checkAgent(agent: string, cwd: string): void {
  try {
    const { kind } = parseAgent(agent, cwd);
    if (kind.editorOnly) {
      throw new AgentError('agent_unknown', `The agent “${agent}” works only in the editor. Use ${AGENT_SYNTAX}.`);
    }
  } catch (error) {
    if (error instanceof AgentError) throw new UsageError(error.code, error.message, { cause: error });
    throw error;
  }
}

/**
 * The plan so that other machines can make its runs: agents that are files of `cwd` by their relative paths. The files of
 * tasks are written that way by `writeJobFile`.
 */
export function portablePlan(plan: JobPlan): JobPlan {
  const runs = plan.runs.map((run) => ({
    ...run,
    agent: run.agent === null ? null : portableAgent(run.agent, plan.cwd),
  }));
  return { ...plan, portable: true, runs };
}

function portableAgent(text: string, cwd: string): string {
  const agent = splitAgent(text);
  if (agent?.kind.argument?.type !== 'file' || !isAbsolute(agent.argument)) return text;
  return `${agent.kind.name}:${portablePath(agent.argument, cwd)}`;
}

/** The message is recorded, so it names no option: a job is also read in the editor, by task tools, and by programs. */
function noAgent({ file, row }: Selected, cwd: string): RunError {
  const message = `${shownPath(file.file, cwd)}#${row.name} has no solution. Write one, or specify an agent.`;
  return { message, code: 'no_agent', file: file.file, range: row.range };
}

function unreadable({ file, row }: Selected): RunError {
  return { message: 'This row cannot be read as a task.', code: 'unreadable-row', file: file.file, range: row.range };
}
