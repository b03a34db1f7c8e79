import { describe, expect, it } from 'vitest';
import { type CountedRun, jobStatistics } from '../../../src/results/statistics.ts';

function graded(group_id: string, ...rewards: number[]): CountedRun[] {
  return rewards.map((reward) => ({ group_id, status: 'completed', reward, success: reward === 1 }));
}

const broken: CountedRun = { group_id: 'a', status: 'error', reward: null, success: false };
const stopped: CountedRun = { group_id: 'a', status: 'cancelled', reward: null, success: false };

describe('the statistics of a job', () => {
  it('have no rewards if no run is graded', () => {
    expect(jobStatistics([])).toEqual({
      runs: 0,
      graded: 0,
      successes: 0,
      errors: 0,
      cancelled: 0,
      edited: 0,
      mean_reward: null,
      std_reward: null,
      success_rate: null,
      success_interval: null,
      hud_success_rate: null,
      pass_at: [],
    });
    expect(jobStatistics([broken, stopped])).toMatchObject({ runs: 1, graded: 0, errors: 1, cancelled: 1 });
  });

  it('have the mean and the standard deviation over graded runs only', () => {
    const one = jobStatistics([...graded('a', 1, 0, 0.5, 0.25), broken, stopped]);
    expect(one.mean_reward).toBeCloseTo(0.4375, 12);
    // HUD's group_relative turns the reward 1 of [1, 0, 0.5, 0.25] into 1.521278: (1 - mean) / deviation.
    expect((1 - (one.mean_reward ?? 0)) / (one.std_reward ?? 0)).toBeCloseTo(1.521278, 6);
    expect(one).toMatchObject({ runs: 5, graded: 4, successes: 1, errors: 1, cancelled: 1 });
    expect(one).toMatchObject({ success_rate: 0.2, hud_success_rate: 0.25 });
  });

  it('count an error as a failure in the rate, its interval, and pass@k', () => {
    const errors = [broken, broken, broken, broken];
    const one = jobStatistics([...graded('a', 1, 1), ...errors]);
    expect(one).toMatchObject({ runs: 6, graded: 2, successes: 2, errors: 4, mean_reward: 1, hud_success_rate: 1 });
    expect(one.success_rate).toBeCloseTo(1 / 3, 12);
    expect(one.success_interval?.[1]).toBeLessThan(0.75);
    expect(one.pass_at[0]).toEqual({ k: 1, value: expect.closeTo(1 / 3, 12), tasks: 1 });
  });

  it('leave out edited runs', () => {
    const edited = graded('a', 1, 1).map((run) => ({ ...run, edited: true as const }));
    expect(jobStatistics([...edited, ...graded('a', 0)])).toMatchObject({ runs: 1, successes: 0, edited: 2 });
  });

  it('have an interval for the success rate that is never a point', () => {
    // 81 of 263 is the example of Newcombe, "Two-sided confidence intervals for the single proportion" (1998).
    const interval = (good: number, n: number) =>
      jobStatistics(graded('a', ...Array.from({ length: n }, (_, i) => (i < good ? 1 : 0)))).success_interval;
    expect(interval(0, 10)?.[0]).toBe(0);
    expect(interval(0, 10)?.[1]).toBeCloseTo(0.2775, 4);
    expect(interval(10, 10)?.[0]).toBeCloseTo(0.7225, 4);
    for (const n of [1, 3, 7, 10, 1000]) expect([interval(0, n)?.[0], interval(n, n)?.[1]]).toEqual([0, 1]);
    expect(interval(81, 263)?.[0]).toBeCloseTo(0.2553, 4);
    expect(interval(81, 263)?.[1]).toBeCloseTo(0.3662, 4);
  });

  it('have pass@k over the tasks with at least k runs', () => {
    const { pass_at } = jobStatistics([...graded('a', 1, 0, 0, 0), ...graded('b', 0, 0, 0, 0), ...graded('c', 1)]);
    expect(pass_at).toEqual([
      { k: 1, value: expect.closeTo((0.25 + 0 + 1) / 3, 12), tasks: 3 },
      { k: 2, value: expect.closeTo((1 - 3 / 6 + 0) / 2, 12), tasks: 2 },
      { k: 4, value: 0.5, tasks: 2 },
    ]);
  });

  it('have no pass@k if no task is repeated', () => {
    expect(jobStatistics([...graded('a', 1), ...graded('b', 0)]).pass_at).toEqual([]);
  });

  it('work for thousands of repeats', () => {
    const many = jobStatistics(graded('a', ...Array.from({ length: 5000 }, (_, i) => (i % 2 === 0 ? 1 : 0))));
    expect(many.pass_at.at(-1)).toEqual({ k: 5000, value: 1, tasks: 1 });
    expect(many.pass_at[1]?.value).toBeCloseTo(0.75, 3);
  });
});
