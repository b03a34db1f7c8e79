import { open, readdir, readFile, symlink, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { brotliDecompressSync, constants } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Mask } from '../../../src/runs/masking/mask.ts';
import { Recorder } from '../../../src/runs/run/recorder.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import { openRun } from '../../../src/traces/store.ts';
import { FakePlacement } from './fake-placement.ts';
import { fileIn, jobOnDisk, task, temporaryFolder } from './tasks.ts';

/** A folder that cannot be deleted. */
const kept = vi.hoisted(() => ({ path: '' }));
/** What happens before a folder is claimed. */
const claiming = vi.hoisted(() => ({ before: async (_owner: string): Promise<void> => {} }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const rm: typeof real.rm = async (path, options) => {
    if (kept.path !== '' && path === kept.path) throw failure('EACCES', 'rm');
    await real.rm(path, options);
  };
  const link: typeof real.link = async (from, to) => {
    await claiming.before(String(to));
    await real.link(from, to);
  };
  return { ...real, rm, link };
});

// Another test file in this process may have loaded the module with the real functions.
vi.resetModules();
const { jobsFolder, startJob } = await import('../../../src/runs/job/job.ts');
const { removeOldJobs } = await import('../../../src/runs/job/retention.ts');
const { readJobResults } = await import('../../../src/runs/job/read-job.ts');
const { keepRun } = await import('../../../src/traces/keep-run.ts');
const { writeOwner } = await import('../../../src/traces/owner.ts');

function failure(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
}

it('a new job removes old jobs although one of them cannot be deleted', async () => {
  const root = jobsFolder(await temporaryFolder());
  for (const [day, id] of ['oldest', 'old', 'older', 'last'].entries())
    await jobOnDisk(root, id, `2020-01-0${day + 1}`, [{}]);
  kept.path = join(root, '.removing-old');
  const job = await startJob(root, { retention: { keepDays: 1, keepBytes: 1e9 } });
  await job.end();
  expect((await readdir(root)).sort()).toEqual([job.id, 'last', 'old'].sort());
  expect(await readdir(join(root, 'old'))).toEqual(['job.json', 'r0']);
  expect(await job.removal).toMatchObject({ jobs: 2, runs: 2 });
});

it('a job that changes before it is claimed is not removed', async () => {
  const root = jobsFolder(await temporaryFolder());
  for (const [day, id] of ['kept', 'resumed', 'owned', 'old', 'last'].entries()) {
    await jobOnDisk(root, id, `2020-01-0${day + 1}`, [{}]);
  }
  const changes: Record<string, () => Promise<unknown>> = {
    kept: () => keepRun(join(root, 'kept', 'r0'), true),
    resumed: () => jobOnDisk(root, 'resumed', '2020-01-02', [{}], { ended: false }),
    owned: () => writeOwner(join(root, 'owned')),
  };
  claiming.before = async (owner) => void (await changes[basename(dirname(owner))]?.());
  onTestFinished(() => {
    claiming.before = async () => {};
  });
  const removed = await removeOldJobs(root, { keepDays: 1, keepBytes: 1e9 }, { except: '', now: Date.now() });
  expect(removed).toMatchObject({ jobs: 1 });
  expect((await readdir(root)).sort()).toEqual(['kept', 'last', 'owned', 'resumed']);
  expect(await readdir(join(root, 'kept'))).toEqual(['job.json', 'r0']);
});

it('a run whose record or owner cannot be read is reported, and the results of its job are read', async () => {
  const root = await temporaryFolder();
  for (const runId of ['r1', 'r2', 'r3']) await record(root, runId);
  const job = join(root, 'job');
  await fileIn(job, 'job.json', JSON.stringify({ job_id: 'job', started_at: '2026-01-01', ended_at: null }));
  for (const run of ['r1', 'r2']) {
    await unlink(join(job, run, 'run.json'));
    await symlink('owner.json', join(job, run, 'owner.json'));
  }
  await symlink('run.json', join(job, 'r2', 'run.json'));
  const problems: string[] = [];
  const results = await readJobResults(job, { onProblem: ({ message }) => problems.push(message) });
  expect(results.runs.map(({ run_id }) => run_id)).toEqual(['r3']);
  const unreadable = (run: string) => `${join(job, run)} cannot be read: the symbolic link refers to itself.`;
  expect(problems).toEqual([unreadable('r1'), unreadable('r2'), unreadable('r2')]);
});

it('secrets are masked in the trace although the pages cannot be rewritten, which leaves no other file', async () => {
  const folder = join(await temporaryFolder(), 'run');
  const header = await record(await temporaryFolder(), 'run');
  const recorder = await Recorder.create(folder, { ...header, prompt: 'Log in with hunter22.' });
  await recorder.step({
    source: 'system',
    started_at: header.started_at,
    duration_ms: 1,
    observation: { text: 'you typed hunter22', screenshot: null },
    reward: null,
    terminated: false,
    info: {},
    error: null,
    recorded: { page: null, missing: 'hunter22 hung', resources: {}, actions: [] },
  });
  const files = (await readdir(folder)).sort();
  const mask = Mask.of(task(), true);
  mask?.addTyped(['hunter22']);
  if (mask === null) throw new Error('no mask');

  const file = await open(join(folder, 'trace.jsonl'));
  const full = vi.spyOn(Object.getPrototypeOf(file), 'appendFile').mockRejectedValueOnce(failure('ENOSPC', 'write'));
  await file.close();
  await expect(recorder.hide(mask)).rejects.toMatchObject({ error: { code: 'trace_unwritable' } });

  expect(full).toHaveBeenCalledOnce();
  expect(await readFile(join(folder, 'trace.jsonl'), 'utf8')).not.toContain('hunter22');
  expect((await readdir(folder)).sort()).toEqual(files);
  // With space again, the pages are rewritten, too.
  await recorder.hide(mask);
  const finishFlush = constants.BROTLI_OPERATION_FLUSH;
  const pages = brotliDecompressSync(await readFile(join(folder, 'pages.br')), { finishFlush }).toString();
  expect(pages).toContain('hung');
  expect(pages).not.toContain('hunter22');
  await recorder.close();
});

/** Records a run without steps of an agent; returns its header. */
async function record(root: string, runId: string) {
  const plan = { task: task(), agent: 'noop', seed: 0, jobId: 'job', groupId: 'g', runId, out: root, cwd: root };
  await runTask(plan, new FakePlacement(), () => {}, new AbortController().signal);
  return (await openRun(join(root, 'job', runId))).header;
}
