import { describeSystemError, isSystemError, makeFolder } from '../base/system-error.ts';
import { folderSink, readForExport, type Sink } from '../formats/runs/exporter.ts';
import { traceExporter } from '../formats/runs/hud/trace-exporter.ts';
import { UsageError } from '../runs/usage-error.ts';
import { openRun } from '../traces/store.ts';
import type { Run } from '../traces/trace.ts';

/** The runs of a job as HUD's local trace files: each is written when its run ends. */
export class HudTraces {
  readonly #folder: string;
  readonly #sink: Sink;
  #writing: Promise<void> = Promise.resolve();
  #failure: string | null = null;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#sink = folderSink(folder);
  }

  /** Creates the folder. Rejects with `UsageError` if it cannot be written. */
  static async create(folder: string): Promise<HudTraces> {
    try {
      await makeFolder(folder);
      return new HudTraces(folder);
    } catch (error) {
      throw new UsageError('cannot_write', `The folder ${folder} cannot be written: ${describeSystemError(error)}.`, {
        cause: error,
      });
    }
  }

  /** Files are written one after the other, because a run can have many pictures. */
  add({ trace_dir, task_id }: Pick<Run, 'trace_dir' | 'task_id'>): void {
    if (trace_dir === null) return;
    this.#writing = this.#writing.then(async () => {
      try {
        await traceExporter.write([await readForExport(await openRun(trace_dir))], this.#sink);
      } catch (error) {
        const reason = isSystemError(error) ? describeSystemError(error) : (error as Error).message;
        this.#failure ??= `The trace of ${task_id} cannot be written to ${this.#folder}: ${reason}.`;
      }
    });
  }

  /** Resolves when all are written, with the reason if one could not be. */
  async finish(): Promise<string | null> {
    await this.#writing;
    return this.#failure;
  }
}
