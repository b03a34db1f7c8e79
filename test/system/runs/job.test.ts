import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startJob } from '../../../src/runs/job/job.ts';
import { type JobOptions, type JobRun, makeRuns } from '../../../src/runs/job/job-runs.ts';
import type { Task } from '../../../src/tasks/task.ts';
import type { JobPlan, PlannedRun } from '../../../src/traces/job-file.ts';
import type { Run, RunRecord } from '../../../src/traces/trace.ts';
import { caseCount } from '../../sample.ts';
import { call, fileIn, task, temporaryFolder } from '../../unit/runs/tasks.ts';
import { start } from '../cli/program.ts';
import { allOf, type Marked, nothingLeft, place } from '../server/harness.ts';

const PAGE =
  '<title>A page</title><button onclick="document.title = `Pressed`; this.remove()">Press</button><p>Hello</p>';

/** Runs of a long job; `npm run bench jobs` measures the memory that they take. */
const MANY = caseCount(100, 500);

/** Makes a job of so many runs; each `browserEvery`-th is in a browser, the others are questions. */
async function make(
  { placement }: Marked,
  of: { runs: number; browserEvery: number },
  watch: Partial<Pick<JobOptions, 'started' | 'ended'>> = {},
): Promise<{ results: (Run | RunRecord)[]; folder: string }> {
  const cwd = await temporaryFolder();
  await fileIn(cwd, 'page.html', PAGE);
  await fileIn(cwd, 'press.actions', 'click("button")\n');
  await fileIn(cwd, 'yes.actions', "send_msg_to_user('yes')\n");
  const file = join(cwd, 'many.tasks.json');
  const runs = Array.from({ length: of.runs }, (_, index): JobRun & { task: Task } => {
    const inBrowser = index % of.browserEvery === of.browserEvery - 1;
    const plannedRun: PlannedRun = {
      run_id: `run-${index}`,
      file,
      task_id: `t${index}`,
      index,
      group_id: `g${index}`,
      seed: 0,
      agent: inBrowser ? 'replay:press.actions' : 'replay:yes.actions',
      placement: 'local',
      error: null,
    };
    const more: Partial<Task> = inBrowser
      ? {
          env: { type: 'hud-browser' },
          setup: [call('goto', ['page.html'])],
          evaluate: [call('page_contains', ['Hello'])],
        }
      : { env: { type: 'qa' }, evaluate: [call('response_is', ['yes'])] };
    return { plannedRun, task: task({ file, index, id: `t${index}`, ...more }), done: null };
  });
  const plan: JobPlan = { cwd, runs: runs.map(({ plannedRun }) => plannedRun) };
  const job = { ...(await startJob(join(cwd, 'jobs'), { retention: null, plan })), plan };
  const results = await makeRuns(job, runs, {
    concurrency: 2,
    retries: 2,
    placement: async () => placement,
    started: () => ({ listen: () => {} }),
    ended: () => {},
    signal: new AbortController().signal,
    ...watch,
  });
  await job.end();
  return { results, folder: job.folder };
}

it('64 runs of one job are complete although every browser crashes during its run', async () => {
  const marked = place();
  let killed = false;
  let browsers: readonly number[] = [];
  const { results, folder } = await make(
    marked,
    { runs: 64, browserEvery: 8 },
    {
      started: ({ plannedRun }) => ({
        listen: (event) => {
          // After setup, before the agent's click.
          if (event.type !== 'phase' || event.phase !== 'agent') return;
          // To look for them takes longer than a click: those of earlier runs are known by then.
          if (!killed && plannedRun.index % 8 === 7)
            void allOf(marked.mark, 'browser').then((now) => (browsers = now.map(({ pid }) => pid)));
          if (plannedRun.run_id !== 'run-39' || killed) return;
          for (const pid of browsers) killed = process.kill(pid, 'SIGKILL') || killed;
        },
      }),
    },
  );
  expect(killed).toBe(true);
  expect(results).toHaveLength(64);
  expect(results.filter((run) => run.status !== 'completed' || run.reward !== 1)).toEqual([]);
  const on = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  expect(on).toHaveLength(64);
  const again = results.filter((run) => 'retried' in run && run.retried !== undefined);
  // Another run may have been in its browser.
  expect(again.length).toBeLessThanOrEqual(2);
  expect(again.map((run) => run.run_id)).toContain('run-39');
  const causes = again.flatMap((run) => ('retried' in run ? (run.retried ?? []) : []));
  expect(new Set(causes.map(({ code }) => code))).toEqual(new Set(['browser_crashed']));
}, 300_000);

it(`${MANY} runs of one job leave no process, and no more than a few run at once`, async () => {
  const marked = place();
  let ended = 0;
  const running: Promise<{ sessions: number; browsers: number }>[] = [];
  const count = async () => {
    const [sessions, browsers] = [await allOf(marked.mark, 'session'), await allOf(marked.mark, 'browser')];
    return { sessions: sessions.length, browsers: browsers.length };
  };
  const { results } = await make(
    marked,
    { runs: MANY, browserEvery: 25 },
    {
      ended: () => {
        ended += 1;
        if (ended % 50 === 0) running.push(count());
      },
    },
  );
  expect(results.filter((run) => run.reward !== 1)).toEqual([]);
  const counts = await Promise.all(running);
  // Two that are in use, one that is ready, and one that is about to end.
  expect(Math.max(...counts.map(({ sessions }) => sessions))).toBeLessThanOrEqual(4);
  expect(Math.max(...counts.map(({ browsers }) => browsers))).toBeLessThanOrEqual(4);
  await marked.placement.dispose();
  await nothingLeft(marked.mark);
}, 300_000);

it('A killed job is resumed from the command line without repeating finished runs', async () => {
  const cwd = await temporaryFolder();
  const rows = Array.from({ length: 12 }, (_, index) => ({
    id: `t${index}`,
    prompt: 'Say yes.',
    gym: 'qa',
    evaluate: { function: 'yes', args: [index] },
  }));
  await fileIn(cwd, 'many.tasks.json', JSON.stringify(rows));
  await fileIn(
    cwd,
    'gate.functions.mjs',
    `import { existsSync } from 'node:fs';
     export async function yes(_context, index) {
       // The later ones are at work until they are let through.
       while (index > 5 && !existsSync(new URL('open', import.meta.url))) await new Promise((done) => setTimeout(done, 20));
       return 1;
     }`,
  );
  const first = start(['run', 'many.tasks.json', '--agent', 'noop', '--concurrency', '2', '--out', 'jobs'], cwd);
  await first.saying('t3 ');
  first.child.kill('SIGKILL');
  await first.ended;
  await nothingLeft(first.mark);
  await fileIn(cwd, 'open', '');

  const [id = ''] = await readdir(join(cwd, 'jobs'));
  const recorded = async (): Promise<Map<string, string>> => {
    const found = new Map<string, string>();
    for (const entry of await readdir(join(cwd, 'jobs', id), { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const text = await readFile(join(cwd, 'jobs', id, entry.name, 'run.json'), 'utf8').catch(() => null);
      if (text !== null) found.set(entry.name, text);
    }
    return found;
  };
  const before = await recorded();
  expect(before.size).toBeGreaterThan(2);
  expect(before.size).toBeLessThan(12);

  const again = await start(['run', '--resume', join('jobs', id), '--json'], cwd).ended;
  expect(again.code).toBe(0);
  const { job_id, runs, statistics } = JSON.parse(again.out);
  expect({ job_id, runs: runs.length, statistics }).toMatchObject({
    job_id: id,
    runs: 12,
    statistics: { successes: 12 },
  });
  const after = await recorded();
  expect(after.size).toBe(12);
  for (const [run, text] of before) expect(after.get(run)).toBe(text);
}, 300_000);
