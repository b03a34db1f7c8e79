import { resolve } from 'node:path';
import { AgentError } from '../agents/agent-error.ts';
import { defined } from '../base/defined.ts';
import { choosePlacement } from '../placement/choose.ts';
import type { Placements } from '../placement/placements.ts';
import { type Job, jobsFolder, startJob } from '../runs/job/job.ts';
import { DEFAULT_RETENTION, describeRemoval } from '../runs/job/retention.ts';
import { Episode, EpisodeFailure, type EpisodeResult, judgingOf } from '../serving/episode.ts';
import { taskName } from '../tasks/name.ts';
import type { Task as EngineTask } from '../tasks/task.ts';
import { newGroupId, newRunId } from '../traces/names.ts';
import type { RunRecord } from '../traces/trace.ts';
import { checkAnswer, PROGRAM } from './agent-function.ts';
import type { Action, Environment, EnvironmentOptions, GradedRun, ResetResult, StepResult, Task, Urls } from './api.ts';
import { TaskwrightError } from './error.ts';
import { publicEvent, reporterOf } from './events.ts';
import { limitsOf } from './options.ts';
import { ownPlacements } from './placements.ts';
import { translateErrors } from './translate-errors.ts';

/** A run whose steps the program makes. */
interface CurrentRun {
  readonly episode: Episode;
  readonly record: Promise<RunRecord>;
  readonly controller: AbortController;
  last: EpisodeResult | null;
}

/** An environment that the program drives: each of its runs is a run whose agent is the program. */
export class OpenedEnvironment implements Environment {
  readonly task: Task;
  readonly #task: EngineTask;
  readonly #options: EnvironmentOptions;
  readonly #cwd: string;
  readonly #placements: Placements;
  readonly #group = newGroupId();
  #job: Promise<Job> | null = null;
  #current: CurrentRun | null = null;
  /** The last call, so that the next one waits for it. */
  #queue: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor(task: Task, engineTask: EngineTask, cwd: string, options: EnvironmentOptions) {
    this.task = task;
    this.#task = engineTask;
    this.#cwd = cwd;
    this.#options = options;
    this.#placements = ownPlacements([], options);
  }

  reset({ seed = this.#options.seed ?? 0 }: { readonly seed?: number } = {}): Promise<ResetResult> {
    return this.#inTurn(async () => {
      if (!Number.isSafeInteger(seed)) throw new TaskwrightError('bad_option', '"seed" is a whole number.');
      await this.#abandon();
      const { prompt, result } = await this.#start(seed);
      return { prompt, observation: result.observation, info: { ...result.info, error: result.error } };
    });
  }

  step(actions: Action | readonly Action[] = []): Promise<StepResult> {
    return this.#inTurn(async () => {
      const current = this.#currentRun();
      if (current.last?.done !== false) {
        throw new TaskwrightError('episode_over', 'The run has ended. Reset the environment to begin another.');
      }
      const answer = checkAnswer(actions, this.#task.env);
      if (answer === null) throw new AgentError('agent_answer', 'An action is missing.');
      const { result, reward, done } = await this.#resultOf(current, current.episode.step(answer));
      const { observation, info, error } = result;
      return { observation, reward, terminated: done, info: { ...info, error } };
    });
  }

  evaluate(): Promise<GradedRun> {
    return this.#inTurn(async () => {
      const current = this.#currentRun();
      await current.episode.end();
      current.last = current.last && { ...current.last, done: true };
      return await current.record;
    });
  }

  getUrls(): Promise<Urls> {
    return this.#inTurn(async () => {
      const { episode, last } = this.#currentRun();
      if (last?.done !== false) throw new TaskwrightError('episode_over', 'The run has ended.');
      const { url, live_url } = await episode.urls();
      return { url: url ?? last.result.info.url ?? null, live_url };
    });
  }

  close(): Promise<void> {
    this.#closing ??= translateErrors(async () => {
      this.#current?.controller.abort();
      await this.#queue;
      try {
        await this.#abandon();
        const job = await this.#job;
        await job?.end();
        const removal = (await job?.removal) ?? null;
        if (removal !== null) this.#options.onLog?.(describeRemoval(removal));
      } finally {
        await this.#placements.dispose();
      }
    });
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Does something when the earlier calls have ended. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(() => {
      this.#checkOpen();
      return translateErrors(work);
    });
    // The caller handles the error; the next call runs anyway.
    this.#queue = turn.catch(() => {});
    return turn;
  }

  #checkOpen(): void {
    if (this.#closing !== null) throw new TaskwrightError('closed', 'The environment is closed.');
  }

  #currentRun(): CurrentRun {
    if (this.#current === null) throw new TaskwrightError('not_reset', 'Reset the environment first.');
    return this.#current;
  }

  async #start(seed: number): Promise<EpisodeResult> {
    const { out, placement: requested = null, mask, onEvent } = this.#options;
    const task = this.#task;
    this.#job ??= startJob(out === undefined ? jobsFolder(this.#cwd) : resolve(this.#cwd, out), {
      retention: out === undefined ? DEFAULT_RETENTION : null,
    });
    const job = await this.#job.catch((error: unknown) => {
      this.#job = null;
      throw error;
    });
    this.#checkOpen();
    const placement = await this.#placements.get(choosePlacement(task, { requested, setting: null }));
    this.#checkOpen();
    const ids = { run_id: newRunId(task), task_id: taskName(task) };
    const report = reporterOf(onEvent);
    const episode = new Episode(judgingOf(task));
    const controller = new AbortController();
    const record = Promise.withResolvers<RunRecord>();
    const firstResult = episode.begin((client) => {
      const plan = {
        task,
        agent: PROGRAM,
        client,
        runId: ids.run_id,
        groupId: this.#group,
        seed,
        cwd: this.#cwd,
        taskFiles: [task.file],
        limits: limitsOf(this.#options),
        ...defined({ mask }),
      };
      const recordPromise = job
        .run(plan, placement, (event) => report(publicEvent(event, ids)), controller.signal)
        .then((run) => {
          report({ type: 'ended', ...ids, run });
          return run;
        });
      record.resolve(recordPromise);
      return recordPromise;
    });
    this.#current = { episode, record: record.promise, controller, last: null };
    return await this.#resultOf(this.#current, firstResult);
  }

  /** Waits for the next result of the run. Rejects with the error of the run if it ended without a grade. */
  async #resultOf(current: CurrentRun, next: Promise<EpisodeResult>): Promise<EpisodeResult> {
    try {
      current.last = await next;
      return current.last;
    } catch (error) {
      current.last = current.last && { ...current.last, done: true };
      if (!(error instanceof EpisodeFailure)) throw error;
      // The message for remote clients does not name the call. This program may get it.
      const { error: failure } = await current.record;
      throw new TaskwrightError(failure?.code ?? 'cancelled', failure?.message ?? error.message, { cause: error });
    }
  }

  /** Cancels the run that has not ended. */
  async #abandon(): Promise<void> {
    const current = this.#current;
    this.#current = null;
    current?.controller.abort();
    await current?.record;
  }
}
