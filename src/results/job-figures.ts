// A type of the library too (scripts/library.mjs): this file imports nothing.

/** The statistics of a job. Cancelled and interrupted runs count in none of the figures. */
export interface Statistics {
  /** Runs that ended and were not cancelled, with and without a reward. */
  readonly runs: number;
  /** Runs with a reward. */
  readonly graded: number;
  readonly successes: number;
  readonly errors: number;
  /** Runs that were cancelled or interrupted. */
  readonly cancelled: number;
  /** Mean reward of the graded runs, as HUD's `Job.reward`; null if there are none. */
  readonly mean_reward: number | null;
  /** Standard deviation of the rewards of the graded runs (divided by n, as in HUD's `group_relative`). */
  readonly std_reward: number | null;
  /** Successes among all runs: an error is not a success. Null if there are no runs. */
  readonly success_rate: number | null;
  /** The 95 % confidence interval of the success rate: Wilson's score interval. */
  readonly success_interval: readonly [low: number, high: number] | null;
  /**
   * The probability that at least one of k runs of a task succeeds: the mean over the tasks with at least k runs; for
   * k = 1, 2, 4, … and the size of the largest group. Empty if no task was repeated.
   */
  readonly pass_at: readonly { readonly k: number; readonly value: number; readonly tasks: number }[];
}
