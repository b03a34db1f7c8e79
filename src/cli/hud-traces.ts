import { join } from 'node:path';
import { describeSystemError, isSystemError, makeFolder, writeNamedFile } from '../base/system-error.ts';
import { readForExport } from '../formats/runs/exporter.ts';
import { traceFileOf } from '../formats/runs/hud/trace-exporter.ts';
import { openRun } from '../traces/store.ts';
import type { Run } from '../traces/trace.ts';
import { orCannotWrite } from './command.ts';

/** The runs of a job as HUD's local trace files: each is written when its run ends. */
export class HudTraces {
  readonly #folder: string;
  #writing: Promise<void> = Promise.resolve();
  #failure: string | null = null;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folder. Rejects with `UsageError` if it cannot be written. */
  static async create(folder: string): Promise<HudTraces> {
    await orCannotWrite(`The folder ${folder}`, () => makeFolder(folder));
    return new HudTraces(folder);
  }

  /** Files are written one after the other, because a run can have many pictures. */
  add({ trace_dir, task_id }: Pick<Run, 'trace_dir' | 'task_id'>): void {
    if (trace_dir === null) return;
    this.#writing = this.#writing.then(async () => {
      try {
        const { name, text } = await traceFileOf(await readForExport(await openRun(trace_dir)));
        await makeFolder(this.#folder);
        await writeNamedFile(join(this.#folder, name), text);
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
