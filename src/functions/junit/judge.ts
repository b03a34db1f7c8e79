import { groupBy } from '../../base/group-by.ts';
import type { VerdictPart } from '../declaration.ts';
import { nearest } from '../nearest.ts';
import { quote } from '../words.ts';
import type { TestResult } from './results.ts';

/** How many tests a verdict lists. */
const MAX_TESTS = 200;
/** How many tests are compared with a name that none of them has. */
const MAX_COMPARED = 2_000;
/** Why a named test that is not in the report does not pass. */
const NOT_RUN = 'did not run';

/** What the tests of a report are worth. */
export interface Judgment {
  /** 0 to 1. */
  readonly value: number;
  readonly reason: string;
  /** One for each test that counts, failed tests first. */
  readonly parts: readonly VerdictPart[];
}

/** The share of tests that pass, without skipped tests. 0 if there are none. */
export function judgeAll(tests: readonly TestResult[]): Judgment {
  const parts = tests
    .filter(({ outcome }) => outcome !== 'skipped')
    .map((test) => ({ name: labelOf(test), ...scoreOf(test) }));
  const skippedCount = tests.length - parts.length;
  const rest = skippedCount === 0 ? '' : `, ${skippedCount} skipped`;
  const passedCount = countPassed(parts);
  return {
    value: parts.length === 0 ? 0 : passedCount / parts.length,
    reason:
      parts.length === 0 ? `the report has no tests${rest}` : `${passedCount} of ${parts.length} tests pass${rest}`,
    parts: failedFirst(parts),
  };
}

/**
 * 1 if all named tests ran and passed. A name can be that of the report (`test_one[utf-8]`), with the class, module, or
 * suites around it, or the id of the runner (`tests/test_a.py::TestCart::test_one[utf-8]`, `pkg.TestOne/sub`). If several
 * tests have the name, all must pass.
 */
export function judgeNamed(tests: readonly TestResult[], names: readonly string[]): Judgment {
  const byKey = groupBy(
    tests.flatMap((test) => keysOf(test).map((key) => ({ key, test }))),
    ({ key }) => key,
  );
  const parts = names.map((name): VerdictPart => {
    const scores = (byKey.get(keyOf(name)) ?? []).map(({ test }) => scoreOf(test));
    return { name, ...(scores.find(({ value }) => value < 1) ?? scores[0] ?? { value: 0, reason: NOT_RUN }) };
  });
  const first = parts.find(({ value }) => value < 1);
  return {
    value: first === undefined ? 1 : 0,
    reason: `${countPassed(parts)} of ${names.length} named tests pass${first === undefined ? '' : hintOf(first, tests)}`,
    parts: failedFirst(parts),
  };
}

/** `; “test_two”: did not run, similar: “tests.test_a › test_one”` */
function hintOf({ name, reason }: VerdictPart, tests: readonly TestResult[]): string {
  const like = reason === NOT_RUN ? nearest(name, tests.slice(0, MAX_COMPARED), labelOf) : undefined;
  return `; ${quote(name)}: ${reason}${like === undefined ? '' : `, similar: ${quote(labelOf(like))}`}`;
}

function scoreOf({ outcome, message }: TestResult): Omit<VerdictPart, 'name'> {
  if (outcome === 'passed') return { value: 1, reason: 'passes' };
  return { value: 0, reason: outcome === 'skipped' ? 'was skipped' : message };
}

function labelOf({ classname, name }: TestResult): string {
  return [classname, name].filter((one) => one !== '').join(' › ') || 'unnamed test';
}

/** A test has several names: its own, and its own after its class or after the inner suites. */
function keysOf({ suites, classname, name }: TestResult): readonly string[] {
  const scopes = [classname, ...suites.map((_, index) => suites.slice(index).join('.'))];
  return [...new Set(['', ...scopes].map((scope) => keyOf(scope === '' ? name : `${scope}.${name}`)))];
}

/**
 * Equal for all spellings of one name: `tests/test_a.py::TestCart::test_one[a::b]` → `tests.test_a.TestCart.test_one[a::b]`.
 * The parameters in brackets are literal.
 */
function keyOf(name: string): string {
  const [, head = '', parameters = ''] = /^([^[]*)(.*)$/s.exec(name.trim()) ?? [];
  const dotted = head.replace(/\.py(?=::)|\(\)$/g, '').replace(/[\s.:#/\\>›]+/g, '.');
  return `${dotted.replace(/^\./, '')}${parameters}`;
}

function countPassed(parts: readonly VerdictPart[]): number {
  return parts.filter(({ value }) => value === 1).length;
}

function failedFirst(parts: readonly VerdictPart[]): readonly VerdictPart[] {
  return [...parts.filter(({ value }) => value < 1), ...parts.filter(({ value }) => value === 1)].slice(0, MAX_TESTS);
}
