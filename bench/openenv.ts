import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { root } from '../scripts/places.ts';
import { preparePython } from '../scripts/python.ts';
import { OpenEnvEnvironment } from '../src/environments/openenv/environment.ts';
import { startFolderServer } from '../src/placement/openenv/folder-server.ts';
import { readTasks } from '../src/tasks/read.ts';
import type { Task } from '../src/tasks/task.ts';
import { comparePairs, type Figure, median } from './figures.ts';

const BLOCKS = 8;
/** Back and forth, so that the episode does not end. */
const STEPS = Array.from({ length: 300 }, (_, index) => ({ direction: index % 2 === 0 ? 'RIGHT' : 'LEFT' }));

/**
 * A step in an OpenEnv environment, with the checks by its schemas and the observation as text, against the same step through
 * OpenEnv's own client in Python, at the same server. Blocks of both take turns.
 */
export async function openenv(): Promise<readonly Figure[]> {
  await preparePython((text) => console.log(`  ${text}`));
  const folder = join(root, 'test', 'fixtures', 'openenv', 'typed');
  const server = await startFolderServer({ folder, python: await pythonProgram(), log: () => {} });
  const theirs = new PythonClient();
  try {
    const pairs: { ours: number; theirs: number }[] = [];
    for (let block = -1; block < BLOCKS; block++) {
      const pair = { theirs: await theirs.medianOf(server.address), ours: await medianOfOurs(server.address) };
      // The first block of each warms up.
      if (block >= 0) pairs.push(pair);
    }
    return [
      {
        name: 'step in an OpenEnv environment',
        against: 'the same step through GenericEnvClient in Python, at the same server',
        unit: 'µs',
        ...comparePairs(pairs),
        aim: { atMost: 1.15 },
      },
    ];
  } finally {
    await theirs.end();
    await server.stop();
  }
}

async function pythonProgram(): Promise<string> {
  const { stdout } = await promisify(execFile)('python3', ['-c', 'import sys; print(sys.executable)']);
  return stdout.trim();
}

async function medianOfOurs(url: string): Promise<number> {
  const environment = new OpenEnvEnvironment(() => {});
  try {
    await environment.reset({ task: taskOf(url), files: { folder: root }, seed: 0 });
    const times: number[] = [];
    for (const action of STEPS) {
      const began = performance.now();
      const { error } = await environment.step([action]);
      times.push((performance.now() - began) * 1000);
      if (error !== null) throw new Error(`The bench's own step failed: ${error.message}`);
    }
    return median(times);
  } finally {
    await environment.close();
  }
}

function taskOf(url: string): Task {
  const text = JSON.stringify({ id: 'walk', prompt: 'Walk.', gym: { type: 'openenv', url } });
  const task = readTasks(join(root, 'walk.task.json'), text).rows[0]?.task;
  if (!task) throw new Error('The bench’s own task cannot be read.');
  return task;
}

class PythonClient {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor() {
    this.#child = spawn('python3', [join(root, 'bench', 'openenv-client.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (this.#child.stdout === null) throw new Error('no standard output');
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async medianOf(url: string): Promise<number> {
    this.#child.stdin?.write(`${JSON.stringify({ url, steps: STEPS })}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error('OpenEnv’s own client ended.');
    return Number(value);
  }

  async end(): Promise<void> {
    const end = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await end;
  }
}
