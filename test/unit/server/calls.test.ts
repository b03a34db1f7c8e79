import { expect, it } from 'vitest';
import type { Environment } from '../../../src/environments/environment.ts';
import type { FunctionContext } from '../../../src/functions/declaration.ts';
import { runCallWithLimit } from '../../../src/server/calls.ts';
import type { CallOutcome } from '../../../src/server/protocol.ts';
import { call, fileIn, temporaryFolder } from '../runs/tasks.ts';

const misbehaving = `${import.meta.dirname}/../../fixtures/misbehaving`;
const STUCK = 'the page does not respond';

/** A browser environment whose page never answers. */
function stuck(why: string | null = STUCK): Environment {
  const page = {
    url: () => 'https://shop.test',
    frames: () => [{ locator: () => ({ count: () => new Promise(() => {}) }) }],
  };
  const context = { page, response: null, actions: [], actionTimeout: 1_000 };
  const environment: Partial<Environment> = {
    functionContext: () => context as unknown as FunctionContext,
    whyStuck: async () => why,
  };
  return environment as Environment;
}

const evaluate = (
  name: string,
  args: string[] = [],
  response?: string,
  environment = stuck(),
  folder = misbehaving,
): Promise<CallOutcome> =>
  runCallWithLimit({
    phase: 'evaluate',
    call: call(name, args),
    environment,
    folder,
    limitMs: 500,
    response,
    onFunctions: () => undefined,
  });

it('a page that does not respond gives 0 if the call that reached its limit accessed it', async () => {
  const blamed = { value: 0, reason: STUCK, blame: 'agent' };
  expect(await evaluate('element_exists', ['#total'])).toMatchObject(blamed);
  expect(await evaluate('element_exists', ['#total'], 'another response')).toMatchObject(blamed);
  expect(await evaluate('reads_the_page_for_ever')).toMatchObject(blamed);
});

it('a check that gets no answer from a page in which no script is shown to run is an error', async () => {
  const outcome = await evaluate('element_exists', ['#total'], undefined, stuck(null));
  expect(outcome).toMatchObject({
    error: {
      code: 'call_timeout',
      message: expect.stringMatching(
        /^`element_exists` did not return within 0\.5 s\. .* increase the time limit of calls/,
      ),
    },
  });
  expect(JSON.stringify(outcome)).not.toContain('loop');
});

it('a call that reached its limit without accessing the page is an error, even if the page does not respond', async () => {
  expect(await evaluate('waits_for_ever')).toMatchObject({
    error: { code: 'call_timeout', message: '`waits_for_ever` did not return within 0.5 s' },
  });
});

it('a file that does not finish loading is named at the time limit', async () => {
  const folder = await temporaryFolder();
  await fileIn(folder, 'shop.functions.mjs', 'await new Promise(() => {});\nexport const total = () => 1;');
  expect(await evaluate('total', [], undefined, stuck(), folder)).toMatchObject({
    error: {
      code: 'call_timeout',
      message:
        '`total` cannot be called: shop.functions.mjs was not loaded within 0.5 s. It waits or computes at its top level',
    },
  });
});
