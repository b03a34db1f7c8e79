import type { Placement } from '../placement/placement.ts';
import { selectRow } from '../tasks/address.ts';
import { loadTaskFile, TaskFileError } from '../tasks/discover.ts';
import { taskName } from '../tasks/name.ts';
import { printCall } from '../tasks/print.ts';
import type { TaskFile } from '../tasks/rows.ts';
import type { Call, Task } from '../tasks/task.ts';
import { usualConcurrency } from './job-runs.ts';
import { Judge, type Judgement } from './judge.ts';
import { type Moment, Recording } from './recording.ts';
import { rewardOf, weightOf } from './reward.ts';
import type { Step } from './trace.ts';
import { TraceError } from './trace-file.ts';

/** For so many runs one session more is started. */
const WORTH_A_SESSION = 10;

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

/** Judges recorded runs again by their tasks as they are now: no agent acts, no live page is opened. */
export class Rescorer {
  readonly #placement: Placement;
  readonly #files = new Map<string, Promise<TaskFile>>();
  /** Those that have nothing to do; as many were made as there were runs at once. */
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
    told: (result: Rescored | TraceError, traceDir: string) => void = () => undefined,
  ): Promise<readonly Rescored[]> {
    const results = new Map<string, Rescored>();
    const left = [...traceDirs];
    const work = async (): Promise<void> => {
      for (let traceDir = left.shift(); traceDir !== undefined; traceDir = left.shift()) {
        try {
          const result = await this.rescore(traceDir, options);
          results.set(traceDir, result);
          told(result, traceDir);
        } catch (error) {
          if (!(error instanceof TraceError)) {
            left.length = 0;
            throw error;
          }
          told(error, traceDir);
        }
      }
    };
    const workers = Math.min(usualConcurrency(), Math.ceil(traceDirs.length / WORTH_A_SESSION));
    const ended = await Promise.allSettled(Array.from({ length: workers }, work));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    return traceDirs.flatMap((traceDir) => results.get(traceDir) ?? []);
  }

  /** One run. Throws `TraceError` where its trace cannot be read, `ServerError` where no environment can be had. */
  async rescore(traceDir: string, options: RescoreOptions): Promise<Rescored> {
    const judge = this.#idle.pop() ?? new Judge(this.#placement);
    try {
      return await this.#rescore(traceDir, options, judge);
    } finally {
      this.#idle.push(judge);
    }
  }

  async #rescore(traceDir: string, { everyStep, signal }: RescoreOptions, judge: Judge): Promise<Rescored> {
    const recording = await Recording.open(traceDir);
    const { record, header } = recording.run;
    const about = {
      traceDir: recording.run.traceDir,
      runId: record.run_id,
      taskId: record.task_id,
      old: record.reward,
    };
    const found = await this.#taskOf(header.task);
    if ('problem' in found) {
      const calls = header.task.evaluate.map((call) => ({
        call,
        old: recordedValue(recording.steps, call),
        new: null,
        reason: found.problem,
      }));
      return { ...about, new: null, calls, steps: everyStep ? [] : null, problem: found.problem };
    }
    const { task } = found;
    const ask = (moment: Moment) => judge.ask(task.evaluate, moment, task, signal);
    const { moments } = recording;
    const end = moments.at(-1);
    const judged = end === undefined ? [] : await ask(recording.at(end));
    const old = oldValues(recording.steps, task.evaluate);
    const calls = task.evaluate.map((call, index) => ({
      call,
      old: old[index] ?? null,
      new: judged[index]?.value ?? null,
      reason: judged[index]?.reason ?? 'the run ended before there was anything to judge',
    }));
    const rewardAt = (index: number | undefined, values: readonly Judgement[]): number | null =>
      task.evaluate.length === 0 ? environmentReward(recording.steps, index) : rewardFrom(task, values);
    return {
      ...about,
      new: rewardAt(end, judged),
      calls,
      steps: everyStep ? await this.#curve(recording, end, judged, ask, rewardAt) : null,
      problem: null,
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((judge) => judge.close()));
  }

  async #curve(
    recording: Recording,
    end: number | undefined,
    judged: readonly Judgement[],
    ask: (moment: Moment) => Promise<readonly Judgement[]>,
    rewardAt: (index: number, values: readonly Judgement[]) => number | null,
  ): Promise<readonly RescoredStep[]> {
    const curve: RescoredStep[] = [];
    for (const index of recording.moments) {
      const there = index === end ? judged : await ask(recording.at(index));
      curve.push({ index, reward: rewardAt(index, there), values: there.map(({ value }) => value) });
    }
    return curve;
  }

  /** The task as it is now, found by the recorded file and id. */
  async #taskOf({ file, id, index }: Task): Promise<{ task: Task } | { problem: string }> {
    let loading = this.#files.get(file);
    if (loading === undefined) {
      loading = loadTaskFile(file);
      this.#files.set(file, loading);
    }
    try {
      const row = selectRow(await loading, id ?? String(index));
      const name = taskName({ id, index });
      if (row === undefined) return { problem: `There is no task “${name}” in ${file} any more.` };
      return row.task === null ? { problem: `The task “${name}” in ${file} cannot be read.` } : { task: row.task };
    } catch (error) {
      if (error instanceof TaskFileError) return { problem: error.message };
      throw error;
    }
  }
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
