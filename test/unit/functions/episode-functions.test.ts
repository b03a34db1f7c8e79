import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';

const context = {
  response: null,
  actions: [],
  actionTimeout: 0,
  episode: {
    observation: { message: 'You are out.', board: [['a', 'b']], turns: [{ by: 'x' }, { by: 'y' }], 'a.b': 1 },
    totalReward: 0.1 + 0.2,
    state: async () => ({ step_count: 3, at: { x: 1, y: 2 }, done: true }),
  },
};
const judge = (name: string, ...args: Json[]) =>
  runCall({ function: name, args }, 'evaluate', context, NO_USER_FUNCTIONS);

describe('observation_matches', () => {
  it.each<[string, Json]>([
    ['message', 'You are out.'],
    ['message', 'out\\.$'],
    ['board.0.1', 'b'],
    ['board[0]', ['a', 'b']],
    ['turns[-1].by', 'y'],
    ['["a.b"]', 1],
    ['["a.b"]', '1'],
  ])('has the value 1 for %s and %j', async (path, value) => {
    expect(await judge('observation_matches', path, value)).toMatchObject({ value: 1 });
  });

  it.each<[string, Json, string]>([
    ['message', 'You are', '“message” of the observation is “You are out.”, expected “You are”'],
    ['massage', 'x', 'it has no “massage”. Did you mean “message”?'],
    ['board.0.2', 'x', '“board.0” is a list of 2 items, so there is no “2” in it'],
    ['message.x', 'x', '“message” is "You are out.", so there is no “x” in it'],
  ])('has the value 0 for %s and %j, with a reason', async (path, value, reason) => {
    const result = await judge('observation_matches', path, value);
    expect(result).toMatchObject({ value: 0 });
    expect('reason' in result ? result.reason : '').toContain(reason);
  });

  it.each([
    ['a..b', 'x'],
    ['message', '(?P<'],
  ])('rejects %s and %s', async (path, value) => {
    expect(await judge('observation_matches', path, value)).toMatchObject({ error: { code: 'invalid_arguments' } });
  });
});

it('state_matches compares values of the state in any order of keys', async () => {
  expect(await judge('state_matches', 'at', { y: 2, x: 1 })).toMatchObject({ value: 1 });
  expect(await judge('state_matches', 'at', { y: 2 })).toMatchObject({ value: 0 });
  expect(await judge('state_matches', 'done', true)).toMatchObject({ value: 1 });
});

it('total_reward_at_least adds decimal fractions without rounding errors', async () => {
  expect(await judge('total_reward_at_least', 0.3)).toMatchObject({ value: 1 });
  expect(await judge('total_reward_at_least', 0.31)).toMatchObject({
    value: 0,
    reason: 'the rewards add up to 0.3, expected at least 0.31',
  });
});

it('reports an environment without such observations', async () => {
  const { episode: _, ...without } = context;
  const call = { function: 'total_reward_at_least', args: [1] };
  const result = await runCall(call, 'evaluate', without, NO_USER_FUNCTIONS);
  expect(result).toMatchObject({ error: { code: 'call_threw' } });
});
