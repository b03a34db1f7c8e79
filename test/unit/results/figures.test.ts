import { describe, expect, it } from 'vitest';
import { figuresOf, headlineOf, percent } from '../../../src/results/figures.ts';
import { formatReward } from '../../../src/results/reward.ts';
import { type CountedRun, jobStatistics } from '../../../src/results/statistics.ts';

const run = (status: CountedRun['status'], reward: number | null, edited = false): CountedRun => {
  return { group_id: 'a', status, reward, success: reward === 1, ...(edited ? { edited: true } : {}) };
};
const passed = run('completed', 1);
const failed = run('completed', 0);
const broken = run('error', null);

describe('the headline of a job', () => {
  it.each([
    [[passed, passed, broken, broken, broken, broken], '2 of 6 passed · 4 errors', 'error'],
    [[passed, broken], '1 of 2 passed · 1 error', 'error'],
    [[passed, failed], '1 of 2 passed', 'fail'],
    [[passed, run('completed', null)], '1 of 2 passed', 'fail'],
    [[passed, run('cancelled', 0.5), run('interrupted', null)], '1 of 1 passed · 2 cancelled', 'pass'],
    [[failed, run('completed', 1, true)], '0 of 1 passed · 1 edited, not counted', 'fail'],
    [[], '0 of 0 passed', 'none'],
  ])('%#: %s', (runs, text, kind) => {
    expect(headlineOf(jobStatistics(runs))).toEqual({ text, kind });
  });
});

describe('the figures of a job', () => {
  it('state how many runs are graded if not all are', () => {
    const values = (runs: CountedRun[]) => figuresOf(jobStatistics(runs)).map(({ name, value }) => `${name} ${value}`);
    expect(values([passed, passed, broken, broken, broken, broken])).toEqual([
      'success rate 33 % (95 % CI 10 %–70 %)',
      'mean reward 1.00 ± 0.00 of 2 graded',
      'pass@2 60 %',
      'pass@4 93 %',
      'pass@6 100 %',
    ]);
    expect(values([passed, failed]).slice(0, 2)).toEqual([
      'success rate 50 % (95 % CI 9 %–91 %)',
      'mean reward 0.50 ± 0.50',
    ]);
    expect(values([])).toEqual([]);
  });
});

it.each([
  [1, '1.00'],
  [1 - 1e-10, '1.00'],
  [1 - 1e-8, '>0.99'],
  [0.994, '>0.99'],
  [0.99, '0.99'],
  [0.5, '0.50'],
  [1 / 3, '0.33'],
  [0.01, '0.01'],
  [0.004, '<0.01'],
  [1e-12, '<0.01'],
  [0, '0.00'],
  [-0.25, '-0.25'],
  [3, '3.00'],
  [null, '–'],
])('the reward %d is shown as %s', (reward, text) => {
  expect(formatReward(reward)).toBe(text);
});

it.each([
  [0, '0 %'],
  [0.004, '<1 %'],
  [0.5, '50 %'],
  [0.996, '>99 %'],
  [1, '100 %'],
])('the share %d is shown as %s', (share, text) => {
  expect(percent(share)).toBe(text);
});
