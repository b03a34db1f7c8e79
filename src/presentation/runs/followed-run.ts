import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isNotFound, kindAt } from '../../base/file-kind.ts';
import { openRun, type RecordedRun } from '../../traces/store.ts';
import type { Step } from '../../traces/trace.ts';
import { TraceError } from '../../traces/trace-file.ts';

/** What was added to a run since the last refresh: nothing, steps, or everything, because it was started again. */
export type Added = 'nothing' | 'steps' | 'all';

/** The steps of a run in progress in another process. A retry moves its trace away and starts another one. */
export class FollowedRun {
  readonly #traceDir: string;
  #run: RecordedRun;
  /** In memory, because a retry moves the trace; null before they are read. */
  #steps: readonly Step[] | null = null;
  /** The result of `#readState` for `#steps`; null before the first refresh. */
  #state: string | null = null;

  constructor(run: RecordedRun) {
    this.#traceDir = run.traceDir;
    this.#run = run;
  }

  async steps(): Promise<readonly Step[]> {
    this.#steps ??= await this.#run.steps();
    return this.#steps;
  }

  /** Reads what was added. Rejects with `TraceError` if the run was deleted or is damaged. */
  async refresh(): Promise<Added> {
    const before = this.#steps?.length ?? this.#run.stepCount;
    const state = await this.#readState();
    if (state === this.#state) return 'nothing';
    if (state === '') {
      this.#state = state;
      this.#steps = [];
      return 'all';
    }
    try {
      const run = await openRun(this.#traceDir);
      const isSameAttempt = this.#state !== '' && run.header.started_at === this.#run.header.started_at;
      this.#steps = await run.steps();
      this.#run = run;
      this.#state = state;
      if (!isSameAttempt) return 'all';
      return this.#steps.length > before ? 'steps' : 'nothing';
    } catch (error) {
      // It changed while it was read: the next refresh reads it again.
      if ((await this.#readState()) !== state) return 'nothing';
      throw error;
    }
  }

  /** The identity and the size of the trace; empty if there is no trace, or it is empty. */
  async #readState(): Promise<string> {
    try {
      const { ino, size } = await stat(join(this.#traceDir, 'trace.jsonl'));
      return size === 0 ? '' : `${ino} ${size}`;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if ((await kindAt(this.#traceDir)) === 'folder') return '';
      throw new TraceError('trace_missing', `${this.#traceDir} no longer exists.`);
    }
  }
}
