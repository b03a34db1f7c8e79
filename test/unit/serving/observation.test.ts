import { expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import type { StepResult } from '../../../src/environments/environment.ts';
import { PngEncoder } from '../../../src/environments/png.ts';
import { metadataOf, observationJson, withMessage } from '../../../src/serving/observation.ts';
import { seen } from '../runs/fake-placement.ts';
import { task } from '../runs/tasks.ts';

const CLICK = task({ env: { type: 'browsergym', benchmark: 'miniwob', task_name: 'click-test' } });
const CHAT = [{ role: 'user', timestamp: 1, message: 'Click.' }] as const;

async function stepResult(): Promise<StepResult> {
  const data = await new PngEncoder(1, 1).encode(new Uint8Array([3, 2, 1, 0]));
  const screenshot = { type: 'png', data, width: 1, height: 1 } as const;
  return seen('[3] button', {
    observation: { text: '[3] button', screenshot },
    info: { url: 'http://a/', title: 'A', task_info: { REWARD_GLOBAL: 0 } },
    error: { message: 'no such element', code: 'no_element' },
    html: '<button bid="3">',
    focused: '3',
  });
}

it('An observation of a benchmark has the facts that browsergym_env gives', async () => {
  const facts = { action: "click('4')", seconds: 1.5, chat: CHAT };
  expect(metadataOf(CLICK, 'Click.', await stepResult(), facts)).toEqual({
    browsergym_obs: {
      chat_messages: CHAT,
      goal: 'Click.',
      goal_object: [{ type: 'text', text: 'Click.' }],
      open_pages_urls: ['http://a/'],
      open_pages_titles: ['A'],
      active_page_index: [0],
      url: 'http://a/',
      focused_element_bid: '3',
      last_action: "click('4')",
      last_action_error: 'no such element',
      elapsed_time: [1.5],
    },
    browsergym_info: { task_info: { REWARD_GLOBAL: 0 } },
  });
  const other = task({ env: { type: 'hud-browser' } });
  expect(metadataOf(other, 'Click.', await stepResult(), facts)).toEqual({});
});

it('An observation has its screenshot unless there are to be none', async () => {
  const observe = async (screenshots: boolean) =>
    JSON.parse(String(Buffer.concat(await observationJson(CLICK, 'Click.', await stepResult(), {}, screenshots))));
  const whole = await observe(true);
  expect(whole).toMatchObject({ text: '[3] button', screenshot: [[[1, 2, 3]]], last_action_error: true });
  expect(await observe(false)).toEqual({ ...whole, screenshot: null });
});

it('An observation has the data of its environment, if there are any', async () => {
  const result = await stepResult();
  const serve = async (data?: Json) => {
    const observation = { ...result.observation, ...(data !== undefined && { data }) };
    const parts = await observationJson(CLICK, 'Click.', { ...result, observation }, {}, false);
    return JSON.parse(String(Buffer.concat(parts))) as object;
  };
  expect(await serve({ board: [[0, 1]] })).toMatchObject({ data: { board: [[0, 1]] } });
  expect(await serve()).not.toHaveProperty('data');
});

it('A chat does not grow with the length of its messages', () => {
  const chat = withMessage(withMessage([], 'user', 'Click.'), 'assistant', 'x'.repeat(1_000_000));
  expect(chat.map(({ role, message }) => [role, message.length])).toEqual([
    ['user', 6],
    ['assistant', 10_000],
  ]);
});
