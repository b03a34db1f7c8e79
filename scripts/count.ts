/** How many tests of a suite passed and failed. */
export interface Count {
  readonly passed: number;
  readonly failed: number;
}

export const NOTHING: Count = { passed: 0, failed: 0 };

export function add(a: Count, b: Count): Count {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed };
}
