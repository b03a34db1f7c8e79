import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { dist } from '../programs.ts';
import { nothingLeft } from '../server/harness.ts';

/** The program `taskwright`, running. */
export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  /** The environment variable by which everything that comes of it is found. */
  readonly mark: string;
  /** What it has said so far. */
  said(): { out: string; err: string };
  /** Resolves when its output holds this text. */
  saying(text: string): Promise<void>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; out: string; err: string }>;
}

/** Starts `taskwright` as a person would; at the end of the test nothing of it may be left. `reads`: it is told something. */
export function start(
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
  reads = false,
): Started {
  const { stop, ...started } = startForAll(args, cwd, environment, reads);
  onTestFinished(stop);
  return started;
}

/** Starts `taskwright` for several tests. `stop` ends it; rejects if something of it is left. */
export function startForAll(
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>>,
  reads: boolean,
): Started & { stop(): Promise<void> } {
  const id = randomUUID();
  const child = spawn(process.execPath, [join(dist, 'cli.js'), ...args], {
    cwd,
    stdio: 'pipe',
    env: { ...process.env, TASKWRIGHT_TEST: id, NO_COLOR: '1', ...environment },
  });
  if (!reads) child.stdin.end();
  const text = { out: '', err: '' };
  const waiting = new Set<() => void>();
  const hear = (stream: 'out' | 'err') => (chunk: Buffer) => {
    text[stream] += chunk.toString('utf8');
    for (const one of waiting) one();
  };
  child.stdout.on('data', hear('out'));
  child.stderr.on('data', hear('err'));
  const ended: Started['ended'] = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...text }));
  });
  const mark = `TASKWRIGHT_TEST=${id}`;
  return {
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      await nothingLeft(mark);
    },
    child,
    mark,
    said: () => ({ ...text }),
    saying: (words) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!`${text.out}${text.err}`.includes(words)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        void ended.then(() => reject(new Error(`It ended before it said “${words}”:\n${text.out}${text.err}`)));
        look();
      }),
    ended,
  };
}
