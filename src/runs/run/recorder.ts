import { type FileHandle, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeSystemError, isSystemError, makeFolder, writeFileAtomically } from '../../base/system-error.ts';
import { contentName, type NewStep, numberStep, pictureName, type RecordedPicture } from '../../traces/new-step.ts';
import { release, writeOwner } from '../../traces/owner.ts';
import { PagesWriter } from '../../traces/pages-file.ts';
import type { RunRecord, Step, TraceHeader } from '../../traces/trace.ts';
import type { Mask } from '../masking/mask.ts';
import { RunFailure } from './failure.ts';

/** The lines of a trace in which newly known secrets were masked. */
interface HiddenLines {
  readonly header: TraceHeader;
  readonly steps: readonly Step[];
}

/**
 * Writes one run's folder. Each line is on disk before `step` resolves. If writing fails, methods reject with a `RunFailure`
 * `trace_unwritable` and remove partial files.
 */
export class Recorder {
  readonly folder: string;
  readonly #file: FileHandle;
  readonly #pictures = new Set<string>();
  #lines = 0;
  /** Size of the complete lines in bytes. */
  #size: number;
  #pages: PagesWriter | null = null;

  private constructor(folder: string, file: FileHandle, size: number) {
    this.folder = folder;
    this.#file = file;
    this.#size = size;
  }

  /** Creates the folder and writes the header. Rejects if there is already a trace. */
  static async create(folder: string, header: TraceHeader): Promise<Recorder> {
    let firstFolder: string | undefined;
    try {
      firstFolder = await makeFolder(folder);
      await mkdir(join(folder, 'screens'), { recursive: true });
      await writeOwner(folder);
      const file = await open(join(folder, 'trace.jsonl'), 'ax');
      const line = Buffer.from(`${JSON.stringify(header)}\n`);
      await file.appendFile(line).catch(async (error: unknown) => {
        await file.close();
        throw error;
      });
      return new Recorder(folder, file, line.length);
    } catch (error) {
      if (firstFolder !== undefined) await rm(folder, { recursive: true, force: true });
      throw unwritable(folder, error);
    }
  }

  async step(step: NewStep): Promise<Step> {
    return await this.#append(step).catch((error: unknown) => {
      throw unwritable(this.folder, error);
    });
  }

  async #append(step: NewStep): Promise<Step> {
    const numberedStep = numberStep(step, this.#lines);
    const picture = step.observation?.screenshot;
    // Everything that the line refers to exists before the line does.
    await Promise.all([
      picture != null && this.#storePicture(picture, numberedStep.observation?.screenshot ?? pictureName(picture)),
      step.contents && this.#storeContents(step.contents),
      step.recorded && this.#storePage(step.recorded),
    ]);
    const line = Buffer.from(`${JSON.stringify(numberedStep)}\n`);
    await this.#file.appendFile(line).catch(async (error: unknown) => {
      await this.#file.truncate(this.#size);
      throw error;
    });
    this.#size += line.length;
    this.#lines += 1;
    return numberedStep;
  }

  /**
   * Masks newly known secrets in the lines on disk. Lines keep their position and length for concurrent readers. Resolves
   * with the masked lines; null if no line contained a secret.
   */
  async hide(mask: Mask): Promise<HiddenLines | null> {
    try {
      // In place, which needs no space on the disk, unlike the pages.
      const hiddenLines = await this.#hideInTrace(mask);
      await this.#pages?.rewrite((line) => mask.pages(line));
      return hiddenLines;
    } catch (error) {
      throw unwritable(this.folder, error);
    }
  }

  async #hideInTrace(mask: Mask): Promise<HiddenLines | null> {
    const path = join(this.folder, 'trace.jsonl');
    const overwriting = mask.overwriting;
    const [first, ...otherLines] = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
    if (first === undefined) return null;
    const header = overwriting.header(JSON.parse(first) as TraceHeader);
    const steps = otherLines.map((line) => overwriting.step(JSON.parse(line) as Step));
    const changes: { readonly at: number; readonly line: string }[] = [];
    let at = 0;
    for (const [index, old] of [first, ...otherLines].entries()) {
      const byteLength = Buffer.byteLength(old);
      const line = JSON.stringify(index === 0 ? header : steps[index - 1]);
      const padding = byteLength - Buffer.byteLength(line);
      if (padding < 0) throw new Error(`The masked line ${index + 1} of the trace is too long.`);
      if (line !== old) changes.push({ at, line: line + ' '.repeat(padding) });
      at += byteLength + 1;
    }
    if (changes.length === 0) return null;
    const file = await open(path, 'r+');
    try {
      for (const change of changes) await file.write(change.line, change.at);
    } finally {
      await file.close();
    }
    return { header, steps };
  }

  /** Ends the trace and writes `run.json` atomically. */
  async end(record: RunRecord): Promise<void> {
    try {
      await this.#file.close();
      await this.#pages?.end();
      await writeFileAtomically(join(this.folder, 'run.json'), `${JSON.stringify(record, null, 2)}\n`);
    } catch (error) {
      throw unwritable(this.folder, error);
    } finally {
      await release(this.folder);
    }
  }

  /** Closes the files of a run that is not recorded to its end. */
  async close(): Promise<void> {
    await this.#file.close();
    await this.#pages?.close();
  }

  async #storeContents(contents: Readonly<Record<string, Uint8Array>>): Promise<void> {
    const all = Object.entries(contents);
    if (all.length === 0) return;
    await mkdir(join(this.folder, 'files'), { recursive: true });
    for (const [name, content] of all) await writeOrRemove(join(this.folder, contentName(name)), content);
  }

  async #storePage(state: NonNullable<NewStep['recorded']>): Promise<void> {
    this.#pages ??= await PagesWriter.create(this.folder);
    await this.#pages.add(this.#lines, state);
  }

  async #storePicture(picture: RecordedPicture, name: string): Promise<void> {
    if (this.#pictures.has(name)) return;
    await writeOrRemove(join(this.folder, name), picture.data);
    this.#pictures.add(name);
  }
}

/** Writes a file, and removes a partial file if that fails. */
async function writeOrRemove(path: string, content: Uint8Array): Promise<void> {
  try {
    await writeFile(path, content);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** The error for a run's folder that cannot be written. Other errors are returned as they are. */
function unwritable(folder: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  const message = `The run cannot be recorded in ${folder}: ${describeSystemError(error)}.`;
  return new RunFailure({ message, code: 'trace_unwritable' }, { cause: error });
}
