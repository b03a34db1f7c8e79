import { resolve } from 'node:path';
import { defined } from '../base/defined.ts';
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
import type { Environment, EnvironmentOptions, Job, PathOptions, RunOptions, Task, TaskReference } from './api.ts';
import { OpenedEnvironment } from './environment.ts';
import { TaskwrightError } from './error.ts';
import { publicEvent, reporterOf } from './events.ts';
import { checkNumber, checkOptions, limitsOf } from './options.ts';
import { ownPlacements } from './placements.ts';
import { translateErrors } from './translate-errors.ts';

export type * from './api.ts';
export { TaskwrightError } from './error.ts';

/**
 * Lists the tasks in files and folders, and single tasks by address. Nothing is executed. Rejects with `TaskwrightError` if
 * an address selects nothing.
 *
 * @example const tasks = await loadTasks('shop.tasks.json');
 */
export function loadTasks(paths: string | readonly string[], options: PathOptions = {}): Promise<Task[]> {
  return translateErrors(async () => {
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
  return translateErrors(async () => {
    checkOptions(options);
    const cwd = baseOf(options);
    const [selectedTask, ...others] = selectedTasks(await selectionOf([task], cwd));
    if (selectedTask === undefined || others.length > 0) {
      const count = selectedTask === undefined ? 'no task' : `${others.length + 1} tasks`;
      const message = `${addressOf(task)} selects ${count}. Name one as FILE#ID or FILE#INDEX.`;
      throw new TaskwrightError('not_one_task', message);
    }
    const { listed, engineTask } = taskToRun(selectedTask);
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
  return translateErrors(async () => {
    const { agent, group = 1, seed = 0, seeds = 'same', placement = null, mask, out, signal } = options;
    const { concurrency = defaultConcurrency(), retries = DEFAULT_RETRIES, agentEnv, onEvent, onLog } = options;
    const cwd = baseOf(options);
    checkOptions(options);
    checkNumber('group', group, 1);
    checkNumber('concurrency', concurrency, 1);
    checkNumber('retries', retries, 0);
    const selection = await selectionOf([tasks].flat(), cwd);
    if (typeof agent === 'string') checkAgent(agent, cwd);
    const agentName = typeof agent === 'function' ? PROGRAM : (agent ?? null);
    const job = await prepareJob({
      tasks: jobTasks(selection, { agent: agentName, placement, cwd, hint: 'Specify an "agent"' }),
      repeats: group,
      seeds: { first: seed, consecutive: seeds === 'consecutive' },
      root: out === undefined ? jobsFolder(cwd) : resolve(cwd, out),
      retention: out === undefined ? DEFAULT_RETENTION : null,
      ...{ cwd, mask, ...limitsOf(options) },
    });
    const report = reporterOf(onEvent);
    const placements = ownPlacements(
      job.runs.map(({ plannedRun }) => plannedRun.agent),
      options,
    );
    try {
      const { id, folder, results, statistics, failure } = await runJob(job, {
        concurrency,
        retries,
        ...defined({ agentVariables: agentEnv }),
        placement: ({ plannedRun }) => placements.get(plannedRun.placement),
        started: ({ plannedRun, task }) => ({
          listen: (event) => report(publicEvent(event, plannedRun)),
          ...(typeof agent === 'function' ? { client: functionAgent(agent, task.env) } : {}),
        }),
        ended: (result) => {
          const run = withoutDetails(result);
          report({ type: 'ended', run_id: run.run_id, task_id: run.task_id, run });
        },
        signal: signal ?? new AbortController().signal,
      });
      if (failure !== null) onLog?.(failure.message);
      const removal = (await job.job?.removal) ?? null;
      if (removal !== null) onLog?.(describeRemoval(removal));
      return { job_id: id, folder, runs: printedRuns(results), statistics };
    } finally {
      await placements.dispose();
    }
  });
}

function baseOf({ cwd }: PathOptions): string {
  return resolve(cwd ?? '.');
}

/** A task is read again, so that it runs as its file is now. */
function addressOf(task: TaskReference): string {
  return typeof task === 'string' ? task : `${task.file}#[${task.index}]`;
}

function selectionOf(tasks: readonly TaskReference[], cwd: string): Promise<Selection> {
  return select(tasks.map(addressOf), cwd);
}

/** Throws `TaskwrightError` with the message of Run for a task that it refuses. */
function taskToRun(selectedTask: SelectedTask) {
  const { file, row, userFunctions } = selectedTask;
  const finding = refusal(file, row, userFunctions);
  if (finding !== null)
    throw new TaskwrightError(finding.code, `The task “${row.name}” cannot run: ${finding.message}`);
  const publicTask = listedTask(selectedTask);
  if (row.task === null || publicTask === null) {
    throw new TaskwrightError('unreadable-row', `The task “${row.name}” cannot be read.`);
  }
  return { listed: publicTask, engineTask: row.task };
}
