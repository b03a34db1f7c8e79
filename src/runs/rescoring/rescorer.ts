import type { Placement } from '../../placement/placement.ts';
import { printCall } from '../../tasks/print.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import type { Call, Task } from '../../tasks/task.ts';
import { usualConcurrency } from '../job/job-runs.ts';
import { rewardOf, weightOf } from '../results/reward.ts';
import type { Step } from '../store/trace.ts';
import { TraceError } from '../store/trace-file.ts';
import { type Asked, Judge, type Judgement } from './evaluator.ts';
import { ReadAhead, type ReadRun } from './read-ahead.ts';

/** What is left is to take so many times as long, in ms, before one session more is started: that takes long, too. */
const WORTH_A_SESSION = 3_000;
/** So many moments, or bytes of their pages, are judged before anything is told of them: those that are the same, once. */
const TOLD_MOMENTS = 128;
const TOLD_BYTES = 2 * 1024 * 1024;

/** One evaluate call of the task as it is now. */
export interface RescoredCall {
  readonly call: Call;
  /** Its value in the run; null where the run has none of it. */
  readonly old: number | null;
  /** Null where it cannot be judged from the recording. */
  readonly new: number | null;
  readonly reason: string;
}

/** What a run was worth after one line of its trace. */
export interface RescoredStep {
  readonly index: number;
  /** Null where it cannot be judged. */
  readonly reward: number | null;
  /** Of each evaluate call. */
  readonly values: readonly (number | null)[];
}

/** A recorded run judged again. */
export interface Rescored {
  readonly traceDir: string;
  readonly runId: string;
  readonly taskId: string;
  readonly old: number | null;
  readonly new: number | null;
  readonly calls: readonly RescoredCall[];
  /** The reward after each line of the trace, where that was asked for. */
  readonly steps: readonly RescoredStep[] | null;
  /** Why there is nothing to judge by: the task is gone. */
  readonly problem: string | null;
}

export interface RescoreOptions {
  /** After each step too, not only at the end. */
  readonly everyStep: boolean;
  readonly signal: AbortSignal;
}

type Told = (result: Rescored | TraceError, traceDir: string) => void;

/** Judges recorded runs again by their tasks as they are now: no agent acts, no live page is opened. */
export class Rescorer {
  readonly #placement: Placement;
  readonly #files = new Map<string, Promise<TaskFile>>();
  /** Those that have nothing to do; as many were made as were at work at once. */
  readonly #idle: Judge[] = [];

  constructor(placement: Placement) {
    this.#placement = placement;
  }

  /**
   * Judges runs, several at once, and gives the results in the order of the runs; `told` hears of each as it comes, and of
   * a run whose trace cannot be read why. Throws `ServerError` where no environment can be had.
   */
  async rescoreAll(
    traceDirs: readonly string[],
    options: RescoreOptions,
    told: Told = () => undefined,
  ): Promise<readonly Rescored[]> {
    const results = new Map<string, Rescored>();
    if (traceDirs.length > 0) this.#placement.prepare?.();
    const reading = new ReadAhead(traceDirs, { ...options, files: this.#files });
    const tell: Told = (result, traceDir) => {
      if (!(result instanceof TraceError)) results.set(traceDir, result);
      told(result, traceDir);
    };
    const workers: Promise<void>[] = [];
    const failures: unknown[] = [];
    const work = async (): Promise<void> => {
      const judge = this.#idle.pop() ?? new Judge(this.#placement);
      try {
        await this.#work(reading, judge, options, tell, (msEach) => {
          const isWorth = (msEach * reading.left) / workers.length > WORTH_A_SESSION;
          if (isWorth && workers.length < usualConcurrency()) workers.push(work());
        });
      } catch (error) {
        reading.stop();
        failures.push(error);
      } finally {
        this.#idle.push(judge);
      }
    };
    workers.push(work());
    // More may be added while these are waited for.
    for (const worker of workers) await worker;
    if (failures.length > 0) throw failures[0];
    return traceDirs.flatMap((traceDir) => results.get(traceDir) ?? []);
  }

  /** One run. Throws `TraceError` where its trace cannot be read, `ServerError` where no environment can be had. */
  async rescore(traceDir: string, options: RescoreOptions): Promise<Rescored> {
    let failure: TraceError | null = null;
    const [result] = await this.rescoreAll([traceDir], options, (one) => {
      if (one instanceof TraceError) failure = one;
    });
    if (result === undefined) throw failure ?? new Error('the run was not judged');
    return result;
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((judge) => judge.close()));
  }

  /** Judges what has been read, a handful at a time. `took`: hears how long a run takes, in ms. */
  async #work(
    reading: ReadAhead,
    judge: Judge,
    options: RescoreOptions,
    tell: Told,
    took: (msEach: number) => void,
  ): Promise<void> {
    // The first ones wait for the session.
    let begun: number | null = null;
    // That is begun as soon as there is one to judge.
    for (let most = 1; ; most = TOLD_MOMENTS) {
      const runs = await reading.take(most, TOLD_BYTES);
      if (runs.length === 0) return;
      const asked = runs.map(({ run }) => (run instanceof TraceError ? [] : askedOf(run)));
      const judged = [...(await judge.askAll(asked.flat(), options.signal))];
      for (const [index, { run, traceDir }] of runs.entries()) {
        if (run instanceof TraceError) tell(run, traceDir);
        else tell(resultOf(run, judged.splice(0, asked[index]?.length), options), traceDir);
      }
      const now = performance.now();
      if (begun !== null) took((now - begun) / runs.length);
      begun = now;
    }
  }
}

function askedOf({ found, moments }: ReadRun): readonly Asked[] {
  if ('problem' in found) return [];
  return moments.map((moment) => ({ calls: found.task.evaluate, moment, task: found.task }));
}

/** The result of a run whose moments were judged: the judgements of each call, for each moment. */
function resultOf(
  { traceDir, record, steps, recorded, found, moments }: ReadRun,
  judged: readonly (readonly Judgement[])[],
  { everyStep }: RescoreOptions,
): Rescored {
  const about = { traceDir, runId: record.run_id, taskId: record.task_id, old: record.reward };
  if ('problem' in found) {
    const { problem } = found;
    const calls = recorded.evaluate.map((call) => {
      return { call, old: recordedValue(steps, call), new: null, reason: problem };
    });
    return { ...about, new: null, calls, steps: everyStep ? [] : null, problem };
  }
  const { task } = found;
  const end = judged.at(-1) ?? [];
  const old = oldValues(steps, task.evaluate);
  const calls = task.evaluate.map((call, index) => ({
    call,
    old: old[index] ?? null,
    new: end[index]?.value ?? null,
    reason: end[index]?.reason ?? 'the run ended before there was anything to judge',
  }));
  const rewardAt = (index: number | undefined, values: readonly Judgement[]): number | null =>
    task.evaluate.length === 0 ? environmentReward(steps, index) : rewardFrom(task, values);
  const curve = moments.map(({ index }, at) => {
    const there = judged[at] ?? [];
    return { index, reward: rewardAt(index, there), values: there.map(({ value }) => value) };
  });
  return {
    ...about,
    new: rewardAt(moments.at(-1)?.index, end),
    calls,
    steps: everyStep ? curve : null,
    problem: null,
  };
}

/** The reward of all values; null where one is missing. */
function rewardFrom({ evaluate, metadata }: Task, judged: readonly Judgement[]): number | null {
  const values: { value: number; weight: number }[] = [];
  for (const [index, call] of evaluate.entries()) {
    const value = judged[index]?.value ?? null;
    const weight = weightOf(call);
    if (value === null || weight === null) return null;
    values.push({ value, weight });
  }
  return rewardOf(values, metadata['combine']);
}

/** The environment's own reward after a line: it lives in the page's scripts, so it stays as it was recorded. */
function environmentReward(steps: readonly Step[], index: number | undefined): number | null {
  return index === undefined ? null : (steps[index]?.reward ?? null);
}

/** What each call was worth in the run: the same call, else the one of that function at its place. */
function oldValues(steps: readonly Step[], calls: readonly Call[]): readonly (number | null)[] {
  const recorded = steps.filter(({ source, call }) => source === 'evaluate' && call !== undefined);
  const left = new Set(recorded);
  const take = (step: Step | undefined): Step | undefined =>
    step !== undefined && left.delete(step) ? step : undefined;
  const same = calls.map((call) => take([...left].find((step) => step.call && isSame(step.call, call))));
  return calls.map((call, index) => {
    const there = recorded[index];
    const edited = same[index] ?? (there?.call?.function === call.function ? take(there) : undefined);
    return edited?.reward ?? null;
  });
}

function recordedValue(steps: readonly Step[], call: Call): number | null {
  return steps.find((step) => step.source === 'evaluate' && step.call && isSame(step.call, call))?.reward ?? null;
}

function isSame(a: Pick<Call, 'function' | 'args'>, b: Call): boolean {
  return printCall(a) === printCall(b);
}
