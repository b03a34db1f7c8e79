import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Started, start } from '../cli/program.ts';
import { root } from '../programs.ts';
import { hasPython } from '../python.ts';

/** Whether the real OpenEnv is there. */
export const hasOpenEnv = hasPython('Served tasks', 'openenv.core');

/** `taskwright serve`, listening on a free port. */
export interface Served extends Started {
  readonly url: string;
  readonly token: string | null;
  readonly pid: number;
}

/** Serves the tasks of a folder until the end of the test. */
export async function serve(folder: string, ...args: readonly string[]): Promise<Served> {
  const started = start(['serve', '.', '--port', '0', '--json', ...args], folder, {}, true);
  await started.saying('"pid"');
  const [line = ''] = started.said().out.split('\n');
  return { ...started, ...(JSON.parse(line) as { url: string; token: string | null; pid: number }) };
}

/** What a client of OpenEnv sends, in the form of `drive.py`. */
export type Sent = readonly [method: string, given: unknown];

/** What it got. */
export interface Got {
  readonly observation: { readonly [key: string]: unknown };
  readonly reward: number | null;
  readonly done: boolean;
  readonly error?: string;
}

/** Drives a server with the real Python client. */
export async function drive(url: string, sent: readonly Sent[], client: 'generic' | 'mcp' = 'generic'): Promise<Got[]> {
  const child = spawn('python3', [join(root, 'test', 'fixtures', 'serving', 'drive.py'), url, client]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdin.end(JSON.stringify(sent));
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`The client ended with ${code}:\n${err}`);
  return JSON.parse(out) as Got[];
}

/** Runs a program; resolves with what it printed, whatever its exit code is. */
export function run(program: string, ...args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, (_error, out, err) => resolve(`${out}${err}`));
  });
}
