import { expect, it } from 'vitest';
import { normaliseAction } from '../../../src/actions/normalise.ts';
import type { Json } from '../../../src/base/json.ts';
import type { FunctionContext } from '../../../src/functions/declaration.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { FAILED_ON_MASK, UNNAMED } from '../../../src/functions/masked.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';

const typing = {
  input: `fill('#password', '${UNNAMED}')`,
  normalised: normaliseAction(`fill('#password', '${UNNAMED}')`).actions[0] ?? null,
  error: null,
  typed: UNNAMED,
  matches: async (selector: string) => selector === '#password',
};

const evaluate = (name: string, args: readonly Json[], context: Partial<FunctionContext>) =>
  runCall(
    { function: name, args },
    'evaluate',
    { response: null, actions: [typing], actionTimeout: 0, ...context },
    NO_USER_FUNCTIONS,
  );

it.each<[string, readonly Json[], number]>([
  ['selector_history', ['#password'], 1],
  ['selector_history', ['#password', 0], 1],
  ['selector_history', ['#user'], 0],
  ['verify_type_action', ['#user', 'ada'], 0],
  ['raw_last_action_is', ["click('#sign-in')"], 0],
  ['raw_last_action_is', ["fill('#user', 'ada')"], 0],
  ['raw_last_action_is', ["press('#password', 'a')"], 0],
])('%s %j, which a masked password cannot change, quotes no mask', async (name, args, value) => {
  const result = await evaluate(name, args, {});
  expect(result).toEqual({ value, reason: expect.stringContaining("fill('#password', '…')") });
});

it.each<[string, readonly Json[]]>([
  ['verify_type_action', ['#password', 'lovelace']],
  ['raw_last_action_is', ["fill('#password', 'lovelace')"]],
])('%s %j fails on the mask, which its reason quotes', async (name, args) => {
  expect(await evaluate(name, args, {})).toEqual({ value: 0, reason: expect.stringContaining(UNNAMED) });
});

it('raw_last_action_is compares the element of a masked key', async () => {
  const input = `press('#password', '${UNNAMED}')`;
  const pressed = { ...typing, input, normalised: normaliseAction(input).actions[0] ?? null };
  const reasonFor = (wanted: string) => evaluate('raw_last_action_is', [wanted], { actions: [pressed] });
  const isOther = { value: 0, reason: expect.stringContaining("is press('#password', '…'), expected") };
  expect(await reasonFor("press('#user', 'a')")).toEqual(isOther);
  expect(await reasonFor("keyboard_press('a')")).toEqual(isOther);
  expect(await reasonFor("press('#password', 'a')")).toEqual({ value: 0, reason: expect.stringContaining(UNNAMED) });
});

const pageWith = (text: string) => ({ fact: { page: { text, hiddenTexts: [], shownElements: [] } } });
const recording = { history: 1, lacking: async () => [] };

it('page_contains has no value if the text of the recorded page has a mask', async () => {
  const masked = pageWith(`Your password is ${UNNAMED}.`);
  expect(await evaluate('page_contains', ['lovelace'], { ...masked, recording })).toEqual({
    error: { code: 'not_recorded', message: FAILED_ON_MASK },
  });
  expect(await evaluate('page_contains', ['lovelace'], masked)).toMatchObject({ value: 0 });
  expect(await evaluate('page_contains', ['lovelace'], { ...pageWith('Sign in'), recording })).toMatchObject({
    value: 0,
  });
});
