import { expect, it, vi } from 'vitest';
import { PATIENCE, patienceOf, patient } from '../../../src/base/patience.ts';

it.each([
  ['1', 1],
  ['2.5', 2.5],
  ['100', 100],
  [undefined, 1],
  ['', 1],
  ['0.5', 1],
  ['-3', 1],
  ['101', 1],
  ['Infinity', 1],
  ['long', 1],
])('the factor of %j is %d', (text, factor) => {
  expect(patienceOf(text)).toBe(factor);
});

it('multiplies a limit by the factor of the environment', () => {
  vi.stubEnv(PATIENCE, '4');
  expect(patient(2_000)).toBe(8_000);
});
