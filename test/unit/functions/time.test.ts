import { expect, it } from 'vitest';
import { MAX_TIMEOUT_MS } from '../../../src/base/time-limit.ts';
import { timeOf } from '../../../src/functions/time.ts';

it.each([
  ['run_command', ['make', 90], 95_000],
  ['run_command', ['make'], 65_000],
  ['tests_pass', ['pytest', 'report.xml', 600], 605_000],
  ['sleep', [120], 125_000],
  ['wait_for_element', ['#total', 60_000], 65_000],
  ['wait_for_element', ['#total', 1e12], MAX_TIMEOUT_MS],
])('a call of %s with %j needs at most %i ms', (name, args, ms) => {
  expect(timeOf({ function: name, args })).toBe(ms);
});

it.each([
  ['wait_for_element', ['#total']],
  ['page_contains', ['Paid']],
  ['of_a_person', [60_000]],
])('a call of %s with %j sets no time', (name, args) => {
  expect(timeOf({ function: name, args })).toBe(0);
});
