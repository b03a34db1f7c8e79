import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BrotliCompress, brotliDecompress, constants, createBrotliCompress } from 'node:zlib';
import * as z from 'zod';
import { readOrdinaryFile } from '../base/file-kind.ts';
import { parseJson } from '../base/parse-json.ts';
import { type RecordedAction, type RecordedState, recordedActionSchema } from '../environments/recorded.ts';
import { TraceError } from './trace-file.ts';

/**
 * `pages.br` of a run's folder: the page of each step, one flushed brotli stream of lines of JSON.
 *
 * ```
 * {"format": "taskwright.pages", "version": 1}
 * {"resource": "<sha256>", "text": "body { … }"}      a resource, before the first page that uses it
 * {"index": 3, "actions": [...]}                        the actions of step 3, if it has any
 * {"index": 3, "page": {...}}                           or {"index": 3, "missing": "reason"}
 * ```
 */
const PAGES_FORMAT = 'taskwright.pages';
const PAGES_VERSION = 1;
const NAME = 'pages.br';

const headerSchema = z.object({ format: z.literal(PAGES_FORMAT), version: z.number() });
const lineSchema = z.union([
  z.object({ resource: z.string(), text: z.string() }),
  z.object({ index: z.number().int(), missing: z.string() }),
  z.object({ index: z.number().int(), actions: z.array(recordedActionSchema) }),
]);

/** Large enough to compress a page against the page before the previous one. */
const WINDOW = 22;
const QUALITY = 4;
const BREAK = 0x0a;
/** Maximum size of a decompressed recording, in bytes. */
const MAX_INFLATED = 1024 * 1024 * 1024;
const decompress = promisify(brotliDecompress);

/** The recording of a run up to one step: enough to restore the page. */
export interface RecordedPages {
  /** A `RecordedPage` as JSON; null if the step has none. */
  readonly page: Uint8Array | null;
  /** Why there is no page. */
  readonly missing: string | null;
  readonly resources: Readonly<Record<string, Uint8Array>>;
  /** Actions of this step and all earlier steps. */
  readonly actions: readonly RecordedAction[];
}

/** Writes the pages of a run. When `add` resolves, the page is on disk and can be read. */
export class PagesWriter {
  readonly #folder: string;
  #stream: BrotliStream;
  #isEmpty = true;

  private constructor(folder: string, stream: BrotliStream) {
    this.#folder = folder;
    this.#stream = stream;
  }

  static async create(folder: string): Promise<PagesWriter> {
    return new PagesWriter(folder, await BrotliStream.create(join(folder, NAME)));
  }

  async add(index: number, { page, missing, resources, actions }: RecordedState): Promise<void> {
    const lines: (string | Uint8Array)[] = [];
    if (this.#isEmpty) lines.push(`${JSON.stringify({ format: PAGES_FORMAT, version: PAGES_VERSION })}\n`);
    this.#isEmpty = false;
    for (const [resource, text] of Object.entries(resources)) {
      lines.push(`${JSON.stringify({ resource, text: Buffer.from(text).toString('utf8') })}\n`);
    }
    if (actions.length > 0) lines.push(`${JSON.stringify({ index, actions })}\n`);
    if (page === null) lines.push(`${JSON.stringify({ index, missing: missing ?? 'it was not recorded' })}\n`);
    else lines.push(`{"index":${index},"page":`, page, '}\n');
    await this.#stream.write(...lines);
  }

  /** Rewrites all lines with `change`. Leaves the file as it is if no line changes. */
  async rewrite(change: (line: string) => string): Promise<void> {
    const path = join(this.#folder, NAME);
    const oldLines = linesOf(await inflate(path, MAX_INFLATED)).map((line) => line.toString('utf8'));
    const lines = oldLines.map(change);
    if (lines.every((line, index) => line === oldLines[index])) return;
    const part = `${path}.part`;
    const stream = await BrotliStream.create(part);
    try {
      await stream.write(lines.map((line) => `${line}\n`).join(''));
      await this.#stream.end();
      await rename(part, path);
    } catch (error) {
      await stream.close();
      await rm(part, { force: true });
      throw error;
    }
    this.#stream = stream;
  }

  end(): Promise<void> {
    return this.#stream.end();
  }

  /** Closes the file of a run that is not recorded to its end. */
  close(): Promise<void> {
    return this.#stream.close();
  }
}

/** A compressed file that can be read up to the last write. */
class BrotliStream {
  readonly #file: FileHandle;
  readonly #brotli: BrotliCompress;
  #chunks: Buffer[] = [];

  private constructor(file: FileHandle) {
    this.#file = file;
    this.#brotli = createBrotliCompress({
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: QUALITY,
        [constants.BROTLI_PARAM_LGWIN]: WINDOW,
      },
      flush: constants.BROTLI_OPERATION_FLUSH,
    });
    this.#brotli.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
  }

  static async create(path: string): Promise<BrotliStream> {
    return new BrotliStream(await open(path, 'wx'));
  }

  async write(...parts: readonly (string | Uint8Array)[]): Promise<void> {
    // As one piece, because each piece makes a round trip to another thread.
    const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    await this.#flush((then) => this.#brotli.write(content, (error) => error == null && then()));
  }

  async end(): Promise<void> {
    await this.#flush((then) => this.#brotli.once('end', then).end());
    await this.#file.close();
  }

  /** Closes the file without the end of the stream. */
  async close(): Promise<void> {
    this.#brotli.destroy();
    await this.#file.close();
  }

  /** Waits until the compressor has returned all data, and writes it to disk. */
  async #flush(act: (then: () => void) => void): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#brotli.once('error', reject);
      act(() => {
        this.#brotli.off('error', reject);
        resolve();
      });
    });
    // Reading emits the remaining chunks as `data` events, too.
    while (this.#brotli.read() !== null);
    const chunks = this.#chunks;
    this.#chunks = [];
    await this.#file.appendFile(Buffer.concat(chunks));
  }
}

/** The pages of a recorded run, read once. Each page is parsed only when it is requested. */
export class PagesFile {
  readonly #pages = new Map<number, Buffer>();
  readonly #missing = new Map<number, string>();
  readonly #actions = new Map<number, readonly RecordedAction[]>();
  readonly #resources: Record<string, Uint8Array> = {};

  private constructor(lines: readonly Buffer[], path: string) {
    for (const [at, line] of lines.entries()) {
      const [, index, kind] = /^\{"index":(\d+),"(page)":/.exec(line.toString('latin1', 0, 40)) ?? [];
      if (kind !== undefined) {
        this.#pages.set(Number(index), line.subarray(line.indexOf(':', line.indexOf(`"${kind}"`)) + 1, -1));
      } else this.#parse(line, `${path}:${at + 2}`);
    }
  }

  /**
   * Null if the run has no pages, as in older traces and other environments. Rejects with `TraceError`.
   * @param maxBytes maximum number of decompressed bytes
   */
  static async open(traceDir: string, maxBytes = MAX_INFLATED): Promise<PagesFile | null> {
    const path = join(traceDir, NAME);
    let bytes: Buffer;
    try {
      bytes = await inflate(path, maxBytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw brokenFile(path, error);
    }
    const [first, ...lines] = linesOf(bytes);
    if (first === undefined) return null;
    const header = headerSchema.safeParse(parseLine(first, `${path}:1`));
    if (!header.success) throw brokenFile(path, 'its first line has no "format"');
    if (header.data.version > PAGES_VERSION) {
      throw new TraceError(
        'trace_newer',
        `${path} was written by a newer Taskwright (version ${header.data.version} of pages; this one reads up to ${PAGES_VERSION}). Update Taskwright to re-score the run.`,
      );
    }
    return new PagesFile(lines, path);
  }

  /** Indexes of the steps that have a page, in their order. */
  get indexes(): readonly number[] {
    return [...this.#pages.keys()];
  }

  /** The recording up to a step. */
  at(index: number): RecordedPages {
    const page = this.#pages.get(index) ?? null;
    return {
      page,
      missing: page === null ? (this.#missing.get(index) ?? 'the step has no recorded page') : null,
      resources: this.#resources,
      actions: [...this.#actions].flatMap(([step, actions]) => (step <= index ? actions : [])),
    };
  }

  #parse(line: Buffer, location: string): void {
    const { data } = lineSchema.safeParse(parseLine(line, location));
    if (data === undefined) throw brokenFile(location, 'the line has an unexpected form');
    if ('resource' in data) this.#resources[data.resource] = Buffer.from(data.text, 'utf8');
    else if ('missing' in data) this.#missing.set(data.index, data.missing);
    else this.#actions.set(data.index, data.actions);
  }
}

/** The text up to the last flush, even if the file is incomplete. Rejects with `TraceError` if there is too much of it. */
async function inflate(path: string, maxBytes: number): Promise<Buffer> {
  try {
    return await decompress(await readOrdinaryFile(path), {
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
      maxOutputLength: maxBytes,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw brokenFile(path, `it has more than ${maxBytes / 1024 / 1024} MB when decompressed`);
  }
}

/** The complete lines. */
function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(BREAK); end !== -1; end = bytes.indexOf(BREAK, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

function parseLine(line: Buffer, location: string): unknown {
  try {
    return parseJson(line.toString('utf8'));
  } catch (error) {
    throw brokenFile(location, error);
  }
}

function brokenFile(location: string, reason: unknown): TraceError {
  if (reason instanceof TraceError) return reason;
  return new TraceError(
    'trace_broken',
    `${location} is damaged: ${reason instanceof Error ? reason.message : String(reason)}`,
  );
}
