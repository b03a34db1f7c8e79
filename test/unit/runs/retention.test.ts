import { mkdir, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeRemoval, type RemovedJobs, removeOldJobs } from '../../../src/runs/job/retention.ts';
import { claim } from '../../../src/traces/owner.ts';
import { jobOnDisk, type RunOnDisk, temporaryFolder } from './tasks.ts';

/** Runs start and end on days of this month. */
const NOW = Date.parse('2026-01-31T12:00:00.000Z');
const OLD = '2025-12-01';
const MB = 1000 ** 2;

let root = '';
beforeEach(async () => {
  root = join(await temporaryFolder(), '.taskwright', 'jobs');
  await mkdir(root, { recursive: true });
});

async function pass(of: { days?: number; bytes?: number } = {}): Promise<RemovedJobs | null> {
  const { days: keepDays = 30, bytes: keepBytes = 1e9 } = of;
  return await removeOldJobs(root, { keepDays, keepBytes }, { except: 'new', now: NOW });
}

async function left(): Promise<string[]> {
  return (await readdir(root)).sort();
}

/** A job that keeps no other, because no other job has its task. */
async function onItsOwn(id: string, day: string, run: RunOnDisk = {}): Promise<string> {
  return await jobOnDisk(root, id, day, [{ task: id, ...run }]);
}

describe('age', () => {
  it('removes the jobs that ended longer ago', async () => {
    await jobOnDisk(root, 'a', '2025-12-31', [{}, {}]);
    await jobOnDisk(root, 'b', '2026-01-02', [{}]);
    await jobOnDisk(root, 'c', '2026-01-03', [{}]);
    expect(await pass({ days: 31 })).toBeNull();
    expect(await pass()).toMatchObject({ jobs: 1, runs: 2, tooOld: 1 });
    expect(await left()).toEqual(['b', 'c']);
    expect(await pass({ days: 29 })).toBeNull();
    expect(await pass({ days: 28 })).toMatchObject({ jobs: 1 });
  });

  it('removes no young job, however many runs there are', async () => {
    for (let task = 0; task < 3; task += 1) await jobOnDisk(root, `before-${task}`, '2026-01-10', [{}]);
    const runs = Array.from({ length: 1200 }, (_, index) => ({ task: `t${index % 300}` }));
    await jobOnDisk(root, 'large', '2026-01-20', runs);
    await jobOnDisk(root, 'one', '2026-01-21', [{}]);
    expect(await pass()).toBeNull();
    expect(await left()).toEqual(['before-0', 'before-1', 'before-2', 'large', 'one']);
  });
});

describe('size', () => {
  it('removes the oldest jobs until the rest fits', async () => {
    for (const day of ['13', '11', '12', '14']) await jobOnDisk(root, `j${day}`, `2026-01-${day}`, [{ bytes: MB }]);
    const removed = await pass({ bytes: 2.5 * MB });
    expect(removed).toMatchObject({ jobs: 2, runs: 2, tooOld: 0 });
    expect(Math.round((removed?.bytes ?? 0) / 1e5)).toBe(20);
    expect(await left()).toEqual(['j13', 'j14']);
    expect(await pass({ bytes: 2.5 * MB })).toBeNull();
  });

  it('counts jobs that are too old and that stay, and folders that are no job', async () => {
    await onItsOwn('stays', OLD, { bytes: MB });
    await jobOnDisk(root, 'old', OLD, [{ bytes: MB }]);
    await jobOnDisk(root, 'j11', '2026-01-11', [{ bytes: MB }]);
    await jobOnDisk(root, 'j12', '2026-01-12', [{ bytes: MB }]);
    await jobOnDisk(root, 'j13', '2026-01-13', [{ bytes: MB }]);
    await mkdir(join(root, 'notes'));
    await writeFile(join(root, 'notes', 'mine'), Buffer.alloc(MB));
    expect(await pass({ bytes: 4.5 * MB })).toMatchObject({ jobs: 2, tooOld: 1 });
    expect(await left()).toEqual(['j12', 'j13', 'notes', 'stays']);
  });

  it('believes what a finished job recorded of its size, and measures before it removes a job', async () => {
    const run = [{ bytes: MB }];
    await jobOnDisk(root, 'j11', '2026-01-11', run, { size: 1000 });
    await jobOnDisk(root, 'j12', '2026-01-12', run, { size: 1000 });
    await jobOnDisk(root, 'j13', '2026-01-13', run, { size: 1000 });
    expect(await pass({ bytes: 2.5 * MB })).toBeNull();
    await jobOnDisk(root, 'j12', '2026-01-12', run, { size: 9 * MB });
    expect(await pass({ bytes: 3.5 * MB })).toBeNull();
    expect(await pass({ bytes: 2.5 * MB })).toMatchObject({ jobs: 1 });
    expect(await left()).toEqual(['j12', 'j13']);
  });

  it('measures a finished job to which something was added', async () => {
    const run = [{ bytes: MB }];
    const changed = await jobOnDisk(root, 'j11', '2026-01-11', run, { size: 1000 });
    await jobOnDisk(root, 'j12', '2026-01-12', run, { size: 1000 });
    await utimes(join(changed, 'r0'), new Date(), new Date(Date.now() + 60_000));
    expect(await pass({ bytes: MB / 2 })).toMatchObject({ jobs: 1 });
    expect(await left()).toEqual(['j12']);
  });

  it('measures a job that has not ended', async () => {
    await jobOnDisk(root, 'j11', '2026-01-11', [{}]);
    await jobOnDisk(root, 'killed', '2026-01-12', [{ bytes: MB }], { ended: false, size: 10 });
    expect(await pass({ bytes: MB / 2 })).toMatchObject({ jobs: 1 });
    expect(await left()).toEqual(['killed']);
  });

  it('is exceeded by what stays', async () => {
    await onItsOwn('stays', '2026-01-11', { bytes: MB });
    expect(await pass({ bytes: 10 })).toBeNull();
    expect(await left()).toEqual(['stays']);
  });
});

describe('a job stays', () => {
  const newer = (runs: readonly RunOnDisk[]) => jobOnDisk(root, 'newer', '2026-01-30', runs);
  // Each is a job that would be removed without its reason to stay.
  beforeEach(() => jobOnDisk(root, 'removed', OLD, [{ success: true }]));

  async function expectStaying(id: string): Promise<void> {
    expect(await pass({ days: 1, bytes: 10 })).toMatchObject({ jobs: 1 });
    expect(await left()).toEqual([id, 'newer'].sort());
  }

  it('with the last run of a task', async () => {
    await jobOnDisk(root, 'only', '2025-12-02', [{ task: 'other' }, {}]);
    await newer([{ success: true }]);
    await expectStaying('only');
  });

  it.each(['error', 'cancelled'] as const)('with the last run of a task, which has the status %s', async (status) => {
    await jobOnDisk(root, 'failed', '2025-12-02', [{ task: 'other', status }]);
    await newer([{ success: true }]);
    await expectStaying('failed');
  });

  it('with the last run of a task after which it was only edited in the debugger', async () => {
    await jobOnDisk(root, 'real', '2025-12-02', [{ task: 'other', success: true }]);
    await newer([{ success: true }, { task: 'other', success: true, edited: true }]);
    await expectStaying('real');
  });

  it('with the last success of a task', async () => {
    await jobOnDisk(root, 'success', '2025-12-02', [{ success: true }]);
    await newer([{}]);
    await expectStaying('success');
  });

  it.each(['replay:$ROOT/shop.actions', 'replay:shop.actions', 'replay:./x/../shop.actions', 'integration_test'])(
    'with the last success of the solution, %s',
    async (agent) => {
      await jobOnDisk(root, 'proof', '2025-12-02', [{ success: true, agent: agent.replace('$ROOT', root) }]);
      await newer([{ success: true, agent: 'process:node other.js' }]);
      await expectStaying('proof');
    },
  );

  it('with the last success of the solution in a job without a plan', async () => {
    const agent = `replay:${join(root, 'shop.actions')}`;
    await jobOnDisk(root, 'proof', '2025-12-02', [{ success: true, agent }], { planned: false });
    await newer([{ success: true }]);
    await expectStaying('proof');
  });

  it.each([
    ['another file', { success: true, agent: 'replay:other.actions' }],
    ['a solution that fails', { agent: 'replay:shop.actions' }],
  ])('but not for %s', async (_, run) => {
    await jobOnDisk(root, 'no-proof', '2025-12-02', [run]);
    await newer([{ success: true }]);
    expect(await pass({ days: 1 })).toMatchObject({ jobs: 2 });
  });

  it('with a run that the user keeps, as a whole', async () => {
    await jobOnDisk(root, 'kept', OLD, [{}, { kept: true }, {}]);
    await newer([{ success: true }]);
    await expectStaying('kept');
    expect((await readdir(join(root, 'kept'))).sort()).toEqual(['job.json', 'r0', 'r1', 'r2']);
  });

  it('that has not ended', async () => {
    await jobOnDisk(root, 'killed', OLD, [{}], { ended: false });
    await newer([{ success: true }]);
    await expectStaying('killed');
  });

  it('that was stopped before all its runs, and can be resumed', async () => {
    const folder = await jobOnDisk(root, 'stopped', OLD, [{}, {}]);
    await rm(join(folder, 'r1'), { recursive: true });
    await newer([{ success: true }]);
    await expectStaying('stopped');
  });

  it('of several runs, one of which was cancelled', async () => {
    await jobOnDisk(root, 'cancelled', OLD, [{ status: 'cancelled' }, {}]);
    await newer([{ success: true }]);
    await expectStaying('cancelled');
  });

  it('with a run that has not ended', async () => {
    await jobOnDisk(root, 'open', OLD, [{}, { open: true }]);
    await newer([{ success: true }]);
    await expectStaying('open');
  });

  it('with a run whose record is damaged, which is the last of no task', async () => {
    const folder = await jobOnDisk(root, 'damaged', '2026-01-29', [{ task: 'other' }]);
    await writeFile(join(folder, 'r0', 'run.json'), '{"');
    await onItsOwn('other', OLD);
    await newer([{ success: true }]);
    expect(await pass({ days: 1, bytes: 10 })).toMatchObject({ jobs: 1 });
    expect(await left()).toEqual(['damaged', 'newer', 'other']);
  });

  it('that a process works on', async () => {
    await claim(await jobOnDisk(root, 'owned', OLD, [{}]));
    await newer([{ success: true }]);
    await expectStaying('owned');
  });

  it('with a run that a process works on', async () => {
    await claim(join(await jobOnDisk(root, 'owned', OLD, [{}, {}]), 'r1'));
    await newer([{ success: true }]);
    await expectStaying('owned');
  });

  it('whose owner cannot be read', async () => {
    await symlink('owner.json', join(await jobOnDisk(root, 'owned', OLD, [{}]), 'owner.json'));
    await newer([{ success: true }]);
    await expectStaying('owned');
  });

  it('with a job.json that cannot be read', async () => {
    await writeFile(join(await jobOnDisk(root, 'unknown', OLD, [{}]), 'job.json'), '{"job_id": ');
    await newer([{ success: true }]);
    await expectStaying('unknown');
  });

  it('that is being made', async () => {
    await jobOnDisk(root, 'new', OLD, [{ success: true, bytes: 5 * MB }]);
    await newer([{ success: true }]);
    await expectStaying('new');
  });

  it('with other folders and links', async () => {
    await mkdir(join(root, 'notes'));
    await writeFile(join(root, 'notes', 'mine.txt'), 'x');
    const elsewhere = await temporaryFolder();
    await jobOnDisk(elsewhere, 'target', OLD, [{}]);
    await symlink(join(elsewhere, 'target'), join(root, 'link'));
    await newer([{ success: true }]);
    await pass({ days: 1, bytes: 1 });
    expect(await left()).toEqual(['link', 'newer', 'notes']);
    expect(await readdir(join(elsewhere, 'target'))).toEqual(['job.json', 'r0']);
  });
});

it('is the same when two processes remove at the same time', async () => {
  for (let job = 0; job < 20; job += 1) await jobOnDisk(root, `j${job}`, OLD, [{}, {}]);
  await jobOnDisk(root, 'last', '2026-01-30', [{}]);
  const both = await Promise.all([pass(), pass()]);
  expect(await left()).toEqual(['last']);
  expect(both.map((one) => one?.jobs ?? 0).reduce((a, b) => a + b)).toBe(20);
});

it('what a killed process left of a removal is removed later', async () => {
  const leftover = join(root, '.removing-a');
  await rm(await jobOnDisk(root, '.removing-a', OLD, [{}]).then((folder) => join(folder, 'r0', 'run.json')));
  await utimes(leftover, NOW / 1000, NOW / 1000 - 60);
  await pass();
  expect(await left()).toEqual(['.removing-a']);
  await utimes(leftover, NOW / 1000, NOW / 1000 - 7200);
  await pass();
  expect(await left()).toEqual([]);
});

describe('the line about removed jobs', () => {
  const retention = { keepDays: 30, keepBytes: 5e9 };
  it.each([
    [
      { jobs: 3, runs: 1200, bytes: 1.2e9, tooOld: 2, retention },
      'Removed 3 jobs with 1,200 runs (1.2 GB) from .taskwright/jobs: 2 were older than 30 days, and 1 was the oldest when the folder exceeded 5 GB.',
    ],
    [
      { jobs: 3, runs: 3, bytes: 12_345_678, tooOld: 1, retention: { keepDays: 1, keepBytes: 5e8 } },
      'Removed 3 jobs with 3 runs (12 MB) from .taskwright/jobs: 1 was older than 1 day, and 2 were the oldest when the folder exceeded 500 MB.',
    ],
    [
      { jobs: 1, runs: 1, bytes: 999_600, tooOld: 1, retention },
      'Removed 1 job with 1 run (1 MB) from .taskwright/jobs: it was older than 30 days.',
    ],
    [
      { jobs: 2, runs: 2, bytes: 100, tooOld: 2, retention },
      'Removed 2 jobs with 2 runs (0.1 KB) from .taskwright/jobs: they were older than 30 days.',
    ],
    [
      { jobs: 1, runs: 0, bytes: 0, tooOld: 0, retention },
      'Removed 1 job with 0 runs (0 KB) from .taskwright/jobs: it was the oldest when the folder exceeded 5 GB.',
    ],
    [
      { jobs: 2, runs: 9, bytes: 2.5e12, tooOld: 0, retention },
      'Removed 2 jobs with 9 runs (2.5 TB) from .taskwright/jobs: they were the oldest when the folder exceeded 5 GB.',
    ],
    [{ failure: 'EIO: i/o error' }, 'Old jobs could not be removed from .taskwright/jobs: EIO: i/o error'],
  ])('%o', (removed, line) => {
    expect(describeRemoval(removed)).toBe(line);
  });
});
