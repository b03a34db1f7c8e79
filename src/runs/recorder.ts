import { type FileHandle, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mask } from './mask.ts';
import { contentName, type NewStep, numbered, pictureName, type RecordedPicture } from './new-step.ts';
import { claim, release } from './owner.ts';
import { PagesWriter } from './pages-file.ts';
import type { RunRecord, Step, TraceHeader } from './trace.ts';

/** Writes one run's folder: each line is on disk before `step` resolves. */
export class Recorder {
  readonly folder: string;
  readonly #file: FileHandle;
  readonly #pictures = new Set<string>();
  #lines = 0;
  #pages: PagesWriter | null = null;

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
    const recorded = numbered(step, this.#lines);
    const picture = step.observation?.screenshot;
    // All that the line refers to is there before the line is.
    await Promise.all([
      picture != null && this.#keep(picture, recorded.observation?.screenshot ?? pictureName(picture)),
      step.contents !== undefined && this.#keepTexts(step.contents),
      step.recorded !== undefined && this.#keepPage(step.recorded),
    ]);
    await this.#file.appendFile(`${JSON.stringify(recorded)}\n`);
    this.#lines += 1;
    return recorded;
  }

  /**
   * Takes what has become known as a secret out of the lines that are on disk. Each stays where it is and as long as it
   * is, for those who are reading. Resolves with the lines as they are now; null where none held a secret.
   */
  async hide(mask: Mask): Promise<{ readonly header: TraceHeader; readonly steps: readonly Step[] } | null> {
    await this.#pages?.rewrite((line) => mask.pages(line));
    const path = join(this.folder, 'trace.jsonl');
    const overwriting = mask.overwriting;
    const [first, ...rest] = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
    if (first === undefined) return null;
    const header = overwriting.header(JSON.parse(first) as TraceHeader);
    const steps = rest.map((line) => overwriting.step(JSON.parse(line) as Step));
    const changes: { readonly at: number; readonly line: string }[] = [];
    let at = 0;
    for (const [index, old] of [first, ...rest].entries()) {
      const room = Buffer.byteLength(old);
      const line = JSON.stringify(index === 0 ? header : steps[index - 1]);
      const spare = room - Buffer.byteLength(line);
      if (spare < 0) throw new Error(`Line ${index + 1} of the trace does not fit where it stands.`);
      if (line !== old) changes.push({ at, line: line + ' '.repeat(spare) });
      at += room + 1;
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

  /** The end of the trace: `run.json` appears whole or not at all. */
  async end(record: RunRecord): Promise<void> {
    await this.#file.close();
    await this.#pages?.end();
    const path = join(this.folder, 'run.json');
    await writeFile(`${path}.part`, `${JSON.stringify(record, null, 2)}\n`);
    await rename(`${path}.part`, path);
    await release(this.folder);
  }

  async #keepTexts(contents: Readonly<Record<string, Uint8Array>>): Promise<void> {
    const all = Object.entries(contents);
    if (all.length === 0) return;
    await mkdir(join(this.folder, 'files'), { recursive: true });
    for (const [name, content] of all) await writeFile(join(this.folder, contentName(name)), content);
  }

  async #keepPage(recorded: NonNullable<NewStep['recorded']>): Promise<void> {
    this.#pages ??= await PagesWriter.create(this.folder);
    await this.#pages.add(this.#lines, recorded);
  }

  async #keep(picture: RecordedPicture, name: string): Promise<void> {
    if (this.#pictures.has(name)) return;
    await writeFile(join(this.folder, name), picture.data);
    this.#pictures.add(name);
  }
}
