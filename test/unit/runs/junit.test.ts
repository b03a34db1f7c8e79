import { describe, expect, it } from 'vitest';
import { junit } from '../../../src/runs/job/junit.ts';
import type { Run, RunRecord } from '../../../src/traces/trace.ts';

const run: Run = {
  run_id: 'r1',
  task_id: 'shop',
  file: '/tasks/shop.task.json',
  group_id: 'g',
  agent: 'noop',
  seed: 0,
  status: 'completed',
  reward: 1,
  success: true,
  truncated: false,
  error: null,
  steps: 2,
  duration_ms: 1234,
  started_at: '2026-01-01T00:00:00.000Z',
  trace_dir: '/runs/r1',
};
const graded: RunRecord = {
  ...run,
  prompt: '',
  grade: {
    reward: 0,
    done: true,
    content: null,
    info: {},
    is_error: false,
    subscores: [
      {
        name: 'page_contains("<b>")',
        value: 0,
        weight: 1,
        reason: 'not on the page',
        range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
      },
    ],
  },
};

describe('a JUnit report', () => {
  it('has a suite a file and a case a run, with counts that add up', () => {
    const xml = junit('job-1', [
      run,
      { ...graded, task_id: 'pay', reward: 0, success: false },
      {
        ...run,
        file: '/tasks/b.task.json',
        status: 'error',
        reward: null,
        success: false,
        error: { message: 'm', code: 'c' },
      },
      { ...run, file: '/tasks/b.task.json', status: 'cancelled', reward: null, success: false },
    ]);
    expect(xml).toContain('<testsuites name="job-1" tests="4" failures="1" errors="1" skipped="1" time="4.936">');
    expect(xml).toContain(
      '<testsuite name="shop.task.json" file="/tasks/shop.task.json" tests="2" failures="1" errors="0" skipped="0" time="2.468">',
    );
    expect(xml).toContain('<testcase classname="shop.task.json" name="shop" time="1.234"></testcase>');
    expect(xml).toContain(
      '<failure type="reward" message="reward 0">0  page_contains(&quot;&lt;b&gt;&quot;)  not on the page</failure>',
    );
    expect(xml).toContain('<error type="c" message="m"></error>');
    expect(xml).toContain('<skipped message="cancelled"/>');
  });

  it('holds nothing that XML cannot hold', () => {
    const message = 'a\u0000b\u001Bc\u{1F600}d\uD800e\uFFFFf<&>"\n\tg';
    const xml = junit('j', [{ ...run, status: 'error', reward: null, success: false, error: { message, code: 'x' } }]);
    expect(xml).toContain('message="abc\u{1F600}d\uFFFDef&lt;&amp;&gt;&quot;&#10;&#9;g"');
  });
});
