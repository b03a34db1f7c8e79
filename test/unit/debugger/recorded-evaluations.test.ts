import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RecordedEvaluations } from '../../../src/debugger/recorded-evaluations.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import { writeJobFile } from '../../../src/traces/job-file.ts';
import { FakePlacement } from '../runs/fake-placement.ts';
import { call, fileIn, task as taskOf, temporaryFolder } from '../runs/tasks.ts';

it('a call at a recorded step has the time limit of the job', async () => {
  const out = await temporaryFolder();
  const task = taskOf();
  const agent = `replay:${await fileIn(out, 'a.actions', '')}`;
  const plan = { task, agent, seed: 0, jobId: 'job', groupId: 'g', runId: 'run', out, cwd: out };
  await runTask(plan, new FakePlacement(), () => {}, new AbortController().signal);
  const jobPlan = { cwd: out, evaluate_timeout_ms: 60_000, runs: [] };
  await writeJobFile(join(out, 'job'), { job_id: 'job', started_at: '', ended_at: null, plan: jobPlan });
  const placement = new FakePlacement();

  const evaluations = await RecordedEvaluations.open(join(out, 'job', 'run'), task, async () => placement);
  await evaluations.ask(call('mine'), 0);
  await evaluations.close();

  expect(placement.requests.filter(({ method }) => method === 'session.evaluate')).toMatchObject([
    { params: { limit_ms: 60_000 } },
  ]);
});
