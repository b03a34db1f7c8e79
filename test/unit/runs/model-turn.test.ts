import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Agent, Reply } from '../../../src/agents/agent.ts';
import type { ModelTurn } from '../../../src/traces/model-turn.ts';
import { openRun } from '../../../src/traces/store.ts';
import { attempt } from './attempt.ts';
import { call } from './tasks.ts';

/** An agent that gives these replies, and is then done. */
function replying(...replies: readonly Reply[]): Agent {
  const left = [...replies];
  return { act: async () => left.shift() ?? { actions: null }, close: async () => {} };
}

const TURN: ModelTurn = {
  message: 'I click.',
  reasoning: 'The button applies it.',
  model: 'm-1',
  usage: { prompt_tokens: 12, cached_tokens: 4, completion_tokens: 3, cost_usd: 0.5 },
  requests: 2,
};

it('a step has what the model said with its actions', async () => {
  const client = replying({ actions: "click('1')", turn: TURN });
  const { steps, record } = await attempt({ task: { evaluate: [call('f')] }, plan: { client } });
  expect(steps.map(({ source, turn }) => [source, turn])).toEqual([
    ['system', undefined],
    ['agent', TURN],
    ['evaluate', undefined],
  ]);
  expect(record.steps).toBe(1);
});

it('an answer without actions is a line, and ends the run', async () => {
  const client = replying({ actions: "click('1')" }, { actions: null, turn: { message: 'Done.' } });
  const { steps, record, placement } = await attempt({ plan: { client } });
  expect(steps.at(-1)).toMatchObject({ source: 'agent', turn: { message: 'Done.' }, observation: null });
  expect(steps.at(-1)).not.toHaveProperty('action');
  expect(record).toMatchObject({ status: 'completed', steps: 2, truncated: false, grade: { done: true } });
  expect(placement.methods.filter((method) => method === 'session.step')).toHaveLength(1);
});

it('secrets are masked in what the model says', async () => {
  const client = replying({ actions: null, turn: { message: 'I type lamp-4711.', reasoning: 'lamp-4711' } });
  const task = { sensitive_data: { 'shop.example': { password: 'lamp-4711' } } };
  const { steps, folder } = await attempt({ task, plan: { client } });
  expect(steps.at(-1)?.turn?.message).not.toContain('lamp-4711');
  expect(await readFile(join(folder, 'trace.jsonl'), 'utf8')).not.toMatch(/(?:message|reasoning)":"[^"]*lamp-4711/);
});

/** A recorded run whose trace is changed as an older version would have written it. */
async function older(change: (lines: Record<string, unknown>[]) => void): Promise<ReturnType<typeof openRun>> {
  const { folder } = await attempt({ lines: "click('1')" });
  const path = join(folder, 'trace.jsonl');
  const lines = (await readFile(path, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  change(lines);
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return openRun(folder);
}

it('reads the turn of a trace that has it in `info`', async () => {
  const run = await older((lines) => {
    const info = { message: 'Hi', reasoning: null, usage: { prompt_tokens: 3, cost_usd: null }, finish_reason: 'stop' };
    Object.assign(lines[2] ?? {}, { info });
  });
  expect((await run.step(1)).turn).toEqual({ message: 'Hi', usage: { prompt_tokens: 3 }, stop_reason: 'stop' });
});

it('knows where a run is from, also by a trace without an origin', async () => {
  const made = await older(() => {});
  expect(made.header.origin).toBe('recorded');
  const before = await older(([header = {}]) => void delete header['origin']);
  expect(before.header.origin).toBe('recorded');
  const imported = await older(([header = {}]) => {
    delete header['origin'];
    Object.assign(header, { agent: 'hud-0.6', runtime: 'imported' });
  });
  expect(imported.header.origin).toBe('hud-0.6');
});
