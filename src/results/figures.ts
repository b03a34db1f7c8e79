import * as l10n from '@vscode/l10n';
import { formatReward } from './reward.ts';
import type { JobStatistics } from './statistics.ts';

/*
 * The figures of a job and their texts. Every surface uses them: the command line, the Runs view, the job page, and
 * notifications. Nothing in this folder imports what needs Node.js, so that webviews can use it, too.
 */

/** The worst part of a result. It determines the color. */
export type ResultKind = 'none' | 'pass' | 'fail' | 'error';

/** One figure of a job. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  /** Explanation for a tooltip. */
  readonly title: string;
}

/** `2 of 6 passed · 4 errors`: the result of a job, and the kind of its worst part. */
export function headlineOf({ runs, successes, errors, cancelled, edited }: JobStatistics): {
  readonly text: string;
  readonly kind: ResultKind;
} {
  const parts = [l10n.t('{0} of {1} passed', successes, runs)];
  if (errors > 0) parts.push(errors === 1 ? l10n.t('1 error') : l10n.t('{0} errors', errors));
  if (cancelled > 0) parts.push(l10n.t('{0} cancelled', cancelled));
  if (edited > 0) parts.push(l10n.t('{0} edited, not counted', edited));
  const kind = runs === 0 ? 'none' : errors > 0 ? 'error' : successes < runs ? 'fail' : 'pass';
  return { text: parts.join(' · '), kind };
}

/** The figures of a job with several runs. Rates are over all runs, rewards over graded runs, which is then stated. */
export function figuresOf(statistics: JobStatistics): readonly Figure[] {
  const { runs, graded, successes, mean_reward, std_reward, success_rate, success_interval, pass_at } = statistics;
  const figures: Figure[] = [];
  if (success_rate !== null && success_interval !== null) {
    const [low, high] = success_interval;
    figures.push({
      name: l10n.t('success rate'),
      value: l10n.t('{0} (95 % CI {1}–{2})', percent(success_rate), percent(low), percent(high)),
      title: l10n.t('{0} of {1} runs have reward 1. Errors count as failures.', successes, runs),
    });
  }
  if (mean_reward !== null && std_reward !== null) {
    const value = `${formatReward(mean_reward)} ± ${std_reward.toFixed(2)}`;
    figures.push({
      name: l10n.t('mean reward'),
      value: graded < runs ? l10n.t('{0} of {1} graded', value, graded) : value,
      title: l10n.t('Mean and standard deviation of the {0} runs with a reward', graded),
    });
  }
  for (const { k, value, tasks } of pass_at.filter((one) => one.k > 1)) {
    figures.push({
      name: `pass@${k}`,
      value: percent(value),
      title: l10n.t('Probability that at least one of {0} runs of a task succeeds (tasks: {1})', k, tasks),
    });
  }
  return figures;
}

/** A percentage that is 0 % and 100 % only if that is exact. */
export function percent(share: number): string {
  if (share > 0 && share < 0.01) return '<1 %';
  if (share < 1 && share > 0.99) return '>99 %';
  return `${Math.round(share * 100)} %`;
}
