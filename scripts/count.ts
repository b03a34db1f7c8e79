/** A test that failed. */
export interface Failure {
  readonly test: string;
  /** What it said; the first lines are shown again at the end. */
  readonly message: string;
}

/** How long a file of tests took. */
export interface FileTime {
  /** Relative to the repository. */
  readonly file: string;
  /** Wall-clock time to load it and to run its tests and hooks. */
  readonly seconds: number;
}

/** How the tests of a suite went. */
export interface Count {
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly files: readonly FileTime[];
}

export const NOTHING: Count = { passed: 0, failures: [], files: [] };

export const PASSED: Count = { ...NOTHING, passed: 1 };

/** One test that failed. */
export function failed(test: string, error: unknown): Count {
  const message = error instanceof Error ? error.message : String(error);
  return { ...NOTHING, failures: [{ test, message }] };
}

export function add(a: Count, b: Count): Count {
  return {
    passed: a.passed + b.passed,
    failures: [...a.failures, ...b.failures],
    files: [...a.files, ...b.files],
  };
}

const SHOWN_LINES = 12;

/** Every failure with the first lines of its message: what one reads first where the whole output is long. */
export function describeFailures(count: Count): string {
  return count.failures
    .map(({ test, message }) => {
      // Where in the test framework it passed says nothing.
      const lines = message
        .trim()
        .split('\n')
        .filter((line) => !/^\s+at .*(node_modules|node:internal|new Promise)/.test(line));
      const shown = lines.slice(0, SHOWN_LINES).map((line) => `  ${line}`);
      return [`✗ ${test}`, ...shown, ...(lines.length > SHOWN_LINES ? ['  …'] : [])].join('\n');
    })
    .join('\n');
}

const SLOWEST_FILES = 10;

/** The files that took longest, one per line, the slowest first. */
export function describeSlowestFiles(count: Count): string {
  return [...count.files]
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST_FILES)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`)
    .join('\n');
}
