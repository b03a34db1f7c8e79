import type { Run, RunRecord, Step, TraceHeader } from './trace.ts';

/** A run as lists show it; cheap to read. */
export interface RunEntry {
  readonly traceDir: string;
  readonly jobId: string;
  /** What `run.json` says; for a run without one what its trace says, with status `interrupted`. */
  readonly run: Run;
  /** The process that makes this run is alive: its end is still to come. */
  readonly running: boolean;
}

/** A run opened to be looked at. Steps are read from disk when they are asked for. */
export interface RecordedRun {
  readonly traceDir: string;
  readonly header: TraceHeader;
  /** What `run.json` says, or for a run without one what its trace says, with status `interrupted`. */
  readonly record: RunRecord;
  readonly running: boolean;
  /** How many step lines the trace has, of all sources. */
  readonly stepCount: number;
  step(index: number): Promise<Step>;
  steps(): Promise<readonly Step[]>;
  /** Absolute path of a picture that a step names. */
  picture(screenshot: string): string;
}

/** A trace that cannot be read: why, and what to do. */
export class TraceError extends Error {
  readonly code: 'trace_missing' | 'trace_newer' | 'trace_broken';
  constructor(code: TraceError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TraceError';
    this.code = code;
  }
}

/** All runs below a folder of jobs (`.taskwright/jobs`), newest first. No such folder: none. */
export async function listRuns(root: string): Promise<readonly RunEntry[]> {
  void root;
  return [];
}

/** Opens a run's folder. Throws `TraceError`. */
export async function openRun(traceDir: string): Promise<RecordedRun> {
  throw new TraceError('trace_missing', `There is no trace in ${traceDir}.`);
}

/** Removes a run's folder from disk, and its job's where that was the last run. Throws `TraceError` where it is no run or still runs. */
export async function deleteRun(traceDir: string): Promise<void> {
  void traceDir;
}
