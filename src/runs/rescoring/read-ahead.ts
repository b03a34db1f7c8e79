import { dirname } from 'node:path';
import { getOrCreate } from '../../base/get-or-create.ts';
import { TaskFileError } from '../../tasks/discover.ts';
import { taskName } from '../../tasks/name.ts';
import type { Task } from '../../tasks/task.ts';
import { evaluateTimeoutOf } from '../../traces/job-file.ts';
import type { RunRecord, Step } from '../../traces/trace.ts';
import { TraceError, unreadable } from '../../traces/trace-file.ts';
import { Mask } from '../masking/mask.ts';
import type { CurrentTasks } from '../selection/current-tasks.ts';
import { Recording, type Snapshot } from './recording.ts';

/** Number of runs to read in parallel, because reading mostly waits for the disk. */
const READ_AT_ONCE = 4;
/** Limits of what is read ahead, in snapshots and bytes of their pages. */
const MAX_SNAPSHOTS = 400;
const MAX_BYTES = 8 * 1024 * 1024;

/** A recorded run to re-score, with its snapshots. The last snapshot is the end of the run. */
export interface ReadRun {
  readonly traceDir: string;
  readonly record: RunRecord;
  readonly steps: readonly Step[];
  readonly recordedTask: Task;
  readonly currentTask: { readonly task: Task } | { readonly problem: string };
  readonly snapshots: readonly Snapshot[];
  /** The time limit in ms that the job of the run sets for every call; undefined if it sets none. */
  readonly evaluateTimeoutMs: number | undefined;
}

/** The result of reading a run's folder. */
export interface Read {
  readonly traceDir: string;
  readonly run: ReadRun | TraceError;
}

interface ReadOptions {
  readonly everyStep: boolean;
  readonly signal: AbortSignal;
  readonly tasks: CurrentTasks;
}

/** Reads recorded runs ahead of their evaluation, such as while a session starts. */
export class ReadAhead {
  readonly #pending: string[];
  readonly #options: ReadOptions;
  /** Runs that were read and not taken, by their index. */
  readonly #reads = new Map<number, Read>();
  /** Index of the run to read next, and of the run to take next. */
  #nextToRead = 0;
  #nextToTake = 0;
  /** Resources by hash, because runs of one site share them. */
  readonly #resources = new Map<string, Uint8Array>();
  /** The time limits of calls by job folder, because a job file is as long as its runs are many. */
  readonly #evaluateTimeouts = new Map<string, Promise<number | undefined>>();
  #failure: { readonly error: unknown } | null = null;
  #reading = 0;
  #snapshots = 0;
  #bytes = 0;
  #progress = Promise.withResolvers<void>();

  constructor(traceDirs: readonly string[], options: ReadOptions) {
    this.#pending = [...traceDirs];
    this.#options = options;
    this.#readMore();
  }

  /** Number of runs that were not taken. */
  get left(): number {
    return this.#pending.length + this.#reading + this.#reads.size;
  }

  /**
   * Takes runs that were read: at least one, and further ones within the limits; none if no run is left. Rejects if the
   * signal is aborted.
   */
  async take(snapshots: number, bytes: number): Promise<readonly Read[]> {
    while (this.#nextRead === undefined && this.#failure === null && this.left > 0) await this.#progress.promise;
    if (this.#failure !== null) throw this.#failure.error;
    if (this.#nextRead !== undefined) this.#options.signal.throwIfAborted();
    const batch: Read[] = [];
    let batchSize = { snapshots: 0, bytes: 0 };
    for (let next = this.#nextRead; next !== undefined; next = this.#nextRead) {
      const size = sizeOf(next);
      const total = { snapshots: batchSize.snapshots + size.snapshots, bytes: batchSize.bytes + size.bytes };
      if (batch.length > 0 && (total.snapshots > snapshots || total.bytes > bytes)) break;
      batchSize = total;
      batch.push(next);
      this.#reads.delete(this.#nextToTake);
      this.#nextToTake += 1;
    }
    this.#snapshots -= batchSize.snapshots;
    this.#bytes -= batchSize.bytes;
    this.#readMore();
    return batch;
  }

  /** The run to take next; undefined if it was not read yet. */
  get #nextRead(): Read | undefined {
    return this.#reads.get(this.#nextToTake);
  }

  /** Stops reading. */
  stop(): void {
    this.#pending.length = 0;
  }

  #readMore(): void {
    while (this.#reading < READ_AT_ONCE && this.#snapshots < MAX_SNAPSHOTS && this.#bytes < MAX_BYTES) {
      const traceDir = this.#pending.shift();
      if (traceDir === undefined) return;
      this.#reading += 1;
      const position = this.#nextToRead;
      this.#nextToRead += 1;
      this.#read(traceDir)
        .then(
          (read) => {
            const { snapshots, bytes } = sizeOf(read);
            this.#snapshots += snapshots;
            this.#bytes += bytes;
            this.#reads.set(position, read);
          },
          (error: unknown) => {
            this.#failure ??= { error };
            this.stop();
          },
        )
        .finally(() => {
          this.#reading -= 1;
          const previous = this.#progress;
          this.#progress = Promise.withResolvers();
          previous.resolve();
          this.#readMore();
        });
    }
  }

  async #read(traceDir: string): Promise<Read> {
    this.#options.signal.throwIfAborted();
    try {
      return { traceDir, run: await this.#readRun(traceDir) };
    } catch (error) {
      return { traceDir, run: unreadable(traceDir, error) };
    }
  }

  async #readRun(traceDir: string): Promise<ReadRun> {
    const recording = await Recording.open(traceDir);
    const { record, header } = recording.run;
    const lines = this.#options.everyStep ? recording.snapshots : recording.snapshots.slice(-1);
    const snapshots = lines.map((line) => recording.at(line));
    const resources = Object.fromEntries(
      Object.entries(snapshots[0]?.resources ?? {}).map(([hash, text]) => [
        hash,
        getOrCreate(this.#resources, hash, () => text),
      ]),
    );
    const jobFolder = dirname(recording.run.traceDir);
    return {
      traceDir: recording.run.traceDir,
      record,
      steps: recording.steps,
      recordedTask: header.task,
      currentTask: await this.#taskOf(header.task),
      snapshots: snapshots.map((one) => ({
        ...one,
        resources,
        // A copy, so that the buffer of all pages can be freed.
        page: this.#options.everyStep ? one.page : one.page && new Uint8Array(one.page),
      })),
      evaluateTimeoutMs: await getOrCreate(this.#evaluateTimeouts, jobFolder, () => evaluateTimeoutOf(jobFolder)),
    };
  }

  /** The task as it is now, found by the recorded file and id. */
  async #taskOf(recordedTask: Task): Promise<{ task: Task } | { problem: string }> {
    const { file, id, index } = recordedTask;
    try {
      const row = await this.#options.tasks.row(recordedTask);
      const name = taskName({ id, index });
      if (row === undefined) return { problem: `There is no task “${name}” in ${file} any more.` };
      if (row.task === null) return { problem: `The task “${name}” in ${file} cannot be read.` };
      return { task: maskedLike(recordedTask, row.task) };
    } catch (error) {
      if (error instanceof TaskFileError) return { problem: error.message };
      throw error;
    }
  }
}

/** The task with masks in the arguments of its evaluate calls, as the recording has them, so that they compare as in the run. */
function maskedLike(recordedTask: Task, task: Task): Task {
  const mask = Object.keys(recordedTask.sensitive_data).length === 0 ? null : Mask.of(task, false);
  return mask === null
    ? task
    : { ...task, evaluate: task.evaluate.map((call) => ({ ...call, args: mask.value(call.args) })) };
}

function sizeOf({ run }: Read): { readonly snapshots: number; readonly bytes: number } {
  if (run instanceof TraceError) return { snapshots: 1, bytes: 0 };
  const bytes = run.snapshots.reduce((sum, { page }) => sum + (page?.byteLength ?? 0), 0);
  return { snapshots: Math.max(1, run.snapshots.length), bytes };
}
