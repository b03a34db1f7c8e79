import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunRecord, Step } from '../../../src/traces/trace.ts';
import { FakePlacement, seen, verdict } from '../runs/fake-placement.ts';
import { fileIn, temporaryFolder } from '../runs/tasks.ts';
import { taskwright } from './command-line.ts';

const SHOP = {
  id: 'shop-1',
  reward: 1,
  trajectory: [
    { observation_url: 'https://pictures.example/1.png', observation_text: 'a shop', actions: [] },
    { observation_text: 'thanks', actions: [{ type: 'click', point: { x: 1, y: 2 } }] },
  ],
};

describe('taskwright show FILE', () => {
  it('shows a trajectory of HUD 0.2 like a run, and notes that it downloaded nothing', async () => {
    const cwd = await temporaryFolder();
    await fileIn(cwd, 'shop.json', JSON.stringify(SHOP));
    const { exit, out, err } = await taskwright(['show', 'shop.json'], { cwd });
    expect(exit).toBe(0);
    expect(out).toContain('shop.json#shop-1  agent hud-0.2');
    expect(out).toContain('{"type":"click","point":{"x":1,"y":2}}');
    expect(out).toMatch(/✓ 1\.00 +shop-1 {2}1 step/);
    expect(err).toContain('1 picture on other hosts not downloaded');
  });

  it('prints the same with --json as for a run; a list for a list', async () => {
    const cwd = await temporaryFolder();
    await fileIn(cwd, 'all.json', JSON.stringify([SHOP, SHOP]));
    const { out } = await taskwright(['show', 'all.json', '--json'], { cwd });
    const runs = JSON.parse(out) as (RunRecord & { steps: Step[] })[];
    expect(runs).toHaveLength(2);
    expect(runs[1]).toMatchObject({ task_id: 'shop-1', reward: 1, trace_dir: null, file: join(cwd, 'all.json') });
    expect(runs[1]?.steps.map(({ index, source }) => [index, source])).toEqual([
      [0, 'system'],
      [1, 'agent'],
    ]);
  });

  it('shows a sub-agent of a HUD 0.6 trace as a tree, with results and reasoning', async () => {
    const cwd = await temporaryFolder();
    const inner = [
      { source: 'agent', reasoning: 'r, r, r', tool_calls: [{ name: 'count', arguments: {}, id: '1' }] },
      { source: 'tool', call: { name: 'count' }, result: { content: [{ type: 'text', text: 'three letters' }] } },
    ];
    const steps = [{ source: 'subagent', subagent: { content: 'it is 3', steps: inner } }];
    const lines = steps.map((step) =>
      JSON.stringify({
        ...{ name: 'step', trace_id: 'a', span_id: 'b' },
        attributes: { 'hud.schema': 'hud.step.v1', 'hud.payload': step },
      }),
    );
    await fileIn(cwd, 'trace.jsonl', lines.join('\n'));
    const { out } = await taskwright(['show', 'trace.jsonl'], { cwd });
    expect(out).toMatch(/0 {2}subagent {2}sub-agent .*\n +it is 3\n/);
    expect(out).toMatch(/1 {2}subagent {4}\{"name":"count","arguments":\{\}\} .*\n +r, r, r\n/);
    expect(out).toMatch(/2 {2}subagent {4}\{"name":"count","arguments":null\} .*\n +three letters\n/);
  });

  it('reports the location of a syntax error', async () => {
    const cwd = await temporaryFolder();
    const path = await fileIn(cwd, 'broken.json', '{"id": "a",\n "trajectory": 7}');
    const { exit, err } = await taskwright(['show', 'broken.json'], { cwd });
    expect(exit).toBe(2);
    expect(err).toContain(`${path}:2:16: "trajectory": expected a list of steps`);
  });
});

describe('taskwright show --format hud-0.2', () => {
  it('exports a run as a trajectory that is imported as the same run', async () => {
    const cwd = await temporaryFolder();
    await fileIn(
      cwd,
      'shop.task.json',
      JSON.stringify({
        id: 'shop',
        prompt: 'Buy milk.',
        gym: 'hud-browser',
        setup: ['goto', 'https://shop.example'],
        evaluate: ['page_contains', 'Thanks'],
      }),
    );
    await fileIn(cwd, 'shop.actions', "click('#buy')\nfill('#name', 'Ada')\nclick(");
    const acted = { action: "click('#buy')", point: { x: 10.4, y: 20.6 } };
    const placement = new FakePlacement({
      step: (_, count) => seen(`after ${count}`, count === 1 ? { info: { acted: [acted] } } : {}),
      evaluate: () => verdict(0.5, 'half of it'),
    });
    const ran = await taskwright(['run', 'shop.task.json', '--json'], { cwd, placement });
    const [run] = (JSON.parse(ran.out) as { runs: { trace_dir: string; run_id: string }[] }).runs;
    const { exit, out } = await taskwright(['show', run?.trace_dir ?? '', '--format', 'hud-0.2'], { cwd });
    expect(exit).toBe(0);
    const trajectory = JSON.parse(out);
    expect(trajectory).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      reward: 0.5,
      error: null,
      logs: expect.stringContaining('half of it'),
      trajectory: [
        { actions: [], observation_text: 'after goto', logs: expect.stringContaining('setup: goto') },
        { actions: [{ type: 'click', point: { x: 10, y: 21 }, button: 'left', logs: "click('#buy')" }] },
        { actions: [{ type: 'custom', action: "fill('#name', 'Ada')" }], observation_text: 'after 2' },
        { actions: [{ type: 'custom', action: 'click(' }] },
      ],
    });
    expect(trajectory.trajectory[1].observation_url).toMatch(/^data:image\/png;base64,iVBO/);
    expect(trajectory.logs).not.toContain(cwd);
    const file = await fileIn(cwd, 'out.json', out);
    const read = await taskwright(['show', file, '--json'], { cwd });
    expect(JSON.parse(read.out)).toMatchObject({ reward: 0.5, steps: { 2: { action: "fill('#name', 'Ada')" } } });
    const again = await taskwright(['show', file, '--format', 'hud-0.2'], { cwd });
    expect(JSON.parse(again.out)).toEqual(trajectory);
    expect(await readFile(file, 'utf8')).toBe(out);
  });

  it('rejects other formats', async () => {
    const { exit, err } = await taskwright(['show', '.', '--format', 'csv'], { cwd: await temporaryFolder() });
    expect(exit).toBe(2);
    expect(err).toContain('Unknown format “csv”. Use --format hud-0.2.');
  });
});

it('prints the address that selects the task of a run, even where an id is its index', async () => {
  const cwd = await temporaryFolder();
  const of = { prompt: 'x', gym: 'qa', evaluate: ['response_is', 'x'] };
  const file = await fileIn(cwd, 'two.tasks.json', JSON.stringify([of, { id: '0', ...of }]));
  const placement = new FakePlacement({ evaluate: () => verdict(1, 'fine') });
  const args = ['run', '.', '--agent', 'noop', '--out', 'jobs', '--json'];
  const { runs } = JSON.parse((await taskwright(args, { cwd, placement })).out);
  const shown = (runs as RunRecord[]).map(async ({ trace_dir }) => {
    return (await taskwright(['show', trace_dir ?? ''], { cwd })).out.split('\n')[1]?.split('  ')[0];
  });
  expect((await Promise.all(shown)).toSorted()).toEqual([`${file}#0`, `${file}#[0]`]);
});

describe('taskwright show JOB_DIR', () => {
  /** A job of two tasks, of which the second one cannot run, with two runs of the first. */
  async function job(): Promise<{ cwd: string; folder: string; runs: string[] }> {
    const cwd = await temporaryFolder();
    const rows = [
      { id: 'a', prompt: 'x', gym: 'qa', evaluate: ['response_is', 'x'] },
      { id: 'b', prompt: 'x', gym: 'qa', evaluate: ['no_such_function', 'x'] },
    ];
    await fileIn(cwd, 'two.tasks.json', JSON.stringify(rows));
    const placement = new FakePlacement({ evaluate: () => verdict(0.5, 'half of it') });
    const args = ['run', '.', '--agent', 'noop', '--group', '2', '--out', 'jobs', '--json'];
    const { job_id, runs } = JSON.parse((await taskwright(args, { cwd, placement })).out);
    const ids = (runs as RunRecord[]).map(({ run_id }) => run_id);
    return { cwd, folder: join(cwd, 'jobs', job_id), runs: ids };
  }

  it('prints the runs and figures as run does', async () => {
    const { cwd, folder, runs } = await job();
    const { exit, out } = await taskwright(['show', folder], { cwd });
    expect(exit).toBe(0);
    expect(out.match(/^✗ 0\.50 +a /gm)).toHaveLength(2);
    expect(out).toContain('half of it');
    expect(out).toMatch(/^! error +b +not started$/m);
    expect(out).toMatch(/^0 of 3 passed · 1 error · .*mean reward 0\.50 ± 0\.00/m);
    const shown = JSON.parse((await taskwright(['show', folder, '--json'], { cwd })).out);
    expect(shown).toMatchObject({ missing: [], statistics: { runs: 3, errors: 1 } });
    expect(shown.runs.map((run: RunRecord) => run.run_id)).toEqual(runs);
    expect(shown.runs[0]).toMatchObject({ file: join(cwd, 'two.tasks.json'), reward: 0.5 });
    expect(shown.runs[0]).not.toHaveProperty('grade');
  });

  it('names runs that were not started, were interrupted, or cannot be read', async () => {
    const { cwd, folder, runs } = await job();
    const [first = '', second = ''] = runs;
    await rm(join(folder, first, 'run.json'));
    await rm(join(folder, second), { recursive: true });
    const { out, err } = await taskwright(['show', folder], { cwd });
    expect(out).toMatch(/^! interrupted +a /m);
    expect(err).toContain('1 run not started.');
    const shown = JSON.parse((await taskwright(['show', folder, '--json'], { cwd })).out);
    expect(shown.missing).toEqual([second]);

    await fileIn(join(folder, first), 'run.json', '{');
    await fileIn(join(folder, first), 'trace.jsonl', '');
    const broken = await taskwright(['show', folder], { cwd });
    expect(broken.exit).toBe(0);
    expect(broken.err).toMatch(/run\.json is damaged/);
    expect(broken.err).toMatch(/trace\.jsonl is empty/);
  });

  it('shows a job without a plan, and exports none', async () => {
    const { cwd, folder } = await job();
    await fileIn(folder, 'job.json', JSON.stringify({ job_id: 'j', started_at: '', ended_at: null }));
    const shown = JSON.parse((await taskwright(['show', folder, '--json'], { cwd })).out);
    expect(shown).toMatchObject({ job_id: 'j', missing: [], statistics: { runs: 2 } });
    const { exit, err } = await taskwright(['show', folder, '--format', 'hud-0.2'], { cwd });
    expect(exit).toBe(2);
    expect(err).toContain('--format requires the folder of a run');
  });
});
