import type { Agent, Answer, LateStep, Reply, RunInspector, Turn } from '../agents/agent.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { EnvironmentUrls, StepResult } from '../environments/environment.ts';
import type { ListedTool } from '../environments/mcp/listed-tools.ts';
import { isSuccess } from '../results/reward.ts';
import type { Task } from '../tasks/task.ts';
import type { RunRecord } from '../traces/trace.ts';

/** The result for a client after a reset and after each step. */
export interface EpisodeResult {
  readonly prompt: string;
  readonly result: StepResult;
  readonly reward: number | null;
  readonly done: boolean;
  readonly steps: number;
  /** It is done, and the client may go on acting, which changes no reward. */
  readonly lingers?: true;
}

/** A run ended without a grade. `message` is for the client, so it names no call of the task. */
export class EpisodeFailure extends Error {
  override readonly name = 'EpisodeFailure';
}

/** When a client gets the reward of the evaluate calls. */
export type Judging =
  /** The task has none: the reward is the environment's own. */
  | 'environment'
  /** After each step. */
  | 'each'
  /** With the last step. */
  | 'end';

/** When the client of a task gets its reward. */
export function judgingOf({ evaluate, metadata }: Task): Judging {
  if (evaluate.length === 0) return 'environment';
  return metadata['evaluate'] === 'end' ? 'end' : 'each';
}

/**
 * One run whose agent is a client: it waits for the client's actions, and gives back what each leads to. The run ends when
 * the environment, the step limit, a reward of 1, or the client ends it.
 */
export class Episode implements Agent {
  readonly readsHtml = true;
  readonly #judging: Judging;
  #inspector: RunInspector | null = null;
  #turn: Turn | null = null;
  /** The client waits for the result of its last action, or for the first one. */
  #waiting: ((result: EpisodeResult) => void) | null = null;
  /** The run waits for the client. */
  #answer: ((answer: Answer) => void) | null = null;
  #ended = false;
  /** Whether the episode goes on for its client after a success. */
  #mayLinger = false;
  #lateStep: LateStep | null = null;
  readonly #end = Promise.withResolvers<void>();
  #run: Promise<RunRecord> | null = null;

  constructor(judging: Judging) {
    this.#judging = judging;
  }

  /** Begins the run. Resolves with the first observation; rejects with `EpisodeFailure`. */
  begin(run: (client: Agent) => Promise<RunRecord>): Promise<EpisodeResult> {
    return this.#next(() => {
      this.#run = run(this);
    });
  }

  /**
   * Carries out one answer of the client. Rejects with `EpisodeFailure`.
   *
   * @param mayLinger whether the client must not learn of a success by the end of the episode
   */
  async step(clientAnswer: Exclude<Answer, null>, mayLinger = false): Promise<EpisodeResult> {
    if (this.#lateStep !== null) return await this.#stepLate(clientAnswer, this.#lateStep);
    this.#mayLinger = mayLinger;
    return await this.#next(() => {
      this.#answer?.(clientAnswer);
      this.#answer = null;
    });
  }

  /** The client is done. Resolves when the run has ended. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#end.resolve();
    this.#answer?.(null);
    await this.#run;
  }

  /** The tools of its environment. */
  get tools(): readonly ListedTool[] {
    return this.#turn?.tools ?? [];
  }

  /** Where the environment can be viewed; nowhere before it has started. */
  async urls(): Promise<EnvironmentUrls> {
    return (await this.#inspector?.urls()) ?? { url: null, live_url: null };
  }

  attach(inspector: RunInspector): void {
    this.#inspector = inspector;
  }

  async act(turn: Turn, signal: AbortSignal): Promise<Reply> {
    this.#turn = turn;
    const reward = await this.#rewardOf(turn);
    // The client gets the last result with the record of the run.
    if (this.#ended || (this.#judging !== 'environment' && reward !== null && isSuccess(reward)))
      return { actions: null };
    const answer = Promise.withResolvers<Answer>();
    this.#answer = answer.resolve;
    this.#waiting?.({ prompt: turn.prompt, result: this.#last(), reward, done: false, steps: turn.step });
    this.#waiting = null;
    return { actions: await untilAborted(answer.promise, signal) };
  }

  async linger(reward: number | null, step: LateStep, signal: AbortSignal): Promise<void> {
    if (!this.#mayLinger || this.#ended || reward === null || !isSuccess(reward) || this.#turn === null) return;
    this.#lateStep = step;
    const { prompt, step: steps } = this.#turn;
    this.#waiting?.({ prompt, result: this.#last(), reward, done: true, steps, lingers: true });
    this.#waiting = null;
    // The run ends with its time, too.
    await untilAborted(this.#end.promise, signal).catch(() => undefined);
    this.#lateStep = null;
  }

  async close(): Promise<void> {}

  async #rewardOf({ reward, step }: Turn): Promise<number | null> {
    if (this.#judging === 'environment') return reward;
    if (this.#judging === 'end') return null;
    // Before the first action there is nothing to judge.
    return step === 0 ? null : ((await this.#inspector?.judge())?.reward ?? null);
  }

  async #stepLate(clientAnswer: Exclude<Answer, null>, step: LateStep): Promise<EpisodeResult> {
    const { prompt = '', step: steps = 0 } = this.#turn ?? {};
    const { result, isOver } = await step(clientAnswer);
    if (isOver) this.#end.resolve();
    return { prompt, result, reward: null, done: true, steps, ...(isOver ? {} : { lingers: true }) };
  }

  #last(): StepResult {
    if (this.#inspector === null) throw new EpisodeFailure('The run ended before its environment had started.');
    return this.#inspector.last();
  }

  /** The next result for the client: before its next action, or at the end of the run. */
  async #next(proceed: () => void): Promise<EpisodeResult> {
    const result = Promise.withResolvers<EpisodeResult>();
    this.#waiting = result.resolve;
    proceed();
    const lastResult = this.#run?.then((record) => this.#atEnd(record));
    return await (lastResult === undefined ? result.promise : Promise.race([result.promise, lastResult]));
  }

  #atEnd(record: RunRecord): EpisodeResult {
    const { error } = record;
    if (error?.call !== undefined) {
      throw new EpisodeFailure('A setup or evaluate call of the task failed. The run on the server says why.');
    }
    if (record.status !== 'completed') throw new EpisodeFailure(error?.message ?? 'The run was cancelled.');
    const prompt = this.#turn?.prompt ?? record.prompt;
    return { prompt, result: this.#last(), reward: record.reward, done: true, steps: record.steps };
  }
}
