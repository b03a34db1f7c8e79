import type { Run } from '../store/trace.ts';

/** What a run says to the statistics of its job. */
export type Counted = Pick<Run, 'group_id' | 'status' | 'reward' | 'success'>;

/** What the runs of a job come to. */
export interface JobStatistics {
  /** Runs that have ended, however they ended. */
  readonly runs: number;
  /** Those that have a reward. Rewards are counted over these alone, as HUD's `Job.reward` does. */
  readonly graded: number;
  readonly successes: number;
  readonly errors: number;
  readonly cancelled: number;
  /** Mean reward; null where no run has one. */
  readonly mean_reward: number | null;
  /** Standard deviation of the rewards over all graded runs (divided by n, as in HUD's `group_relative`). */
  readonly std_reward: number | null;
  /** Successes among the graded runs; null where there is none. */
  readonly success_rate: number | null;
  /** Where the success rate lies with 95 % confidence: Wilson's score interval. */
  readonly success_interval: readonly [low: number, high: number] | null;
  /**
   * The chance that at least one of k tries at a task succeeds, the mean over the tasks that have k graded runs; for
   * k = 1, 2, 4, … and the size of the largest group. Empty where no task was repeated.
   */
  readonly pass_at: readonly { readonly k: number; readonly value: number; readonly tasks: number }[];
}

/** The 97.5 % point of the normal distribution. */
const Z = 1.959963984540054;

/** Counts a job's runs. Runs that still go on are not to be among them. */
export function jobStatistics(runs: readonly Counted[]): JobStatistics {
  const graded = runs.filter((run) => run.reward !== null);
  const rewards = graded.map((run) => run.reward ?? 0);
  const successes = graded.filter((run) => run.success).length;
  const n = graded.length;
  const mean = n === 0 ? null : rewards.reduce((sum, reward) => sum + reward, 0) / n;
  return {
    runs: runs.length,
    graded: n,
    successes,
    errors: runs.filter((run) => run.status === 'error').length,
    cancelled: runs.filter((run) => run.status === 'cancelled' || run.status === 'interrupted').length,
    mean_reward: mean,
    std_reward: mean === null ? null : Math.sqrt(rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / n),
    success_rate: n === 0 ? null : successes / n,
    success_interval: n === 0 ? null : wilson(successes, n),
    pass_at: passAt(graded),
  };
}

/** Wilson's score interval at 95 %: unlike mean ± z·s it stays within 0 to 1 and says something of 0 of n and n of n. */
function wilson(successes: number, n: number): readonly [number, number] {
  const share = successes / n;
  const middle = share + Z ** 2 / (2 * n);
  const half = Z * Math.sqrt((share * (1 - share)) / n + Z ** 2 / (4 * n ** 2));
  const whole = 1 + Z ** 2 / n;
  return [Math.max(0, (middle - half) / whole), Math.min(1, (middle + half) / whole)];
}

function passAt(graded: readonly Counted[]): JobStatistics['pass_at'] {
  const groups = new Map<string, { n: number; good: number }>();
  for (const run of graded) {
    const group = groups.get(run.group_id) ?? { n: 0, good: 0 };
    groups.set(run.group_id, { n: group.n + 1, good: group.good + (run.success ? 1 : 0) });
  }
  const all = [...groups.values()];
  const largest = all.reduce((most, { n }) => Math.max(most, n), 0);
  if (largest < 2) return [];
  const ks: number[] = [];
  for (let k = 1; k < largest; k *= 2) ks.push(k);
  return [...ks, largest].map((k) => {
    const enough = all.filter(({ n }) => n >= k);
    const sum = enough.reduce((total, { n, good }) => total + passOf(n, good, k), 0);
    return { k, value: sum / enough.length, tasks: enough.length };
  });
}

/**
 * The unbiased estimate of Chen et al., "Evaluating Large Language Models Trained on Code" (2021):
 * 1 − C(n−good, k) / C(n, k), as a product, so that nothing overflows.
 */
function passOf(n: number, good: number, k: number): number {
  if (n - good < k) return 1;
  let none = 1;
  for (let i = n - good + 1; i <= n; i += 1) none *= 1 - k / i;
  return 1 - none;
}
