import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deleteJob, jobsFolder, reopenJob, startJob } from '../../../src/runs/job/job.ts';
import { DEFAULT_RETENTION } from '../../../src/runs/job/retention.ts';
import { fileIn, jobOnDisk, temporaryFolder } from './tasks.ts';

it('a job is deleted only after its end', async () => {
  const root = jobsFolder(await temporaryFolder());
  const job = await startJob(root, { retention: DEFAULT_RETENTION });
  await expect(deleteJob(job.folder)).rejects.toMatchObject({ code: 'job_running' });
  expect(await readdir(root)).toContain(job.id);
  await job.end();
  await deleteJob(job.folder);
  expect(await readdir(root)).not.toContain(job.id);
});

describe('a new job', () => {
  it('is in .taskwright, which ignores itself', async () => {
    const folder = await temporaryFolder();
    const root = jobsFolder(folder);
    const job = await startJob(root, { retention: DEFAULT_RETENTION });
    expect(await readFile(join(folder, '.taskwright', '.gitignore'), 'utf8')).toBe('*\n');
    expect(await readdir(root)).toEqual([job.id]);
    const read = async () => JSON.parse(await readFile(join(root, job.id, 'job.json'), 'utf8'));
    expect(await read()).toMatchObject({ job_id: job.id, ended_at: null });
    await job.end();
    expect((await read()).ended_at).not.toBeNull();
  });

  it('does not change an existing .gitignore', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, '.taskwright'));
    await writeFile(join(folder, '.taskwright', '.gitignore'), 'jobs\n');
    await startJob(jobsFolder(folder), { retention: DEFAULT_RETENTION });
    expect(await readFile(join(folder, '.taskwright', '.gitignore'), 'utf8')).toBe('jobs\n');
  });

  it('removes old jobs while it runs, and tells what was removed', async () => {
    const root = jobsFolder(await temporaryFolder());
    await jobOnDisk(root, 'old', '2020-01-01', [{}]);
    await jobOnDisk(root, 'last', '2020-01-02', [{}]);
    const job = await startJob(root, { retention: DEFAULT_RETENTION });
    await job.end();
    expect((await readdir(root)).sort()).toEqual([job.id, 'last'].sort());
    expect(await job.removal).toMatchObject({ jobs: 1, runs: 1, tooOld: 1 });
    const next = await startJob(root, { retention: DEFAULT_RETENTION });
    await next.leave();
    expect(await next.removal).toBeNull();
  });

  it('runs although a defect keeps old jobs from being removed, and tells it', async () => {
    const root = jobsFolder(await temporaryFolder());
    await jobOnDisk(root, 'old', '2020-01-01', [{}]);
    const retention = {
      keepBytes: 1e9,
      get keepDays(): number {
        throw new Error('planted');
      },
    };
    const job = await startJob(root, { retention });
    await job.end();
    expect(await job.removal).toEqual({ failure: 'planted' });
    expect((await readdir(root)).sort()).toEqual([job.id, 'old'].sort());
  });

  it('removes nothing in a folder that the user specified', async () => {
    const root = await temporaryFolder();
    await jobOnDisk(root, 'old', '2020-01-01', [{}]);
    await jobOnDisk(root, 'last', '2020-01-02', [{}]);
    await (await startJob(root, { retention: null })).end();
    expect(await readdir(root)).toContain('old');
  });

  it('records its size when it ends, and not when it is left or resumed', async () => {
    const root = jobsFolder(await temporaryFolder());
    const plan = { cwd: root, runs: [] };
    const job = await startJob(root, { retention: DEFAULT_RETENTION, plan });
    await mkdir(join(job.folder, 'r0', 'screens'), { recursive: true });
    await fileIn(join(job.folder, 'r0', 'screens'), 'a.png', 'x'.repeat(5000));
    const read = async () => JSON.parse(await readFile(join(job.folder, 'job.json'), 'utf8'));
    await job.end();
    expect((await read()).size_bytes).toBeGreaterThan(5000);
    expect((await read()).size_bytes).toBeLessThan(6000);
    await (await reopenJob(job.folder)).leave();
    expect(await read()).not.toHaveProperty('size_bytes');
  });
});
