import { expect, it } from 'vitest';
import { groupRelative } from '../../../src/runs/results/group-relative.ts';

it.each([
  [[], []],
  [
    [1, 0],
    [1, -1],
  ],
  [
    [1, 1, 1],
    [0, 0, 0],
  ],
  [
    [0, 0, 1, 1],
    [-1, -1, 1, 1],
  ],
  [
    [1, 0, 0.5, 0.25],
    [1.521278, -1.183216, 0.169031, -0.507093],
  ],
  // Their standard deviation is not above eps.
  [
    [0.5, 0.5000001],
    [-5e-8, 5e-8],
  ],
])('makes the rewards %j relative as HUD does', (rewards, expected) => {
  const relative = groupRelative(rewards);
  expect(relative).toHaveLength(expected.length);
  for (const [index, value] of expected.entries()) expect(relative[index]).toBeCloseTo(value, 6);
});

it('keeps small differences that it does not divide', () => {
  const [low = 0, high = 0] = groupRelative([0.5, 0.5000001]);
  expect(high).toBeCloseTo(5e-8, 12);
  expect(low).toBeCloseTo(-5e-8, 12);
});

it('only centers without normalizeStd', () => {
  expect(groupRelative([1, 0], { normalizeStd: false })).toEqual([0.5, -0.5]);
});
