import type { PageLink } from '../functions/page/questions.ts';
import type { Placement } from '../placement/placement.ts';
import { Judge, type Judgement } from '../runs/rescoring/evaluator.ts';
import { Recording } from '../runs/rescoring/recording.ts';
import type { Call, Json, Task } from '../tasks/task.ts';

/** What evaluate calls say of the recorded steps of a run: worked out when it is asked for, and once. */
export class RecordedAnswers {
  readonly #recording: Recording;
  readonly #task: Task;
  readonly #place: () => Promise<Placement>;
  readonly #known = new Map<string, Judgement>();
  readonly #looked = new Map<string, Json>();
  readonly #over = new AbortController();
  #judge: Judge | null = null;
  /** One question after the other: they share a session. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Throws `TraceError` where the trace cannot be read. `place`: where calls are carried out, asked for when needed. */
  static async open(traceDir: string, task: Task, place: () => Promise<Placement>): Promise<RecordedAnswers> {
    return new RecordedAnswers(await Recording.open(traceDir), task, place);
  }

  private constructor(recording: Recording, task: Task, place: () => Promise<Placement>) {
    this.#recording = recording;
    this.#task = task;
    this.#place = place;
  }

  /** After a line of the trace. Without a value where it cannot be told, with the reason. */
  ask(call: Call, line: number): Promise<Judgement> {
    const moment = this.#momentOf(line);
    const key = JSON.stringify([moment, call.function, call.args]);
    return this.#inTurn(async () => {
      const known = this.#known.get(key);
      if (known !== undefined) return known;
      this.#judge ??= new Judge(await this.#place());
      const asked = await this.#judge.ask([call], this.#recording.at(moment), this.#task, this.#over.signal);
      const judgement = asked[0] ?? { value: null, reason: 'it cannot be told' };
      this.#known.set(key, judgement);
      return judgement;
    });
  }

  /** What the page after a line of the trace answers to something that changes nothing of it. Rejects with words. */
  look(links: readonly PageLink[], line: number): Promise<Json> {
    const moment = this.#momentOf(line);
    const key = JSON.stringify([moment, links]);
    return this.#inTurn(async () => {
      const known = this.#looked.get(key);
      if (known !== undefined) return known;
      this.#judge ??= new Judge(await this.#place());
      const answer = await this.#judge.look(links, this.#recording.at(moment), this.#task, this.#over.signal);
      this.#looked.set(key, answer);
      return answer;
    });
  }

  /** Evaluate calls change nothing: what is so after one was so before it. */
  #momentOf(line: number): number {
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
