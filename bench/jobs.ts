import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pidtree from 'pidtree';
import pidusage from 'pidusage';
import { runTask } from '../src/runs/run/runner.ts';
import { timeOfCommand } from './command-line.ts';
import { comparePairs, type Figure, median } from './figures.ts';
import { type BenchFolder, benchFolder } from './page.ts';
import { benchPlacement, benchPlan } from './placement.ts';

const QUESTIONS = 200;
const QUESTIONS_LIMIT_MS = 3_000;
const JOBS = 3;
/** Runs that one session makes one after the other, and each of two at once. */
const RUNS = 6;
const ROUNDS = 5;
/** How long the agent waits before each answer, as if it called a model, in ms. */
const THINKING = 150;

/** Many runs at once: from the command line against a limit, two sessions against one, and the memory of many runs. */
export async function jobs(): Promise<readonly Figure[]> {
  await using folder = await benchFolder();
  return [await questions(folder), await twoSessions(folder), await memoryOfRuns(folder)];
}

/** `taskwright run`. */
async function questions(folder: BenchFolder): Promise<Figure> {
  const cwd = join(folder.path, 'questions');
  await mkdir(cwd);
  const rows = Array.from({ length: QUESTIONS }, (_, index) => ({
    id: `q${index}`,
    prompt: `What is ${index} + 1?`,
    gym: 'qa',
    evaluate: { function: 'response_is', args: [String(index + 1)] },
  }));
  await writeFile(join(cwd, 'many.tasks.json'), JSON.stringify(rows));
  for (const [index, { id }] of rows.entries()) {
    await writeFile(join(cwd, `${id}.actions`), `send_msg_to_user('${index + 1}')\n`);
  }
  const times: number[] = [];
  for (let job = 0; job < JOBS; job += 1)
    times.push(await timeOfCommand(['run', 'many.tasks.json', '--out', `jobs-${job}`], cwd));
  const ours = median(times);
  return {
    name: `a job of ${QUESTIONS} questions`,
    against: 'the limit',
    ours,
    theirs: QUESTIONS_LIMIT_MS,
    unit: 'ms',
    ratio: ours / QUESTIONS_LIMIT_MS,
    aim: { atMost: 1 },
  };
}

/** Runs per second on a page: two sessions at the same time against one. Rounds of both take turns. */
async function twoSessions(folder: BenchFolder): Promise<Figure> {
  await using placement = benchPlacement();
  const agent = join(folder.path, 'thinking.agent.mjs');
  await writeFile(
    agent,
    `export default async (_observation, { step }) => {
  await new Promise((done) => setTimeout(done, ${THINKING}));
  return step < 4 ? "click('#apply')" : null;
};\n`,
  );
  let count = 0;
  const run = async (): Promise<void> => {
    count += 1;
    const plan = benchPlan(folder, folder.task('shop'), `module:${agent}`, `two-${count}`);
    const record = await runTask(plan, placement, () => {}, new AbortController().signal);
    if (record.status !== 'completed') throw new Error(record.error?.message ?? record.status);
  };
  const session = async (): Promise<void> => {
    for (let index = 0; index < RUNS; index += 1) await run();
  };
  const perSecond = async (sessions: number): Promise<number> => {
    const start = performance.now();
    await Promise.all(Array.from({ length: sessions }, session));
    return (1000 * sessions * RUNS) / (performance.now() - start);
  };
  await Promise.all([run(), run()]);
  const pairs: { ours: number; theirs: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const theirs = await perSecond(1);
    pairs.push({ ours: await perSecond(2), theirs });
  }
  return {
    name: 'two sessions at once',
    against: `one session; the agent thinks ${THINKING} ms a step`,
    unit: 'runs/s',
    ...comparePairs(pairs),
    aim: { atLeast: 1.7 },
  };
}

/** Growth of the memory of this process and its servers from 100 runs to 500. */
async function memoryOfRuns(folder: BenchFolder): Promise<Figure> {
  await using placement = benchPlacement();
  const resident = async (): Promise<number> => {
    const processes = await pidusage(await pidtree(process.pid, { root: true }));
    return Object.values(processes).reduce((sum, { memory }) => sum + memory, 0);
  };
  const runs = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index += 1) {
      const plan = benchPlan(folder, folder.task('form'), 'noop', `many-${index}`);
      await runTask(
        { ...plan, task: { ...plan.task, max_steps: 1 } },
        placement,
        () => {},
        new AbortController().signal,
      );
    }
  };
  await runs(0, 100);
  const before = await resident();
  await runs(100, 500);
  const growth = Math.max(0, (await resident()) - before) / 1e6;
  return {
    name: 'memory that 400 more runs take',
    against: 'the limit, after 100 runs',
    ours: growth,
    theirs: 150,
    unit: 'MB',
    ratio: growth / 150,
    aim: { atMost: 1 },
  };
}
