import { expect, it } from 'vitest';
import type { FunctionContext } from '../../../src/functions/declaration.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';

const context = (more: Partial<FunctionContext>): FunctionContext => ({
  response: null,
  actions: [],
  actionTimeout: 1000,
  ...more,
});

it.each([
  ['quadratic', '(?s)total.*42', `total ${'total '.repeat(300_000)}`],
  ['cubic', '\\s*42\\s*$', ' '.repeat(200_000)],
  ['exponential', '^(\\w+\\s?)+$', `${'a'.repeat(60)}!`],
  ['too deep', '(?:x|y)*z', 'xy'.repeat(5_000_000)],
])('A response on which a pattern is %s is the agent’s fault', async (_how, pattern, response) => {
  const call = { function: 'response_match', args: [pattern] };
  const result = await runCall(call, 'evaluate', context({ response }), NO_USER_FUNCTIONS);
  expect(result).toMatchObject({ value: 0, blame: 'agent', reason: expect.stringContaining('the pattern ') });
});

it('A diff on which a pattern is slow is the agent’s fault', async () => {
  const changes = async () => [
    { path: 'cart.js', kind: 'changed' as const, before: Buffer.from(''), after: Buffer.from('c'.repeat(60)) },
  ];
  const call = { function: 'diff_matches', args: ['(?m)^\\+(c+)+count$'] };
  const workspace = { changes } as unknown as NonNullable<FunctionContext['workspace']>;
  const acted = [{ input: 'run("x")', normalised: null, error: null }] as unknown as FunctionContext['actions'];
  const judge = (actions: FunctionContext['actions']) =>
    runCall(call, 'evaluate', context({ workspace, actions }), NO_USER_FUNCTIONS);
  expect(await judge(acted)).toMatchObject({ value: 0, blame: 'agent' });
  // Nobody has acted: the text is the author's.
  expect(await judge([])).toMatchObject({ error: { code: 'call_threw' } });
});

it.each([
  ['that the agent has typed', 'a'.repeat(60), { value: 0, blame: 'agent' }],
  ['of the author', 'no', { error: { code: 'call_threw' } }],
])('A page with a text %s, on which a pattern is slow', async (_whose, typed, expected) => {
  const text = `${'a'.repeat(60)}!`;
  const actions = [{ input: '', normalised: { type: 'type', text: typed }, error: null }];
  const page = { url: () => `http://task.localhost/?${text}` };
  const call = { function: 'url_match', args: ['(a+)+$'] };
  const result = await runCall(
    call,
    'evaluate',
    context({ page, actions } as unknown as Partial<FunctionContext>),
    NO_USER_FUNCTIONS,
  );
  expect(result).toMatchObject(expected);
});
