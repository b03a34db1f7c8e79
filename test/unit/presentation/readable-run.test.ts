import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordedRun } from '../../../src/presentation/runs/readable-run.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import { writeOwner } from '../../../src/traces/owner.ts';
import { setAside } from '../../../src/traces/set-aside.ts';
import { openRun } from '../../../src/traces/store.ts';
import { FakePlacement } from '../runs/fake-placement.ts';
import { fileIn, task, temporaryFolder } from '../runs/tasks.ts';

it('a run in progress in another process gets the steps that follow', async () => {
  const root = await temporaryFolder();
  const agent = `replay:${await fileIn(root, 'agent.actions', 'a\nb\nc')}`;
  const plan = { task: task({}), agent, seed: 0, jobId: 'job', groupId: 'g', runId: 'run', out: root, cwd: root };
  await runTask(plan, new FakePlacement(), () => {}, new AbortController().signal);
  const folder = join(root, 'job', 'run');
  const trace = join(folder, 'trace.jsonl');
  const lines = (await readFile(trace, 'utf8')).split(/(?<=\n)/);
  expect(recordedRun(await openRun(folder)).refresh).toBeUndefined();

  // As it was after two steps, with half of the third one.
  await rm(join(folder, 'run.json'));
  await writeOwner(folder);
  const [third = ''] = lines.slice(3);
  await writeFile(trace, lines.slice(0, 3).join('') + third.slice(0, 10));
  const run = recordedRun(await openRun(folder));
  const length = async () => (await run.steps()).length;
  expect([run.status, await length()]).toEqual(['running', 2]);
  expect([await run.refresh?.(), await length()]).toEqual(['nothing', 2]);
  await appendFile(trace, third.slice(10));
  expect([await run.refresh?.(), await length()]).toEqual(['steps', 3]);
  expect(await run.step(2)).toMatchObject({ action: 'b' });
  expect([await run.refresh?.(), await length()]).toEqual(['nothing', 3]);

  // A retry sets the trace aside, and goes as far as the attempt before.
  await setAside(folder);
  expect([await run.refresh?.(), await length()]).toEqual(['all', 0]);
  expect([await run.refresh?.(), await length()]).toEqual(['nothing', 0]);
  await writeFile(trace, '');
  expect([await run.refresh?.(), await length()]).toEqual(['nothing', 0]);
  await writeFile(trace, lines.slice(0, 4).join(''));
  expect([await run.refresh?.(), await length()]).toEqual(['all', 3]);

  // As far again, without a look between the two.
  await setAside(folder);
  expect((await run.step(2))?.action).toBe('b');
  await writeFile(
    trace,
    lines
      .slice(0, 4)
      .join('')
      .replace(/"started_at":"2/, '"started_at":"1'),
  );
  expect([await run.refresh?.(), await length()]).toEqual(['all', 3]);

  await rm(folder, { recursive: true });
  await expect(run.refresh?.()).rejects.toThrow(`${folder} no longer exists.`);
});
