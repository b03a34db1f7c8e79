import { expect, it } from 'vitest';
import { formatRelative, groupRelative, relativeRewards } from '../../../src/results/group-relative.ts';

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

it('makes rewards relative within each task, where it has two that count', () => {
  const run = (group_id: string, reward: number | null, more: object = {}) =>
    ({ group_id, reward, status: 'completed', success: reward === 1, ...more }) as const;
  const [a1, a2, a3, a4, b1, b2, c1] = [
    run('a', 1),
    run('a', 0),
    run('a', null, { status: 'error' }),
    run('a', 1, { edited: true }),
    run('b', 1),
    run('b', 0.5, { status: 'cancelled' }),
    run('c', 0),
  ];
  const relative = relativeRewards([c1, a1, b1, a2, a3, a4, b2]);
  expect([...relative]).toEqual([
    [a1, 1],
    [a2, -1],
  ]);
});

it.each([
  [1, '+1.00'],
  [-0.507093, '−0.51'],
  [0, '0.00'],
  [-5e-8, '0.00'],
])('shows %d as %s', (value, text) => {
  expect(formatRelative(value)).toBe(text);
});
