import type { Count } from './count.ts';
import type { SuiteName } from './suite-options.ts';

/** Paths of test files in which a failure now and then is itself the defect. A test in them is never flaky. */
export const NEVER_FLAKY: readonly string[] = [
  'test/attacks/',
  'test/docker/coding.test.ts',
  'test/docker/isolation.test.ts',
  'test/docker/left-behind.test.ts',
  'test/docker/misbehaving.test.ts',
  'test/docker/shut-in.test.ts',
  'test/docker/withheld.test.ts',
  'test/system/cli/masked.test.ts',
  'test/system/placement/hud-killed.test.ts',
  'test/system/server/isolated-verdicts.test.ts',
  'test/system/server/killed-browser.test.ts',
  'test/system/server/killed.test.ts',
  'test/journeys/closed-window.test.ts',
  'test/journeys/restricted.test.ts',
];

/** A run with more flaky files fails. */
export const MAX_FLAKY = 2;

/** If more files fail, none runs again: the failures have a common cause. */
export const MAX_RERUNS = 6;

/** A test may be flaky once in this time. */
const MEMORY_DAYS = 30;

/** An entry of `test/flaky.json`: a test that failed in a whole run and passed when its file ran again alone. */
export interface FlakyEntry {
  readonly test: string;
  /** `2026-11-28`. */
  readonly date: string;
}

/** The result of a run after its failed files ran again. */
export interface Judgement {
  /** Flaky tests count neither as passed nor as failed. */
  readonly count: Count;
  readonly flaky: readonly string[];
  /** Why tests that passed the second time still count as failures. */
  readonly reasons: readonly string[];
}

/** A test file in the suite in which it failed: two suites may run the same file in different browsers. */
export interface FailedFile {
  readonly suite: SuiteName;
  readonly file: string;
}

/** Names a failed file in a set. */
export function keyOf({ suite, file }: FailedFile): string {
  return `${suite} ${file}`;
}

/** The files with failures, in the order in which they failed. A suite that failed as a whole has none. */
export function failedFiles(count: Count): readonly FailedFile[] {
  const files = count.failures.flatMap(({ suite, file }) => (suite && file ? { suite, file } : []));
  return [...new Map(files.map((file) => [keyOf(file), file])).values()];
}

/**
 * Decides which failures are flaky.
 * @param passedAgain the files that passed when they ran again alone, by their keys
 * @param history the flaky tests of earlier runs
 * @param today `2026-11-28`
 */
export function judgeFailures(
  count: Count,
  passedAgain: ReadonlySet<string>,
  history: readonly FlakyEntry[],
  today: string,
): Judgement {
  const candidates = count.failures.filter(
    ({ suite, file }) => suite && file && passedAgain.has(keyOf({ suite, file })),
  );
  const files = new Set(candidates.map(({ file }) => file));
  const reasons: string[] = [];
  if (files.size > MAX_FLAKY) reasons.push(`${files.size} files are flaky, and a run may have ${MAX_FLAKY}.`);
  const since = new Date(Date.parse(today) - MEMORY_DAYS * 86_400_000).toISOString().slice(0, 'yyyy-mm-dd'.length);
  const recent = new Set(history.filter(({ date }) => date >= since).map(({ test }) => test));
  const refusals = new Set<string>();
  for (const { test, file = '' } of candidates) {
    if (NEVER_FLAKY.some((path) => file.startsWith(path))) {
      refusals.add(test);
      reasons.push(`${test} passed the second time, but in this file that is the defect.`);
    } else if (recent.has(test)) {
      refusals.add(test);
      reasons.push(`${test} is flaky for the second time in ${MEMORY_DAYS} days: mend it.`);
    }
  }
  const flaky = files.size > MAX_FLAKY ? [] : candidates.map(({ test }) => test).filter((test) => !refusals.has(test));
  const flakyFailures = new Set(candidates.filter(({ test }) => flaky.includes(test)));
  const failures = count.failures.filter((failure) => !flakyFailures.has(failure));
  return { count: { ...count, failures }, flaky, reasons };
}

/** The history with the flaky tests of a run, the newest last, without entries that no longer count. */
export function noteFlaky(history: readonly FlakyEntry[], flaky: readonly string[], today: string): FlakyEntry[] {
  const oldest = Date.parse(today) - MEMORY_DAYS * 86_400_000;
  const recent = history.filter(({ date }) => Date.parse(date) >= oldest);
  return [...recent, ...flaky.map((test) => ({ test, date: today }))];
}
