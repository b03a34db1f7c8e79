import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fingerprintOfJobs } from '../../../src/traces/fingerprint.ts';
import { release, writeOwner } from '../../../src/traces/owner.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'taskwright-fingerprint-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const take = (): Promise<string> => fingerprintOfJobs(root, () => false);

it('changes with every change of a job to its folder, and not otherwise', async () => {
  const job = join(root, 'job');
  const run = join(job, 'run');
  const steps: readonly (() => Promise<unknown>)[] = [
    () => mkdir(job),
    () => writeOwner(job),
    () => mkdir(run),
    () => writeOwner(run),
    () => writeFile(join(run, 'trace.jsonl'), '{}'),
    async () => {
      await writeFile(join(run, 'run.json.part'), '{}');
      await rename(join(run, 'run.json.part'), join(run, 'run.json'));
    },
    () => release(run),
    () => release(job),
    () => rm(run, { recursive: true }),
    () => rm(job, { recursive: true }),
  ];
  let before = await take();
  for (const [index, step] of steps.entries()) {
    await step();
    const after = await take();
    expect(after, `step ${index}`).not.toBe(before);
    expect(await take()).toBe(after);
    before = after;
  }
});

it('changes when the process that makes a run has died', async () => {
  const run = join(root, 'job', 'run');
  await mkdir(run, { recursive: true });
  await writeOwner(run);
  const alive = await take();
  await writeFile(join(run, 'owner.json'), JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), born: '1' }));
  expect(await take()).not.toBe(alive);
});

it('reads only the folder itself of a job that has ended', async () => {
  const run = join(root, 'job', 'run');
  await mkdir(run, { recursive: true });
  const takeFingerprint = (): Promise<string> => fingerprintOfJobs(root, () => true);
  const before = await takeFingerprint();
  await writeFile(join(run, 'trace.jsonl'), '{}');
  expect(await takeFingerprint()).toBe(before);
});

it('is empty if the folder does not exist', async () => {
  expect(await fingerprintOfJobs(join(root, 'none'), () => false)).toBe('');
});
