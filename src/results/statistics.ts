import { groupBy } from '../base/group-by.ts';
import type { Statistics } from './job-figures.ts';
import type { RunStatus } from './status.ts';

/** The properties of a run that statistics read. */
export interface CountedRun {
  /** Shared by the repeats of a task. */
  readonly group_id: string;
  readonly status: RunStatus;
  readonly reward: number | null;
  readonly success: boolean;
  readonly edited?: true | undefined;
}

/** The statistics of a job, with figures that the library does not publish. Edited runs count in none of the others. */
export interface JobStatistics extends Statistics {
  /** Runs that were edited in the debugger. */
  readonly edited: number;
  /** Successes among the graded runs, as HUD counts. Null if there are none. */
  readonly hud_success_rate: number | null;
}

/** The 97.5 % quantile of the normal distribution. */
const Z = 1.959963984540054;

/** Computes the statistics of a job from its ended runs. */
export function jobStatistics(all: readonly CountedRun[]): JobStatistics {
  const uneditedRuns = all.filter((run) => run.edited !== true);
  const runs = uneditedRuns.filter(isCounted);
  const rewards = runs.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const successes = runs.filter(({ success }) => success).length;
  const mean = rewards.length === 0 ? null : rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  const variance = rewards.reduce((sum, reward) => sum + (reward - (mean ?? 0)) ** 2, 0) / rewards.length;
  return {
    runs: runs.length,
    graded: rewards.length,
    successes,
    errors: runs.filter(({ status }) => status === 'error').length,
    cancelled: uneditedRuns.length - runs.length,
    edited: all.length - uneditedRuns.length,
    mean_reward: mean,
    std_reward: mean === null ? null : Math.sqrt(variance),
    success_rate: runs.length === 0 ? null : successes / runs.length,
    success_interval: runs.length === 0 ? null : wilson(successes, runs.length),
    hud_success_rate: rewards.length === 0 ? null : successes / rewards.length,
    pass_at: passAt(runs),
  };
}

/** Whether a run counts in the figures of its job. */
export function isCounted({ status, edited }: CountedRun): boolean {
  return edited !== true && status !== 'cancelled' && status !== 'interrupted';
}

/** Wilson's score interval at 95 %. Unlike mean ± z·s, it stays between 0 and 1 and is not a point for 0 of n and n of n. */
function wilson(successes: number, n: number): readonly [number, number] {
  const share = successes / n;
  const center = share + Z ** 2 / (2 * n);
  const margin = Z * Math.sqrt((share * (1 - share)) / n + Z ** 2 / (4 * n ** 2));
  const scale = 1 + Z ** 2 / n;
  // Both ends are exact in theory, but rounded numbers miss them by a little, and are then shown as <1 % and >99 %.
  return [successes === 0 ? 0 : (center - margin) / scale, successes === n ? 1 : (center + margin) / scale];
}

function passAt(runs: readonly CountedRun[]): JobStatistics['pass_at'] {
  const groups = groupBy(runs, ({ group_id }) => group_id);
  const all = [...groups.values()].map((group) => ({
    n: group.length,
    passes: group.filter(({ success }) => success).length,
  }));
  const largest = all.reduce((most, { n }) => Math.max(most, n), 0);
  if (largest < 2) return [];
  const ks: number[] = [];
  for (let k = 1; k < largest; k *= 2) ks.push(k);
  return [...ks, largest].map((k) => {
    const eligible = all.filter(({ n }) => n >= k);
    const sum = eligible.reduce((total, { n, passes }) => total + passOf(n, passes, k), 0);
    return { k, value: sum / eligible.length, tasks: eligible.length };
  });
}

/** 1 − C(n−passes, k) / C(n, k), as a product that cannot overflow (Chen et al., arXiv:2107.03374). */
function passOf(n: number, passes: number, k: number): number {
  if (n - passes < k) return 1;
  let none = 1;
  for (let i = n - passes + 1; i <= n; i += 1) none *= 1 - k / i;
  return 1 - none;
}
