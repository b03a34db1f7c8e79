/** The words for seeds on the command line, in settings, and in the library. */
export const SEEDS = ['same', 'consecutive'] as const;

/** The seeds of the runs of one task in a job: all the same, or counting up from the first. */
export interface Seeds {
  readonly first: number;
  readonly consecutive: boolean;
}

/** The seed of a repeat, counted from 0. */
export function seedOf({ first, consecutive }: Seeds, repeat: number): number {
  return consecutive ? first + repeat : first;
}

/** The seeds of planned runs of one task, in their order. */
export function seedsOf(runs: readonly { readonly seed: number }[]): Seeds {
  const [first = 0, second = first] = runs.map(({ seed }) => seed);
  return { first, consecutive: second === first + 1 };
}
