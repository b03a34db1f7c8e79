import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { ManualInput, type ManualRequest } from '../../../src/agents/manual-input.ts';
import type { RunListener } from '../../../src/runs/events.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import { solutionText } from '../../../src/runs/solutions/solution-text.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { openRun } from '../../../src/traces/store.ts';
import type { RunRecord, Step } from '../../../src/traces/trace.ts';
import { call, fileIn, task, temporaryFolder } from '../../unit/runs/tasks.ts';
import { placeForAll } from '../server/harness.ts';

const { placement } = placeForAll();
afterAll(() => placement.dispose());

const page = `<!doctype html><body style="margin:0">
<style>* { position: absolute; left: 20px; width: 200px; height: 30px; margin: 0 } body, html { position: static; width: auto }</style>
<input id=name style="top:20px"><button style="top:60px" onclick="document.querySelector('p').textContent='Hello '+document.querySelector('input').value">Greet me</button>
<select id=size style="top:100px"><option>S<option>L</select>
<canvas style="top:140px" onclick="this.nextElementSibling.textContent=event.offsetX+' of the canvas'"></canvas><p style="top:180px;width:400px"></p>`;

let folder = '';
let greet: Task;
beforeEach(async () => {
  folder = await temporaryFolder();
  await fileIn(folder, 'page.html', page);
  greet = task({
    file: join(folder, 'greet.task.json'),
    id: 'greet',
    prompt: 'Be greeted as Ada.',
    env: { type: 'hud-browser' },
    setup: [call('goto', ['page.html'])],
    evaluate: [call('page_contains', ['Hello Ada'])],
  });
});

async function run(
  of: { agent: string; manualInput?: ManualInput; task?: Task },
  signal = new AbortController().signal,
  listen: RunListener = () => {},
): Promise<{ record: RunRecord; steps: readonly Step[] }> {
  const plan = { seed: 0, jobId: 'job', groupId: 'g', out: join(folder, 'out'), cwd: folder };
  const { task: given = greet, ...rest } = of;
  const record = await runTask({ ...plan, ...rest, task: given }, placement, listen, signal);
  return { record, steps: await (await openRun(record.trace_dir ?? '')).steps() };
}

function handsThat(...wishes: ManualRequest[]): ManualInput {
  const manualInput = new ManualInput(async (question) => (question.kind === 'select' ? ['L'] : null));
  for (const wish of wishes) manualInput.push(wish);
  return manualInput;
}

function clickAt(x: number, y: number): ManualRequest {
  return { kind: 'click', point: { x, y }, button: 'left', count: 1, hold: [] };
}

const greeting: readonly ManualRequest[] = [
  clickAt(30, 30),
  { kind: 'text', text: 'Ada' },
  clickAt(30, 110),
  clickAt(35, 150),
  clickAt(200, 75),
  { kind: 'done' },
];

it('a manual run is recorded like any other, and its solution gives the same reward', async () => {
  const { record, steps } = await run({ agent: 'manual', manualInput: handsThat(...greeting) });
  expect(record).toMatchObject({ status: 'completed', reward: 1, steps: 5, truncated: false });
  expect(steps.filter(({ source }) => source === 'agent').map(({ action }) => action)).toEqual([
    "click('#name')",
    "keyboard_type('Ada')",
    "select_option('#size', 'L')",
    'mouse_click(35, 150)',
    'click(\'button:has-text("Greet me")\')',
  ]);
  expect(steps.map(({ error }) => error).filter((error) => error !== null)).toEqual([]);
  // The very pixel: the canvas begins at 20.
  const clicked = steps.find(({ action }) => action === 'mouse_click(35, 150)');
  expect(clicked?.observation?.text).toContain('15 of the canvas');
  const solution = join(folder, 'greet.actions');
  await writeFile(solution, solutionText(record.prompt, greet.env, steps));
  expect((await readFile(solution, 'utf8')).split('\n')[0]).toBe('# Be greeted as Ada.');
  const replayed = await run({ agent: `replay:${solution}` });
  expect(replayed.record).toMatchObject({ status: 'completed', reward: 1, steps: 5 });
});

it('a run that is stopped while it waits for input is graded', async () => {
  const stop = new AbortController();
  const manualInput = handsThat(...greeting.slice(0, -1));
  let steps = 0;
  const { record } = await run({ agent: 'manual', manualInput }, stop.signal, (event) => {
    if (event.type === 'step' && event.step.source === 'agent') steps += 1;
    if (steps === 5) stop.abort();
  });
  expect(record).toMatchObject({ status: 'cancelled', reward: 1, steps: 5 });
});

it('a question is answered without a page', async () => {
  const question = task({ prompt: '40 + 2?', evaluate: [call('response_is', ['42'])] });
  const manualInput = handsThat(clickAt(1, 1), { kind: 'action', action: "response('42')" });
  const { record, steps } = await run({ agent: 'manual', manualInput, task: question });
  expect(record).toMatchObject({ status: 'completed', reward: 1, steps: 2 });
  expect(steps[1]?.action).toBe('mouse_click(1, 1)');
});

it('the manual agent is rejected without a window', async () => {
  const { record } = await run({ agent: 'manual' });
  expect(record).toMatchObject({ status: 'error', error: { code: 'agent_unknown' } });
});
