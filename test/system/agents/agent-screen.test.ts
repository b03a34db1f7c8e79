import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runTask } from '../../../src/runs/run/runner.ts';
import { openRun } from '../../../src/traces/store.ts';
import type { RunRecord } from '../../../src/traces/trace.ts';
import { FakePlacement, seen } from '../../unit/runs/fake-placement.ts';
import { fileIn, task, temporaryFolder } from '../../unit/runs/tasks.ts';
import { dist } from '../programs.ts';

let folder = '';
beforeEach(async () => {
  folder = await temporaryFolder();
});

/** Runs an agent and returns which resolutions the environment was told of. */
async function told(agent: string): Promise<{ screens: unknown[]; record: RunRecord }> {
  const screens: unknown[] = [];
  const step = (params: { readonly screen?: unknown }) => {
    screens.push(params.screen);
    return seen('page');
  };
  const plan = { task: task(), agent, seed: 0, jobId: 'job', groupId: 'g', out: join(folder, 'out'), cwd: folder };
  const record = await runTask(
    { ...plan, agentProgram: join(dist, 'agent.js') },
    new FakePlacement({ step }),
    () => undefined,
    new AbortController().signal,
  );
  return { screens, record };
}

const SCREEN = { width: 1920, height: 1080 };
const CLICK = { type: 'click', point: { x: 960, y: 540 } };
const twice = `({}, { step }) => (step < 2 ? ${JSON.stringify(CLICK)} : null)`;

describe('an agent declares its resolution', () => {
  it.each([
    ['by an export', `export const screen = ${JSON.stringify(SCREEN)};\nexport default ${twice};`],
    ['on its function', `export default Object.assign(${twice}, { screen: ${JSON.stringify(SCREEN)} });`],
  ])('%s of its module', async (_, text) => {
    await fileIn(folder, 'a.agent.mjs', text);
    expect((await told('module:a.agent.mjs')).screens).toEqual([SCREEN, SCREEN]);
  });

  it('on a line of its process, which is not an answer', async () => {
    await fileIn(
      folder,
      'agent.mjs',
      `import { createInterface } from 'node:readline';
console.log(JSON.stringify({ screen: ${JSON.stringify(SCREEN)} }));
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.parse(line).step < 1 ? ${JSON.stringify(JSON.stringify(CLICK))} : 'null');
}`,
    );
    expect((await told(`process:"${process.execPath}" agent.mjs`)).screens).toEqual([SCREEN]);
  });

  it('and a replay of its run acts at the same points', async () => {
    await fileIn(folder, 'a.agent.mjs', `export const screen = ${JSON.stringify(SCREEN)};\nexport default ${twice};`);
    const { record } = await told('module:a.agent.mjs');
    const steps = await (await openRun(record.trace_dir ?? '')).steps();
    // What the agent gave stands in the trace as it gave it.
    expect(steps.flatMap(({ action, info }) => (action ? [[action, info['screen']]] : []))).toEqual([
      [CLICK, SCREEN],
      [CLICK, SCREEN],
    ]);
    expect((await told(`replay:${record.trace_dir}`)).screens).toEqual([SCREEN, SCREEN]);
  });

  it('else nothing is rescaled', async () => {
    await fileIn(folder, 'a.agent.mjs', `export default ${twice};`);
    expect((await told('module:a.agent.mjs')).screens).toEqual([undefined, undefined]);
  });

  it.each([
    [
      'module:a.agent.mjs',
      'a.agent.mjs',
      `export const screen = { width: 0, height: 'tall' };\nexport default ${twice};`,
    ],
    [
      `process:"${process.execPath}" agent.mjs`,
      'agent.mjs',
      `console.log('{"screen": [1920, 1080]}'); setInterval(() => {}, 1e6);`,
    ],
  ])('an invalid size is rejected: %s', async (agent, name, text) => {
    await fileIn(folder, name, text);
    expect((await told(agent)).record).toMatchObject({
      status: 'error',
      error: { message: expect.stringContaining('{"width": 1920, "height": 1080}') },
    });
  });
});
