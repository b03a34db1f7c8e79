import { basename, dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { TaskReference } from '../../presentation/tasks/reference.ts';
import type { JobTask } from '../../runs/job/job-tasks.ts';
import type { PreparedJob } from '../../runs/job/run-job.ts';
import type { Seeds } from '../../runs/job/seeds.ts';
import { Disposable } from '../lifecycle.ts';
import { CONTEXT } from '../names.ts';
import { report } from '../report.ts';
import { checkTrust } from '../runs/before-run.ts';
import { LiveRun } from '../runs/live-run.ts';
import { jobTaskOf } from '../runs/preparation.ts';
import { reportRemoval } from '../runs/removed-jobs.ts';
import type { RunParts, Runs } from '../runs/runs.ts';
import { settings } from '../settings.ts';
import { LiveJob } from './live-job.ts';

/** The features that jobs use. */
export interface JobParts extends Pick<RunParts, 'files' | 'history' | 'placements'> {
  readonly runs: Runs;
}

/** How a job runs. */
export interface JobOptions {
  /** The agent for all tasks; undefined: for each task the agent last used, otherwise its solution. */
  readonly agent?: string | undefined;
  /** Number of runs of each task. */
  readonly group: number;
  /** Default: those of the settings. */
  readonly seeds?: Seeds;
}

type RecordedJob = PreparedJob & { readonly job: NonNullable<PreparedJob['job']> };

/** Starts and resumes jobs, and holds those in progress in this window. */
export class Jobs extends Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #parts: JobParts;
  readonly #active = new Set<LiveJob>();
  readonly #startEmitter = this.register(new vscode.EventEmitter<LiveJob>());
  readonly #changeEmitter = this.register(new vscode.EventEmitter<LiveJob>());

  /** A job starts. */
  readonly onDidStart = this.#startEmitter.event;
  readonly onDidChange = this.#changeEmitter.event;

  constructor(log: vscode.LogOutputChannel, parts: JobParts) {
    super();
    this.#log = log;
    this.#parts = parts;
  }

  get active(): readonly LiveJob[] {
    return [...this.#active];
  }

  activeIn(folder: string): LiveJob | undefined {
    return this.active.find((job) => job.folder === folder);
  }

  /** Runs tasks as one job. A task that cannot run is part of it with the reason. */
  async start(references: readonly TaskReference[], options: JobOptions): Promise<LiveJob | undefined> {
    const [first] = references;
    if (first === undefined || !checkTrust()) return undefined;
    const [{ jobsFolder }, { prepareJob }] = await Promise.all([
      import('../../runs/job/job.ts'),
      import('../../runs/job/run-job.ts'),
    ]);
    const tasks: JobTask[] = [];
    for (const reference of references) {
      const ready = await this.#parts.runs.preparation.prepare(reference, { agent: options.agent, foreground: false });
      tasks.push(jobTaskOf(reference, ready));
    }
    const resource = vscode.Uri.file(first.file);
    const cwd = vscode.workspace.getWorkspaceFolder(resource)?.uri.fsPath ?? dirname(first.file);
    const files = references.map(({ file }) => vscode.Uri.file(file));
    const preparedJob = await prepareJob({
      tasks,
      repeats: options.group,
      seeds: options.seeds ?? settings.seeds(resource),
      root: jobsFolder(cwd),
      retention: settings.retention(resource),
      recordsRefused: true,
      cwd,
      ...settings.plan(resource, files),
    });
    return this.#startLiveJob(preparedJob, resource);
  }

  /** Resumes a job that was interrupted or stopped. */
  async resume(folder: string): Promise<LiveJob | undefined> {
    if (!checkTrust()) return undefined;
    const [{ reopenJob }, { runsLeft }, { serversOf }] = await Promise.all([
      import('../../runs/job/job.ts'),
      import('../../runs/job/job-runs.ts'),
      import('../../runs/selection/own-tasks.ts'),
    ]);
    const job = await reopenJob(folder);
    const placements = this.#parts.placements.use();
    try {
      const runs = await runsLeft(
        job,
        serversOf((kind) => placements.get(kind)),
      );
      return this.#startLiveJob({ job, runs }, vscode.Uri.file(job.plan.runs[0]?.file ?? folder));
    } finally {
      placements.dispose();
    }
  }

  #startLiveJob(preparedJob: PreparedJob, resource: vscode.Uri): LiveJob | undefined {
    const { job, runs } = preparedJob;
    if (job === null) return undefined;
    const live = new LiveJob(job, runs, settings.concurrency(resource));
    this.#active.add(live);
    this.#updateContext();
    live.onChange(() => this.#changeEmitter.fire(live));
    this.#startEmitter.fire(live);
    this.#parts.history.refresh();
    setImmediate(() => void this.#execute({ job, runs }, live, resource));
    return live;
  }

  async #execute(preparedJob: RecordedJob, live: LiveJob, resource: vscode.Uri): Promise<void> {
    const { job, runs } = preparedJob;
    const name = l10n.t('Job {0}', basename(job.folder));
    this.#log.info(`${name}: ${runs.length} runs, ${live.concurrency} in parallel`);
    const liveRuns = new Map<number, LiveRun>();
    const placements = this.#parts.placements.use();
    try {
      const { runJob } = await import('../../runs/job/run-job.ts');
      const { failure } = await runJob(preparedJob, {
        concurrency: live.concurrency,
        retries: settings.retries(resource),
        agentVariables: settings.agentVariables(),
        placement: ({ plannedRun }) => placements.get(plannedRun.placement),
        started: ({ plannedRun, task }, index) => {
          const { agent, seed, placement: runtime, run_id, task_id } = plannedRun;
          const run = new LiveRun({
            ...{ task, agent: agent ?? 'noop', seed, runtime },
            ...{ foreground: false, manualInput: null },
          });
          liveRuns.set(index, run);
          run.onEvent((event) => {
            if (event.type === 'log') this.#log.info(`${task_id}: ${event.text}`);
            if (event.type === 'functions') this.#parts.files.functions.setSchemas(dirname(task.file), event.schemas);
            if (event.type === 'retry') this.#log.warn(`${task_id}: retrying after an error: ${event.error.message}`);
          });
          this.#parts.runs.add(run_id, run);
          live.begin(index, run);
          return { listen: (event) => run.handle(event), live: run.live, cancel: run.signal };
        },
        ended: (result, index) => {
          const run = liveRuns.get(index);
          liveRuns.delete(index);
          if (run !== undefined) {
            // A run that could not be recorded has not reported its end.
            if (run.record === null) run.fail(new Error(result.error?.message ?? l10n.t('The run did not end.')));
            this.#parts.runs.remove(result.run_id, run);
          }
          live.finish(index, result);
        },
        signal: live.signal,
      });
      if (failure !== null) report(this.#log, name, failure);
      await reportRemoval(job, this.#log);
      this.#log.info(`${name} has ended: ${live.status}`);
    } catch (error) {
      report(this.#log, name, error);
    } finally {
      placements.dispose();
      this.#active.delete(live);
      this.#updateContext();
      live.end();
      this.#parts.history.refresh();
    }
  }

  #updateContext(): void {
    void vscode.commands.executeCommand('setContext', CONTEXT.jobRunning, this.#active.size > 0);
  }

  /** Stops every job. Each can be resumed. */
  end(): void {
    for (const job of this.#active) job.cancel();
  }
}
