import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobPlan } from '../../../src/traces/job-file.ts';
import { keepRun } from '../../../src/traces/keep-run.ts';
import type { Run } from '../../../src/traces/trace.ts';
import { FakePlacement, verdict } from '../runs/fake-placement.ts';
import { temporaryFolder } from '../runs/tasks.ts';
import { type Said, taskwright } from './command-line.ts';

const TASKS = 3;
const GROUP = 4;

/** A checkout with tasks that have solutions, in `tasks/`. */
async function checkout(): Promise<string> {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, 'tasks'));
  const ids = Array.from({ length: TASKS }, (_, index) => `t${index}`);
  const rows = ids.map((id) => ({ id, prompt: 'x', gym: 'qa', evaluate: ['response_includes', 'x'] }));
  await writeFile(join(cwd, 'tasks', 'many.tasks.json'), JSON.stringify(rows));
  for (const id of ids) await writeFile(join(cwd, 'tasks', `${id}.actions`), 'send_msg_to_user("x")\n');
  return cwd;
}

/** Plans a job in a checkout, and copies it with its plan, as machines of CI do. */
async function planned(args: readonly string[] = []): Promise<{ cwd: string; job: string; copy(): Promise<string> }> {
  const cwd = await checkout();
  const said = await taskwright(['run', 'tasks', '--plan', '--out', 'plan', '--group', `${GROUP}`, ...args], { cwd });
  expect(said).toMatchObject({ exit: 0 });
  const [id = ''] = await readdir(join(cwd, 'plan'));
  const copy = async () => {
    const to = join(await temporaryFolder(), 'elsewhere');
    await cp(cwd, to, { recursive: true });
    return to;
  };
  return { cwd, job: join('plan', id), copy };
}

/** Makes a shard in a checkout of its own, and gives the folder of its job. */
async function shard(of: Awaited<ReturnType<typeof planned>>, part: string): Promise<{ folder: string; said: Said }> {
  const cwd = await of.copy();
  const said = await taskwright(['run', '--resume', 'plan', '--shard', part, '--json'], { cwd });
  return { folder: join(cwd, of.job), said };
}

async function jobFile(folder: string): Promise<{ ended_at: string | null; plan: JobPlan }> {
  return JSON.parse(await readFile(join(folder, 'job.json'), 'utf8'));
}

async function runIds(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name !== 'job.json').sort();
}

describe('taskwright run --plan', () => {
  it('writes the plan with paths of no machine, and makes no run', async () => {
    const { cwd, job } = await planned();
    expect(await readdir(join(cwd, job))).toEqual(['job.json']);
    const { plan, ended_at } = await jobFile(join(cwd, job));
    expect(ended_at).toBeNull();
    expect(plan.runs).toHaveLength(TASKS * GROUP);
    expect(plan.runs[0]).toMatchObject({ file: 'tasks/many.tasks.json', agent: 'replay:tasks/t0.actions' });
  });

  it('prints the plan as JSON', async () => {
    const cwd = await checkout();
    const said = await taskwright(['run', 'tasks', '--plan', '--out', 'plan', '--json'], { cwd });
    const { job_id, job_dir, runs } = JSON.parse(said.out);
    expect(job_dir).toBe(join(cwd, 'plan', job_id));
    expect(runs.map((run: Run) => run.file)).toEqual(
      Array.from({ length: TASKS }, () => join(cwd, 'tasks', 'many.tasks.json')),
    );
  });

  it('names tasks that cannot run', async () => {
    const cwd = await checkout();
    await rm(join(cwd, 'tasks', 't1.actions'));
    const said = await taskwright(['run', 'tasks', '--plan', '--out', 'plan'], { cwd });
    expect(said.exit).toBe(2);
    expect(said.out).toContain('Planned 2 runs');
    expect(said.err).toContain('t1 has no solution');
  });

  it.each([
    [['tasks', '--plan', '--retries', '1'], '--retries'],
    [['tasks', '--shard', '1/2'], '--resume'],
    [['--resume', 'x', '--shard', '3/2'], '2/4'],
    [['--resume', 'x', '--shard', '0/2'], '2/4'],
    [['--resume', 'x', '--plan'], '--plan'],
  ])('refuses %j', async (args, words) => {
    const said = await taskwright(['run', ...args, '--json'], { cwd: await checkout() });
    expect(said.exit).toBe(2);
    expect(JSON.parse(said.out)).toMatchObject({
      error: { code: 'bad_option', message: expect.stringContaining(words) },
    });
  });
});

describe('a shard', () => {
  it('has its part of the plan, with as many repeats of each task as the others', async () => {
    const of = await planned();
    const { runs } = (await jobFile(join(of.cwd, of.job))).plan;
    const { folder, said } = await shard(of, '2/4');
    const part = runs.filter((_, position) => position % 4 === 1);
    expect(said).toMatchObject({ exit: 0 });
    expect(said.err).toContain('Shard 2/4 of the job: 0 of 3 runs are finished.');
    expect(JSON.parse(said.out).runs.map((run: Run) => run.run_id)).toEqual(part.map(({ run_id }) => run_id));
    expect(new Set(part.map(({ task_id }) => task_id)).size).toBe(TASKS);
    expect(await runIds(folder)).toEqual(part.map(({ run_id }) => run_id).sort());
    expect((await jobFile(folder)).ended_at).toBeNull();
  });

  it('is resumed without repeating finished runs', async () => {
    const of = await planned();
    const { folder } = await shard(of, '1/2');
    const placement = new FakePlacement({});
    const cwd = join(folder, '..', '..');
    const said = await taskwright(['run', '--resume', folder, '--shard', '1/2', '--json'], { cwd, placement });
    expect(said.err).toContain('6 of 6 runs are finished');
    expect(placement.requests).toEqual([]);
  });

  it('is refused where the tasks are not', async () => {
    const of = await planned();
    const cwd = await temporaryFolder();
    const said = await taskwright(['run', '--resume', join(of.cwd, of.job), '--shard', '1/2', '--json'], { cwd });
    expect(said.exit).toBe(2);
    expect(JSON.parse(said.out)).toMatchObject({ error: { code: 'job_elsewhere' } });
    expect((await jobFile(join(of.cwd, of.job))).plan.runs[0]?.file).toBe('tasks/many.tasks.json');
  });

  it('can be the whole plan', async () => {
    const { cwd, job } = await planned();
    const said = await taskwright(['run', '--resume', job, '--json'], { cwd });
    expect(said.exit).toBe(0);
    expect(JSON.parse(said.out).runs).toHaveLength(TASKS * GROUP);
    expect((await jobFile(join(cwd, job))).ended_at).not.toBeNull();
  });
});

describe('taskwright merge', () => {
  it('makes one job of the shards of other machines', async () => {
    const of = await planned();
    const shards = await Promise.all(['1/3', '2/3', '3/3'].map((part) => shard(of, part)));
    const cwd = await of.copy();
    const args = [
      'merge',
      ...shards.map(({ folder }) => folder),
      '--out',
      'merged',
      '--json',
      '--junit',
      'r/report.xml',
    ];
    const said = await taskwright(args, { cwd });
    expect(said).toMatchObject({ exit: 0 });
    const merged = JSON.parse(said.out);
    const { plan, ended_at } = await jobFile(join(cwd, 'merged', merged.job_id));
    expect(merged.runs.map((run: Run) => run.run_id)).toEqual(plan.runs.map(({ run_id }) => run_id));
    expect(merged).toMatchObject({ missing: [], statistics: { runs: TASKS * GROUP, successes: TASKS * GROUP } });
    expect(ended_at).not.toBeNull();
    expect(await readFile(join(cwd, 'r', 'report.xml'), 'utf8')).toContain('tests="12" failures="0" errors="0"');

    // Paths are those of this machine, also in the traces.
    const [first]: Run[] = merged.runs;
    const file = join(cwd, 'tasks', 'many.tasks.json');
    const traceDir = join(cwd, 'merged', merged.job_id, `${first?.run_id}`);
    expect(first).toMatchObject({ file, trace_dir: traceDir });
    const shown = JSON.parse((await taskwright(['show', traceDir, '--json'], { cwd })).out);
    expect(shown).toMatchObject({
      file,
      steps: expect.arrayContaining([expect.objectContaining({ source: 'agent' })]),
    });
    const [line = '{}'] = (await readFile(join(traceDir, 'trace.jsonl'), 'utf8')).split('\n');
    expect(JSON.parse(line)).toMatchObject({ job_id: merged.job_id, task: { file }, agent: 'replay:tasks/t0.actions' });
    expect(await readdir(join(cwd, 'merged'))).toEqual([merged.job_id]);

    const again = await taskwright(['merge', join('merged', merged.job_id), ...args.slice(1)], { cwd });
    expect(JSON.parse(again.out)).toMatchObject({ error: { code: 'job_exists' } });
  });

  it('copies a job of another machine into the jobs of this one', async () => {
    const of = await planned();
    const { folder } = await shard(of, '1/1');
    const cwd = await of.copy();
    const said = await taskwright(['merge', folder, '--out', '.taskwright/jobs', '--json'], { cwd });
    expect(said).toMatchObject({ exit: 0 });
    expect(JSON.parse(said.out).runs[0].file).toBe(join(cwd, 'tasks', 'many.tasks.json'));
    expect(await readFile(join(cwd, '.taskwright', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('names what is missing, which can then be made', async () => {
    const of = await planned();
    const [one, three] = await Promise.all([shard(of, '1/3'), shard(of, '3/3')]);
    const { runs } = (await jobFile(one.folder)).plan;
    const missing = runs.filter((_, position) => position % 3 === 1).map(({ run_id }) => run_id);
    const cwd = await of.copy();
    const args = ['merge', one.folder, three.folder, '--out', 'merged', '--json', '--junit', 'report.xml'];
    const said = await taskwright(args, { cwd });
    expect(said.exit).toBe(1);
    const merged = JSON.parse(said.out);
    expect(merged.missing).toEqual(missing);
    expect(merged.runs).toHaveLength(8);
    for (const id of missing) expect(said.err).toContain(id);
    expect((await readFile(join(cwd, 'report.xml'), 'utf8')).match(/run_missing/g)).toHaveLength(4);

    const resumed = await taskwright(['run', '--resume', 'merged', '--json'], { cwd });
    expect(resumed.err).toContain('8 of 12 runs are finished');
    expect(JSON.parse(resumed.out).statistics).toMatchObject({ runs: 12, successes: 12 });
  });

  it('counts a run once that is the same in two shards, whatever the paths of their machines', async () => {
    const of = await planned();
    const [one, other] = await Promise.all([shard(of, '1/2'), shard(of, '2/2')]);
    const cwd = await of.copy();
    await taskwright(['merge', one.folder, '--out', 'first'], { cwd });
    // The user keeps one of the copies, and a run of the other shard.
    const [ofOne = '', ofOther = ''] = [(await runIds(one.folder))[0], (await runIds(other.folder))[0]];
    await keepRun(join(one.folder, ofOne), true);
    await keepRun(join(other.folder, ofOther), true);
    const said = await taskwright(['merge', 'first', one.folder, other.folder, '--out', 'all', '--json'], { cwd });
    expect(JSON.parse(said.out)).toMatchObject({ missing: [], statistics: { runs: 12 } });
    const [id = ''] = await readdir(join(cwd, 'all'));
    const kept = JSON.parse(said.out).runs.filter((run: Run) => run.kept);
    expect(kept.map(({ run_id }: Run) => run_id).sort()).toEqual([ofOne, ofOther].sort());
    const { plan } = await jobFile(join(cwd, 'all', id));
    expect(await runIds(join(cwd, 'all', id))).toEqual(plan.runs.map(({ run_id }) => run_id).sort());
  });

  it('refuses two different results of one run', async () => {
    const of = await planned();
    const [one, other] = await Promise.all([shard(of, '1/2'), shard(of, '1/2')]);
    const cwd = await of.copy();
    const said = await taskwright(['merge', one.folder, other.folder, '--out', 'merged', '--json'], { cwd });
    expect(said.exit).toBe(2);
    expect(JSON.parse(said.out)).toMatchObject({ error: { code: 'runs_differ' } });
    expect(await readdir(join(cwd, 'merged'))).toEqual([]);
  });

  it('refuses jobs with different plans', async () => {
    const [one, other] = await Promise.all([planned(), planned()]);
    const folders = [join(one.cwd, one.job), join(other.cwd, other.job)];
    const renamed = join(other.cwd, 'plan', basename(one.job));
    const args = (from: readonly string[]) => ['merge', ...from, '--out', 'merged', '--json'];
    const said = await taskwright(args(folders), { cwd: one.cwd });
    expect(said.exit).toBe(2);
    expect(JSON.parse(said.out)).toMatchObject({ error: { code: 'plans_differ' } });
    // The same id alone makes it not the same plan.
    const { plan } = await jobFile(folders[1] ?? '');
    const file = await jobFile(folders[0] ?? '');
    await mkdir(renamed);
    await writeFile(join(renamed, 'job.json'), JSON.stringify({ ...file, plan }));
    const again = await taskwright(args([folders[0] ?? '', renamed]), { cwd: one.cwd });
    expect(JSON.parse(again.out)).toMatchObject({ error: { code: 'plans_differ' } });
  });

  it('reports a task that cannot run with the file of this machine', async () => {
    const cwd = await checkout();
    await rm(join(cwd, 'tasks', 't1.actions'));
    await taskwright(['run', 'tasks', '--plan', '--out', 'plan'], { cwd });
    const elsewhere = join(await temporaryFolder(), 'elsewhere');
    await rename(cwd, elsewhere);
    await taskwright(['run', '--resume', 'plan', '--shard', '1/1'], { cwd: elsewhere });
    const said = await taskwright(['merge', 'plan', '--out', 'merged', '--json'], { cwd: elsewhere });
    expect(said.exit).toBe(2);
    const { runs, missing } = JSON.parse(said.out);
    expect(missing).toEqual([]);
    const file = join(elsewhere, 'tasks', 'many.tasks.json');
    expect(runs[1]).toMatchObject({ task_id: 't1', file, trace_dir: null, error: { code: 'no_agent', file } });
  });

  it('reports failures as run does', async () => {
    const of = await planned();
    const cwd = await of.copy();
    const placement = new FakePlacement({ evaluate: () => verdict(0.5, 'half of it') });
    await taskwright(['run', '--resume', 'plan'], { cwd, placement });
    const said = await taskwright(['merge', 'plan', '--out', 'merged', '--junit', 'report.xml'], { cwd });
    expect(said.exit).toBe(1);
    expect(said.out).toContain('half of it');
    expect(await readFile(join(cwd, 'report.xml'), 'utf8')).toContain('failures="12"');
  });

  it('refuses to be without shards or without a place for the job', async () => {
    const cwd = await checkout();
    for (const args of [
      ['merge', 'x'],
      ['merge', '--out', 'y'],
    ]) {
      const said = await taskwright([...args, '--json'], { cwd });
      expect(said.exit).toBe(2);
      expect(JSON.parse(said.out)).toMatchObject({ error: { code: 'bad_option' } });
    }
    const said = await taskwright(['merge', 'tasks', '--out', 'y', '--json'], { cwd });
    expect(JSON.parse(said.out)).toMatchObject({ error: { code: 'job_missing' } });
  });
});

describe('what a shard of another machine holds', () => {
  /** A shard whose first run is changed. */
  async function changed(
    change: (run: string, elsewhere: string) => Promise<void>,
  ): Promise<Said & { merged: string }> {
    const of = await planned();
    const { folder } = await shard(of, '1/3');
    const [id = ''] = await runIds(folder);
    const elsewhere = await temporaryFolder();
    await writeFile(join(elsewhere, 'secret'), 'secret');
    await change(join(folder, id), elsewhere);
    const cwd = await of.copy();
    const said = await taskwright(['merge', folder, '--out', 'merged', '--json'], { cwd });
    return { ...said, merged: join(cwd, 'merged', basename(folder), id) };
  }

  const link = async (path: string, to: string): Promise<void> => {
    await rm(path, { recursive: true, force: true });
    await symlink(to, path);
  };
  const picture = `${'0'.repeat(64)}.png`;

  it.each<[string, (run: string, elsewhere: string) => Promise<void>]>([
    ['a run', (run, elsewhere) => rename(run, join(elsewhere, 'run')).then(() => link(run, join(elsewhere, 'run')))],
    ['a trace', (run, elsewhere) => link(join(run, 'trace.jsonl'), join(elsewhere, 'secret'))],
    ['a record', (run, elsewhere) => link(join(run, 'run.json'), join(elsewhere, 'secret'))],
    ['a folder', (run, elsewhere) => link(join(run, 'screens'), elsewhere)],
    ['a picture', (run, elsewhere) => link(join(run, 'screens', picture), join(elsewhere, 'secret'))],
    ['attempts', (run, elsewhere) => link(join(run, 'attempts'), elsewhere)],
  ])('is refused where a link stands for %s', async (_, change) => {
    const said = await changed(change);
    expect(said.exit).toBe(2);
    expect(JSON.parse(said.out)).toMatchObject({ error: { code: 'run_unsafe' } });
  });

  it('is refused where a run says that it is another', async () => {
    const said = await changed(async (run) => {
      const path = join(run, 'run.json');
      await writeFile(path, (await readFile(path, 'utf8')).replace('"seed": 0', '"seed": 1'));
    });
    expect(JSON.parse(said.out)).toMatchObject({ error: { code: 'run_unsafe' } });
  });

  it('is copied only where a run has such files', async () => {
    const said = await changed(async (run) => {
      await writeFile(join(run, 'owner.json'), '{}');
      await writeFile(join(run, 'other.sh'), 'x');
      await writeFile(join(run, 'screens', picture), 'x');
      await writeFile(join(run, 'screens', 'page.html'), 'x');
      await mkdir(join(run, 'attempts', '1'), { recursive: true });
      await writeFile(join(run, 'attempts', '1', 'run.json'), 'damaged');
    });
    expect(said.exit).toBe(1);
    const names = await readdir(said.merged, { recursive: true });
    expect(names).toContain(join('screens', picture));
    expect(names).toContain(join('attempts', '1', 'run.json'));
    expect(names.filter((name) => /owner|other|page\.html/.test(name))).toEqual([]);
  });

  it('has its paths changed to those of this machine', async () => {
    const said = await changed(async (run) => {
      const path = join(run, 'run.json');
      const file = join(run, '..', '..', '..', 'tasks', 'a.functions.ts');
      const record = JSON.parse(await readFile(path, 'utf8'));
      await writeFile(path, JSON.stringify({ ...record, status: 'error', error: { message: 'x', code: 'x', file } }));
    });
    const file = join(said.merged, '..', '..', '..', 'tasks', 'a.functions.ts');
    expect(JSON.parse(said.out).runs.map((run: Run) => run.error?.file)).toContain(file);
    expect(JSON.parse(await readFile(join(said.merged, 'run.json'), 'utf8'))).toMatchObject({ error: { file } });
  });

  it('does not name a folder outside of the merged jobs', async () => {
    const of = await planned();
    const path = join(of.cwd, of.job, 'job.json');
    await writeFile(path, JSON.stringify({ ...(await jobFile(join(of.cwd, of.job))), job_id: '../outside' }));
    const said = await taskwright(['merge', 'plan', '--out', 'merged', '--json'], { cwd: of.cwd });
    expect(JSON.parse(said.out)).toMatchObject({ error: { code: 'run_unsafe' } });
  });
});
