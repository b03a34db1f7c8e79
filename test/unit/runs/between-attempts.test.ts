import { access, cp, mkdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readJobResults } from '../../../src/runs/job/read-job.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import type { JobPlan } from '../../../src/traces/job-file.ts';
import { release, writeOwner } from '../../../src/traces/owner.ts';
import { setAside } from '../../../src/traces/set-aside.ts';
import { deleteRun, listJobs, openRun } from '../../../src/traces/store.ts';
import { FakePlacement } from './fake-placement.ts';
import { fileIn, task, temporaryFolder } from './tasks.ts';

/** A job with one run, whose attempt is set aside: the next one has not begun. */
async function jobBetweenAttempts() {
  const root = await temporaryFolder();
  const [folder, run] = [join(root, 'job'), join(root, 'job', 'run')];
  const agent = `replay:${await fileIn(root, 'agent.actions', 'a\nb')}`;
  const ids = { jobId: 'job', groupId: 'g', runId: 'run' };
  const plan = { task: task(), agent, seed: 0, ...ids, out: root, cwd: root };
  await runTask(plan, new FakePlacement(), () => {}, new AbortController().signal);
  const of = { file: '/tasks/shop.task.json', task_id: 'shop', index: 0, group_id: 'g', seed: 0, agent, error: null };
  const planned: JobPlan = { cwd: root, runs: [{ run_id: 'run', ...of, placement: 'local' }] };
  const file = { job_id: 'job', started_at: '2026-01-01', ended_at: null, plan: planned };
  await fileIn(folder, 'job.json', JSON.stringify(file));
  await setAside(run);
  return { root, folder, run };
}

it('a run whose process was killed between two attempts is interrupted, without steps', async () => {
  const { root, folder, run } = await jobBetweenAttempts();
  const record = { status: 'interrupted', reward: null, steps: 0, task_id: 'shop', trace_dir: run };
  const opened = await openRun(run);
  expect(opened).toMatchObject({ traceDir: run, running: false, stepCount: 0, record, header: { run_id: 'run' } });
  expect(await opened.steps()).toEqual([]);
  expect(await listJobs(root)).toMatchObject([
    { running: false, problems: [], runs: [{ traceDir: run, running: false, run: record }] },
  ]);
  const reported: string[] = [];
  const results = await readJobResults(folder, { onProblem: ({ message }) => reported.push(message) });
  expect(results).toMatchObject({ runs: [record], missing: [], running: false });
  expect(reported).toEqual([]);

  // Killed again: before the next attempt had a trace, and while it wrote the first line.
  await mkdir(join(run, 'screens'));
  await setAside(run);
  await cp(join(run, 'attempts', '1', 'trace.jsonl'), join(run, 'trace.jsonl'));
  await truncate(join(run, 'trace.jsonl'));
  expect(await openRun(run)).toMatchObject({ running: false, stepCount: 0, record });
});

it('a run between two attempts of a job in progress is neither interrupted nor unreadable, and is not deleted', async () => {
  const { root, folder, run } = await jobBetweenAttempts();
  await writeOwner(folder);
  await expect(openRun(run)).rejects.toMatchObject({ code: 'trace_missing' });
  expect(await listJobs(root)).toMatchObject([{ running: true, problems: [], runs: [] }]);
  await expect(deleteRun(run)).rejects.toMatchObject({ code: 'trace_running' });

  await release(folder);
  await deleteRun(run);
  await expect(access(folder)).rejects.toThrow('ENOENT');
});

it('a run that lost its trace is not shown as one between two attempts', async () => {
  const { run } = await jobBetweenAttempts();
  await cp(join(run, 'attempts', '1', 'run.json'), join(run, 'run.json'));
  await expect(openRun(run)).rejects.toMatchObject({ code: 'trace_missing' });
  await rm(join(run, 'run.json'));
  await rm(join(run, 'attempts', '1', 'trace.jsonl'));
  await expect(openRun(run)).rejects.toThrow(`${join(run, 'trace.jsonl')} does not exist.`);
});
