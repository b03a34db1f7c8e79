import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Started, start } from '../cli/program.ts';
import { root } from '../programs.ts';
import { hasPython } from '../python.ts';

/** Whether the real OpenEnv is there. */
export const hasOpenEnv = hasPython('Served tasks', 'openenv.core');

/** `taskwright serve`, listening on a free port. */
export interface Served extends Started {
  readonly url: string;
  readonly token: string | null;
  readonly agent_token: string;
  readonly pid: number;
}

/** Serves the tasks of a folder until the end of the test. */
export async function serve(folder: string, ...args: readonly string[]): Promise<Served> {
  return await listening(start(['serve', '.', '--port', '0', '--json', ...args], folder, {}, true));
}

/** Resolves when a server that was started listens. */
export async function listening(started: Started): Promise<Served> {
  await started.saying('"pid"');
  const [line = ''] = started.said().out.split('\n');
  return { ...started, ...(JSON.parse(line) as Pick<Served, 'url' | 'token' | 'agent_token' | 'pid'>) };
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

/** The real clients, in one process: what it answers, by the number of the conversation. */
interface Clients {
  readonly child: ChildProcessWithoutNullStreams;
  readonly waiting: Map<number, (told: { answers: Got[] } | { failed: string }) => void>;
}

let clients: Clients | null = null;
let conversations = 0;

function startClients(): Clients {
  const child = spawn('python3', [join(root, 'test', 'fixtures', 'serving', 'drive.py')]);
  const started: Clients = { child, waiting: new Map() };
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  createInterface(child.stdout).on('line', (line) => {
    const told = JSON.parse(line);
    started.waiting.get(told.id)?.(told);
    started.waiting.delete(told.id);
  });
  child.on('close', (code) => {
    clients = null;
    for (const fail of started.waiting.values()) fail({ failed: `The clients ended with ${code}:\n${err}` });
  });
  return started;
}

/**
 * Drives a server with the real Python client. All tests of a worker share its process, which takes long to start and ends
 * with its standard input.
 */
export async function drive(
  url: string,
  sent: readonly Sent[],
  client: 'generic' | 'mcp' = 'generic',
  token: string | null = null,
): Promise<Got[]> {
  clients ??= startClients();
  const { child, waiting } = clients;
  const id = conversations++;
  const told = await new Promise<{ answers: Got[] } | { failed: string }>((resolve) => {
    waiting.set(id, resolve);
    child.stdin.write(`${JSON.stringify({ id, url, client, token, sent })}\n`);
  });
  if ('failed' in told) throw new Error(told.failed);
  return told.answers;
}

/** Runs a program; resolves with what it printed, whatever its exit code is. */
export function run(program: string, ...args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, (_error, out, err) => resolve(`${out}${err}`));
  });
}
