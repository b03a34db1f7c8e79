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
  const centered = rewards.map((reward) => reward - mean);
  if (!normalizeStd) return centered;
  const std = Math.sqrt(centered.reduce((sum, value) => sum + value ** 2, 0) / n);
  return std > eps ? centered.map((value) => value / std) : centered;
}

/**
 * The reward of each run relative to the other runs of its task, for tasks with at least two rewards. Runs that count in no
 * statistics have none.
 */
export function relativeRewards<T extends CountedRun>(runs: readonly T[]): ReadonlyMap<T, number> {
  const groups = new Map<string, { readonly run: T; readonly reward: number }[]>();
  for (const run of runs) {
    const { group_id, reward } = run;
    if (reward === null || !isCounted(run)) continue;
    const group = groups.get(group_id);
    if (group === undefined) groups.set(group_id, [{ run, reward }]);
    else group.push({ run, reward });
  }
  const relative = new Map<T, number>();
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    const values = groupRelative(group.map(({ reward }) => reward));
    for (const [index, { run }] of group.entries()) relative.set(run, values[index] ?? 0);
  }
  return relative;
}

/** `+1.00`, `−0.51`, `0.00` */
export function formatRelative(value: number): string {
  const text = Math.abs(value).toFixed(2);
  if (Number(text) === 0) return text;
  return value > 0 ? `+${text}` : `−${text}`;
}
