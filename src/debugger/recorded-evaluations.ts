import type { PageLink } from '../functions/page/questions.ts';
import type { Placement } from '../placement/placement.ts';
import { Judge, type Judgement } from '../runs/rescoring/evaluator.ts';
import { Recording } from '../runs/rescoring/recording.ts';
import type { Call, Json, Task } from '../tasks/task.ts';

/** What evaluate calls say of the recorded steps of a run: worked out when it is asked for, and once. */
export class RecordedEvaluations {
  readonly #recording: Recording;
  readonly #task: Task;
  readonly #placement: () => Promise<Placement>;
  readonly #known = new Map<string, Judgement>();
  readonly #looked = new Map<string, Json>();
  readonly #over = new AbortController();
  #judge: Judge | null = null;
  /** One question after the other: they share a session. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Throws `TraceError` where the trace cannot be read. `openPlacement`: where calls are carried out, asked for when needed. */
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

  /** After a line of the trace. Without a value where it cannot be told, with the reason. */
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

  /** What the page after a line of the trace answers to something that changes nothing of it. Rejects with words. */
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

  /** Evaluate calls change nothing: what is so after one was so before it. */
  #snapshotAt(line: number): number {
    return this.#recording.moments.findLast((index) => index <= line) ?? line;
  }

  #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const answered = this.#turn.then(ask);
    // Whoever asked is told; the next question is asked all the same.
    this.#turn = answered.catch(() => undefined);
    return answered;
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#turn;
    await this.#judge?.close();
  }
}
