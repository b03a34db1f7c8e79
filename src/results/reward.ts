/** Rewards from here on are successes, because weighted sums are not exact. */
const SUCCESS = 1 - 1e-9;

export function isSuccess(reward: number | null): boolean {
  return reward !== null && reward >= SUCCESS;
}

/** The only format of rewards in texts: two decimals, of which 1.00 and 0.00 are exact. Null (no reward) is a dash. */
export function formatReward(reward: number | null): string {
  if (reward === null) return '–';
  // An environment's own reward can be outside 0 to 1.
  if (reward < 0 || reward > 1 + 1e-9) return reward.toFixed(2);
  if (isSuccess(reward)) return '1.00';
  if (reward === 0) return '0.00';
  if (reward < 0.01) return '<0.01';
  return reward > 0.99 ? '>0.99' : reward.toFixed(2);
}
