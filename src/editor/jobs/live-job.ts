import { Listeners } from '../../base/listeners.ts';
import type { JobRunState, JobState } from '../../presentation/jobs/present.ts';
import { reasonsOf } from '../../results/reasons.ts';
import type { Job } from '../../runs/job/job.ts';
import type { JobRun } from '../../runs/job/job-runs.ts';
import type { JobPlan } from '../../traces/job-file.ts';
import type { Run, RunRecord } from '../../traces/trace.ts';
import { withoutDetails } from '../../traces/without-details.ts';
import type { LiveRun } from '../runs/live-run.ts';

/** A job in progress in this window. */
export class LiveJob implements JobState {
  readonly folder: string;
  readonly startedAt: string;
  readonly concurrency: number;
  readonly #runs: JobRunState[];
  readonly #live = new Map<string, LiveRun>();
  readonly #abort = new AbortController();
  readonly #listeners = new Listeners<[index: number | null]>();
  /** Calls the listener with the index of a changed run, or null for the job itself. Returns a function that unsubscribes. */
  readonly onChange = this.#listeners.add;
  #endedAt: number | null = null;

  constructor(job: Job & { readonly plan: JobPlan }, runs: readonly JobRun[], concurrency: number) {
    this.folder = job.folder;
    this.startedAt = job.startedAt;
    this.concurrency = concurrency;
    this.#runs = runs.map(({ plannedRun, done }) => ({
      plannedRun,
      result: done === null ? null : withoutDetails(done),
      reasons: done === null ? '' : reasonsOf(done),
      running: false,
    }));
  }

  get runs(): readonly JobRunState[] {
    return this.#runs;
  }

  get endedAt(): number | null {
    return this.#endedAt;
  }

  get status(): JobState['status'] {
    if (this.#endedAt === null) return this.#abort.signal.aborted ? 'stopping' : 'running';
    return this.#runs.some(({ result }) => result === null || result.status === 'cancelled') ? 'unfinished' : 'ended';
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** A run in progress. */
  liveRun(runId: string): LiveRun | undefined {
    return this.#live.get(runId);
  }

  cancel(): void {
    this.#abort.abort();
    this.#listeners.notify(null);
  }

  begin(index: number, run: LiveRun): void {
    this.#updateRun(index, { running: true, result: null, reasons: '', host: null });
    run.onEvent(({ type }) => {
      if (type !== 'host' && type !== 'retry') return;
      this.#updateRun(index, { host: run.host });
      this.#listeners.notify(index);
    });
    const id = this.#runs[index]?.plannedRun.run_id;
    if (id !== undefined) this.#live.set(id, run);
    this.#listeners.notify(index);
  }

  finish(index: number, result: Run | RunRecord): void {
    this.#updateRun(index, { running: false, result: withoutDetails(result), reasons: reasonsOf(result) });
    const id = this.#runs[index]?.plannedRun.run_id;
    if (id !== undefined) this.#live.delete(id);
    this.#listeners.notify(index);
  }

  end(): void {
    this.#endedAt = Date.now();
    this.#listeners.notify(null);
  }

  #updateRun(index: number, change: Partial<JobRunState>): void {
    const run = this.#runs[index];
    if (run !== undefined) this.#runs[index] = { ...run, ...change };
  }
}
