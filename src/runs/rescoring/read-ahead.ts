import { selectRow } from '../../tasks/address.ts';
import { loadTaskFile, TaskFileError } from '../../tasks/discover.ts';
import { taskName } from '../../tasks/name.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import type { Task } from '../../tasks/task.ts';
import type { RunRecord, Step } from '../store/trace.ts';
import { TraceError } from '../store/trace-file.ts';
import { type Moment, Recording } from './recording.ts';

/** So many runs are read at once: most of it is waiting for the disk. */
const READ_AT_ONCE = 4;
/** So many moments, or bytes of their pages, are read ahead of whoever judges them. */
const HELD_MOMENTS = 400;
const HELD_BYTES = 8 * 1024 * 1024;

/** A recorded run that is to be judged: what is known of it, and the moments to ask, the last of them its end. */
export interface ReadRun {
  readonly traceDir: string;
  readonly record: RunRecord;
  readonly steps: readonly Step[];
  readonly recorded: Task;
  readonly found: { readonly task: Task } | { readonly problem: string };
  readonly moments: readonly Moment[];
}

/** What came of reading a run's folder. */
export interface Read {
  readonly traceDir: string;
  readonly run: ReadRun | TraceError;
}

/** Reads recorded runs ahead of whoever judges them: in the time in which a session starts there is nothing else to do. */
export class ReadAhead {
  readonly #left: string[];
  readonly #everyStep: boolean;
  readonly #signal: AbortSignal;
  readonly #files: Map<string, Promise<TaskFile>>;
  /** In the order of the runs. */
  readonly #ready: Read[] = [];
  /** What was read before a run that comes before it, by its place. */
  readonly #early = new Map<number, Read>();
  /** The place of the run that is begun next, and of the one that is ready next. */
  #begun = 0;
  #next = 0;
  /** Style sheets and the like by their hash: runs of the same site have the same, which are held once. */
  readonly #resources = new Map<string, Uint8Array>();
  #failure: { readonly error: unknown } | null = null;
  #reading = 0;
  #moments = 0;
  #bytes = 0;
  #news = Promise.withResolvers<void>();

  /** `files`: task files by their paths, which are read once. */
  constructor(
    traceDirs: readonly string[],
    of: { readonly everyStep: boolean; readonly signal: AbortSignal; readonly files: Map<string, Promise<TaskFile>> },
  ) {
    this.#left = [...traceDirs];
    this.#everyStep = of.everyStep;
    this.#signal = of.signal;
    this.#files = of.files;
    this.#go();
  }

  /** How many runs nobody has taken yet. */
  get left(): number {
    return this.#left.length + this.#reading + this.#early.size + this.#ready.length;
  }

  /**
   * What has been read: at least one run, at most so many moments and bytes of their pages, or one run that has more. None
   * where none is left. Rejects where the signal is aborted before.
   */
  async take(moments: number, bytes: number): Promise<readonly Read[]> {
    while (this.#ready.length === 0 && this.#failure === null && this.left > 0) await this.#news.promise;
    if (this.#failure !== null) throw this.#failure.error;
    if (this.#ready.length > 0) this.#signal.throwIfAborted();
    const taken: Read[] = [];
    let held = { moments: 0, bytes: 0 };
    for (let next = this.#ready[0]; next !== undefined; next = this.#ready[0]) {
      const size = sizeOf(next);
      const both = { moments: held.moments + size.moments, bytes: held.bytes + size.bytes };
      if (taken.length > 0 && (both.moments > moments || both.bytes > bytes)) break;
      held = both;
      taken.push(next);
      this.#ready.shift();
    }
    this.#moments -= held.moments;
    this.#bytes -= held.bytes;
    this.#go();
    return taken;
  }

  /** Nothing more is wanted. */
  stop(): void {
    this.#left.length = 0;
  }

  #go(): void {
    while (this.#reading < READ_AT_ONCE && this.#moments < HELD_MOMENTS && this.#bytes < HELD_BYTES) {
      const traceDir = this.#left.shift();
      if (traceDir === undefined) return;
      this.#reading += 1;
      const place = this.#begun;
      this.#begun += 1;
      this.#read(traceDir)
        .then(
          (read) => {
            const { moments, bytes } = sizeOf(read);
            this.#moments += moments;
            this.#bytes += bytes;
            this.#early.set(place, read);
            for (let next = this.#early.get(this.#next); next !== undefined; next = this.#early.get(this.#next)) {
              this.#early.delete(this.#next);
              this.#next += 1;
              this.#ready.push(next);
            }
          },
          (error: unknown) => {
            this.#failure ??= { error };
            this.stop();
          },
        )
        .finally(() => {
          this.#reading -= 1;
          const told = this.#news;
          this.#news = Promise.withResolvers();
          told.resolve();
          this.#go();
        });
    }
  }

  async #read(traceDir: string): Promise<Read> {
    this.#signal.throwIfAborted();
    try {
      return { traceDir, run: await this.#readRun(traceDir) };
    } catch (error) {
      if (!(error instanceof TraceError)) throw error;
      return { traceDir, run: error };
    }
  }

  async #readRun(traceDir: string): Promise<ReadRun> {
    const recording = await Recording.open(traceDir);
    const { record, header } = recording.run;
    const lines = this.#everyStep ? recording.moments : recording.moments.slice(-1);
    const moments = lines.map((line) => recording.at(line));
    const resources = this.#shared(moments[0]?.resources ?? {});
    return {
      traceDir: recording.run.traceDir,
      record,
      steps: recording.steps,
      recorded: header.task,
      found: await this.#taskOf(header.task),
      moments: moments.map((one) => ({
        ...one,
        resources,
        // The pages before the last one are not to be held by it.
        page: this.#everyStep ? one.page : one.page && new Uint8Array(one.page),
      })),
    };
  }

  #shared(resources: Moment['resources']): Moment['resources'] {
    const shared: Record<string, Uint8Array> = {};
    for (const [hash, text] of Object.entries(resources)) {
      const known = this.#resources.get(hash) ?? text;
      this.#resources.set(hash, known);
      shared[hash] = known;
    }
    return shared;
  }

  /** The task as it is now, found by the recorded file and id. */
  async #taskOf({ file, id, index }: Task): Promise<{ task: Task } | { problem: string }> {
    let loading = this.#files.get(file);
    if (loading === undefined) {
      loading = loadTaskFile(file);
      this.#files.set(file, loading);
    }
    try {
      const row = selectRow(await loading, id ?? String(index));
      const name = taskName({ id, index });
      if (row === undefined) return { problem: `There is no task “${name}” in ${file} any more.` };
      return row.task === null ? { problem: `The task “${name}” in ${file} cannot be read.` } : { task: row.task };
    } catch (error) {
      if (error instanceof TaskFileError) return { problem: error.message };
      throw error;
    }
  }
}

function sizeOf({ run }: Read): { readonly moments: number; readonly bytes: number } {
  if (run instanceof TraceError) return { moments: 1, bytes: 0 };
  const bytes = run.moments.reduce((sum, { page }) => sum + (page?.byteLength ?? 0), 0);
  return { moments: Math.max(1, run.moments.length), bytes };
}
