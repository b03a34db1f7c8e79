import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActionInput } from '../src/actions/action.ts';
import { EMPTY_RANGE } from '../src/base/range.ts';
import { describeElement } from '../src/environments/browser/acting/in-page/describe.ts';
import { STATES } from '../src/environments/browser/recording/element-chain.ts';
import { plain } from '../src/functions/page/plain.ts';
import { sourceOf } from '../src/functions/page/source-of.ts';
import { Images } from '../src/placement/docker/build.ts';
import { connect } from '../src/placement/docker/connection.ts';
import { Container } from '../src/placement/docker/container.ts';
import type { ContainerSecurity, ContainerSpec } from '../src/placement/docker/create-options.ts';
import { DEFAULT_LIMITS } from '../src/placement/docker/limits.ts';
import { ownerLabel, thisOwner } from '../src/placement/docker/owner.ts';
import { startBrowser } from '../src/server/browser.ts';
import type { Task } from '../src/tasks/task.ts';
import { type Figure, median } from './figures.ts';
import { benchFolder } from './page.ts';

const WARM_UP = 10;
const STEPS = 100;
/** The limit for the additional time of a step, as a ratio. */
const MOST = 1.05;

const ACTIONS: Readonly<Record<string, ActionInput>> = {
  'a command': { type: 'run', cmd: 'true' },
  'a Python program': { type: 'run', cmd: 'python3 -c pass' },
  'writing a file': { type: 'write_file', path: 'a.txt', text: 'text\n' },
  'reading a file': { type: 'read_file', path: 'a.txt' },
};

/** The cost of isolating an agent from the evaluation: steps with isolation against the same steps without. */
export async function attacks(): Promise<readonly Figure[]> {
  return [...(await worlds()), ...(await users())];
}

/** A click and a picture; what is recorded of the element is read in a world of our own, or in the page's own. */
async function worlds(): Promise<readonly Figure[]> {
  await using folder = await benchFolder();
  const { browser } = await startBrowser(false);
  try {
    const page = await browser.newPage();
    await page.setContent(folder.html('table'));
    const cdp = await page.context().newCDPSession(page);
    const { frameTree } = await cdp.send('Page.getFrameTree');
    const { executionContextId } = await cdp.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
    const describe = async (world: { contextId?: number }): Promise<void> => {
      const expression = `(${sourceOf(describeElement)})(document.querySelector('#next'), ${JSON.stringify(STATES)}, ${plain})`;
      const { exceptionDetails } = await cdp.send('Runtime.evaluate', { ...world, expression, returnByValue: true });
      if (exceptionDetails) throw new Error(exceptionDetails.text);
    };
    const step = async (world: { contextId?: number }): Promise<void> => {
      await describe(world);
      await page.click('#next');
      await page.screenshot({ type: 'png' });
    };
    const [apart, together] = await timeInTurns(
      () => step({ contextId: executionContextId }),
      () => step({}),
    );
    return [figure('step on a page: described click', "the same described in the page's own world", apart, together)];
  } finally {
    await browser.close();
  }
}

/** Steps of a coding task in a container whose agent is a user of its own, and in one that has a single user. */
async function users(): Promise<readonly Figure[]> {
  const extension = join(import.meta.dirname, '..');
  const { docker } = await connect();
  const image = await new Images(extension).ensure(docker, 'coding', (text) => console.error(text));
  const sealing: ContainerSecurity = {
    owner: ownerLabel(await thisOwner()),
    seccomp: await readFile(join(extension, 'docker', 'seccomp.json'), 'utf8'),
    user: { uid: 10_001, gid: 10_001 },
  };
  const spec = (kind: ContainerSpec['kind']): ContainerSpec => {
    return { image, kind, folder: null, limits: DEFAULT_LIMITS, miniwob: null };
  };
  const start = (kind: ContainerSpec['kind']) => Container.start(docker, spec(kind), sealing, () => {});
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-bench-'));
  const apart = await start('coding');
  // As containers of browser tasks are started: everything is one user's.
  const together = await start('browser');
  try {
    const [first, second] = [await begin(apart, folder), await begin(together, folder)];
    const figures: Figure[] = [];
    for (const [name, action] of Object.entries(ACTIONS)) {
      const [ours, theirs] = await timeInTurns(
        () => first(action),
        () => second(action),
      );
      figures.push(figure(`step in Docker: ${name}`, 'the same with one user for all', ours, theirs));
    }
    return figures;
  } finally {
    await Promise.all([apart.dispose(), together.dispose()]);
    await rm(folder, { recursive: true });
  }
}

/** Starts a coding task in a container and returns a function that takes an action there. */
async function begin(container: Container, folder: string): Promise<(action: ActionInput) => Promise<void>> {
  const { session } = await container.request('session.open', {});
  const files = { contents: {} };
  await container.request('session.reset', { session, task: task(join(folder, 'a.task.json')), files, seed: 0 });
  return async (action) => {
    const { error } = await container.request('session.step', { session, actions: [action] });
    if (error) throw new Error(`The bench's own step failed: ${error.message}`);
  };
}

function task(file: string): Task {
  return {
    ...{ file, index: 0, id: 'a', era: '0.2', range: EMPTY_RANGE, name: null, description: null, prompt: 'Do it' },
    ...{ system_prompt: null, env: { type: 'coding' }, tags: [], initial_state: {}, setup: [] },
    ...{ evaluate: [], config: null, sensitive_data: {}, metadata: {}, max_steps: null },
  };
}

function figure(name: string, against: string, ours: number, theirs: number): Figure {
  return { name, against, ours, theirs, unit: 'ms', ratio: ours / theirs, aim: { atMost: MOST } };
}

/** The median times of two steps, in milliseconds. They take turns, so that other load on the machine slows both. */
async function timeInTurns(first: () => Promise<void>, second: () => Promise<void>): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let index = -WARM_UP; index < STEPS; index += 1) {
    for (const [place, step] of [first, second].entries()) {
      const start = performance.now();
      await step();
      if (index >= 0) times[place]?.push(performance.now() - start);
    }
  }
  return [median(times[0]), median(times[1])];
}
