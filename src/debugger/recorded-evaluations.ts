import type { PageLink } from '../functions/page/questions.ts';
import type { Placement } from '../placement/placement.ts';
import { Judge, type Judgement } from '../runs/rescoring/evaluator.ts';
import { Recording } from '../runs/rescoring/recording.ts';
import type { Call, Json, Task } from '../tasks/task.ts';

/** Results of evaluate calls and page queries at the recorded steps of a run, computed on demand and cached. */
export class RecordedEvaluations {
  readonly #recording: Recording;
  readonly #task: Task;
  readonly #placement: () => Promise<Placement>;
  readonly #known = new Map<string, Judgement>();
  readonly #looked = new Map<string, Json>();
  readonly #over = new AbortController();
  #judge: Judge | null = null;
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
    return new RecordedEvaluations(await Recording.open(traceDir), task, openPlacement);
  }

  private constructor(recording: Recording, task: Task, openPlacement: () => Promise<Placement>) {
    this.#recording = recording;
    this.#task = task;
    this.#placement = openPlacement;
  }

  /**
   * The result of a call after a line of the trace; without a value, and with the reason, if it cannot be determined.
   */
  ask(call: Call, line: number): Promise<Judgement> {
    const snapshot = this.#snapshotAt(line);
    const key = JSON.stringify([snapshot, call.function, call.args]);
    return this.#inTurn(async () => {
      const known = this.#known.get(key);
      if (known !== undefined) return known;
      this.#judge ??= new Judge(await this.#placement());
      const asked = await this.#judge.ask([call], this.#recording.at(snapshot), this.#task, this.#over.signal);
      const judgement = asked[0] ?? { value: null, reason: 'it cannot be told' };
      this.#known.set(key, judgement);
      return judgement;
    });
  }

  /** Reads from the recorded page after a line of the trace. Rejects with an `Error`. */
  queryPage(links: readonly PageLink[], line: number): Promise<Json> {
    const snapshot = this.#snapshotAt(line);
    const key = JSON.stringify([snapshot, links]);
    return this.#inTurn(async () => {
      const known = this.#looked.get(key);
      if (known !== undefined) return known;
      this.#judge ??= new Judge(await this.#placement());
      const answer = await this.#judge.look(links, this.#recording.at(snapshot), this.#task, this.#over.signal);
      this.#looked.set(key, answer);
      return answer;
    });
  }

  /** The snapshot that applies to a line. Evaluate calls do not change it. */
  #snapshotAt(line: number): number {
    return this.#recording.moments.findLast((index) => index <= line) ?? line;
  }

  #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const answered = this.#turn.then(ask);
    // The caller handles the error; the next request runs in any case.
    this.#turn = answered.catch(() => undefined);
    return answered;
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#turn;
    await this.#judge?.close();
  }
}
