import { isAbsolute } from 'node:path';
import { AgentError } from '../../agents/agent-error.ts';
import { AGENT_SYNTAX, parseAgent, splitAgent } from '../../agents/registry.ts';
import { diagnose, refusal } from '../../language/findings/diagnose.ts';
import { choosePlacement } from '../../placement/choose.ts';
import type { PlacementKind } from '../../tasks/placement-kind.ts';
import type { Task } from '../../tasks/task.ts';
import { type JobPlan, portablePath } from '../../traces/job-file.ts';
import type { RunError } from '../../traces/trace.ts';
import { displayAddress } from '../selection/display-path.ts';
import { noTasks, type Selection, selectedTasks } from '../selection/select-tasks.ts';
import type { SelectedTask } from '../selection/selected-task.ts';
import { solutionAgent } from '../solutions/solution-agent.ts';
import { asUsageError, UsageError } from '../usage-error.ts';

/** One task of a job. */
export interface JobTask {
  readonly file: string;
  /** Its id, or its index as a string. */
  readonly id: string;
  readonly index: number;
  /** Null if it cannot run. */
  readonly task: Task | null;
  readonly agent: string | null;
  readonly placement: PlacementKind;
  /** Why it cannot run; null if it can. */
  readonly error: RunError | null;
}

/** What applies to all tasks of a job. */
export interface TaskOptions {
  /** Null: the solution of each task. */
  readonly agent: string | null;
  /** Null: the placement of each task. */
  readonly placement: PlacementKind | null;
  readonly cwd: string;
  /** How the user specifies an agent if no task has a solution: `Specify an agent with --agent`. */
  readonly hint: string;
}

/**
 * The selected tasks as tasks of a job: the agent of each, or why it cannot run. Throws `UsageError`: `no_tasks`, or
 * `no_agent` if no task has an agent.
 */
export function jobTasks(selection: Selection, { agent, placement, cwd, hint }: TaskOptions): JobTask[] {
  const placementOf = (task: Pick<Task, 'metadata'>) => choosePlacement(task, { requested: placement, setting: null });
  const refusedTask = { task: null, agent: null, placement: placementOf({ metadata: {} }) };
  const tasks = selectedTasks(selection).map((selectedTask): JobTask => {
    const { file, row, userFunctions } = selectedTask;
    const of = { file: file.file, id: row.name, index: row.index };
    const reason = refusal(file, row, userFunctions);
    if (reason !== null || row.task === null)
      return { ...of, ...refusedTask, error: reason ?? unreadable(selectedTask) };
    const { task } = row;
    const taskAgent = agent ?? solutionAgent(task);
    if (taskAgent === null) return { ...of, ...refusedTask, error: noAgent(selectedTask, cwd) };
    return { ...of, task, agent: taskAgent, placement: placementOf(task), error: null };
  });
  if (tasks.length > 0 && tasks.every(({ error }) => error?.code === 'no_agent')) {
    throw new UsageError('no_agent', `No task has a solution. ${hint}: ${AGENT_SYNTAX}.`);
  }
  for (const { file, userFunctions } of selection.files) {
    // A file without rows gets an entry with its first error.
    if (file.rows.length > 0) continue;
    const firstError = diagnose(file, userFunctions).find((finding) => finding.severity === 'error');
    if (firstError === undefined) continue;
    const { message, code, range } = firstError;
    const error = { message, code, file: file.file, range };
    tasks.push({ file: file.file, id: '0', index: 0, ...refusedTask, error });
  }
  if (tasks.length === 0) throw noTasks(selection);
  return tasks;
}

/** Throws `UsageError` unless this is an agent that runs outside of the editor. */
export function checkAgent(agent: string, cwd: string): void {
  try {
    const { kind } = parseAgent(agent, cwd);
    if (kind.editorOnly) {
      throw new AgentError('agent_unknown', `The agent “${agent}” works only in the editor. Use ${AGENT_SYNTAX}.`);
    }
  } catch (error) {
    throw asUsageError(error, AgentError);
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
function noAgent({ file, row }: SelectedTask, cwd: string): RunError {
  const message = `${displayAddress(file, row, cwd)} has no solution. Write one, or specify an agent.`;
  return { message, code: 'no_agent', file: file.file, range: row.range };
}

function unreadable({ file, row }: SelectedTask): RunError {
  return { message: 'This row cannot be read as a task.', code: 'unreadable-row', file: file.file, range: row.range };
}
