import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../scripts/places.ts';
import { HUD_0_6, isInstalled, preparePython } from '../scripts/python.ts';
import { announcedPort } from '../src/placement/hud/image-service.ts';
import { PythonServer } from '../src/placement/python-server.ts';
import { runTask } from '../src/runs/run/runner.ts';
import { readTasks } from '../src/tasks/read.ts';
import { timeOfCommand } from './command-line.ts';
import { comparePairs, type Figure, median } from './figures.ts';
import { benchPlacement } from './placement.ts';

const ENVIRONMENT = `from hud import Environment

env = Environment(name="letters")


@env.template()
async def count(word: str = "strawberry"):
    answer = yield f"How many r are in {word}"
    yield 1.0 if answer == str(word.count("r")) else 0.0
`;

const RUN_LIMIT_MS = 20;
const RUNS = 100;
const ROUNDS = 3;
const ROWS = 200;
/** Rows that HUD runs with a server each; the time of all is computed from theirs. */
const MEASURED_ROWS = 10;

const execute = promisify(execFile);
const bin = join(HUD_0_6.folder, 'bin');
/** Turns off HUD's telemetry. */
const env = { ...process.env, HUD_TELEMETRY_ENABLED: 'false', HUD_CLI_ANALYTICS_ENABLED: 'false' };

/**
 * A run of a trivial template of HUD 0.6 on a running server, against a limit and HUD's own command line; and a job of such
 * rows, against a server for each row, as `hud eval` runs them.
 */
export async function hud(): Promise<readonly Figure[]> {
  await preparePython((text) => console.log(`  ${text}`));
  if (!(await isInstalled(HUD_0_6))) {
    console.log('– tasks of HUD: HUD needs Python 3.11 or 3.12');
    return [];
  }
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-bench-'));
  try {
    await writeFile(join(folder, 'env.py'), ENVIRONMENT);
    await symlink(HUD_0_6.folder, join(folder, '.venv'));
    return [...(await oneRun(folder)), await job(folder)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** HUD's own server, which both clients can use. */
async function serve(folder: string): Promise<PythonServer> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const program = join(bin, 'python');
  const server = new PythonServer({
    name: 'letters',
    what: 'HUD environment',
    program,
    args: ['-m', 'hud.environment.server', join(folder, 'env.py'), '--port', '0'],
    command: program,
    secret: '',
    folder,
    log: () => {},
    onLine: (line) => {
      const port = announcedPort(line);
      if (port !== null) resolve(port);
    },
  });
  server.address = `tcp://127.0.0.1:${await server.until(promise)}`;
  return server;
}

async function oneRun(folder: string): Promise<readonly Figure[]> {
  const server = await serve(folder);
  await using placement = benchPlacement();
  try {
    const text = JSON.stringify({ env: server.address, id: 'count' });
    const task = readTasks(join(folder, 'count.task.json'), text).rows[0]?.task;
    if (!task) throw new Error('The bench’s own task cannot be read.');
    const actions = join(folder, 'count.actions');
    await writeFile(actions, 'response("3")\n');
    let count = 0;
    const run = async (): Promise<number> => {
      count += 1;
      const plan = {
        task,
        agent: `replay:${actions}`,
        seed: 0,
        jobId: 'bench',
        groupId: 'bench',
        runId: `hud-${count}`,
        // The default folder of runs, which contains no code of the environment.
        out: join(folder, '.taskwright', 'jobs'),
        cwd: folder,
        agentProgram: join(root, 'dist', 'agent.js'),
      };
      const began = performance.now();
      const { reward, error } = await runTask(plan, placement, () => {}, new AbortController().signal);
      if (reward !== 1) throw new Error(error?.message ?? `The reward is ${reward}.`);
      return performance.now() - began;
    };
    const theirRun = async (): Promise<number> => {
      const began = performance.now();
      await execute(join(bin, 'hud'), ['task', 'start', 'count', '-u', server.address], { env });
      const { stdout } = await execute(
        join(bin, 'hud'),
        ['task', 'grade', 'count', '--answer', '3', '-u', server.address],
        {
          env,
        },
      );
      if (stdout.trim() !== '1.0') throw new Error(`hud task grade printed ${stdout}`);
      return performance.now() - began;
    };
    // The first runs start a process and compile code.
    for (let index = 0; index < 20; index += 1) await run();
    const times: number[] = [];
    const pairs: { ours: number; theirs: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const theirs = await theirRun();
      const ours: number[] = [];
      for (let index = 0; index < RUNS / ROUNDS; index += 1) ours.push(await run());
      times.push(...ours);
      pairs.push({ ours: median(ours), theirs });
    }
    const ours = median(times);
    const name = 'a run of a HUD template';
    return [
      {
        name,
        against: 'the limit',
        ours,
        theirs: RUN_LIMIT_MS,
        unit: 'ms',
        ratio: ours / RUN_LIMIT_MS,
        aim: { atMost: 1 },
      },
      {
        name,
        against: '`hud task start` and `hud task grade` at the same server',
        unit: 'ms',
        ...comparePairs(pairs),
        aim: { atMost: 1 },
      },
    ];
  } finally {
    await server.stop();
  }
}

/** From the command line, with the start of the environment. */
async function job(folder: string): Promise<Figure> {
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    env: 'letters',
    id: 'count',
    args: { word: 'r'.repeat(index + 1) },
    slug: `count-${index}`,
  }));
  await writeFile(join(folder, 'many.tasks.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
  for (const [index, { slug }] of rows.entries()) {
    await writeFile(join(folder, `${slug}.actions`), `response("${index + 1}")\n`);
  }
  const pairs: { ours: number; theirs: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { stdout } = await execute(
      join(bin, 'python3'),
      [join(root, 'bench', 'hud-eval.py'), String(MEASURED_ROWS)],
      { cwd: folder, env },
    );
    const theirs = (Number(stdout) * ROWS) / MEASURED_ROWS;
    const ours = (await timeOfCommand(['run', 'many.tasks.jsonl'], folder)) / 1000;
    pairs.push({ ours, theirs });
  }
  const { ours, theirs } = comparePairs(pairs);
  return {
    name: `a job of ${ROWS} HUD rows`,
    against: `a server for each row, as \`hud eval\` does it; computed from ${MEASURED_ROWS} rows at once`,
    ours,
    theirs,
    unit: 's',
    ratio: median(pairs.map((pair) => pair.theirs / pair.ours)),
    aim: { atLeast: 50 },
  };
}
