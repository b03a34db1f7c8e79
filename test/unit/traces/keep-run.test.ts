import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepRun } from '../../../src/traces/keep-run.ts';
import { writeOwner } from '../../../src/traces/owner.ts';
import { listJobs, openRun } from '../../../src/traces/store.ts';
import { jobOnDisk, temporaryFolder } from '../runs/tasks.ts';

async function recordRun(): Promise<{ root: string; run: string; path: string }> {
  const root = await temporaryFolder();
  const run = join(await jobOnDisk(root, 'job', '2026-01-01', [{ success: true }]), 'r0');
  return { root, run, path: join(run, 'run.json') };
}

it('keeps a run, or stops keeping it, without other changes to its record', async () => {
  const { root, run, path } = await recordRun();
  const before = { ...JSON.parse(await readFile(path, 'utf8')), of_a_newer_version: { a: [1] } };
  await writeFile(path, JSON.stringify(before));
  // Files that are written at nearly the same time have the same time.
  await utimes(path, 1, 1);
  const jobs = await listJobs(root);
  await keepRun(run, true);
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ ...before, kept: true });
  expect((await openRun(run)).record.kept).toBe(true);
  // Also a listing that knows the run reads it again.
  await utimes(path, 2, 2);
  const keptJobs = await listJobs(root, () => {}, jobs);
  expect(keptJobs[0]?.runs[0]?.run.kept).toBe(true);
  await keepRun(run, true);
  await keepRun(run, false);
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(before);
  expect((await listJobs(root, () => {}, keptJobs))[0]?.runs[0]?.run).not.toHaveProperty('kept');
  expect((await readdir(run)).sort()).toEqual(['run.json', 'screens', 'trace.jsonl']);
});

it('refuses to keep a run that has not ended', async () => {
  const { run, path } = await recordRun();
  await writeFile(path, '{');
  await expect(keepRun(run, true)).rejects.toMatchObject({ code: 'trace_broken' });
  await rm(path);
  await expect(keepRun(run, true)).rejects.toMatchObject({ code: 'trace_missing' });
  await writeOwner(run);
  await expect(keepRun(run, true)).rejects.toMatchObject({
    ...{ code: 'trace_running', message: 'This run is in progress. Stop it first.' },
  });
  expect(await readdir(run)).not.toContain('run.json');
});

it('says why a record cannot be written', async () => {
  const { run, path } = await recordRun();
  await mkdir(`${path}.part`);
  const message = expect.stringContaining(`${path} cannot be written: `);
  await expect(keepRun(run, true)).rejects.toMatchObject({ code: 'trace_unwritable', message });
});
