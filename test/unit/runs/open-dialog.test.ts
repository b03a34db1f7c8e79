import { expect, it } from 'vitest';
import type { Agent, RunInspector, Turn } from '../../../src/agents/agent.ts';
import type { StepResult } from '../../../src/environments/environment.ts';
import { observationJson } from '../../../src/serving/observation.ts';
import { connect, shownIn } from '../agents/mcp-client.ts';
import { waitingRun } from '../agents/outside-run.ts';
import { attempt } from './attempt.ts';
import { seen, verdict } from './fake-placement.ts';
import { call, task } from './tasks.ts';

const dialog = { type: 'confirm', message: 'Delete Ada?' } as const;

function withDialog(): StepResult {
  const { observation, ...rest } = seen('before');
  return { ...rest, observation: { ...observation, dialog } };
}

it('a dialog that is open at the end is dismissed before judging, and the page after it is recorded', async () => {
  const { placement, steps, record } = await attempt({
    task: { evaluate: [call('page_contains', ['Thanks'])] },
    lines: "click('1')",
    answers: { step: withDialog, evaluate: () => verdict(1) },
  });
  expect(placement.methods.slice(2)).toEqual(['session.step', 'session.finish', 'session.evaluate', 'session.close']);
  expect(steps.map(({ source, observation }) => [source, observation?.text, observation?.dialog])).toEqual([
    ['system', 'start', undefined],
    ['agent', 'before', dialog],
    ['system', 'after the dialog', undefined],
    ['evaluate', undefined, undefined],
  ]);
  expect(record).toMatchObject({ status: 'completed', reward: 1, steps: 1 });
});

it('nothing is dismissed if none is open', async () => {
  const { placement } = await attempt({
    task: { evaluate: [call('page_contains', ['Thanks'])] },
    lines: "click('1')\nhandle_dialog(True)",
    answers: { step: (_, count) => (count === 1 ? withDialog() : seen('after')) },
  });
  expect(placement.methods).not.toContain('session.finish');
});

it('while one is open, nothing is judged', async () => {
  const rewards: (number | null | undefined)[] = [];
  let inspector: RunInspector | null = null;
  const client: Agent = {
    attach: (given) => {
      inspector = given;
    },
    act: async ({ step }: Turn) => {
      rewards.push((await inspector?.judge())?.reward);
      return { actions: step === 0 ? "click('1')" : null };
    },
    close: async () => {},
  };
  await attempt({
    task: { evaluate: [call('page_contains', ['a'])] },
    plan: { client },
    answers: { step: withDialog },
  });
  expect(rewards).toEqual([1, null]);
});

it('secrets in it are masked in the trace', async () => {
  const { steps } = await attempt({
    task: { sensitive_data: { '*': { name: 'Ada' } } },
    lines: "click('1')",
    answers: { step: withDialog },
  });
  expect(steps[1]?.observation?.dialog).toEqual({ type: 'confirm', message: 'Delete <secret>name</secret>?' });
});

it('an external agent is told of it, and answers it with a tool', async () => {
  const { run, address, placement } = await waitingRun({
    answers: { step: (_, count) => (count === 1 ? withDialog() : seen('after')) },
  });
  const client = await connect(await address, 'without a handshake');
  const clickResult = await client.callTool({ name: 'browser_click', arguments: { target: '1' } });
  expect(shownIn(clickResult).text).toBe(
    'a confirm dialog is open: “Delete Ada?”. Answer it with browser_handle_dialog.\nbefore',
  );
  await client.callTool({ name: 'browser_handle_dialog', arguments: { accept: true, promptText: 'yes' } });
  expect(placement.requests.at(-1)?.params).toMatchObject({ actions: ["handle_dialog(True, 'yes')"] });
  await client.callTool({ name: 'finish', arguments: {} });
  await run;
});

it('the client of a served task gets it', async () => {
  const parts = await observationJson(task({ env: { type: 'hud-browser' } }), 'Go.', withDialog(), {}, false);
  expect(JSON.parse(String(Buffer.concat(parts)))).toMatchObject({ text: 'before', dialog });
});
