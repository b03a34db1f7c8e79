import { basename, dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { TaskReference } from '../../presentation/tasks/reference.ts';
import type { Job } from '../../runs/job/job.ts';
import type { JobRun } from '../../runs/job/job-runs.ts';
import { type Seeds, seedOf } from '../../runs/job/seeds.ts';
import type { JobPlan, PlannedRun } from '../../traces/job-file.ts';
import { DisposableStore } from '../lifecycle.ts';
import { CONTEXT } from '../names.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import { report } from '../report.ts';
import { trusted } from '../runs/before-run.ts';
import type { RunHistory } from '../runs/history.ts';
import { limitsOf } from '../runs/limits.ts';
import { LiveRun } from '../runs/live-run.ts';
import { reportRemoval } from '../runs/removed-jobs.ts';
import type { Runs } from '../runs/runs.ts';
import { settings } from '../settings.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { LiveJob } from './live-job.ts';

/** The features that jobs use. */
export interface JobParts {
  readonly files: TaskFiles;
  readonly runs: Runs;
  readonly history: RunHistory;
  readonly placements: WindowPlacements;
}

/** How a job runs. */
export interface JobOptions {
  /** The agent for all tasks; undefined: for each task the agent last used, otherwise its solution. */
  readonly agent?: string;
  /** Number of runs of each task. */
  readonly group: number;
  /** Default: those of the settings. */
  readonly seeds?: Seeds;
}

/** Starts and resumes jobs, and holds those in progress in this window. */
export class Jobs implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #log: vscode.LogOutputChannel;
  readonly #parts: JobParts;
  readonly #active = new Set<LiveJob>();
  readonly #started = this.#disposables.add(new vscode.EventEmitter<LiveJob>());
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<LiveJob>());

  /** A job starts. */
  readonly onDidStart = this.#started.event;
  readonly onDidChange = this.#changed.event;

  constructor(log: vscode.LogOutputChannel, parts: JobParts) {
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
    if (first === undefined || !trusted()) return undefined;
    const [{ jobsFolder, startJob }, { newGroupId, newRunId }] = await Promise.all([
      import('../../runs/job/job.ts'),
      import('../../traces/names.ts'),
    ]);
    const runs: JobRun[] = [];
    for (const reference of references) {
      const ready = await this.#parts.runs.preparation.prepare(reference, { agent: options.agent, foreground: false });
      const refused = 'message' in ready;
      const group_id = newGroupId();
      for (let repeat = 0; repeat < (refused ? 1 : options.group); repeat += 1) {
        const planned: PlannedRun = {
          run_id: newRunId({ id: reference.name, index: reference.index }),
          file: reference.file,
          task_id: reference.name,
          index: reference.index,
          group_id,
          seed: seedOf(options.seeds ?? settings.seeds(vscode.Uri.file(reference.file)), repeat),
          agent: refused ? null : ready.agent,
          placement: refused ? 'local' : ready.runtime,
          error: refused
            ? { message: ready.message, code: ready.code, file: ready.file, ...(ready.range && { range: ready.range }) }
            : null,
        };
        runs.push({ planned, task: refused ? null : ready.task, done: null });
      }
    }
    const resource = vscode.Uri.file(first.file);
    const cwd = vscode.workspace.getWorkspaceFolder(resource)?.uri.fsPath ?? dirname(first.file);
    const files = references.map(({ file }) => vscode.Uri.file(file));
    const plan: JobPlan = { cwd, ...limitsOf(resource, files), runs: runs.map(({ planned }) => planned) };
    const job = await startJob(jobsFolder(cwd), { retention: settings.retention(resource), plan });
    return this.#startLiveJob({ ...job, plan }, runs, resource);
  }

  /** Resumes a job that was interrupted or stopped. */
  async resume(folder: string): Promise<LiveJob | undefined> {
    if (!trusted()) return undefined;
    const [{ reopenJob }, { runsLeft }, { serversOf }] = await Promise.all([
      import('../../runs/job/job.ts'),
      import('../../runs/job/job-runs.ts'),
      import('../../runs/selection/own-tasks.ts'),
    ]);
    const job = await reopenJob(folder);
    const used = this.#parts.placements.use();
    try {
      const left = await runsLeft(
        job,
        serversOf((kind) => used.get(kind)),
      );
      return this.#startLiveJob(job, left, vscode.Uri.file(job.plan.runs[0]?.file ?? folder));
    } finally {
      used.dispose();
    }
  }

  #startLiveJob(job: Job & { readonly plan: JobPlan }, runs: readonly JobRun[], resource: vscode.Uri): LiveJob {
    const live = new LiveJob(job, runs, settings.concurrency(resource));
    this.#active.add(live);
    this.#updateContext();
    live.onChange(() => this.#changed.fire(live));
    this.#started.fire(live);
    this.#parts.history.refresh();
    setImmediate(() => void this.#execute(job, runs, live, resource));
    return live;
  }

  async #execute(
    job: Job & { readonly plan: JobPlan },
    runs: readonly JobRun[],
    live: LiveJob,
    resource: vscode.Uri,
  ): Promise<void> {
    const name = l10n.t('Job {0}', basename(job.folder));
    this.#log.info(`${name}: ${runs.length} runs, ${live.concurrency} in parallel`);
    const liveRuns = new Map<number, LiveRun>();
    const used = this.#parts.placements.use();
    try {
      const { makeRuns } = await import('../../runs/job/job-runs.ts');
      await makeRuns(job, runs, {
        concurrency: live.concurrency,
        retries: settings.retries(resource),
        placement: ({ planned }) => used.get(planned.placement),
        started: ({ planned, task }, index) => {
          const run = new LiveRun({
            task,
            agent: planned.agent ?? 'noop',
            seed: planned.seed,
            runtime: planned.placement,
            foreground: false,
            manualInput: null,
          });
          liveRuns.set(index, run);
          run.onEvent((event) => {
            if (event.type === 'log') this.#log.info(`${planned.task_id}: ${event.text}`);
            if (event.type === 'functions') this.#parts.files.functions.setSchemas(dirname(task.file), event.schemas);
            if (event.type === 'retry')
              this.#log.warn(`${planned.task_id}: retrying after an error: ${event.error.message}`);
          });
          this.#parts.runs.add(planned.run_id, run);
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
      await job.end();
      await reportRemoval(job, this.#log);
      this.#log.info(`${name} has ended: ${live.status}`);
    } catch (error) {
      report(this.#log, name, error);
    } finally {
      used.dispose();
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

  dispose(): void {
    this.#disposables.dispose();
  }
}
