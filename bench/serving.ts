import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { root } from '../scripts/places.ts';
import { preparePython } from '../scripts/python.ts';
import { locateBrowser } from '../src/environments/browser/launch/locate.ts';
import { locateMiniwob } from '../src/environments/browser/miniwob/locate.ts';
import { comparePairs, type Figure, median } from './figures.ts';

const TASK = 'enter-text';
/** Does not end the episode. */
const ACTION = "fill('BID', 'a')";
const ROUNDS = 3;
const STEPS = 12;
const SESSIONS = 8;

interface Stepped {
  readonly steps: readonly (readonly number[])[];
  /** Processor time of the server for all steps, in seconds. */
  readonly processor: number;
}

/**
 * A step of MiniWoB++ through `taskwright serve` and OpenEnv's Python client, against an environment on OpenEnv's base classes
 * over BrowserGym through the same client, in turns; and the processor time of a step with several sessions against that with
 * one. `TASKWRIGHT_BENCH_PYTHON`: a Python with BrowserGym, as for `miniwob`, and `openenv`.
 */
export async function serving(): Promise<readonly Figure[]> {
  const python = process.env['TASKWRIGHT_BENCH_PYTHON'] ?? 'python3';
  const [pages, browser] = await Promise.all([locateMiniwob(), locateBrowser()]);
  if (process.platform !== 'linux') return skipFigures('processor time is read from /proc');
  if (!('found' in pages)) return skipFigures(`no pages of MiniWoB++ (${pages.tried.join('; ')})`);
  if (!('found' in browser)) return skipFigures('no browser');
  const hasPeer = await promisify(execFile)(
    python,
    ['-c', 'import browsergym.miniwob, gymnasium, openenv.core, uvicorn'],
    {
      env: { ...process.env, MINIWOB_URL: 'file:///' },
    },
  ).then(
    () => true,
    () => false,
  );
  await preparePython((text) => console.log(`  ${text}`));
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-bench-'));
  const servers: ChildProcess[] = [];
  try {
    const gym = { type: 'browsergym', benchmark: 'miniwob', task_name: TASK };
    await writeFile(join(folder, 'bench.tasks.json'), JSON.stringify([{ id: TASK, gym }]));
    const start = async (program: string, args: (port: number) => readonly string[]): Promise<Server> => {
      const port = await freePort();
      const child = spawn(program, args(port), { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
      servers.push(child);
      const url = `http://127.0.0.1:${port}`;
      await answering(url, child);
      return { url, pid: child.pid ?? 0 };
    };
    const cli = join(root, 'dist', 'cli.js');
    const ours = (...options: readonly string[]) =>
      start(process.execPath, (port) => [cli, 'serve', '.', '--port', String(port), '--json', ...options]);
    const peer = (...options: readonly string[]) =>
      start(python, (port) => [
        join(root, 'bench', 'serving-peer.py'),
        ...[String(port), TASK, pages.found.folder, browser.found.path, ...options],
      ]);
    const server = await ours();
    const figures: Figure[] = [];
    if (hasPeer) {
      for (const options of [[], ['--no-screenshots']]) {
        const against = {
          ours: options.length === 0 ? server : await ours(...options),
          theirs: await peer(...options),
        };
        figures.push(await stepFigure(python, options.length === 0 ? 'with' : 'without', against));
      }
    } else skipFigures(`${python} has no browsergym-miniwob or openenv, so a step is not compared`);
    return [...figures, await sessionsFigure(server)];
  } finally {
    await Promise.all(
      servers.map(async (server) => {
        const end = server.exitCode === null ? once(server, 'close') : null;
        server.kill('SIGINT');
        await end;
      }),
    );
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param python runs the client of both servers */
async function stepFigure(
  python: string,
  screenshots: 'with' | 'without',
  { ours, theirs }: { readonly ours: Server; readonly theirs: Server },
): Promise<Figure> {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.theirs.push(median((await measureSteps(python, theirs, 1, {})).steps.flat()));
    times.ours.push(median((await measureSteps(python, ours, 1, { task: TASK })).steps.flat()));
  }
  const [a, b] = [median(times.ours) * 1000, median(times.theirs) * 1000];
  return {
    name: `a served step of MiniWoB++, ${screenshots} screenshots`,
    against: "the same step over BrowserGym on OpenEnv's base classes, through the same client",
    ours: a,
    theirs: b,
    unit: 'ms',
    ratio: a / b,
    aim: { atMost: 0.1 },
  };
}

async function sessionsFigure(server: Server): Promise<Figure> {
  const perStep = async (sessions: number): Promise<number> => {
    const { steps, processor } = await measureSteps('python3', server, sessions, { task: TASK });
    return (processor / steps.flat().length) * 1000;
  };
  const pairs: { ours: number; theirs: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const theirs = await perStep(1);
    pairs.push({ ours: await perStep(SESSIONS), theirs });
  }
  return {
    name: `a step with ${SESSIONS} sessions at once`,
    against: 'processor time of the server for a step of one session, browser included',
    unit: 'ms',
    ...comparePairs(pairs),
    aim: { atMost: 1.15 },
  };
}

interface Server {
  readonly url: string;
  readonly pid: number;
}

/** Steps through sessions at the same time with one client. */
async function measureSteps(python: string, { url, pid }: Server, sessions: number, reset: object): Promise<Stepped> {
  const client = spawn(python, [join(root, 'bench', 'serving-client.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
  client.stdin.end(JSON.stringify({ url, reset: { seed: 0, ...reset }, action: ACTION, steps: STEPS, sessions }));
  let before: Ticks = new Map();
  for await (const line of createInterface(client.stdout)) {
    if (line === 'ready') before = await ticksOf(pid);
    else {
      const processor = ticksBetween(before, await ticksOf(pid));
      if (processor <= 0) throw new Error(`Steps cannot take ${processor} s of processor time.`);
      return { ...(JSON.parse(line) as { steps: number[][] }), processor };
    }
  }
  throw new Error('The client ended without a result.');
}

/** The processor time of processes, by their ids and start times, in ticks. */
type Ticks = ReadonlyMap<string, number>;

const TICKS_PER_SECOND = 100;

/**
 * Seconds of processor time since `before`, of the processes that run now. Processes that ended belong to a session that
 * was closing, and does not count.
 */
function ticksBetween(before: Ticks, now: Ticks): number {
  const ticks = [...now].reduce((sum, [process, total]) => sum + total - (before.get(process) ?? 0), 0);
  return ticks / TICKS_PER_SECOND;
}

/** A process and all its running descendants. */
async function ticksOf(pid: number): Promise<Ticks> {
  const processes = new Map<number, { readonly parent: number; readonly born: string; readonly ticks: number }>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => null);
    // The name of the program is in parentheses, and may contain anything.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
    const ticks = Number(fields[11]) + Number(fields[12]);
    processes.set(Number(name), { parent: Number(fields[1]), born: fields[19] ?? '', ticks });
  }
  const isOurs = (one: number): boolean => {
    for (let at = one; at > 1; at = processes.get(at)?.parent ?? 0) if (at === pid) return true;
    return false;
  };
  const ours = [...processes].filter(([one]) => isOurs(one));
  return new Map(ours.map(([one, { born, ticks }]) => [`${one} ${born}`, ticks]));
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const { ok } = await fetch(`${url}/health`).catch(() => ({ ok: false }));
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The server ended before it answered.');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

function skipFigures(why: string): readonly Figure[] {
  console.log(`– served tasks: ${why}`);
  return [];
}
