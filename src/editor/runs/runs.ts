import { dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { PLACEMENT_DESCRIPTORS } from '../../placement/descriptors.ts';
import { type RunVerdict, verdictOf } from '../../presentation/runs/verdict.ts';
import { referenceTo, type TaskReference, taskKey } from '../../presentation/tasks/reference.ts';
import type { RunDebugger } from '../../runs/run/debugging.ts';
import { taskName } from '../../tasks/name.ts';
import type { PlacementKind } from '../../tasks/placement-kind.ts';
import type { Task } from '../../tasks/task.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import { CONTEXT } from '../names.ts';
import type { OwnTasks } from '../own-tasks/own-tasks.ts';
import type { PlacementChoice } from '../placement/choice.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import { hasRemedy, isExpected, report, showErrorWithActions } from '../report.ts';
import { settings } from '../settings.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { MANUAL } from './agents.ts';
import { checkTrust } from './before-run.ts';
import type { RunHistory } from './history.ts';
import { LiveRun } from './live-run.ts';
import { jobTaskOf, type Refusal, RunPreparation, showRefusal } from './preparation.ts';
import { reportRemoval } from './removed-jobs.ts';

/** The features that runs use. */
export interface RunParts {
  readonly files: TaskFiles;
  readonly history: RunHistory;
  readonly placements: WindowPlacements;
  readonly choice: PlacementChoice;
  readonly ownTasks: OwnTasks;
}

/** How to start a run. Default values come from the task, its last run, or the settings. */
interface StartOptions {
  /** Ask for the agent even if one is known. */
  readonly ask?: boolean;
  readonly agent?: string | undefined;
  /** Where to run this time. */
  readonly placement?: PlacementKind | undefined;
  readonly seed?: number | undefined;
}

/** How to begin a run of a task with an agent. */
interface BeginOptions extends Pick<StartOptions, 'placement' | 'seed'> {
  /** The user waits for it; by default true. */
  readonly foreground?: boolean;
  readonly debugger?: RunDebugger;
}

/** Starts runs, and holds those in progress in this window and the last result of each task. */
export class Runs extends Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #parts: RunParts;
  readonly #active = new Map<string, LiveRun>();
  readonly #endedRuns = new Map<string, Pick<LiveRun, 'record'>>();
  /** Runs of a job start and end too often for an update each time. */
  readonly #jobProgressed = this.register(new Debouncer(100, () => this.#reportActive()));
  readonly #starting = new Set<string>();
  readonly #verdictsChanged = this.register(new vscode.EventEmitter<void>());
  readonly #startEmitter = this.register(new vscode.EventEmitter<LiveRun>());
  readonly #progressEmitter = this.register(new vscode.EventEmitter<void>());
  readonly #endedEvent = this.register(new vscode.EventEmitter<LiveRun>());

  /** Decides whether, with which agent, and where a task runs. */
  readonly preparation: RunPreparation;
  readonly onDidChangeVerdicts = this.#verdictsChanged.event;
  /** A run starts. It is executed after every listener has returned. */
  readonly onDidStart = this.#startEmitter.event;
  /** A run in progress made progress. */
  readonly onDidProgress = this.#progressEmitter.event;
  readonly onDidEnd = this.#endedEvent.event;

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, parts: RunParts) {
    super();
    this.#log = log;
    this.#parts = parts;
    this.preparation = new RunPreparation(context.workspaceState, parts.files, parts.choice, parts.ownTasks);
    this.register(parts.history.onDidChange(() => this.#verdictsChanged.fire()));
  }

  /** The runs in progress, oldest first. */
  get active(): readonly LiveRun[] {
    return [...this.#active.values()];
  }

  activeOf(key: string): LiveRun | undefined {
    return this.#active.get(key) ?? this.active.find((run) => taskKey(referenceTo(run.task)) === key);
  }

  /** The run in progress that is recorded in a folder. */
  activeIn(traceDir: string): LiveRun | undefined {
    return this.active.find((run) => run.traceDir === traceDir);
  }

  verdict(key: string): RunVerdict | undefined {
    const active = this.activeOf(key);
    if (active !== undefined)
      return verdictOf(active.record ?? { status: active.status, reward: null, success: false, error: null });
    const entry = this.#parts.history.latest(key);
    const record = this.#endedRuns.get(key)?.record;
    const isOutdated = entry !== undefined && record != null && entry.run.started_at > record.started_at;
    if (record != null && !record.edited && !isOutdated) return verdictOf(record);
    return entry === undefined ? undefined : verdictOf(entry.running ? { ...entry.run, status: 'running' } : entry.run);
  }

  /** Starts a run of a saved task, or shows why it cannot run. Returns the run in progress if there is one. */
  async start(
    reference: TaskReference,
    { ask = false, agent, placement, seed }: StartOptions = {},
  ): Promise<LiveRun | undefined> {
    return await this.#startOnce(reference, async () => {
      if (!checkTrust()) return undefined;
      const task = await this.preparation.savedTask(reference);
      if ('message' in task) {
        await showRefusal(task);
        return undefined;
      }
      const chosenAgent = agent ?? (await this.preparation.agent(task, ask));
      return chosenAgent === undefined ? undefined : await this.#begin(task, chosenAgent, { placement, seed });
    });
  }

  /** The folder of the last run of a task in this window, if its record has one. */
  lastTrace(key: string): string | undefined {
    return this.#endedRuns.get(key)?.record?.trace_dir ?? undefined;
  }

  /**
   * Starts a run without asking or showing a message; returns why a task cannot run. `agent`: an agent, or `solution` for
   * the task's own; default: the agent last used for the task, otherwise its solution.
   */
  async startQuietly(
    reference: TaskReference,
    { agent, foreground }: { agent: string | undefined; foreground: boolean },
  ): Promise<LiveRun | Refusal | undefined> {
    return await this.#startOnce(reference, async () => {
      const ready = await this.preparation.prepare(reference, { agent, foreground });
      return 'message' in ready ? ready : await this.#begin(ready.task, ready.agent, { foreground });
    });
  }

  /** Starts a run with a debugger, of a task that is known to be runnable; undefined if it is already running. */
  async debug(
    task: Task,
    { agent, ...options }: BeginOptions & Pick<StartOptions, 'agent'>,
  ): Promise<LiveRun | undefined> {
    if (this.activeOf(taskKey(referenceTo(task))) !== undefined) return undefined;
    return await this.#begin(task, agent ?? (await this.preparation.agent(task, false)) ?? MANUAL, options);
  }

  /** Adds a run of a job. */
  add(runId: string, run: LiveRun): void {
    this.#active.set(runId, run);
    this.#jobProgressed.schedule();
  }

  /** Removes a run of a job and stores its result. */
  remove(runId: string, run: LiveRun): void {
    this.#active.delete(runId);
    if (run.record !== null) this.#endedRuns.set(taskKey(referenceTo(run.task)), { record: run.record });
    this.#jobProgressed.schedule();
  }

  /** Ignores a start while another start of the task is in progress. Returns the run in progress if there is one. */
  async #startOnce<T>(reference: TaskReference, start: () => Promise<T>): Promise<T | LiveRun | undefined> {
    const key = taskKey(reference);
    const active = this.#active.get(key);
    if (active !== undefined) return active;
    if (this.#starting.has(key)) return undefined;
    this.#starting.add(key);
    try {
      return await start();
    } finally {
      this.#starting.delete(key);
    }
  }

  async #begin(
    task: Task,
    agent: string,
    { placement, foreground = true, seed, debugger: runDebugger }: BeginOptions,
  ): Promise<LiveRun> {
    await this.preparation.rememberAgent(task, agent);
    const runtime = placement ?? this.#parts.choice.of({ ...task, name: taskName(task) }).kind;
    const manualInput = agent === MANUAL ? (await import('../manual/questions.ts')).manualInputOf(task) : null;
    const run = new LiveRun({
      ...{ task, agent, runtime, foreground, manualInput },
      seed: seed ?? settings.seeds(vscode.Uri.file(task.file)).first,
    });
    const key = taskKey(referenceTo(task));
    this.#active.set(key, run);
    this.#reportActive();
    this.#startEmitter.fire(run);
    // After the listeners have shown the run: loading the runner blocks this thread.
    setImmediate(() => void this.#execute(key, run, runDebugger));
    return run;
  }

  async #execute(key: string, run: LiveRun, runDebugger: RunDebugger | undefined): Promise<void> {
    const { task } = run;
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(task.file))?.uri.fsPath ?? dirname(task.file);
    run.onEvent((event) => {
      if (event.type === 'log') this.#log.info(event.text);
      if (event.type === 'functions') this.#parts.files.functions.setSchemas(dirname(task.file), event.schemas);
      if (event.type === 'step' || event.type === 'phase' || event.type === 'waiting') this.#progressEmitter.fire();
    });
    run.onPause(() => {
      this.#verdictsChanged.fire();
      this.#progressEmitter.fire();
    });
    this.#log.info(`Run of ${key} with ${run.agent}, ${run.runtime}`);
    const placements = this.#parts.placements.use();
    try {
      const [{ jobsFolder }, { prepareJob, runJob }, placement] = await Promise.all([
        import('../../runs/job/job.ts'),
        import('../../runs/job/run-job.ts'),
        placements.get(run.runtime),
      ]);
      const resource = vscode.Uri.file(task.file);
      const reference = referenceTo(task);
      // A single run is a job with one run: the same limits and retries as in any other job.
      const preparedJob = await prepareJob({
        tasks: [jobTaskOf(reference, { task, agent: run.agent, runtime: run.runtime })],
        repeats: 1,
        seeds: { first: run.seed, consecutive: false },
        root: jobsFolder(folder),
        retention: settings.retention(resource),
        cwd: folder,
        ...settings.plan(resource),
      });
      const isInteractive = run.manualInput !== null || runDebugger !== undefined;
      const { results, failure } = await runJob(preparedJob, {
        concurrency: 1,
        retries: isInteractive ? 0 : settings.retries(resource),
        agentVariables: settings.agentVariables(),
        placement: async () => placement,
        started: () => ({
          listen: (event) => run.handle(event),
          live: run.live,
          cancel: run.signal,
          ...defined({ manualInput: run.manualInput ?? undefined, debugger: runDebugger }),
        }),
        ended: () => {},
        signal: new AbortController().signal,
      });
      const [record] = results;
      if (failure !== null) report(this.#log, l10n.t('Run of {0}', key), failure);
      if (preparedJob.job !== null) await reportRemoval(preparedJob.job, this.#log);
      if (record === undefined || run.record === null) {
        throw new Error(record?.error?.message ?? l10n.t('The run could not be started.'));
      }
      this.#log.info(
        `Run of ${key}: ${record.status}, reward ${record.reward ?? 'none'}, ${record.trace_dir ?? 'no trace'}`,
      );
      if (record.error !== null) {
        this.#log.warn(`${record.error.message} [${record.error.code}]`);
        if (run.foreground && hasRemedy(record.error.code))
          showErrorWithActions(record.error.message, record.error.code, this.#locally(run));
      }
    } catch (error) {
      if (!isExpected(error)) this.#log.error(`Run of ${key}:`, error);
      run.fail(error);
      if (run.foreground) report(this.#log, l10n.t('Run of {0}', key), error, this.#locally(run));
    } finally {
      placements.dispose();
      this.#active.delete(key);
      this.#endedRuns.set(key, run);
      this.#reportActive();
      this.#endedEvent.fire(run);
      this.#parts.history.refresh();
    }
  }

  #reportActive(): void {
    void vscode.commands.executeCommand('setContext', CONTEXT.running, this.#active.size > 0);
    this.#verdictsChanged.fire();
  }

  /** For errors of Docker: offers to run on this machine this time. */
  #locally({ task, agent, seed, runtime }: LiveRun): (() => void) | undefined {
    if (!PLACEMENT_DESCRIPTORS[runtime].usesDocker) return undefined;
    return () => void this.start(referenceTo(task), { agent, seed, placement: 'local' });
  }

  /** Resolves at the end of a run of this window. */
  waitForEnd(run: LiveRun): Promise<void> {
    if (!this.active.includes(run)) return Promise.resolve();
    return new Promise((resolve) => {
      const listening = this.onDidEnd((other) => {
        if (other !== run) return;
        listening.dispose();
        resolve();
      });
    });
  }

  /** Stops all runs and their environments. */
  async end(): Promise<void> {
    for (const run of this.#active.values()) run.cancel();
    await this.#parts.placements.end();
  }
}
