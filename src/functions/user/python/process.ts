import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { getHeapStatistics } from 'node:v8';
import * as z from 'zod';
import { firstLine } from '../../../base/first-line.ts';
import type { Json } from '../../../base/json.ts';
import { UserFailure } from '../failure.ts';

/** The exit code of host.py when it exceeds its memory limit. */
const MEMORY_EXIT = 86;
const MB = 1024 * 1024;
/** The maximum size of an answer in bytes. */
const MAX_BYTES = 64 * MB;

const questionSchema = z.looseObject({ ask: z.string() });
/** A question of a running function. */
export type Question = z.infer<typeof questionSchema>;

/** Answers a question. A rejection is raised in the function. */
export type Answerer = (question: Question) => Promise<Json>;

/** The one Python process of a session, which runs `host.py` and ends with the session's process group. */
export class PythonProcess {
  /** The path of the Python executable. */
  readonly program: string;
  readonly #child: ChildProcess;
  readonly #end: Promise<never>;
  /** The last request. Requests run one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #chunks: Buffer = Buffer.alloc(0);
  /** Resolves the next frame. */
  #resolveFrame: ((frame: Json) => void) | null = null;
  #ended = false;
  #pending = 0;

  constructor(program: string) {
    this.program = program;
    // As much as the session itself: 1.5 times its heap limit, plus an allowance for memory outside of the heap.
    const memory = Math.round(getHeapStatistics().heap_size_limit * 1.5 + 256 * MB);
    this.#child = spawn(program, ['-E', '-B', '-u', '-X', 'utf8', hostProgram(), String(memory)], {
      // Its output goes to the log, as the session's output does.
      stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const end = Promise.withResolvers<never>();
    this.#end = end.promise;
    // Callers get the rejection through their requests.
    this.#end.catch(() => {});
    this.#child.once('error', (error) => {
      this.#ended = true;
      end.reject(new UserFailure('call_threw', `Python (${program}) could not be started: ${error.message}`));
    });
    this.#child.once('exit', (code, signal) => {
      this.#ended = true;
      end.reject(endOf(code, signal, memory));
    });
    // The `exit` event reports the reason.
    this.#input.on('error', () => {});
    const output = this.#child.stdio[4] as Readable;
    output.on('error', () => {});
    output.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Whether a request is pending. */
  get busy(): boolean {
    return this.#pending > 0;
  }

  /** Sends a request and answers questions meanwhile. Rejects with `UserFailure` if Python ends. */
  request(message: Json, answer: Answerer): Promise<Json> {
    this.#pending += 1;
    const result = this.#last
      .then(() => this.#request(message, answer))
      .finally(() => {
        this.#pending -= 1;
      });
    // The caller gets the rejection, and the next request starts anyway.
    this.#last = result.catch(() => {});
    return result;
  }

  end(): void {
    this.#ended = true;
    this.#child.kill('SIGKILL');
  }

  async #request(message: Json, answer: Answerer): Promise<Json> {
    this.#write(message);
    for (;;) {
      const frame = await Promise.race([this.#next(), this.#end]);
      const question = questionSchema.safeParse(frame);
      if (!question.success) return frame;
      try {
        this.#write({ answer: await Promise.race([answer(question.data), this.#end]) });
      } catch (error) {
        if (this.#ended) throw error;
        this.#write({ failed: firstLine(error) });
      }
    }
  }

  get #input(): Writable {
    return this.#child.stdio[3] as Writable;
  }

  #write(message: Json): void {
    const body = Buffer.from(JSON.stringify(message), 'utf8');
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.byteLength);
    this.#input.write(Buffer.concat([head, body]));
  }

  #next(): Promise<Json> {
    return new Promise((resolve) => {
      this.#resolveFrame = resolve;
      this.#read(Buffer.alloc(0));
    });
  }

  #read(chunk: Buffer): void {
    this.#chunks = Buffer.concat([this.#chunks, chunk]);
    if (this.#resolveFrame === null || this.#chunks.byteLength < 4) return;
    const length = this.#chunks.readUInt32BE(0);
    if (length > MAX_BYTES) this.end();
    if (length > MAX_BYTES || this.#chunks.byteLength < 4 + length) return;
    const frame = JSON.parse(this.#chunks.toString('utf8', 4, 4 + length)) as Json;
    this.#chunks = this.#chunks.subarray(4 + length);
    const resolve = this.#resolveFrame;
    this.#resolveFrame = null;
    resolve(frame);
  }
}

function endOf(code: number | null, signal: NodeJS.Signals | null, memory: number): UserFailure {
  if (code === MEMORY_EXIT) {
    const most = Math.round(memory / MB);
    return new UserFailure(
      'out_of_memory',
      `used more than ${most} MB of memory, so Python was terminated. Check for an endless loop that collects data.`,
    );
  }
  const how = signal === null ? `exit code ${code}` : signal;
  return new UserFailure('call_threw', `terminated Python (${how}). Check for os._exit or a crash in a library.`);
}

/** The path of host.py: next to the program, or next to this file if the sources run directly. */
function hostProgram(): string {
  const bundled = join(import.meta.dirname, 'functions-host.py');
  return existsSync(bundled) ? bundled : join(import.meta.dirname, 'host.py');
}
