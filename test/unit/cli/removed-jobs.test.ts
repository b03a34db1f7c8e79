import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { terminalHost } from '../../../src/cli/debug-host.ts';
import type { RunEvent } from '../../../src/runs/events.ts';
import { jobsFolder } from '../../../src/runs/job/job.ts';
import { FakePlacement } from '../runs/fake-placement.ts';
import { jobOnDisk } from '../runs/tasks.ts';
import { taskwright } from './command-line.ts';
import { shop } from './shop.ts';

const RUN = ['run', 'shop.tasks.json#buy', '--agent', 'noop', '--json'];

/** A folder with tasks and three jobs. `oldest` is too old, the others are of today. `last` has the last run of their task. */
async function withJobs(): Promise<{ cwd: string; left: () => Promise<string[]> }> {
  const { cwd } = await shop();
  const root = jobsFolder(cwd);
  const today = new Date().toISOString().slice(0, 10);
  await jobOnDisk(root, 'oldest', '2020-01-01', [{}, {}]);
  await jobOnDisk(root, 'large', today, [{ bytes: 1_000_000 }]);
  await jobOnDisk(root, 'last', today, [{}, {}, {}]);
  return { cwd, left: async () => (await readdir(root)).filter((name) => /^(?:oldest|large|last)$/.test(name)).sort() };
}

describe('taskwright run', () => {
  it('says which old jobs it removed and why, and prints one value with --json', async () => {
    const { cwd, left } = await withJobs();
    const said = await taskwright(RUN, { cwd });
    expect(JSON.parse(said.out)).toMatchObject({ runs: [{ task_id: 'buy' }] });
    expect(said.err).toMatch(
      /^Removed 1 job with 2 runs \(\d(?:\.\d)? KB\) from \.taskwright\/jobs: it was older than 30 days\.$/m,
    );
    expect(await left()).toEqual(['large', 'last']);
    expect((await taskwright(RUN, { cwd })).err).not.toContain('Removed');
  });

  it('says it once it has planned a job, too', async () => {
    const { cwd, left } = await withJobs();
    const said = await taskwright(['run', 'shop.tasks.json#buy', '--agent', 'noop', '--plan', '--json'], { cwd });
    expect(said.err).toContain('Removed 1 job');
    expect(JSON.parse(said.out)).toHaveProperty('job_dir');
    expect(await left()).toEqual(['large', 'last']);
  });

  it('keeps what TASKWRIGHT_KEEP_DAYS and TASKWRIGHT_KEEP_SIZE say', async () => {
    const { cwd, left } = await withJobs();
    await taskwright(RUN, { cwd, environment: { TASKWRIGHT_KEEP_DAYS: '100000' } });
    expect(await left()).toEqual(['large', 'last', 'oldest']);
    const said = await taskwright(RUN, { cwd, environment: { TASKWRIGHT_KEEP_SIZE: '0.0005' } });
    expect(said.err).toContain(
      'Removed 2 jobs with 3 runs (1 MB) from .taskwright/jobs: 1 was older than 30 days, and',
    );
    expect(said.err).toContain('1 was the oldest when the folder exceeded 500 KB.');
    expect(await left()).toEqual(['last']);
  });

  it.each([
    ['TASKWRIGHT_KEEP_DAYS', 'a whole number of at least 1', ['many', '0', '1.5', '-1', '1e3', ' ']],
    ['TASKWRIGHT_KEEP_SIZE', 'a number of GB greater than 0', ['5 GB', '0', '-1', 'NaN', ' ']],
  ])('refuses other values of %s', async (name, expected, values) => {
    const { cwd } = await shop();
    for (const value of values) {
      const said = await taskwright(RUN, { cwd, environment: { [name]: value } });
      const message = `${name} requires ${expected}, not “${value}”.`;
      expect(JSON.parse(said.out)).toEqual({ error: { message, code: 'bad_option' } });
    }
  });

  it('removes nothing with --out, and reads no limits', async () => {
    const { cwd, left } = await withJobs();
    const args = [...RUN, '--out', join('.taskwright', 'jobs')];
    const said = await taskwright(args, { cwd, environment: { TASKWRIGHT_KEEP_DAYS: 'many' } });
    expect(said).toMatchObject({ exit: 0, err: expect.not.stringContaining('Removed') });
    expect(await left()).toEqual(['large', 'last', 'oldest']);
  });
});

it('a debugged run says in its log which old jobs it removed', async () => {
  const { cwd, left } = await withJobs();
  const keep = { days: null, size: null };
  const host = terminalHost({ cwd, keep, placement: async () => new FakePlacement() });
  const logged: string[] = [];
  await host.run({
    task: await host.find('shop.tasks.json#buy'),
    ...{ agent: 'noop', placement: undefined, seed: 0, signal: new AbortController().signal },
    listen: (event: RunEvent) => event.type === 'log' && logged.push(event.text),
  } as never);
  expect(logged).toEqual([expect.stringMatching(/^Removed 1 job with 2 runs/)]);
  expect(await left()).toEqual(['large', 'last']);
});
