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
