import { expect, it } from 'vitest';
import { FAILED_ON_MASK, UNNAMED } from '../../../src/functions/masked.ts';
import type { Snapshot } from '../../../src/runs/rescoring/recording.ts';
import { SnapshotEvaluator } from '../../../src/runs/rescoring/snapshot-evaluator.ts';
import { FakePlacement, verdict } from './fake-placement.ts';
import { call, task as taskOf } from './tasks.ts';

const { signal } = new AbortController();
const NAMED = '<secret>password</secret>';
const unknown = { value: null, reason: FAILED_ON_MASK, failed: false };

async function evaluated(name: string, value: number, reason: string, more: Partial<Snapshot> = {}) {
  const snapshot = { index: 0, page: Buffer.from('page'), missing: null, resources: {}, actions: [], response: null };
  const evaluator = new SnapshotEvaluator(new FakePlacement({ evaluate: () => verdict(value, reason) }));
  const task = taskOf({ env: { type: 'hud-browser' } });
  const [result] = await evaluator.evaluate([call(name, ['a'])], { ...snapshot, files: null, ...more }, task, signal);
  await evaluator.close();
  return result;
}

it.each([
  ['text_matches', `the text is “${UNNAMED}”`],
  ['response_is', `the response is “${UNNAMED}”`],
  ['url_contains', `not in the URL http://shop.example/?password=${encodeURI(UNNAMED)}`],
  ['mine', `the field is ${UNNAMED}`],
  ['mine', `the field is ${NAMED}`],
])('%s has no value if it fails because %s', async (name, reason) => {
  expect(await evaluated(name, 0, reason)).toEqual(unknown);
  expect(await evaluated(name, 0.5, reason)).toEqual(unknown);
  expect(await evaluated(name, 1, reason)).toEqual({ value: 1, reason, failed: false });
});

it('a built-in function compares a secret with a name, because its arguments have the same mask', async () => {
  const reason = `the response is “${NAMED}”`;
  expect(await evaluated('response_is', 0, reason)).toEqual({ value: 0, reason, failed: false });
});

it('a reason mentions masks that the call may have read and does not quote', async () => {
  const action = { input: UNNAMED, normalised: null, error: null, typed: UNNAMED, element: null };
  const mentioned = { value: 0, reason: 'no (not recorded: masked secrets)', failed: false };
  const plain = { value: 0, reason: 'no', failed: false };
  expect(await evaluated('response_is', 0, 'no', { response: UNNAMED })).toEqual(mentioned);
  expect(await evaluated('response_is', 0, 'no', { actions: [action] })).toEqual(plain);
  expect(await evaluated('page_contains', 0, 'no', { response: UNNAMED })).toEqual(plain);
  expect(await evaluated('mine', 0, 'no', { actions: [action] })).toEqual(mentioned);
  expect(await evaluated('mine', 0, 'no', { response: UNNAMED })).toEqual(mentioned);
  expect(await evaluated('mine', 0, 'no')).toEqual(plain);
});
