import { groupBy } from '../base/group-by.ts';
import { type CountedRun, isCounted } from './statistics.ts';

/**
 * The rewards of the repeats of one task relative to each other, as HUD's `group_relative` computes them: centered on their
 * mean, and divided by their standard deviation (divided by n) if that is above `eps`. `normalizeStd: false` only centers.
 */
export function groupRelative(
  rewards: readonly number[],
  { normalizeStd = true, eps = 1e-6 }: { readonly normalizeStd?: boolean; readonly eps?: number } = {},
): number[] {
  const n = rewards.length;
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / n;
  const deviations = rewards.map((reward) => reward - mean);
  if (!normalizeStd) return deviations;
  const std = Math.sqrt(deviations.reduce((sum, value) => sum + value ** 2, 0) / n);
  return std > eps ? deviations.map((value) => value / std) : deviations;
}

/** The reward of each counted run relative to the other runs of its task, for tasks with at least two rewards. */
export function relativeRewards<T extends CountedRun>(runs: readonly T[]): ReadonlyMap<T, number> {
  const gradedRuns = runs.filter(
    (run): run is T & { readonly reward: number } => run.reward !== null && isCounted(run),
  );
  const relative = new Map<T, number>();
  for (const group of groupBy(gradedRuns, ({ group_id }) => group_id).values()) {
    if (group.length < 2) continue;
    const values = groupRelative(group.map(({ reward }) => reward));
    for (const [index, run] of group.entries()) relative.set(run, values[index] ?? 0);
  }
  return relative;
}

/** `+1.00`, `−0.51`, `0.00` */
export function formatRelative(value: number): string {
  const text = Math.abs(value).toFixed(2);
  if (Number(text) === 0) return text;
  return value > 0 ? `+${text}` : `−${text}`;
}
