import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Count, Failure } from '../../../scripts/count.ts';
import {
  type FailedFile,
  type FlakyEntry,
  failedFiles,
  judgeFailures,
  keyOf,
  NEVER_FLAKY,
  noteFlaky,
} from '../../../scripts/flaky.ts';
import { root } from '../../../scripts/places.ts';
import type { SuiteName } from '../../../scripts/suite-options.ts';

const TODAY = '2026-11-28';

function failure(file: string, test = 'fails', suite: SuiteName = 'system'): Failure & FailedFile {
  return { suite, file, test: `${file} › ${test}`, message: 'Error: no' };
}

function count(...failures: Failure[]): Count {
  return { passed: 10, failures, files: [] };
}

const keys = (...files: FailedFile[]): Set<string> => new Set(files.map(keyOf));

describe('A file that failed and passed when it ran again alone', () => {
  const a = failure('test/system/a.test.ts');
  const b = failure('test/system/b.test.ts');
  const c = failure('test/system/c.test.ts');

  it('is flaky: its tests neither passed nor failed', () => {
    expect(judgeFailures(count(a, b), keys(a), [], TODAY)).toEqual({
      count: count(b),
      flaky: ['test/system/a.test.ts › fails'],
      reasons: [],
    });
  });

  it('fails in another browser all the same', () => {
    const other = { ...a, suite: 'browsers' } as const;
    expect(judgeFailures(count(a, other), keys(a), [], TODAY).count.failures).toEqual([other]);
    expect(failedFiles(count(a, a, other)).map(keyOf)).toEqual([
      'system test/system/a.test.ts',
      'browsers test/system/a.test.ts',
    ]);
  });

  it('fails if more than two are', () => {
    const two = judgeFailures(count(a, b), keys(a, b), [], TODAY);
    expect(two.flaky).toHaveLength(2);
    const three = judgeFailures(count(a, b, c), keys(a, b, c), [], TODAY);
    expect(three.flaky).toEqual([]);
    expect(three.count.failures).toEqual([a, b, c]);
    expect(three.reasons).toEqual(['3 files are flaky, and a run may have 2.']);
  });

  it.each(NEVER_FLAKY)('fails where now and then is the defect: %s', (path) => {
    const file = path.endsWith('/') ? `${path}a.test.ts` : path;
    const defect = failure(file);
    const judgement = judgeFailures(count(defect), keys(defect), [], TODAY);
    expect(judgement.flaky).toEqual([]);
    expect(judgement.count.failures).toEqual([defect]);
    expect(judgement.reasons[0]).toContain('that is the defect');
    expect(existsSync(join(root, path))).toBe(true);
  });

  it('fails the second time in 30 days', () => {
    const history = [{ test: a.test, date: '2026-11-02' }];
    const judgement = judgeFailures(count(a), keys(a), history, TODAY);
    expect(judgement.count.failures).toEqual([a]);
    expect(judgement.reasons).toEqual([`${a.test} is flaky for the second time in 30 days: mend it.`]);
    expect(judgeFailures(count(a), keys(a), [{ test: a.test, date: '2026-10-02' }], TODAY).flaky).toEqual([a.test]);
  });

  it('is written into the history, without what is older than 30 days', () => {
    const history = [
      { test: 'old', date: '2026-10-01' },
      { test: 'recent', date: '2026-11-01' },
    ];
    expect(noteFlaky(history, [a.test], TODAY)).toEqual([
      { test: 'recent', date: '2026-11-01' },
      { test: a.test, date: TODAY },
    ]);
  });
});

it('a suite that failed as a whole does not run again', () => {
  const crashed: Failure = { suite: 'docker', test: 'docker', message: 'vitest ended with 1' };
  expect(failedFiles(count(crashed))).toEqual([]);
  expect(judgeFailures(count(crashed), new Set(), [], TODAY).count.failures).toEqual([crashed]);
});

it('test/flaky.json lists no test twice', () => {
  const entries = JSON.parse(readFileSync(join(root, 'test', 'flaky.json'), 'utf8')) as FlakyEntry[];
  const tests = entries.map(({ test }) => test);
  expect(new Set(tests).size).toBe(tests.length);
  for (const { date } of entries) expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
});
