import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Images } from '../../src/placement/docker/build.ts';
import { OWNER_LABEL } from '../../src/placement/docker/owner.ts';
import { start } from '../system/cli/program.ts';
import { root } from '../system/programs.ts';
import { daemon, temporaryFolder } from './harness.ts';
import { copyImage, type SwarmNode, startSwarmNode } from './swarm-node.ts';

/** Null if this machine allows no daemon in a container. */
const node: SwarmNode | null = await startSwarmNode().catch((error: Error) => {
  process.stdout.write(`Lanes of a swarm are not tested: ${error.message}\n`);
  return null;
});

beforeAll(async () => {
  if (node !== null) await copyImage(await new Images(root).ensure(await daemon(), 'coding', () => {}), node);
});
afterAll(() => node?.end());

/** What this or another process has in the swarm. */
async function owned({ docker }: SwarmNode): Promise<number> {
  const filters = { label: [OWNER_LABEL] };
  const all = await Promise.all([
    docker.listServices({ filters }),
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
  ]);
  return all.flat().length;
}

/** Processes of a name that run in containers of lanes, with the container. */
async function running(name: string, { docker }: SwarmNode): Promise<string[]> {
  const found: string[] = [];
  for (const { Id } of await docker.listContainers({ filters: { label: [OWNER_LABEL] } })) {
    // It may have ended.
    const top = await docker
      .getContainer(Id)
      .top()
      .catch(() => null);
    if (JSON.stringify(top?.Processes ?? []).includes(name)) found.push(Id);
  }
  return found;
}

/** The command line with a task in two lanes, whose evaluate call takes some seconds. */
async function taskwright(swarm: SwarmNode, command: string, ...args: string[]) {
  const folder = await temporaryFolder();
  const task = {
    id: 'note',
    prompt: 'Write a note.',
    gym: { type: 'coding' },
    evaluate: { function: 'command_succeeds', args: [command] },
    metadata: { docker: { cpus: 0.25, memory: 512, network: 'none' } },
  };
  await writeFile(join(folder, 'note.tasks.json'), JSON.stringify([task]));
  const options = ['--agent', 'noop', '--placement', 'swarm', '--lanes', '2', '--out', join(folder, 'out'), '--json'];
  return start(['run', 'note.tasks.json', ...options, ...args], folder, { DOCKER_HOST: swarm.address });
}

const LIMIT = { timeout: 30_000, interval: 250 };

describe.skipIf(node === null)('a swarm', () => {
  const swarm = node as SwarmNode;

  test('makes runs in lanes, each in a new container where agents run commands, and nothing of it is left', async () => {
    const program = await taskwright(swarm, '! ls /tmp/mark && touch /tmp/mark', '--group', '6');

    const { code, out, err } = await program.ended;

    expect({ code, err }).toMatchObject({ code: 0 });
    const { runs } = JSON.parse(out) as { runs: { run_id: string; reward: number; runtime: string }[] };
    expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(6);
    expect(runs.map(({ reward }) => reward)).toEqual([1, 1, 1, 1, 1, 1]);
    await expect.poll(() => owned(swarm), LIMIT).toBe(0);
  });

  test('gives the run of a lost lane to another, and counts it once', async () => {
    const program = await taskwright(swarm, 'sleep 4', '--group', '2');
    const [lost = ''] = await expect
      .poll(() => running('sleep 4', swarm), { ...LIMIT, timeout: 60_000 })
      .not.toEqual([])
      .then(() => running('sleep 4', swarm));

    await swarm.docker.getContainer(lost).kill();

    const { code, out, err } = await program.ended;
    expect({ code, err }).toMatchObject({ code: 0 });
    const { runs } = JSON.parse(out) as { runs: { reward: number; trace_dir: string }[] };
    expect(runs.map(({ reward }) => reward)).toEqual([1, 1]);
    const records = await Promise.all(runs.map(({ trace_dir }) => readFile(join(trace_dir, 'run.json'), 'utf8')));
    const [first, ...others] = records.flatMap(
      (text) => (JSON.parse(text) as { retried?: { code: string }[] }).retried ?? [],
    );
    expect(first?.code).toMatch(/^(?:lane_lost|container_died)$/);
    expect(others).toEqual([]);
  });

  test('has nothing left of an owner that was killed', async () => {
    const program = await taskwright(swarm, 'sleep 1000', '--group', '2', '--evaluate-timeout', '2000');
    await expect.poll(() => running('sleep 1000', swarm), { ...LIMIT, timeout: 60_000 }).not.toEqual([]);

    program.child.kill('SIGKILL');

    await program.ended;
    await expect.poll(() => owned(swarm), LIMIT).toBe(0);
  });
});
