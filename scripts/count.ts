/** A test that failed. */
export interface Failure {
  readonly test: string;
  /** What it said; the first lines are shown again at the end. */
  readonly message: string;
}

/** How the tests of a suite went. */
export interface Count {
  readonly passed: number;
  readonly failures: readonly Failure[];
}

export const NOTHING: Count = { passed: 0, failures: [] };

export const PASSED: Count = { passed: 1, failures: [] };

/** One test that failed. */
export function failed(test: string, error: unknown): Count {
  return { passed: 0, failures: [{ test, message: error instanceof Error ? error.message : String(error) }] };
}

export function add(a: Count, b: Count): Count {
  return { passed: a.passed + b.passed, failures: [...a.failures, ...b.failures] };
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
