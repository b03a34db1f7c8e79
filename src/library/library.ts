import { resolve } from 'node:path';
import { refusal } from '../language/findings/diagnose.ts';
import { jobsFolder } from '../runs/job/job.ts';
import { DEFAULT_RETRIES, defaultConcurrency } from '../runs/job/job-runs.ts';
import { checkAgent, jobTasks } from '../runs/job/job-tasks.ts';
import { printedRuns } from '../runs/job/printed-runs.ts';
import { DEFAULT_RETENTION, describeRemoval } from '../runs/job/retention.ts';
import { prepareJob, runJob } from '../runs/job/run-job.ts';
import { listedTask } from '../runs/selection/listed-task.ts';
import { type Selection, select, selectedTasks } from '../runs/selection/select-tasks.ts';
import type { SelectedTask } from '../runs/selection/selected-task.ts';
import { withoutDetails } from '../traces/without-details.ts';
import { functionAgent, PROGRAM } from './agent-function.ts';
import type {
  Environment,
  EnvironmentOptions,
  Job,
  PathOptions,
  RunEvent,
  RunOptions,
  Task,
  TaskReference,
} from './api.ts';
import { OpenedEnvironment } from './environment.ts';
import { TaskwrightError } from './error.ts';
import { tellerOf, toldEvent } from './events.ts';
import { checkNumber, checkOptions, limitsOf } from './options.ts';
import { ownPlacements } from './placements.ts';
import { reported } from './reported.ts';

export type * from './api.ts';
export { TaskwrightError } from './error.ts';

/**
 * Lists the tasks in files and folders, and single tasks by address. Nothing is executed. Rejects with `TaskwrightError` if
 * an address selects nothing.
 *
 * @example const tasks = await loadTasks('shop.tasks.json');
 */
export function loadTasks(paths: string | readonly string[], options: PathOptions = {}): Promise<Task[]> {
  return reported(async () => {
    const selection = await select(typeof paths === 'string' ? [paths] : paths, baseOf(options));
    return selectedTasks(selection).flatMap((selected) => listedTask(selected) ?? []);
  });
}

/**
 * Opens the environment of one task; `reset` begins its first run. Rejects with `TaskwrightError` if the task cannot run.
 *
 * @example await using environment = await openEnvironment('shop.tasks.json#buy');
 */
export function openEnvironment(task: TaskReference, options: EnvironmentOptions = {}): Promise<Environment> {
  return reported(async () => {
    checkOptions(options);
    const cwd = baseOf(options);
    const [selected, ...more] = selectedTasks(await selectionOf([task], cwd));
    if (selected === undefined || more.length > 0) {
      const found = selected === undefined ? 'no task' : `${more.length + 1} tasks`;
      throw new TaskwrightError(
        'not_one_task',
        `${addressOf(task)} selects ${found}. Name one as FILE#ID or FILE#INDEX.`,
      );
    }
    const { task: engineTask, listed } = runnable(selected);
    return new OpenedEnvironment(listed, engineTask, cwd, options);
  });
}

/**
 * Runs tasks with an agent, as `taskwright run` does. Runs that fail are in the result; rejects with `TaskwrightError` if
 * nothing can begin.
 *
 * @example const { runs } = await run('shop.tasks.json', { agent: (observation) => "click('#buy')" });
 */
export function run(tasks: TaskReference | readonly TaskReference[], options: RunOptions = {}): Promise<Job> {
  return reported(async () => {
    const { agent, group = 1, seed = 0, seeds = 'same', placement = null, mask, out, signal } = options;
    const { concurrency = defaultConcurrency(), retries = DEFAULT_RETRIES, onEvent, onLog } = options;
    const cwd = baseOf(options);
    checkOptions(options);
    checkNumber('group', group, 1);
    checkNumber('concurrency', concurrency, 1);
    checkNumber('retries', retries, 0);
    const selection = await selectionOf(isList(tasks) ? tasks : [tasks], cwd);
    if (typeof agent === 'string') checkAgent(agent, cwd);
    const named = typeof agent === 'function' ? PROGRAM : (agent ?? null);
    const prepared = await prepareJob({
      tasks: jobTasks(selection, { agent: named, placement, cwd, hint: 'Specify an "agent"' }),
      repeats: group,
      seeds: { first: seed, consecutive: seeds === 'consecutive' },
      root: out === undefined ? jobsFolder(cwd) : resolve(cwd, out),
      retention: out === undefined ? DEFAULT_RETENTION : null,
      ...{ cwd, mask, ...limitsOf(options) },
    });
    const tell = tellerOf(onEvent);
    const placements = ownPlacements(
      prepared.runs.map(({ plannedRun }) => plannedRun.agent),
      options,
    );
    try {
      const { id, folder, results, statistics, failure } = await runJob(prepared, {
        concurrency,
        retries,
        placement: ({ plannedRun }) => placements.get(plannedRun.placement),
        started: ({ plannedRun, task }) => ({
          listen: (event) => tell(toldEvent(event, plannedRun)),
          ...(typeof agent === 'function' ? { client: functionAgent(agent, task.env) } : {}),
        }),
        ended: (result) => tell(endOf(withoutDetails(result))),
        signal: signal ?? new AbortController().signal,
      });
      if (failure !== null) onLog?.(failure.message);
      const removal = (await prepared.job?.removal) ?? null;
      if (removal !== null) onLog?.(describeRemoval(removal));
      return { job_id: id, folder, runs: printedRuns(results), statistics };
    } finally {
      await placements.dispose();
    }
  });
}

function endOf(run: Extract<RunEvent, { type: 'ended' }>['run']): RunEvent {
  return { type: 'ended', run_id: run.run_id, task_id: run.task_id, run };
}

function baseOf({ cwd }: PathOptions): string {
  return resolve(cwd ?? '.');
}

function isList(tasks: TaskReference | readonly TaskReference[]): tasks is readonly TaskReference[] {
  return Array.isArray(tasks);
}

/** A task is read again, so that it runs as its file is now. */
function addressOf(task: TaskReference): string {
  return typeof task === 'string' ? task : `${task.file}#${task.index}`;
}

function selectionOf(tasks: readonly TaskReference[], cwd: string): Promise<Selection> {
  return select(tasks.map(addressOf), cwd);
}

/** Throws `TaskwrightError` with the words of Run for a task that it refuses. */
function runnable(selected: SelectedTask) {
  const { file, row, userFunctions } = selected;
  const refused = refusal(file, row, userFunctions);
  if (refused !== null)
    throw new TaskwrightError(refused.code, `The task “${row.name}” cannot run: ${refused.message}`);
  const listed = listedTask(selected);
  if (row.task === null || listed === null) {
    throw new TaskwrightError('unreadable-row', `The task “${row.name}” cannot be read.`);
  }
  return { task: row.task, listed };
}
