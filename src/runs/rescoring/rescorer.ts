import type { Placement } from '../../placement/placement.ts';
import { isSameCall } from '../../tasks/same-call.ts';
import type { Call, Task } from '../../tasks/task.ts';
import type { RunRecord, Step } from '../../traces/trace.ts';
import { TraceError } from '../../traces/trace-file.ts';
import { defaultConcurrency } from '../job/job-runs.ts';
import { rewardOf, weightOf } from '../run/grading.ts';
import { CurrentTasks } from '../selection/current-tasks.ts';
import { ReadAhead, type ReadRun } from './read-ahead.ts';
import { type Evaluation, type EvaluationRequest, SnapshotEvaluator } from './snapshot-evaluator.ts';

/** Remaining time in milliseconds that justifies starting another session, which takes time itself. */
const WORTH_A_SESSION = 3_000;
/** Limits of one round of results, in snapshots and bytes of their pages. Identical snapshots in it are evaluated once. */
const MAX_SNAPSHOTS = 128;
const MAX_BYTES = 2 * 1024 * 1024;

/** One evaluate call of the task as it is now. */
export interface RescoredCall extends Pick<Evaluation, 'reason' | 'failed'> {
  readonly call: Call;
  /** Its value in the run; null if the run has none. */
  readonly old: number | null;
  /** Null if the call failed, or cannot be evaluated from the recording. */
  readonly new: number | null;
}

/** The reward after one step of a run. */
export interface RescoredStep {
  /** Index of its line in the trace. */
  readonly index: number;
  /** Number of agent steps so far; 0 after a setup call. */
  readonly agentSteps: number;
  /** Null if it cannot be computed. */
  readonly reward: number | null;
  /** Of each evaluate call. */
  readonly values: readonly (number | null)[];
}

/** A re-scored run. */
export interface Rescored {
  readonly traceDir: string;
  readonly runId: string;
  readonly taskId: string;
  readonly old: number | null;
  readonly new: number | null;
  readonly calls: readonly RescoredCall[];
  /** The reward after each step, if requested. */
  readonly steps: readonly RescoredStep[] | null;
  /** Why the run cannot be re-scored: its task no longer exists. */
  readonly problem: string | null;
}

export interface RescoreOptions {
  /** Also compute the reward after each step. */
  readonly everyStep: boolean;
  readonly signal: AbortSignal;
}

type OnResult = (result: Rescored | TraceError, traceDir: string) => void;

/** Re-scores recorded runs with the current version of their tasks, without an agent or a live page. */
export class Rescorer {
  readonly #placement: Placement;
  readonly #tasks = new CurrentTasks();
  /** Evaluators that are not in use. */
  readonly #idle: SnapshotEvaluator[] = [];

  constructor(placement: Placement) {
    this.#placement = placement;
  }

  /**
   * Re-scores runs in parallel. Resolves with the results in the order of the runs, without runs whose trace cannot be read.
   * `onResult` gets each result, or the error of an unreadable trace. Rejects with `ServerError` if no environment is
   * available.
   */
  async rescoreAll(
    traceDirs: readonly string[],
    options: RescoreOptions,
    onResult: OnResult = () => undefined,
  ): Promise<readonly Rescored[]> {
    const results = new Map<string, Rescored>();
    if (traceDirs.length > 0) this.#placement.prepare?.();
    const reading = new ReadAhead(traceDirs, { ...options, tasks: this.#tasks });
    const report: OnResult = (result, traceDir) => {
      if (!(result instanceof TraceError)) results.set(traceDir, result);
      onResult(result, traceDir);
    };
    const workers: Promise<void>[] = [];
    const failures: unknown[] = [];
    const work = async (): Promise<void> => {
      const evaluator = this.#idle.pop() ?? new SnapshotEvaluator(this.#placement);
      try {
        await this.#work(reading, evaluator, options, report, (msEach) => {
          const isWorth = (msEach * reading.left) / workers.length > WORTH_A_SESSION;
          if (isWorth && workers.length < defaultConcurrency()) workers.push(work());
        });
      } catch (error) {
        reading.stop();
        failures.push(error);
      } finally {
        this.#idle.push(evaluator);
      }
    };
    workers.push(work());
    // The loop also awaits workers that are added meanwhile.
    for (const worker of workers) await worker;
    if (failures.length > 0) throw failures[0];
    return traceDirs.flatMap((traceDir) => results.get(traceDir) ?? []);
  }

  /** Re-scores one run. Rejects with `TraceError` if its trace cannot be read, and with `ServerError` as `rescoreAll`. */
  async rescore(traceDir: string, options: RescoreOptions): Promise<Rescored> {
    let failure: TraceError | null = null;
    const [result] = await this.rescoreAll([traceDir], options, (one) => {
      if (one instanceof TraceError) failure = one;
    });
    if (result === undefined) throw failure ?? new Error('The run was not re-scored.');
    return result;
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((evaluator) => evaluator.close()));
  }

  /** Re-scores runs in rounds. `reportTime` gets the time per run in milliseconds after each round. */
  async #work(
    reading: ReadAhead,
    evaluator: SnapshotEvaluator,
    options: RescoreOptions,
    report: OnResult,
    reportTime: (msEach: number) => void,
  ): Promise<void> {
    // The first round includes starting the session.
    let startedAt: number | null = null;
    // The first round has one run, to start the session early.
    for (let most = 1; ; most = MAX_SNAPSHOTS) {
      const runs = await reading.take(most, MAX_BYTES);
      if (runs.length === 0) return;
      const requests = runs.map(({ run }) => (run instanceof TraceError ? [] : requestsOf(run)));
      const results = [...(await evaluator.evaluateAll(requests.flat(), options.signal))];
      for (const [index, { run, traceDir }] of runs.entries()) {
        if (run instanceof TraceError) report(run, traceDir);
        else report(resultOf(run, results.splice(0, requests[index]?.length), options), traceDir);
      }
      const now = performance.now();
      if (startedAt !== null) reportTime((now - startedAt) / runs.length);
      startedAt = now;
    }
  }
}

function requestsOf({ traceDir, currentTask, snapshots, evaluateTimeoutMs }: ReadRun): readonly EvaluationRequest[] {
  if ('problem' in currentTask) return [];
  const { task } = currentTask;
  return snapshots.map((snapshot) => ({ calls: task.evaluate, snapshot, task, run: traceDir, evaluateTimeoutMs }));
}

/** The result of a run. `results`: the results of all calls, for each snapshot. */
function resultOf(
  { traceDir, record, steps, recordedTask, currentTask, snapshots }: ReadRun,
  results: readonly (readonly Evaluation[])[],
  { everyStep }: RescoreOptions,
): Rescored {
  const base = { traceDir, runId: record.run_id, taskId: record.task_id, old: record.reward };
  if ('problem' in currentTask) {
    const { problem } = currentTask;
    const calls = recordedTask.evaluate.map((call) => {
      return { call, old: recordedValue(steps, call), new: null, reason: problem, failed: false };
    });
    return { ...base, new: null, calls, steps: everyStep ? [] : null, problem };
  }
  const { task } = currentTask;
  const fault = agentFault(record);
  const end = results.at(-1) ?? [];
  const old = oldValues(steps, task.evaluate);
  const calls = task.evaluate.map((call, index) => {
    const base = { call, old: old[index] ?? null };
    if (fault !== null) return { ...base, new: null, reason: fault, failed: false };
    const { value = null, reason = 'the run ended before its first step', failed = false } = end[index] ?? {};
    return { ...base, new: value, reason, failed };
  });
  // Without calls, the environment's own reward as recorded: the scripts that computed it do not run again.
  const rewardAt = (index: number | undefined, values: readonly Evaluation[]): number | null =>
    task.evaluate.length === 0 ? (steps[index ?? -1]?.reward ?? null) : rewardFrom(task, values);
  let agentSteps = 0;
  const counts = steps.map(({ source }) => {
    agentSteps += source === 'agent' ? 1 : 0;
    return agentSteps;
  });
  const curve = snapshots.map(({ index }, at): RescoredStep => {
    const stepResults = results[at] ?? [];
    const values = stepResults.map(({ value }) => value);
    return { index, agentSteps: counts[index] ?? 0, reward: rewardAt(index, stepResults), values };
  });
  return {
    ...base,
    new: fault === null ? rewardAt(snapshots.at(-1)?.index, end) : record.reward,
    calls,
    steps: everyStep ? curve : null,
    problem: null,
  };
}

/**
 * Why the calls of a run cannot change its reward: it ended by the agent's fault, as by tampering, before they were made. Null
 * for other runs.
 */
function agentFault({ grade }: RunRecord): string | null {
  const { blame, warning } = grade.info;
  if (blame !== 'agent') return null;
  return `the run ended by the agent's fault, so its reward stays: ${typeof warning === 'string' ? warning : 'no reason is recorded'}`;
}

/** The reward of all values; null if one is missing. */
function rewardFrom({ evaluate, metadata }: Task, results: readonly Evaluation[]): number | null {
  const values: { value: number; weight: number }[] = [];
  for (const [index, call] of evaluate.entries()) {
    const value = results[index]?.value ?? null;
    const weight = weightOf(call);
    if (value === null || weight === null) return null;
    values.push({ value, weight });
  }
  return rewardOf(values, metadata['combine']);
}

/** The recorded value of each call: of the same call, otherwise of the call of that function at the same index. */
function oldValues(steps: readonly Step[], calls: readonly Call[]): readonly (number | null)[] {
  const evaluateSteps = steps.filter(({ source, call }) => source === 'evaluate' && call !== undefined);
  const unmatchedSteps = new Set(evaluateSteps);
  const takeStep = (step: Step | undefined): Step | undefined =>
    step !== undefined && unmatchedSteps.delete(step) ? step : undefined;
  const sameCalls = calls.map((call) =>
    takeStep([...unmatchedSteps].find((step) => step.call && isSameCall(step.call, call))),
  );
  return calls.map((call, index) => {
    const sameIndex = evaluateSteps[index];
    const matchingStep =
      sameCalls[index] ?? (sameIndex?.call?.function === call.function ? takeStep(sameIndex) : undefined);
    return matchingStep?.reward ?? null;
  });
}

function recordedValue(steps: readonly Step[], call: Call): number | null {
  return steps.find((step) => step.source === 'evaluate' && step.call && isSameCall(step.call, call))?.reward ?? null;
}
