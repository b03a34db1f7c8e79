import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { getHeapStatistics } from 'node:v8';
import * as z from 'zod';
import type { Json } from '../../../tasks/task.ts';
import { UserFailure } from '../failure.ts';

/** As in host.py. */
const MEMORY_EXIT = 86;
const MB = 1024 * 1024;
/** Largest answer in bytes. */
const MOST_BYTES = 64 * MB;

const questionSchema = z.looseObject({ ask: z.string() });
/** What a function asks back while it runs. */
export type Question = z.infer<typeof questionSchema>;

/** How a question is answered. Rejects with words for the person's function. */
export type Answerer = (question: Question) => Promise<Json>;

/** `host.py`: the one Python process of a session, which ends with the session's process group. */
export class PythonProcess {
  /** Path of its Python. */
  readonly program: string;
  readonly #child: ChildProcess;
  readonly #gone: Promise<never>;
  /** What was asked for, one thing after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #chunks: Buffer = Buffer.alloc(0);
  /** Whoever waits for the next frame. */
  #arrived: ((frame: Json) => void) | null = null;
  #ended = false;
  #pending = 0;

  constructor(program: string) {
    this.program = program;
    // As much as the session itself may hold: half as much again as its heap, and what is not its heap.
    const memory = Math.round(getHeapStatistics().heap_size_limit * 1.5 + 256 * MB);
    this.#child = spawn(program, ['-E', '-B', '-u', '-X', 'utf8', hostProgram(), String(memory)], {
      // What it prints goes to the log, as what the session prints does.
      stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const gone = Promise.withResolvers<never>();
    this.#gone = gone.promise;
    // Whoever asks for something is told; before and after that nobody waits.
    this.#gone.catch(() => {});
    this.#child.once('error', (error) => {
      this.#ended = true;
      gone.reject(new UserFailure('call_threw', `Python (${program}) could not be started: ${error.message}`));
    });
    this.#child.once('exit', (code, signal) => {
      this.#ended = true;
      gone.reject(endOf(code, signal, memory));
    });
    // Its end says why nothing more can be written.
    this.#input.on('error', () => {});
    const output = this.#child.stdio[4] as Readable;
    output.on('error', () => {});
    output.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Something that was asked for is not answered yet. */
  get busy(): boolean {
    return this.#pending > 0;
  }

  /** Asks for something and answers what is asked back meanwhile. Rejects with `UserFailure` where Python ends. */
  request(message: Json, answer: Answerer): Promise<Json> {
    this.#pending += 1;
    const asked = this.#last
      .then(() => this.#request(message, answer))
      .finally(() => {
        this.#pending -= 1;
      });
    // Whoever asked is told; the next thing begins all the same.
    this.#last = asked.catch(() => {});
    return asked;
  }

  end(): void {
    this.#ended = true;
    this.#child.kill('SIGKILL');
  }

  async #request(message: Json, answer: Answerer): Promise<Json> {
    this.#write(message);
    for (;;) {
      const frame = await Promise.race([this.#next(), this.#gone]);
      const question = questionSchema.safeParse(frame);
      if (!question.success) return frame;
      try {
        this.#write({ answer: await Promise.race([answer(question.data), this.#gone]) });
      } catch (error) {
        if (this.#ended) throw error;
        this.#write({ failed: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) });
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
      this.#arrived = resolve;
      this.#read(Buffer.alloc(0));
    });
  }

  #read(chunk: Buffer): void {
    this.#chunks = Buffer.concat([this.#chunks, chunk]);
    if (this.#arrived === null || this.#chunks.byteLength < 4) return;
    const length = this.#chunks.readUInt32BE(0);
    if (length > MOST_BYTES) this.end();
    if (length > MOST_BYTES || this.#chunks.byteLength < 4 + length) return;
    const frame = JSON.parse(this.#chunks.toString('utf8', 4, 4 + length)) as Json;
    this.#chunks = this.#chunks.subarray(4 + length);
    const arrived = this.#arrived;
    this.#arrived = null;
    arrived(frame);
  }
}

function endOf(code: number | null, signal: NodeJS.Signals | null, memory: number): UserFailure {
  if (code === MEMORY_EXIT) {
    const most = Math.round(memory / MB);
    return new UserFailure(
      'out_of_memory',
      `needed more than ${most} MB of memory, so Python was ended. Does it collect things in an endless loop?`,
    );
  }
  const how = signal === null ? `exit code ${code}` : signal;
  return new UserFailure('call_threw', `ended Python with it (${how}). Does it call os._exit, or crash in a library?`);
}

/** Beside the program; where the sources run as they are, beside this file. */
function hostProgram(): string {
  const built = join(import.meta.dirname, 'functions-host.py');
  return existsSync(built) ? built : join(import.meta.dirname, 'host.py');
}
