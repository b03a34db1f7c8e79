/** One of several equal parts of a job, which different machines make. */
export interface Shard {
  /** Counted from 1. */
  readonly number: number;
  readonly of: number;
}

/** Reads `2/4`; null for other texts. */
export function parseShard(text: string): Shard | null {
  const [, number = 0, of = 0] = /^(\d{1,6})\/(\d{1,6})$/.exec(text)?.map(Number) ?? [];
  return number >= 1 && number <= of ? { number, of } : null;
}

/**
 * The runs of a shard: every n-th of the plan. The repeats of a task are next to each other in a plan, so each shard gets its
 * share of them.
 */
export function runsOfShard<R>(runs: readonly R[], { number, of }: Shard): R[] {
  return runs.filter((_, position) => position % of === number - 1);
}
