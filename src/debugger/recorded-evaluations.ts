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

  /**
   * Rejects with `TraceError` if the trace cannot be read. `openPlacement`: called when the first result is computed.
   */
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

  /**
   * The result of a call after a line of the trace; without a value, and with the reason, if it cannot be determined.
   */
  ask(call: Call, line: number): Promise<Evaluation> {
    const snapshot = this.#snapshotAt(line);
    const key = JSON.stringify([snapshot, call.function, call.args]);
    return this.#inTurn(async () => {
      const cachedEvaluation = this.#evaluations.get(key);
      if (cachedEvaluation !== undefined) return cachedEvaluation;
      this.#evaluator ??= new SnapshotEvaluator(await this.#placement());
      const results = await this.#evaluator.evaluate(
        [call],
        this.#recording.at(snapshot),
        this.#task,
        this.#disposal.signal,
        this.#evaluateTimeoutMs,
      );
      const [evaluation = { value: null, reason: 'it has no result', failed: true }] = results;
      this.#evaluations.set(key, evaluation);
      return evaluation;
    });
  }

  /** Reads from the recorded page after a line of the trace. Rejects with an `Error`. */
  queryPage(links: readonly PageLink[], line: number): Promise<Json> {
    const snapshot = this.#snapshotAt(line);
    const key = JSON.stringify([snapshot, links]);
    return this.#inTurn(async () => {
      const cachedAnswer = this.#queryResults.get(key);
      if (cachedAnswer !== undefined) return cachedAnswer;
      this.#evaluator ??= new SnapshotEvaluator(await this.#placement());
      const answer = await this.#evaluator.queryPage(
        links,
        this.#recording.at(snapshot),
        this.#task,
        this.#disposal.signal,
      );
      this.#queryResults.set(key, answer);
      return answer;
    });
  }

  /** The snapshot that applies to a line. Evaluate calls do not change it. */
  #snapshotAt(line: number): number {
    return this.#recording.snapshots.findLast((index) => index <= line) ?? line;
  }

  #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(ask);
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
