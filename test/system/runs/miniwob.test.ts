import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunRecord } from '../../../src/traces/trace.ts';
import { everyThird, itLong } from '../../sample.ts';
import { start } from '../cli/program.ts';
import { missing } from '../environments/miniwob-pages.ts';
import { root } from '../programs.ts';

const LONG = 300_000;
const folder = join(root, 'examples', 'miniwob');

/** The ids of the tasks of the example. */
async function taskIds(): Promise<readonly string[]> {
  const { out } = await start(['list', 'miniwob.tasks.yaml', '--json'], folder).ended;
  return (JSON.parse(out) as readonly { id: string }[]).map(({ id }) => id);
}

/** Runs tasks of the example as a person does, and returns how they went. */
async function run(agent: string, ...tasks: readonly string[]): Promise<readonly RunRecord[]> {
  const out = await mkdtemp(join(tmpdir(), 'taskwright-miniwob-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const addresses = tasks.map((id) => `miniwob.tasks.yaml#${id}`);
  const args = ['run', ...addresses, '--agent', agent, '--max-steps', '15', '--concurrency', '2', '--json'];
  const { out: json, err } = await start([...args, '--out', out], folder).ended;
  const { runs } = JSON.parse(json) as { runs: readonly RunRecord[] };
  expect(
    runs.filter(({ status }) => status !== 'completed'),
    err,
  ).toEqual([]);
  return runs;
}

const solved = (runs: readonly RunRecord[]): string[] =>
  runs.flatMap(({ task_id, success }) => (success && task_id !== null ? [task_id] : []));

describe.skipIf(missing !== null)('tasks of MiniWoB++', () => {
  itLong('are solved by the example module agent, which gets observations only', { timeout: LONG }, async () => {
    const ids = await taskIds();
    expect(ids.length).toBeGreaterThanOrEqual(50);
    const chosen = everyThird(ids);
    const runs = await run('module:solver.agent.ts', ...chosen);
    expect(runs.map(({ task_id }) => task_id)).toEqual(chosen);
    expect(solved(runs).length).toBeGreaterThanOrEqual(runs.length * 0.8);
  });

  it('are solved by the example process agent', { timeout: LONG }, async () => {
    const tasks = ['click-test', 'click-button', 'enter-text', 'focus-text-2', 'click-option', 'click-checkboxes'];
    const more = ['enter-date', 'simple-arithmetic', 'enter-text-dynamic', 'unicode-test'];
    const runs = await run('process:python3 solver.py', ...tasks, ...more);
    expect(solved(runs).length).toBeGreaterThanOrEqual(8);
  });

  it('have the goal as their prompt, and the reward of the environment without an evaluate', async () => {
    const [record] = await run('noop', 'click-test');
    expect(record).toMatchObject({ status: 'completed', reward: 0, success: false });
    expect(record?.trace_dir).not.toBeNull();
    const shown = await start(['show', record?.trace_dir ?? '', '--json'], folder).ended;
    expect(JSON.parse(shown.out)).toMatchObject({ prompt: 'Click the button.', steps: [{ reward: 0 }] });
  });

  it('are written in the keys of OpenEnv’s proposal too', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'taskwright-miniwob-'));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    const row = { id: 'dialog', benchmark: 'miniwob', task_name: 'click-dialog', max_steps: 3 };
    await writeFile(join(cwd, 'dialog.task.json'), JSON.stringify(row));
    await writeFile(join(cwd, 'dialog.actions'), 'click("button.ui-dialog-titlebar-close")\n');
    const { out, err } = await start(['run', 'dialog.task.json', '--json'], cwd).ended;
    expect(JSON.parse(out).runs, err).toMatchObject([{ status: 'completed', reward: 1, steps: 1 }]);
  });

  it('with missing pages explain how to install them', async () => {
    const environment = { TASKWRIGHT_MINIWOB: join(root, 'docs') };
    const args = ['run', 'miniwob.tasks.yaml#click-test', '--agent', 'noop', '--json', '--out', join(tmpdir(), 'none')];
    const { code, out } = await start(args, folder, environment).ended;
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      runs: [{ status: 'error', error: { code: 'pages_missing', message: expect.stringContaining('pip install') } }],
    });
    await rm(join(tmpdir(), 'none'), { recursive: true, force: true });
  });
});
