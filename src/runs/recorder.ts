import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Picture } from '../environments/environment.ts';
import { claim, release } from './owner.ts';
import type { RunRecord, Step, TraceHeader } from './trace.ts';

/** A step before it has a number and its picture a name. */
export type NewStep = Omit<Step, 'index' | 'observation'> & {
  readonly observation: { readonly text: string | null; readonly screenshot: Picture | null } | null;
};

/** Writes one run's folder: each line is on disk before `step` resolves. */
export class Recorder {
  readonly folder: string;
  readonly #file: FileHandle;
  readonly #pictures = new Set<string>();
  #lines = 0;

  private constructor(folder: string, file: FileHandle) {
    this.folder = folder;
    this.#file = file;
  }

  /** Makes the folder and writes the header. Fails where a trace is there already. */
  static async create(folder: string, header: TraceHeader): Promise<Recorder> {
    await mkdir(join(folder, 'screens'), { recursive: true });
    await claim(folder);
    const file = await open(join(folder, 'trace.jsonl'), 'ax');
    await file.appendFile(`${JSON.stringify(header)}\n`);
    return new Recorder(folder, file);
  }

  async step(step: NewStep): Promise<Step> {
    const { observation, ...rest } = step;
    const screenshot = observation?.screenshot == null ? null : await this.#picture(observation.screenshot);
    const recorded: Step = {
      index: this.#lines,
      ...rest,
      observation: observation === null ? null : { text: observation.text, screenshot },
    };
    await this.#file.appendFile(`${JSON.stringify(recorded)}\n`);
    this.#lines += 1;
    return recorded;
  }

  /** The end of the trace: `run.json` appears whole or not at all. */
  async end(record: RunRecord): Promise<void> {
    await this.#file.close();
    const path = join(this.folder, 'run.json');
    await writeFile(`${path}.part`, `${JSON.stringify(record, null, 2)}\n`);
    await rename(`${path}.part`, path);
    await release(this.folder);
  }

  async #picture(picture: Picture): Promise<string> {
    const name = `screens/${createHash('sha256').update(picture.data).digest('hex')}.${picture.type}`;
    if (!this.#pictures.has(name)) {
      await writeFile(join(this.folder, name), picture.data);
      this.#pictures.add(name);
    }
    return name;
  }
}
