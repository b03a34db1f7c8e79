import type { ChildProcess } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { endAll, marked, type Reaper } from './reaper.ts';

/** How long an agent that was told to end may take before it is killed. */
const POLITE_MS = 500;
/** How long the last words of an agent that has ended are waited for. */
const LAST_WORDS_MS = 500;
const TAIL_LINES = 5;

/** The longest line that is taken from an agent, in UTF-16 units. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** Calls `take` for each line of a stream; the last one needs no line break. A longer line than allowed ends in `tooLong`. */
export function eachLine(stream: NodeJS.ReadableStream, take: (line: string) => void, tooLong: () => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const text = decoder.write(chunk);
    const lines = text.split('\n');
    lines[0] = rest + (lines[0] ?? '');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line.replace(/\r$/, ''));
    if (rest.length > LONGEST_LINE) {
      rest = '';
      tooLong();
    }
  });
  stream.on('end', () => {
    const last = rest + decoder.end();
    rest = '';
    if (last !== '') take(last);
  });
}

/** How a process ended, in words: `exit code 1` or `signal SIGKILL`. */
function ending(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

/** An agent's process with all that it starts: in a group of its own, watched by the reaper, its words in the log. */
export class AgentProcess {
  readonly child: ChildProcess;
  /** Resolves with how it ended, once its last words are read; rejects where it could not be started. */
  readonly ended: Promise<string>;
  readonly #reaper: Reaper;
  readonly #mark: string;
  readonly #tail: string[] = [];
  #running = true;

  /** `start` must make the process the leader of a group (`detached`), with the environment that it is given, made of `env`. */
  constructor(
    reaper: Reaper,
    log: (text: string) => void,
    env: NodeJS.ProcessEnv,
    start: (env: NodeJS.ProcessEnv) => ChildProcess,
  ) {
    this.#reaper = reaper;
    reaper.ready();
    const own = marked(env);
    this.#mark = own.mark;
    this.child = start(own.env);
    if (this.child.pid !== undefined) reaper.guard(this.child.pid, this.#mark);
    this.ended = new Promise((resolve, reject) => {
      this.child.on('exit', (code, signal) => {
        this.#running = false;
        // `close` comes when its streams are read to their end, which something that it started may hold open.
        const late = setTimeout(() => resolve(ending(code, signal)), LAST_WORDS_MS);
        this.child.on('close', () => {
          clearTimeout(late);
          resolve(ending(code, signal));
        });
      });
      this.child.on('error', (error) => {
        if (this.child.pid !== undefined) return;
        this.#running = false;
        reject(error);
      });
    });
    // Whoever waits for its end is told why it could not be started.
    this.ended.catch(() => {});
    const say = (line: string): void => {
      this.#tail.push(line);
      if (this.#tail.length > TAIL_LINES) this.#tail.shift();
      log(line);
    };
    if (this.child.stderr !== null) eachLine(this.child.stderr, say, () => log('(a line too long to show)'));
  }

  /** The last words on standard error, for a message about its end. */
  get lastWords(): string {
    return this.#tail.join('\n');
  }

  kill(): void {
    if (this.child.pid !== undefined) endAll(this.child.pid, this.#mark);
  }

  /** Asks it to end with `ask`, kills what is still there after a moment, and waits until it is gone. */
  async close(ask: () => void): Promise<void> {
    if (this.child.pid === undefined) return;
    if (this.#running) {
      ask();
      const timer = setTimeout(() => this.kill(), POLITE_MS);
      await this.ended;
      clearTimeout(timer);
    }
    // What it started may still run.
    this.kill();
    this.#reaper.release(this.child.pid);
  }
}
