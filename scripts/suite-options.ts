/** The suites of `npm test`, and `desktop`, which runs only by name: it repeats `host` in a downloaded desktop VS Code. */
export const SUITE_NAMES = [
  'lint',
  'unit',
  'system',
  'browsers',
  'attacks',
  'docker',
  'host',
  'journeys',
  'desktop',
] as const;
export type SuiteName = (typeof SUITE_NAMES)[number];

export function isSuiteName(name: string): name is SuiteName {
  return SUITE_NAMES.some((suite) => suite === name);
}

/** Which tests of a suite run, and how. */
export interface SuiteOptions {
  /** Parts of the paths of the files to run; empty for all. */
  readonly include: readonly string[];
  /** How many files run at the same time. */
  readonly workers: number;
  /** `1/3`: the first of three parts of the files; absent for all. */
  readonly shard?: string;
}
