import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Container } from 'dockerode';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Images } from '../../src/placement/docker/build.ts';
import { OWNER_LABEL } from '../../src/placement/docker/owner.ts';
import { caseCount, isLong, itLong } from '../sample.ts';
import { start } from '../system/cli/program.ts';
import { root } from '../system/programs.ts';
import { daemon, temporaryFolder } from './harness.ts';
import { copyImage, type SwarmNode, startRegistry, startSwarm, type TestSwarm } from './test-swarm.ts';

/** Several nodes only for the tests of the long run. Null if this machine allows no daemon in a container. */
const started: TestSwarm | null = await startSwarm(isLong ? 3 : 1).catch((error: Error) => {
  process.stdout.write(`Lanes of a swarm are not tested: ${error.message}\n`);
  return null;
});

beforeAll(async () => {
  if (started === null) return;
  await copyImage(await new Images(root).ensure(await daemon(), 'coding', () => {}), started.nodes);
}, 300_000);
afterAll(() => started?.end());

/** What this or another process has in the swarm. */
async function owned({ docker, nodes }: TestSwarm): Promise<number> {
  const filters = { label: [OWNER_LABEL] };
  const all = await Promise.all([
    docker.listServices({ filters }),
    docker.listNetworks({ filters }),
    ...nodes.map((node) => node.docker.listContainers({ all: true, filters })),
  ]);
  return all.flat().length;
}

/** Containers of lanes in which processes of a name run. */
async function running(name: string, { nodes }: Pick<TestSwarm, 'nodes'>): Promise<Container[]> {
  const found: Container[] = [];
  for (const { docker } of nodes) {
    for (const { Id } of await docker.listContainers({ filters: { label: [OWNER_LABEL] } })) {
      const container = docker.getContainer(Id);
      // It may have ended.
      const top = await container.top().catch(() => null);
      if (JSON.stringify(top?.Processes ?? []).includes(name)) found.push(container);
    }
  }
  return found;
}

/** The command line with a task in lanes, whose evaluate call is a command. `out` is the folder of its jobs. */
async function taskwright(swarm: TestSwarm, command: string, lanes: number, ...args: string[]) {
  const folder = await temporaryFolder();
  const task = {
    id: 'note',
    prompt: 'Write a note.',
    gym: { type: 'coding' },
    evaluate: { function: 'command_succeeds', args: [command] },
    metadata: { docker: { cpus: 0.25, memory: 512, network: 'none' } },
  };
  await writeFile(join(folder, 'note.tasks.json'), JSON.stringify([task]));
  const out = join(folder, 'out');
  const options = ['--agent', 'noop', '--placement', 'swarm', '--lanes', String(lanes), '--out', out, '--json'];
  const hosts = swarm.nodes.map(({ address }) => address).join(',');
  const program = start(['run', 'note.tasks.json', ...options, '--hosts', hosts, ...args], folder);
  return { program, out };
}

/** How many runs of a job have ended so far. */
async function ended(out: string): Promise<number> {
  const names = await readdir(out, { recursive: true }).catch(() => []);
  return names.filter((name) => basename(name) === 'run.json').length;
}

/** Codes of the errors after which runs were made again. */
async function retried(runs: readonly { readonly trace_dir: string }[]): Promise<string[]> {
  const records = await Promise.all(runs.map(({ trace_dir }) => readFile(join(trace_dir, 'run.json'), 'utf8')));
  return records.flatMap((text) =>
    ((JSON.parse(text) as { retried?: { code: string }[] }).retried ?? []).map(({ code }) => code),
  );
}

/** Runs of a job whose node dies. A run has a new container, which takes a second or two here. */
const RUNS = 60;
const LIMIT = { timeout: 120_000, interval: 250 };

describe.skipIf(started === null)('a swarm', () => {
  const swarm = started as TestSwarm;

  test('makes runs in lanes, each in a new container where agents run commands, and nothing of it is left', async () => {
    const { program } = await taskwright(swarm, '! ls /tmp/mark && touch /tmp/mark', 2, '--group', '6');

    const { code, out, err } = await program.ended;

    expect({ code, err }).toMatchObject({ code: 0 });
    const { runs } = JSON.parse(out) as { runs: { run_id: string; reward: number; runtime: string }[] };
    expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(6);
    expect(runs.map(({ reward }) => reward)).toEqual([1, 1, 1, 1, 1, 1]);
    await expect.poll(() => owned(swarm), LIMIT).toBe(0);
  });

  itLong('runs tasks only on hosts that have the image, and says so', async () => {
    const manager = { ...swarm, nodes: swarm.nodes.slice(0, 1) };
    const { program } = await taskwright(manager, 'true', 2);

    const { code, err } = await program.ended;

    expect({ code, err }).toMatchObject({ code: 0 });
    expect(err).toContain('2 of 3 nodes of the swarm have no image and run no tasks. Name a registry');
  });

  // Packing the image takes its time.
  itLong(
    'gets images through a registry, to all nodes',
    async () => {
      const registry = await startRegistry(swarm);
      onTestFinished(() => registry.end());
      const manager = { ...swarm, nodes: swarm.nodes.slice(0, 1) };
      const args = ['--registry', `${registry.name}/me`, '--group', '6'];
      const { program } = await taskwright(manager, 'sleep 2', 6, ...args);

      const { code, out, err } = await program.ended;

      expect({ code, err }).toMatchObject({ code: 0, err: expect.not.stringContaining('have no image') });
      const { runs } = JSON.parse(out) as { runs: { reward: number }[] };
      expect(runs.map(({ reward }) => reward)).toEqual([1, 1, 1, 1, 1, 1]);
      for (const { docker } of swarm.nodes) {
        const names = (await docker.listImages()).flatMap(({ RepoDigests }) => RepoDigests ?? []);
        expect(names).toContainEqual(expect.stringMatching(`^${registry.name}/me/taskwright-coding@sha256:`));
      }
    },
    900_000,
  );

  itLong('gives the run of a lost lane to another, and counts it once', async () => {
    const { program } = await taskwright(swarm, 'sleep 8', 2, '--group', '2');
    let lost: readonly Container[] = [];
    await expect
      .poll(async () => {
        lost = await running('sleep 8', swarm);
        return lost;
      }, LIMIT)
      .not.toEqual([]);

    await lost[0]?.kill();

    const { code, out, err } = await program.ended;
    expect({ code, err }).toMatchObject({ code: 0 });
    const { runs } = JSON.parse(out) as { runs: { reward: number; trace_dir: string }[] };
    expect(runs.map(({ reward }) => reward)).toEqual([1, 1]);
    expect(await retried(runs)).toEqual([expect.stringMatching(/^(?:lane_lost|container_died)$/)]);
  });

  test('has nothing left of an owner that was killed', async () => {
    const lanes = caseCount(2, 6);
    const args = ['--group', String(lanes), '--evaluate-timeout', '2000'];
    const { program } = await taskwright(swarm, 'sleep 1000', lanes, ...args);
    await expect.poll(() => running('sleep 1000', swarm), LIMIT).toHaveLength(lanes);

    program.child.kill('SIGKILL');

    await program.ended;
    await expect.poll(() => owned(swarm), LIMIT).toBe(0);
  });

  // The last test: there is one node less after it.
  itLong(
    'makes all runs of a job whose node dies in the middle',
    async () => {
      const [, , lost] = swarm.nodes as [SwarmNode, SwarmNode, SwarmNode];
      const { program, out } = await taskwright(swarm, 'sleep 0.5', 6, '--group', String(RUNS));
      await expect.poll(() => ended(out), LIMIT).toBeGreaterThan(RUNS / 4);
      // It cannot end before its node.
      await expect.poll(() => lost.stopProcesses('sleep 0.5'), { ...LIMIT, interval: 50 }).toBe(true);

      await lost.kill();

      const { code, err, out: said } = await program.ended;
      expect({ code, err }).toMatchObject({ code: 0 });
      const { runs } = JSON.parse(said) as { runs: { run_id: string; reward: number; trace_dir: string }[] };
      expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(RUNS);
      expect(runs.map(({ reward }) => reward)).toEqual(Array.from({ length: RUNS }, () => 1));
      expect(await retried(runs)).toContain('lane_lost');
    },
    400_000,
  );
});
