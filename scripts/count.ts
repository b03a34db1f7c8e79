import type { SuiteName } from './suite-options.ts';

/** A test that failed. */
export interface Failure {
  readonly test: string;
  /** The file of the test, relative to the repository; absent if a suite as a whole failed. */
  readonly file?: string;
  /** The suite that ran it; absent until the suite has ended. */
  readonly suite?: SuiteName;
  /** The error; the report at the end shows its first lines. */
  readonly message: string;
}

/** How long a file of tests took. */
export interface FileTime {
  /** Relative to the repository. */
  readonly file: string;
  /** Wall-clock time to load it and to run its tests and hooks. */
  readonly seconds: number;
}

/** The result of a suite. */
export interface Count {
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly files: readonly FileTime[];
}

export const NOTHING: Count = { passed: 0, failures: [], files: [] };

export const PASSED: Count = { ...NOTHING, passed: 1 };

/** One test that failed. */
export function countFailure(test: string, error: unknown): Count {
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

/** Every failure with the first lines of its message, to be read first if the output is long. */
export function describeFailures(count: Count): string {
  return count.failures
    .map(({ test, message }) => {
      // Frames of the test framework do not help.
      const lines = message
        .trim()
        .split('\n')
        .filter((line) => !/^\s+at .*(node_modules|node:internal|new Promise)/.test(line));
      const excerpt = lines.slice(0, SHOWN_LINES).map((line) => `  ${line}`);
      return [`✗ ${test}`, ...excerpt, ...(lines.length > SHOWN_LINES ? ['  …'] : [])].join('\n');
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
