import type { FileHandle } from 'node:fs/promises';
import * as z from 'zod';
import { CodedError } from '../base/coded-error.ts';
import { isNotFound, openFile } from '../base/file-kind.ts';
import { parseJson } from '../base/parse-json.ts';
import { describeSystemError, isSystemError } from '../base/system-error.ts';
import { withTurn } from './model-turn.ts';
import { type Step, stepSchema, TRACE_FORMAT, TRACE_VERSION, type TraceHeader, traceHeaderSchema } from './trace.ts';

/** A trace that cannot be read. The message says why and what to do. */
export class TraceError extends CodedError<
  'trace_missing' | 'trace_newer' | 'trace_broken' | 'trace_running' | 'trace_unwritable'
> {
  override readonly name: string = 'TraceError';
}

interface Span {
  readonly start: number;
  readonly length: number;
}

const CHUNK = 1024 * 1024;
const HEADER_CHUNK = 16 * 1024;
const BREAK = 0x0a;

/** The positions of the lines in a file. The last line may have no line break. */
async function indexLines(file: FileHandle): Promise<{ lines: Span[]; complete: boolean }> {
  const lines: Span[] = [];
  // One extra byte, so that a single read reaches the end of a small file.
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, (await file.stat()).size + 1));
  let start = 0;
  let position = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.byteLength, position);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    for (let at = chunk.indexOf(BREAK); at !== -1; at = chunk.indexOf(BREAK, at + 1)) {
      lines.push({ start, length: position + at - start });
      start = position + at + 1;
    }
    position += bytesRead;
  }
  const complete = start === position;
  if (!complete) lines.push({ start, length: position - start });
  return { lines, complete };
}

const versionSchema = z.object({ format: z.literal(TRACE_FORMAT), version: z.number() });

/** A `trace.jsonl` file: its header and the positions of its steps. */
export class TraceFile {
  readonly header: TraceHeader;
  readonly #path: string;
  readonly #steps: readonly Span[];
  /** The last line is incomplete and was left out, because the process ended while writing it. */
  readonly cutShort: boolean;

  private constructor(path: string, header: TraceHeader, steps: readonly Span[], cutShort: boolean) {
    this.#path = path;
    this.header = header;
    this.cutShort = cutShort;
    this.#steps = steps;
  }

  /** Reads the header and finds the steps. Rejects with `TraceError`. */
  static async open(path: string): Promise<TraceFile> {
    return await withFile(path, async (file) => {
      const { lines, complete } = await indexLines(file);
      const last = complete ? undefined : lines.at(-1);
      const cutShort = last !== undefined && tryJson(await text(file, last)) === undefined;
      if (cutShort) lines.pop();
      const [first, ...steps] = lines;
      if (first === undefined) {
        throw new TraceError('trace_broken', `${path} is empty. The run ended before it started.`);
      }
      return new TraceFile(path, headerOf(await text(file, first), path), steps, cutShort);
    });
  }

  /** The trace of an attempt that has not started: the header of an earlier one, and no steps. Rejects with `TraceError`. */
  static async withoutSteps(path: string): Promise<TraceFile> {
    return new TraceFile(path, await readHeader(path), [], false);
  }

  get stepCount(): number {
    return this.#steps.length;
  }

  /** Rejects with `TraceError`, whose message has the line. */
  async step(index: number): Promise<Step> {
    const span = this.#steps[index];
    if (span === undefined) throw new RangeError(`The trace has no step ${index}.`);
    return await withFile(this.#path, async (file) => this.#parse(await text(file, span), index));
  }

  async steps(): Promise<readonly Step[]> {
    return await withFile(this.#path, async (file) => {
      const steps: Step[] = [];
      for (const spans of chunksOf(this.#steps)) {
        for (const line of await texts(file, spans)) steps.push(this.#parse(line, steps.length));
      }
      return steps;
    });
  }

  #parse(json: string, index: number): Step {
    const line = index + 2;
    const step = check(stepSchema, withTurn(parseLine(json, this.#path, line)), this.#path, line);
    if (step.index !== index) {
      throw new TraceError(
        'trace_broken',
        `${this.#path}:${line}: The step has index ${step.index}. Expected ${index}.`,
      );
    }
    return step;
  }
}

/** A header of an older version, which named the format of an imported run as its agent, as this version writes it. */
function withOrigin(header: unknown): unknown {
  const { origin, runtime, agent } = header as Readonly<Record<string, unknown>>;
  return origin === undefined && runtime === 'imported' ? { ...(header as object), origin: agent } : header;
}

/** Reads only the header of a trace. Rejects with `TraceError`. */
export async function readHeader(path: string): Promise<TraceHeader> {
  return headerOf((await readFirstLine(path)).toString('utf8'), path);
}

/** Reads the first line of a trace, without its line break. Rejects with `TraceError`. */
export async function readFirstLine(path: string): Promise<Buffer> {
  return await withFile(path, async (file) => {
    const parts: Buffer[] = [];
    for (let position = 0; ; ) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(HEADER_CHUNK), 0, HEADER_CHUNK, position);
      const chunk = buffer.subarray(0, bytesRead);
      const end = chunk.indexOf(BREAK);
      parts.push(end === -1 ? chunk : chunk.subarray(0, end));
      position += bytesRead;
      if (end !== -1 || bytesRead === 0) return Buffer.concat(parts);
    }
  });
}

function headerOf(line: string, path: string): TraceHeader {
  const json = parseLine(line, path, 1);
  const version = versionSchema.safeParse(json);
  if (!version.success) {
    throw new TraceError('trace_broken', `${path}:1: This is not a Taskwright trace: the first line has no "format".`);
  }
  if (version.data.version > TRACE_VERSION) {
    throw new TraceError(
      'trace_newer',
      `${path} was written by a newer Taskwright (trace version ${version.data.version}; this one reads up to ${TRACE_VERSION}). Update Taskwright to open it.`,
    );
  }
  return check(traceHeaderSchema, withOrigin(json), path, 1);
}

/** The error of a run whose folder cannot be read, so that one run does not end a job. Rethrows every other error. */
export function unreadable(folder: string, error: unknown): TraceError {
  if (error instanceof TraceError) return error;
  if (!isSystemError(error)) throw error;
  return new TraceError('trace_missing', `${folder} cannot be read: ${describeSystemError(error)}.`, { cause: error });
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  let file: FileHandle;
  try {
    file = await openFile(path);
  } catch (error) {
    const reason = isNotFound(error)
      ? `${path} does not exist. Specify the folder of a run.`
      : `The trace ${path} cannot be read: ${describeSystemError(error)}.`;
    throw new TraceError('trace_missing', reason);
  }
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function text(file: FileHandle, span: Span): Promise<string> {
  const [line = ''] = await texts(file, [span]);
  return line;
}

/** Reads consecutive lines at once. */
async function texts(file: FileHandle, spans: readonly Span[]): Promise<readonly string[]> {
  const start = spans[0]?.start ?? 0;
  const last = spans.at(-1) ?? { start, length: 0 };
  const buffer = Buffer.allocUnsafe(last.start + last.length - start);
  let read = 0;
  while (read < buffer.byteLength) {
    const { bytesRead } = await file.read(buffer, read, buffer.byteLength - read, start + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  const content = buffer.subarray(0, read);
  return spans.map((span) => content.toString('utf8', span.start - start, span.start - start + span.length));
}

/** Groups of consecutive lines that fit in a chunk; at least one line each. */
function* chunksOf(spans: readonly Span[]): Generator<readonly Span[]> {
  let chunk: Span[] = [];
  for (const span of spans) {
    const [first] = chunk;
    if (first !== undefined && span.start + span.length - first.start > CHUNK) {
      yield chunk;
      chunk = [];
    }
    chunk.push(span);
  }
  if (chunk.length > 0) yield chunk;
}

function tryJson(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    // The line is incomplete.
    return undefined;
  }
}

function parseLine(line: string, path: string, number: number): unknown {
  try {
    return parseJson(line);
  } catch (error) {
    throw new TraceError('trace_broken', `${path}:${number}: The line is damaged: ${(error as Error).message}`);
  }
}

function check<T>(schema: z.ZodType<T>, json: unknown, path: string, number: number): T {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const location = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
  throw new TraceError('trace_broken', `${path}:${number}: The line has an unexpected form: ${location}`);
}
