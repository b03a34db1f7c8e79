import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { ManualInput } from '../../src/agents/manual-input.ts';
import { runTask } from '../../src/runs/run/runner.ts';
import { solutionText } from '../../src/runs/solutions/solution-text.ts';
import { openRun } from '../../src/traces/store.ts';
import { itLong } from '../sample.ts';
import { call, task } from '../unit/runs/tasks.ts';
import { builtImage, place, temporaryFolder } from './harness.ts';

beforeAll(builtImage);

const page = `<!doctype html><body style="margin:0"><button id=greet style="position:absolute;left:20px;top:20px;width:200px;height:40px"
onclick="document.querySelector('p').textContent = 'Hello from ' + event.clientX">Greet</button><canvas style="position:absolute;top:100px"
onclick="document.querySelector('p').textContent += ' and ' + event.clientX"></canvas><p></p>`;

itLong(
  'what a person does in a container is recorded and replayed as on this machine',
  async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'page.html'), page);
    const greet = task({
      file: join(folder, 'greet.task.json'),
      id: 'greet',
      env: { type: 'hud-browser' },
      setup: [call('goto', ['page.html'])],
      evaluate: [call('page_contains', ['Hello from 120 and 33'])],
    });
    const { placement } = place();
    const manualInput = new ManualInput(async () => null);
    const run = async (agent: string) => {
      const plan = { task: greet, seed: 0, jobId: 'job', groupId: 'g', out: join(folder, 'out'), cwd: folder };
      const record = await runTask({ ...plan, agent, manualInput }, placement, () => {}, new AbortController().signal);
      return { record, steps: await (await openRun(record.trace_dir ?? '')).steps() };
    };
    for (const point of [
      { x: 30, y: 30 },
      { x: 33, y: 140 },
    ]) {
      manualInput.push({ kind: 'click', point, button: 'left', count: 1, hold: [] });
    }
    manualInput.push({ kind: 'done' });
    const { record, steps } = await run('manual');
    expect(record).toMatchObject({ status: 'completed', reward: 1, steps: 2 });
    const solution = join(folder, 'greet.actions');
    await writeFile(solution, solutionText(record.prompt, greet.env, steps));
    expect(steps.slice(1, 3).map(({ action }) => action)).toEqual(["click('#greet')", 'mouse_click(33, 140)']);
    expect((await run(`replay:${solution}`)).record).toMatchObject({ reward: 1, steps: 2 });
  },
  300_000,
);
