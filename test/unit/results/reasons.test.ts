import { expect, test } from 'vitest';
import { reasonsOf } from '../../../src/results/reasons.ts';

const call = (name: string, value: number | null, reason: string) => ({ name, value, reason });
const graded = (...subscores: ReturnType<typeof call>[]) => ({ error: null, grade: { info: {}, subscores } });

test('the reasons of a run are those of the calls that did not pass', () => {
  const failed = graded(call('a', 1, 'fine'), call('b', 0, 'not\non the page'), call('c', 0.5, ''));
  expect(reasonsOf(failed)).toBe('b: not on the page · c');
});

test('the reasons of a run that passed are those of all calls', () => {
  expect(reasonsOf(graded(call('a', 1, 'fine'), call('b', 1, 'good')))).toBe('a: fine · b: good');
});

test('an error, or the fault of an agent, is the reason', () => {
  expect(reasonsOf({ error: { message: 'It threw.' } })).toBe('It threw.');
  const message = 'total("a (b)") (shop.tasks.json:64:7): `total` threw (shop.functions.ts:2): no element';
  expect(reasonsOf({ error: { message, call: {} } })).toBe('`total` threw (shop.functions.ts:2): no element');
  expect(reasonsOf({ error: null, grade: { info: { warning: 'The agent ended.' }, subscores: [] } })).toBe(
    'The agent ended.',
  );
  expect(reasonsOf({ error: null })).toBe('');
});

test('very long reasons are cut', () => {
  expect(reasonsOf(graded(call('a', 0, 'x'.repeat(1000))))).toHaveLength(300);
});

test('the reasons of a run are of its calls rather than a warning of its environment', () => {
  const judged = { error: null, grade: { info: { warning: 'no submodules' }, subscores: [call('a', 0, 'missing')] } };
  expect(reasonsOf(judged)).toBe('a: missing');
  const info = { warning: 'It tampered.', blame: 'agent' };
  expect(reasonsOf({ ...judged, grade: { ...judged.grade, info } })).toBe('It tampered.');
});
