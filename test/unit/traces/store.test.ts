import { appendFile, mkdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runTask } from '../../../src/runs/run/runner.ts';
import { deleteRun, listJobs, openRun, type RunEntry } from '../../../src/traces/store.ts';
import { FakePlacement } from '../runs/fake-placement.ts';
import { call, fileIn, task, temporaryFolder } from '../runs/tasks.ts';

async function runsIn(...args: Parameters<typeof listJobs>): Promise<readonly RunEntry[]> {
  return (await listJobs(...args)).flatMap(({ runs }) => runs);
}

/** A real run with three agent steps. */
async function recordedRun(root: string, runId = 'run', jobId = 'job'): Promise<string> {
  const agent = `replay:${await fileIn(root, 'agent.actions', 'a\nb\nc')}`;
  await runTask(
    { task: task({ evaluate: [call('f')] }), agent, seed: 0, jobId, groupId: 'g', runId, out: root, cwd: root },
    new FakePlacement(),
    () => {},
    new AbortController().signal,
  );
  return join(root, jobId, runId);
}

describe('a recorded run', () => {
  it('is read back as it was written', async () => {
    const folder = await recordedRun(await temporaryFolder());
    const run = await openRun(folder);
    expect(run).toMatchObject({ traceDir: folder, running: false, stepCount: 5 });
    expect(run.header).toMatchObject({ format: 'taskwright.trace', version: 1, run_id: 'run', job_id: 'job' });
    expect(run.record).toMatchObject({ status: 'completed', reward: 1, steps: 3 });
    expect((await run.step(2)).action).toBe('b');
    expect((await run.steps()).map((step) => step.source)).toEqual(['system', 'agent', 'agent', 'agent', 'evaluate']);
  });

  it('is read completely even if its lines are long', async () => {
    const folder = await recordedRun(await temporaryFolder());
    const trace = join(folder, 'trace.jsonl');
    const last = (await readFile(trace, 'utf8')).trim().split('\n').at(-1) ?? '';
    const lengths = [700_000, 400_000, 10, 1_500_000, 10];
    for (const [at, length] of lengths.entries()) {
      await appendFile(
        trace,
        `${JSON.stringify({ ...JSON.parse(last), index: 5 + at, info: { long: 'ä'.repeat(length) } })}\n`,
      );
    }
    const steps = await (await openRun(folder)).steps();
    expect(steps.map(({ info }) => String(info['long'] ?? '').length)).toEqual([0, 0, 0, 0, 0, ...lengths]);
  });

  it('can be moved: its folder is the current one', async () => {
    const folder = await recordedRun(await temporaryFolder());
    const record = JSON.parse(await readFile(join(folder, 'run.json'), 'utf8'));
    await writeFile(join(folder, 'run.json'), JSON.stringify({ ...record, trace_dir: '/elsewhere' }));
    expect((await openRun(folder)).record.trace_dir).toBe(folder);
  });

  it('names its agent, also if an older version recorded it without one', async () => {
    const root = await temporaryFolder();
    const folder = await recordedRun(root);
    const { agent, ...older } = JSON.parse(await readFile(join(folder, 'run.json'), 'utf8'));
    expect(agent).toBe(`replay:${join(root, 'agent.actions')}`);
    await writeFile(join(folder, 'run.json'), JSON.stringify(older));
    expect((await openRun(folder)).record.agent).toBe(agent);
    expect((await runsIn(root))[0]?.run.agent).toBe(agent);
  });

  it('of a killed process is interrupted, with the content of its trace', async () => {
    const folder = await recordedRun(await temporaryFolder());
    await rm(join(folder, 'run.json'));
    const run = await openRun(folder);
    expect(run.running).toBe(false);
    expect(run.record).toMatchObject({
      status: 'interrupted',
      reward: null,
      steps: 3,
      task_id: 'shop',
      trace_dir: folder,
    });
    expect(run.record.grade.subscores).toMatchObject([{ value: 1, reason: 'because' }]);
  });

  it.each(['', '{', '[]', '{"reward": 1}', '{}}', '\u0000'])(
    'whose run.json is %j shows its trace, with a warning',
    async (text) => {
      const folder = await recordedRun(await temporaryFolder());
      await writeFile(join(folder, 'run.json'), text);
      const run = await openRun(folder);
      expect(run.running).toBe(false);
      expect(run.record).toMatchObject({ status: 'interrupted', reward: null, steps: 3 });
      expect(run.record.grade.info['warning']).toMatch(/^The grade of this run is unknown: .*run\.json is damaged: \S/);
      expect(await run.steps()).toHaveLength(run.stepCount);
    },
  );

  it('is running if its process is alive, but not if its process id was reused', async () => {
    const folder = await recordedRun(await temporaryFolder());
    await rm(join(folder, 'run.json'));
    const born =
      process.platform === 'linux'
        ? ((await readFile('/proc/self/stat', 'utf8')).split(') ')[1]?.split(' ')[19] ?? null)
        : null;
    const { hostname } = await import('node:os');
    await writeFile(join(folder, 'owner.json'), JSON.stringify({ pid: process.pid, host: hostname(), born }));
    expect((await openRun(folder)).running).toBe(true);
    if (process.platform !== 'linux') return;
    await writeFile(join(folder, 'owner.json'), JSON.stringify({ pid: process.pid, host: hostname(), born: '1' }));
    expect((await openRun(folder)).running).toBe(false);
  });

  it('is running if its process is on another machine, which a refusal to delete it names', async () => {
    const folder = await recordedRun(await temporaryFolder());
    await rm(join(folder, 'run.json'));
    await writeFile(join(folder, 'owner.json'), JSON.stringify({ pid: 12, host: 'node-7.example', born: null }));
    expect((await openRun(folder)).running).toBe(true);
    await expect(deleteRun(folder)).rejects.toThrow(
      'This run is in progress. Process 12 on node-7.example works on it. If that has ended, delete owner.json in the folder.',
    );
  });

  it('loses only a last line that is truncated at any byte', async () => {
    const folder = await recordedRun(await temporaryFolder());
    const path = join(folder, 'trace.jsonl');
    const whole = await readFile(path, 'utf8');
    const last = whole.trimEnd().split('\n').at(-1) ?? '';
    for (const cut of [2, 10, last.length]) {
      await writeFile(path, whole);
      await truncate(path, Buffer.byteLength(whole) - cut);
      expect((await openRun(folder)).stepCount).toBe(4);
    }
    // All but the line break is there.
    await writeFile(path, whole.trimEnd());
    expect((await openRun(folder)).stepCount).toBe(5);
  });

  it('with any other invalid line is an error with the line number', async () => {
    const folder = await recordedRun(await temporaryFolder());
    const path = join(folder, 'trace.jsonl');
    const lines = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, lines.with(2, '{"index": 1, "sour').join('\n'));
    const run = await openRun(folder);
    expect((await run.step(0)).source).toBe('system');
    await expect(run.step(1)).rejects.toThrow(`${path}:3: The line is damaged`);
    await expect(run.steps()).rejects.toMatchObject({ code: 'trace_broken' });
    await writeFile(path, lines.with(2, JSON.stringify({ index: 1, source: 'nobody' })).join('\n'));
    await expect((await openRun(folder)).step(1)).rejects.toThrow(`${path}:3: The line has an unexpected form: source`);
    await writeFile(path, lines.with(2, lines[3] ?? '').join('\n'));
    await expect((await openRun(folder)).step(1)).rejects.toThrow('has index 2. Expected 1');
  });

  it('of a newer version is rejected with a message', async () => {
    const folder = await recordedRun(await temporaryFolder());
    const path = join(folder, 'trace.jsonl');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('"version":1', '"version":2'));
    await expect(openRun(folder)).rejects.toMatchObject({ code: 'trace_newer' });
    await expect(openRun(folder)).rejects.toThrow('Update Taskwright to open it.');
  });

  it('rejects a screenshot outside of its folder', async () => {
    const folder = await recordedRun(await temporaryFolder());
    const run = await openRun(folder);
    expect(run.picture('screens/a.png')).toBe(join(folder, 'screens', 'a.png'));
    expect(() => run.picture('../../secret.png')).toThrow('outside');
    expect(() => run.picture('/etc/passwd')).toThrow('outside');
  });

  it('can be replayed', async () => {
    const root = await temporaryFolder();
    const folder = await recordedRun(root);
    const record = await runTask(
      {
        task: task(),
        agent: `replay:${folder}`,
        seed: 0,
        jobId: 'job',
        groupId: 'g',
        runId: 'again',
        out: root,
        cwd: root,
      },
      new FakePlacement(),
      () => {},
      new AbortController().signal,
    );
    expect(record.steps).toBe(3);
    const actions = (await (await openRun(join(root, 'job', 'again'))).steps()).flatMap((step) => step.action ?? []);
    expect(actions).toEqual(['a', 'b', 'c']);
  });
});

describe('a path that is not a run', () => {
  it.each([
    ['an empty folder', null, 'trace_missing'],
    ['an empty trace', '', 'trace_broken'],
    ['a header cut short', '{"format": "taskwright.tr', 'trace_broken'],
    ['somebody else’s lines', '{"hello": "world"}\n', 'trace_broken'],
    ['no JSON', 'hello\nworld\n', 'trace_broken'],
  ])('%s cannot be opened', async (_what, text, code) => {
    const folder = await temporaryFolder();
    if (text !== null) await fileIn(folder, 'trace.jsonl', text);
    await expect(openRun(folder)).rejects.toMatchObject({ name: 'TraceError', code });
  });
});

describe('the list of runs', () => {
  it('is empty if there are no runs', async () => {
    expect(await runsIn(join(await temporaryFolder(), 'nowhere'))).toEqual([]);
  });

  it('sorts jobs, and the runs of each job, from the newest, and reports what cannot be read', async () => {
    const root = await temporaryFolder();
    const first = await recordedRun(root, 'r1', 'job-a');
    const second = await recordedRun(root, 'r2', 'job-b');
    const third = await recordedRun(root, 'r3', 'job-a');
    await rm(join(third, 'run.json'));
    await mkdir(join(root, 'job-c', 'r4'), { recursive: true });
    const brokenRun = await recordedRun(root, 'r5', 'job-c');
    await appendFile(join(brokenRun, 'run.json'), '}');
    for (const [folder, startedAt] of [
      [first, '2026-01-01'],
      [second, '2026-01-03'],
    ] as const) {
      const record = JSON.parse(await readFile(join(folder, 'run.json'), 'utf8'));
      await writeFile(join(folder, 'run.json'), JSON.stringify({ ...record, started_at: startedAt }));
    }
    const problems: string[] = [];
    const runs = await runsIn(root, (traceDir) => problems.push(traceDir));
    expect(runs.map((entry) => [entry.traceDir, entry.jobId, entry.run.status])).toEqual([
      [brokenRun, 'job-c', 'interrupted'],
      [second, 'job-b', 'completed'],
      [third, 'job-a', 'interrupted'],
      [first, 'job-a', 'completed'],
    ]);
    expect(problems.sort()).toEqual([join(root, 'job-c', 'r4'), brokenRun]);
  });

  it('names in each job the runs that cannot be read', async () => {
    const root = await temporaryFolder();
    await recordedRun(root, 'r1', 'whole');
    const halfRead = await recordedRun(root, 'r1');
    await writeFile(join(halfRead, 'run.json'), '{');
    const unread = await recordedRun(root, 'r2');
    await rm(join(unread, 'run.json'));
    await writeFile(join(unread, 'trace.jsonl'), 'x\n');
    const jobs = await listJobs(root);
    const found = jobs.find(({ folder }) => folder === join(root, 'job'));
    expect(found?.runs.map(({ traceDir }) => traceDir)).toEqual([halfRead]);
    expect([...(found?.problems ?? [])].sort((a, b) => (a.traceDir < b.traceDir ? -1 : 1))).toEqual([
      { traceDir: halfRead, message: expect.stringContaining('run.json is damaged: ') },
      { traceDir: unread, message: expect.stringContaining('trace.jsonl:1: The line is damaged: ') },
    ]);
    expect(jobs.filter((job) => job !== found)).toMatchObject([{ problems: [] }]);
  });

  it('has the agents of the plan, without reading the traces of its finished runs', async () => {
    const root = await temporaryFolder();
    const run = await recordedRun(root);
    const plannedRun = { run_id: 'run', file: '/t', task_id: 'shop', index: 0, group_id: 'g', seed: 0, error: null };
    const plan = { cwd: root, runs: [{ ...plannedRun, agent: 'replay:agent.actions', placement: 'local' }] };
    const job = { job_id: 'job', started_at: '2026-01-01', ended_at: null, plan };
    await fileIn(join(root, 'job'), 'job.json', JSON.stringify(job));
    await fileIn(run, 'trace.jsonl', '');
    const problems: string[] = [];
    expect(await runsIn(root, (folder) => problems.push(folder))).toMatchObject([
      { traceDir: run, agent: 'replay:agent.actions', run: { status: 'completed' } },
    ]);
    expect(problems).toEqual([]);
  });

  it('names the job and run whose owner cannot be read, and contains the others', async () => {
    const root = await temporaryFolder();
    const whole = await recordedRun(root, 'r1', 'job-a');
    const running = await recordedRun(root, 'r2', 'job-a');
    await rm(join(running, 'run.json'));
    await recordedRun(root, 'r3', 'job-b');
    for (const folder of [running, join(root, 'job-b')]) await symlink('owner.json', join(folder, 'owner.json'));
    const problems: string[] = [];
    const runs = await runsIn(root, (folder, { message }) => problems.push(`${folder} ${message.split(':')[0]}`));
    expect(runs.map(({ traceDir }) => traceDir)).toEqual([whole]);
    expect(problems.sort()).toEqual([`${running} ELOOP`, `${join(root, 'job-b')} ELOOP`]);
  });
});

describe('deleting a run', () => {
  it('removes its folder, and its job with the last run', async () => {
    const root = await temporaryFolder();
    const first = await recordedRun(root, 'r1');
    const second = await recordedRun(root, 'r2');
    await fileIn(join(root, 'job'), 'job.json', '{}');
    await deleteRun(first);
    expect((await runsIn(root)).map((entry) => entry.traceDir)).toEqual([second]);
    await deleteRun(second);
    await expect(stat(join(root, 'job'))).rejects.toThrow('ENOENT');
  });

  it('refuses other folders, and runs in progress', async () => {
    const root = await temporaryFolder();
    await expect(deleteRun(root)).rejects.toMatchObject({ code: 'trace_missing' });
    expect((await stat(root)).isDirectory()).toBe(true);
    const folder = await recordedRun(root);
    await writeFile(join(folder, 'owner.json'), JSON.stringify({ pid: 1, host: 'another-machine', born: null }));
    await expect(deleteRun(folder)).rejects.toMatchObject({ code: 'trace_running' });
  });

  it('refuses a folder of unknown content or state', async () => {
    const root = await temporaryFolder();
    await expect(deleteRun(join(root, 'x'.repeat(300)))).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
    const folder = await recordedRun(root);
    await mkdir(join(folder, 'owner.json'));
    await expect(deleteRun(folder)).rejects.toMatchObject({ code: 'EISDIR' });
    expect((await stat(folder)).isDirectory()).toBe(true);
  });
});
