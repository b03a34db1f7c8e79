import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Images } from '../src/placement/docker/build.ts';
import { connect } from '../src/placement/docker/connection.ts';
import { copyImage, startSwarm, type TestSwarm } from '../test/docker/test-swarm.ts';
import { timeOfCommand } from './command-line.ts';
import { comparePairs, type Figure } from './figures.ts';
import type { OwnersUse } from './lanes-owner.ts';
import { outputOf } from './output-of.ts';
import type { BenchFolder } from './page.ts';

const root = join(import.meta.dirname, '..');
const NODES = 3;
const LANES = 4;
/** Runs of each of the two tasks of the login example. */
const GROUP = 100;
const ROUNDS = 2;
const SIMULATED = { lanes: 1_000, runs: 100_000 };

/**
 * Where Docker allows a daemon in a container: runs over three nodes that share this machine, against one of them. Other
 * load on the machine changes the times a lot, and the processor time little.
 */
export async function threeNodes(folder: BenchFolder): Promise<readonly Figure[]> {
  const swarm = await startSwarm(NODES);
  try {
    const { docker } = await connect();
    await copyImage(await new Images(root).ensure(docker, 'browser', () => {}), swarm.nodes);
    const cwd = await loginTasks(folder);
    const costOf = async (where: string): Promise<Cost> => {
      const hosts = swarm.nodes.map(({ address }) => address).join(',');
      const out = ['--out', join(folder.path, where), '--group', String(GROUP)];
      const lanes = ['--placement', 'swarm', '--lanes', String(LANES), '--hosts', hosts];
      const before = await processorTime(swarm);
      const time = await timeOfCommand(['run', 'login.taskset.json', ...lanes, ...out], cwd);
      return { time, processor: (await processorTime(swarm)) - before };
    };
    const pairs: { ours: Cost; theirs: Cost }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await setWorkers(swarm, 'drain');
      const theirs = await costOf(`one-${round}`);
      await setWorkers(swarm, 'active');
      pairs.push({ ours: await costOf(`three-${round}`), theirs });
    }
    const figure = (cost: keyof Cost, name: string): Figure => ({
      ...{ name, against: `the same ${LANES} lanes on one of the nodes`, unit: 'ms', aim: { atMost: 1.3 } },
      ...comparePairs(pairs.map(({ ours, theirs }) => ({ ours: ours[cost], theirs: theirs[cost] }))),
    });
    const name = `${2 * GROUP} runs over ${NODES} nodes of this machine`;
    return [figure('time', name), figure('processor', `${name}: processor time`)];
  } finally {
    await swarm.end();
  }
}

interface Cost {
  readonly time: number;
  /** Of the nodes with all that runs in them. */
  readonly processor: number;
}

async function processorTime({ nodes }: TestSwarm): Promise<number> {
  const times = await Promise.all(nodes.map((node) => node.processorTime()));
  return times.reduce((sum, time) => sum + time, 0);
}

/** The login example with limits under which all lanes have room on one node. Returns its folder. */
async function loginTasks(folder: BenchFolder): Promise<string> {
  const cwd = join(folder.path, 'login');
  await cp(join(root, 'examples', 'login'), cwd, { recursive: true });
  const file = join(cwd, 'login.taskset.json');
  const set = JSON.parse(await readFile(file, 'utf8')) as { readonly tasks: readonly object[] };
  const metadata = { docker: { cpus: 0.5, memory: 1024, network: 'none' } };
  await writeFile(file, JSON.stringify({ ...set, tasks: set.tasks.map((task) => ({ ...task, metadata })) }));
  return cwd;
}

/** Whether nodes that are no managers get lanes. */
async function setWorkers({ docker }: TestSwarm, Availability: 'active' | 'drain'): Promise<void> {
  const nodes = (await docker.listNodes()) as readonly SwarmMember[];
  for (const { ID, Version, Spec } of nodes.filter(({ Spec: { Role } }) => Role === 'worker'))
    await docker.getNode(ID).update({ version: Version.Index, ...Spec, Availability });
}

/** A node as Docker lists it. */
interface SwarmMember {
  readonly ID: string;
  readonly Version: { readonly Index: number };
  readonly Spec: { readonly Role: 'manager' | 'worker' };
}

/** What the owner of simulated lanes needs: processors while it makes a large job, and memory. */
export async function thousandLanes(folder: BenchFolder): Promise<readonly Figure[]> {
  const { lanes, runs } = SIMULATED;
  const program = join(import.meta.dirname, 'lanes-owner.ts');
  const args = [...process.execArgv, program, join(folder.path, 'simulated'), String(lanes), String(runs)];
  const use = JSON.parse(await outputOf(process.execPath, args, root)) as OwnersUse;
  if (use.completed !== runs) throw new Error(`Only ${use.completed} of ${runs} runs have a reward.`);
  const processors = use.processor_seconds / use.seconds;
  const name = `${lanes.toLocaleString('en')} lanes, ${runs.toLocaleString('en')} runs`;
  const against = `the limit; ${(runs / use.seconds).toFixed(0)} runs/s, ${use.retried} made again`;
  return [
    {
      ...{ name: `${name}: processors of the owner`, against, ours: processors, theirs: 1, unit: 'processors' },
      ...{ ratio: processors, aim: { atMost: 1 } },
    },
    {
      ...{ name: `${name}: its memory`, against: 'the limit', ours: use.memory, theirs: 1024, unit: 'MB' },
      ...{ ratio: use.memory / 1024, aim: { atMost: 1 } },
    },
  ];
}
