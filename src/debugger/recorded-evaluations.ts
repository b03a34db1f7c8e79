import { dirname } from 'node:path';
import type { Json } from '../base/json.ts';
import type { PageLink } from '../functions/page/page-link.ts';
import type { Placement } from '../placement/placement.ts';
import { Recording } from '../runs/rescoring/recording.ts';
import { type Evaluation, SnapshotEvaluator } from '../runs/rescoring/snapshot-evaluator.ts';
import type { Call, Task } from '../tasks/task.ts';
import { evaluateTimeoutOf } from '../traces/job-file.ts';

/** Results of evaluate calls and page queries at the recorded steps of a run, computed on demand and cached. */
export class RecordedEvaluations {
  readonly #recording: Recording;
  readonly #task: Task;
  readonly #placement: () => Promise<Placement>;
  readonly #evaluateTimeoutMs: number | undefined;
  readonly #evaluations = new Map<string, Evaluation>();
  readonly #queryResults = new Map<string, Json>();
  readonly #disposal = new AbortController();
  #evaluator: SnapshotEvaluator | null = null;
  /** Queue: all requests share one session. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Rejects with `TraceError` if the trace cannot be read. `openPlacement`: called when the first result is computed. */
  static async open(
    traceDir: string,
    task: Task,
    openPlacement: () => Promise<Placement>,
  ): Promise<RecordedEvaluations> {
    const recording = await Recording.open(traceDir);
    const evaluateTimeoutMs = await evaluateTimeoutOf(dirname(recording.run.traceDir));
    return new RecordedEvaluations(recording, task, openPlacement, evaluateTimeoutMs);
  }

  private constructor(
    recording: Recording,
    task: Task,
    openPlacement: () => Promise<Placement>,
    evaluateTimeoutMs: number | undefined,
  ) {
    this.#recording = recording;
    this.#task = task;
    this.#placement = openPlacement;
    this.#evaluateTimeoutMs = evaluateTimeoutMs;
  }

  /** The result of a call after a line of the trace; without a value, and with the reason, if it cannot be determined. */
  ask(call: Call, line: number): Promise<Evaluation> {
    const index = this.#snapshotAt(line);
    const key = JSON.stringify([index, call.function, call.args]);
    return this.#compute(this.#evaluations, key, async (evaluator) => {
      const snapshot = this.#recording.at(index);
      const { signal } = this.#disposal;
      const [evaluation] = await evaluator.evaluate([call], snapshot, this.#task, signal, this.#evaluateTimeoutMs);
      return evaluation ?? { value: null, reason: 'it has no result', failed: true };
    });
  }

  /** Reads from the recorded page after a line of the trace. Rejects with an `Error`. */
  queryPage(links: readonly PageLink[], line: number): Promise<Json> {
    const index = this.#snapshotAt(line);
    return this.#compute(this.#queryResults, JSON.stringify([index, links]), (evaluator) =>
      evaluator.queryPage(links, this.#recording.at(index), this.#task, this.#disposal.signal),
    );
  }

  /** The snapshot that applies to a line. Evaluate calls do not change it. */
  #snapshotAt(line: number): number {
    return this.#recording.snapshots.findLast((index) => index <= line) ?? line;
  }

  /** Computes a result after all earlier ones, unless it is in the cache. */
  #compute<T>(cache: Map<string, T>, key: string, compute: (evaluator: SnapshotEvaluator) => Promise<T>): Promise<T> {
    const result = this.#turn.then(async () => {
      const previous = cache.get(key);
      if (previous !== undefined) return previous;
      this.#evaluator ??= new SnapshotEvaluator(await this.#placement());
      const value = await compute(this.#evaluator);
      cache.set(key, value);
      return value;
    });
    // The caller handles the error; the next request runs in any case.
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    this.#disposal.abort();
    await this.#turn;
    await this.#evaluator?.close();
  }
}
