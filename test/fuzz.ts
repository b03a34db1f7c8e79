import fc from 'fast-check';
import { caseCount } from './sample.ts';

/** Seconds for each property of a fuzzer (`npm run fuzz`); none in the tests, which run a seeded sample. */
const seconds = Number(process.env['TASKWRIGHT_FUZZ_SECONDS'] ?? 0);

/** How long a property may take, in milliseconds. */
export const FUZZ_TIMEOUT = seconds * 1000 + caseCount(240_000, 1_200_000);

/**
 * How many inputs a property gets: a seeded sample in `npm test`, more in `npm run test:long`, and with `npm run fuzz` as
 * many as its time allows, whose number it prints.
 */
export function inputs<T>(sample: number, full: number): fc.Parameters<T> {
  if (seconds === 0) return { numRuns: caseCount(sample, full) };
  return {
    numRuns: 1_000_000_000,
    interruptAfterTimeLimit: seconds * 1000,
    markInterruptAsFailure: false,
    reporter: (run) => {
      process.stdout.write(`${run.numRuns} inputs, seed ${run.seed}\n`);
      if (run.failed) throw new Error(fc.defaultReportMessage(run));
    },
  };
}
