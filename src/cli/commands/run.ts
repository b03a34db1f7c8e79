import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { diagnose, refusal } from '../../language/findings/diagnose.ts';
import { choosePlacement } from '../../placement/choose.ts';
import { GET_A_BROWSER } from '../../placement/doctor.ts';
import { solutionOf } from '../../runs/agents/solution.ts';
import { AGENT_CHOICES, AgentError, parseAgent } from '../../runs/agents/spec.ts';
import { jobsFolder, startJob } from '../../runs/job.ts';
import { junit } from '../../runs/junit.ts';
import { newGroupId, newJobId } from '../../runs/names.ts';
import type { Run, RunError, RunRecord } from '../../runs/trace.ts';
import { untracedRun } from '../../runs/untraced.ts';
import { PLACEMENT_KINDS, type PlacementKind } from '../../tasks/placement-wish.ts';
import type { Task } from '../../tasks/task.ts';
import { type Command, type CommandContext, EXIT, seconds, textOption, UsageError, wholeNumber } from '../command.ts';
import { shownPath } from '../paths.ts';
import { Progress } from '../progress.ts';
import { type Selected, type Selection, select } from '../select.ts';

/** How many finished runs stay in `.taskwright/jobs`. */
const KEEP_RUNS = 200;

/** One place in the list of runs: a task to be run, or why it is not. */
type Planned = { readonly task: Task; readonly agent: string; readonly groupId: string } | { readonly refused: Run };

interface Wishes {
  readonly agent: string | null;
  readonly seed: number;
  readonly group: number;
  readonly concurrency: number;
  readonly maxSteps: number | null;
  readonly evaluateTimeoutMs: number | null;
  readonly timeoutMs: number | null;
  readonly placement: PlacementKind | null;
  readonly out: string | null;
  readonly junit: string | null;
}

function readWishes(context: CommandContext): Wishes {
  const path = (option: string): string | null => {
    const value = textOption(context, option);
    if (value === '') throw new UsageError('bad_option', `--${option} wants a path.`);
    return value === null ? null : resolve(context.cwd, value);
  };
  const asked = textOption(context, 'placement') ?? context.usualPlacement;
  const placement = PLACEMENT_KINDS.find((kind) => kind === asked) ?? null;
  if (asked !== null && placement === null) {
    const kinds = PLACEMENT_KINDS.join(' or ');
    throw new UsageError('unknown_placement', `There is no placement “${asked}”. Choose ${kinds}.`);
  }
  const agent = textOption(context, 'agent');
  if (agent === 'manual') {
    throw new UsageError('agent_unknown', 'The agent “manual” is the person in the editor. Choose another here.');
  }
  return {
    agent,
    seed: wholeNumber(context, 'seed', Number.MIN_SAFE_INTEGER) ?? 0,
    group: wholeNumber(context, 'group', 1) ?? 1,
    concurrency: wholeNumber(context, 'concurrency', 1) ?? 1,
    maxSteps: wholeNumber(context, 'max-steps', 1),
    evaluateTimeoutMs: seconds(context, 'evaluate-timeout'),
    timeoutMs: seconds(context, 'timeout'),
    placement,
    out: path('out'),
    junit: path('junit'),
  };
}

/** Looks at every task before the first is run: who acts in it, and whether it can run at all. */
function plan(selection: Selection, wishes: Wishes, cwd: string): Planned[] {
  if (wishes.agent !== null) checkAgent(wishes.agent, cwd);
  const planned: Planned[] = [];
  let lost = 0;
  for (const selected of selection.tasks) {
    const { file, row, own } = selected;
    const reason = refusal(file, row, own);
    const groupId = newGroupId();
    if (reason !== null || row.task === null) {
      planned.push({ refused: refuse(selected, reason ?? unreadable(selected), groupId, wishes.seed) });
      continue;
    }
    const solution = wishes.agent === null ? solutionOf(row.task) : null;
    const agent = wishes.agent ?? (solution === null ? null : `replay:${solution}`);
    if (agent === null) {
      lost += 1;
      planned.push({ refused: refuse(selected, noAgent(selected, cwd), groupId, wishes.seed) });
    } else for (let repeat = 0; repeat < wishes.group; repeat += 1) planned.push({ task: row.task, agent, groupId });
  }
  if (lost > 0 && lost === planned.length) {
    throw new UsageError('no_agent', `No task has a solution, so name an agent with --agent: ${AGENT_CHOICES}.`);
  }
  for (const { file, own } of selection.files) {
    // A file that is broken as a whole has no row to stand for it.
    if (file.rows.length > 0) continue;
    const broken = diagnose(file, own).find((finding) => finding.severity === 'error');
    if (broken === undefined) continue;
    const { message, code, range } = broken;
    const error = { message, code, file: file.file, range };
    planned.push({
      refused: untracedRun({ file: file.file, taskId: '0', index: 0, groupId: newGroupId(), seed: wishes.seed, error }),
    });
  }
  return planned;
}

function checkAgent(agent: string, cwd: string): void {
  try {
    parseAgent(agent, cwd);
  } catch (error) {
    if (error instanceof AgentError) throw new UsageError(error.code, error.message, { cause: error });
    throw error;
  }
}

function noAgent({ file, row }: Selected, cwd: string): RunError {
  const message = `No solution lies beside ${shownPath(file.file, cwd)}#${row.name}; name an agent with --agent.`;
  return { message, code: 'no_agent', file: file.file, range: row.range };
}

function unreadable({ file, row }: Selected): RunError {
  return { message: 'This row cannot be read as a task.', code: 'unreadable-row', file: file.file, range: row.range };
}

function refuse({ file, row }: Selected, error: RunError, groupId: string, seed: number): Run {
  return untracedRun({ file: file.file, taskId: row.name, index: row.index, groupId, seed, error });
}

async function run(context: CommandContext): Promise<number> {
  const { output, cwd, json, signal } = context;
  const wishes = readWishes(context);
  const selection = await select(context.positionals, cwd);
  const planned = plan(selection, wishes, cwd);
  if (planned.length === 0) throw new UsageError('no_tasks', 'There is no task in what was named.');

  const progress = new Progress(output, json, planned.length);
  const runnable = planned.some((one) => 'task' in one);
  const root = wishes.out ?? jobsFolder(cwd);
  const job = runnable ? await openJob(root, wishes.out === null ? KEEP_RUNS : null) : null;
  const results: (Run | RunRecord)[] = new Array(planned.length);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < planned.length) {
      const index = next;
      next += 1;
      const one = planned[index];
      if (one === undefined) return;
      const result = 'refused' in one ? one.refused : await runOne(one);
      results[index] = result;
      progress.ended(result);
    }
  };
  const runOne = async (one: Extract<Planned, { task: Task }>): Promise<Run | RunRecord> => {
    const { task, agent, groupId } = one;
    const taskId = task.id ?? String(task.index);
    const untraced = { file: task.file, taskId, index: task.index, groupId, seed: wishes.seed };
    if (job === null || signal.aborted) return untracedRun({ ...untraced, error: null });
    const { maxSteps, evaluateTimeoutMs, timeoutMs, seed } = wishes;
    const started = progress.started(taskId);
    const placement = await context.placement(
      choosePlacement(task, { asked: wishes.placement, setting: null }),
      // The last ones find what the first ones leave.
      Math.max(0, Math.min(wishes.concurrency, planned.length - wishes.concurrency)),
    );
    try {
      return await job.run(
        {
          task,
          agent,
          groupId,
          seed,
          cwd,
          ...(maxSteps === null ? {} : { maxSteps }),
          ...(evaluateTimeoutMs === null ? {} : { evaluateTimeoutMs }),
          ...(timeoutMs === null ? {} : { timeoutMs }),
        },
        placement,
        started,
        signal,
      );
    } catch (error) {
      const message = `The run could not be written to ${root}: ${(error as Error).message}`;
      return untracedRun({ ...untraced, error: { message, code: 'trace_unwritable' } });
    }
  };
  await Promise.all(Array.from({ length: Math.min(wishes.concurrency, planned.length) }, work));
  await job?.end();

  const jobId = job?.id ?? newJobId();
  progress.end(results, job?.folder ?? null);
  if (results.some((result) => result.error?.code === 'browser_missing')) {
    for (const line of GET_A_BROWSER) output.note(line);
  }
  if (json) output.json({ job_id: jobId, runs: results.map(asRun) });
  if (wishes.junit !== null) await writeJunit(wishes.junit, junit(jobId, results));
  if (signal.aborted) return EXIT.interrupted;
  if (planned.some((one) => 'refused' in one)) return EXIT.badUse;
  return results.every((result) => result.success && result.status === 'completed') ? EXIT.fine : EXIT.not;
}

function asRun(result: Run | RunRecord): Run {
  if (!('grade' in result)) return result;
  const { prompt: _, grade: __, ...plain } = result;
  return plain;
}

async function openJob(root: string, keepRuns: number | null): ReturnType<typeof startJob> {
  try {
    return await startJob(root, { keepRuns });
  } catch (error) {
    throw new UsageError('out_unwritable', `Runs cannot be written to ${root}: ${(error as Error).message}`);
  }
}

async function writeJunit(path: string, xml: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, xml);
}

export const runCommand: Command = {
  name: 'run',
  summary: 'Runs tasks with an agent and prints each verdict with its reasons.',
  usage: 'ADDRESS... [--agent AGENT] [options]',
  takesTasks: true,
  options: {
    agent: { type: 'string' },
    seed: { type: 'string' },
    group: { type: 'string' },
    concurrency: { type: 'string' },
    'max-steps': { type: 'string' },
    'evaluate-timeout': { type: 'string' },
    timeout: { type: 'string' },
    placement: { type: 'string' },
    out: { type: 'string' },
    junit: { type: 'string' },
    verbose: { type: 'boolean' },
  },
  help: [
    ['ADDRESS', 'A task (FILE#ID or FILE#INDEX), a task file or a folder: all tasks in it'],
    ['--agent AGENT', `Who acts: ${AGENT_CHOICES}. Default: the task's solution, ID.actions beside its file`],
    ['--seed N', 'Seed of the environment; default 0'],
    ['--group N', 'Repeat each task N times'],
    ['--concurrency N', 'How many runs go on at once; default 1'],
    ['--max-steps N', "Steps before a run is cut short and graded; default: the task's, else 100"],
    ['--evaluate-timeout SECONDS', 'Time limit of one setup or evaluate call; default 30'],
    ['--timeout SECONDS', 'Time limit of one whole run; default none'],
    [
      '--placement KIND',
      "Where environments run: local, on this machine, or docker, each in a container; default: the task's wish, else local",
    ],
    ['--out DIR', 'Where runs are recorded; default .taskwright/jobs in the current folder'],
    ['--json', 'Print {job_id, runs} as JSON'],
    ['--junit FILE', 'Write a report in JUnit XML'],
    ['--verbose', "Print the environment server's log too"],
  ],
  run,
};
