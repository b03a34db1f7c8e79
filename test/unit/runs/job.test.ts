import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deleteJob, jobsFolder, startJob } from '../../../src/runs/job/job.ts';
import { jobOnDisk, temporaryFolder } from './tasks.ts';

it('a job is deleted only after its end', async () => {
  const root = jobsFolder(await temporaryFolder());
  const job = await startJob(root, { keepRuns: 200 });
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
    const job = await startJob(root, { keepRuns: 200 });
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
    await startJob(jobsFolder(folder), { keepRuns: 200 });
    expect(await readFile(join(folder, '.taskwright', '.gitignore'), 'utf8')).toBe('jobs\n');
  });

  it('removes old finished jobs beyond the given number of runs', async () => {
    const root = jobsFolder(await temporaryFolder());
    await jobOnDisk(root, 'oldest', 1, 1);
    await jobOnDisk(root, 'old', 2, 3);
    await jobOnDisk(root, 'newer', 3, 3);
    await jobOnDisk(root, 'newest', 4, 2);
    const job = await startJob(root, { keepRuns: 4 });
    expect((await readdir(root)).sort()).toEqual([job.id, 'newer', 'newest'].sort());
  });

  it('never removes unfinished jobs or other folders', async () => {
    const root = jobsFolder(await temporaryFolder());
    await jobOnDisk(root, 'killed', 1, 2, { ended: false });
    await jobOnDisk(root, 'with-an-open-run', 2, 2, { open: 1 });
    await jobOnDisk(root, 'finished', 3, 2);
    await mkdir(join(root, 'notes'));
    await writeFile(join(root, 'notes', 'mine.txt'), 'x');
    const elsewhere = await temporaryFolder();
    await jobOnDisk(elsewhere, 'target', 1, 1);
    await symlink(join(elsewhere, 'target'), join(root, 'link'));
    const job = await startJob(root, { keepRuns: 0 });
    expect((await readdir(root)).sort()).toEqual([job.id, 'killed', 'link', 'notes', 'with-an-open-run'].sort());
    expect(await readdir(elsewhere)).toEqual(['target']);
  });

  it('removes nothing in a folder that the user specified', async () => {
    const root = await temporaryFolder();
    await jobOnDisk(root, 'old', 1, 500);
    await startJob(root, { keepRuns: null });
    expect(await readdir(root)).toContain('old');
  });
});
