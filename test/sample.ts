import { describe, it } from 'vitest';

/** Whether every case runs (`npm run test:long`) and not only a seeded sample. */
export const isLong = process.env['TASKWRIGHT_TEST_LONG'] === '1';

/**
 * Tests that only `npm run test:long` runs. The table in `docs/testing.md` names each of them, and the tests that guard the
 * same in every run.
 */
export const itLong = it.runIf(isLong);

/** Groups of tests that only `npm run test:long` runs, in the table as `itLong`. */
export const describeLong = describe.runIf(isLong);

/**
 * How many cases a generator, a fuzzer or a corpus runs.
 * @param sample in `npm test`
 * @param full in `npm run test:long`
 */
export function caseCount(sample: number, full: number): number {
  return isLong ? full : sample;
}

/** Every third of these, or all of them with `npm run test:long`. */
export function everyThird<T>(all: readonly T[]): readonly T[] {
  return isLong ? all : all.filter((_, index) => index % 3 === 0);
}

/** Every third of these where the suite `browsers` repeats a test in another browser; all of them with `npm run test:long`. */
export function repeatedSample<T>(all: readonly T[]): readonly T[] {
  return process.env['TASKWRIGHT_TEST_REPEATED'] === '1' ? everyThird(all) : all;
}
