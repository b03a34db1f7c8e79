import { expect, it } from 'vitest';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';

it.each([
  ['^(?!.*error)', 'all is fine', 1],
  ['^(?!.*error)', 'an error', 0],
  ['(?<=total: )(?=4)', 'total: 42', 1],
  ['^$', '', 1],
  ['^$', ' ', 0],
])('The match of %s can be empty: the response %j has the value %i', async (pattern, response, value) => {
  const call = { function: 'response_match', args: [pattern] };
  const context = { response, actions: [], actionTimeout: 0 };
  expect(await runCall(call, 'evaluate', context, NO_USER_FUNCTIONS)).toMatchObject({ value });
});
