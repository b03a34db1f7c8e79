import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSuccess } from '../../../src/results/reward.ts';
import { rewardOf, weightOf } from '../../../src/runs/run/grading.ts';
import { call } from '../runs/tasks.ts';

const third = 1 / 3;

describe('the reward of a run', () => {
  it.each([
    { what: 'one value is the reward', values: [[0.25, 1]], combine: undefined, reward: 0.25 },
    {
      what: 'equal weights: the mean',
      values: [
        [1, 1],
        [0, 1],
      ],
      combine: undefined,
      reward: 0.5,
    },
    {
      what: 'weights count in proportion',
      values: [
        [1, 3],
        [0, 1],
      ],
      combine: undefined,
      reward: 0.75,
    },
    {
      what: 'weights need not add up to anything',
      values: [
        [1, 0.1],
        [0, 0.3],
      ],
      combine: undefined,
      reward: 0.25,
    },
    {
      what: 'all: the least value, whatever the weights',
      values: [
        [1, 100],
        [0.2, 1],
      ],
      combine: 'all',
      reward: 0.2,
    },
    {
      what: 'any: the greatest value',
      values: [
        [0, 100],
        [0.7, 1],
      ],
      combine: 'any',
      reward: 0.7,
    },
    {
      what: 'another word for combine changes nothing',
      values: [
        [1, 1],
        [0, 1],
      ],
      combine: 'mean',
      reward: 0.5,
    },
    {
      what: 'huge weights do not overflow',
      values: [
        [1, 1e308],
        [0, 1e308],
      ],
      combine: undefined,
      reward: 0.5,
    },
    {
      what: 'thirds add up',
      values: [
        [1, third],
        [1, third],
        [1, third],
      ],
      combine: undefined,
      reward: 1,
    },
  ])('$what', ({ values, combine, reward }) => {
    const given = values.map(([value = 0, weight = 1]) => ({ value, weight }));
    expect(rewardOf(given, combine)).toBeCloseTo(reward, 12);
  });

  it('is always between the lowest and the highest value', () => {
    const value = fc.double({ min: 0, max: 1, noNaN: true });
    const weight = fc.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true });
    const values = fc.array(fc.record({ value, weight }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(values, (given) => {
        const reward = rewardOf(given, undefined);
        expect(reward).toBeGreaterThanOrEqual(Math.min(...given.map((one) => one.value)) - 1e-9);
        expect(reward).toBeLessThanOrEqual(Math.max(...given.map((one) => one.value)) + 1e-9);
      }),
    );
  });

  it('is a success from 1 - 1e-9 on', () => {
    expect(isSuccess(1)).toBe(true);
    expect(isSuccess(1 - 1e-9)).toBe(true);
    expect(isSuccess(1 - 1e-8)).toBe(false);
    expect(isSuccess(0)).toBe(false);
    expect(isSuccess(null)).toBe(false);
  });

  it.each([
    [undefined, 1],
    [null, 1],
    [2.5, 2.5],
    [0, null],
    [-1, null],
    ['2', null],
    [true, null],
  ])('reads the weight %j as %j', (weight, read) => {
    expect(weightOf(call('f', [], weight === undefined ? {} : { weight }))).toBe(read);
  });
});
