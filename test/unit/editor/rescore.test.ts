import { describe, expect, it } from 'vitest';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import { recordedRuns } from '../../../src/editor/rescore/recorded-runs.ts';
import { changesOf } from '../../../src/presentation/rescoring/changes.ts';
import { inOrder, presentRescored, presentUnread } from '../../../src/presentation/rescoring/present.ts';
import { summarizeChanges } from '../../../src/results/rescore-change.ts';
import type { Rescored } from '../../../src/runs/rescoring/rescorer.ts';
import type { RunEntry } from '../../../src/traces/store.ts';

const entry = (name: string, more: Partial<RunEntry> = {}): RunEntry => ({
  traceDir: `/jobs/j/${name}`,
  jobId: 'j',
  agent: 'noop',
  running: false,
  reasons: '',
  writtenAt: 0,
  run: {
    run_id: name,
    task_id: name,
    file: '/t/shop.tasks.json',
    group_id: 'g',
    agent: 'noop',
    seed: 0,
    status: 'completed',
    reward: 0.5,
    success: false,
    truncated: false,
    error: null,
    steps: 3,
    duration_ms: 10,
    started_at: '2026-01-01T00:00:00.000Z',
    trace_dir: `/jobs/j/${name}`,
  },
  ...more,
});

const rescored = (old: number | null, now: number | null, more: Partial<Rescored> = {}): Rescored => ({
  traceDir: '/jobs/j/a',
  runId: 'a',
  taskId: 'a',
  old,
  new: now,
  calls: [
    {
      call: { function: 'page_contains', args: ['Cart'], range: EMPTY_RANGE },
      old,
      new: now,
      reason: 'it is there',
      failed: false,
    },
  ],
  steps: null,
  problem: null,
  ...more,
});

const now = Date.parse('2026-01-01T01:00:00.000Z');
const row = (old: number | null, value: number | null) => presentRescored(rescored(old, value), entry('a'), now);

describe('a re-scored run', () => {
  it('shows old and new values of the run and of each call', () => {
    expect(row(0.5, 1)).toMatchObject({
      old: '0.50',
      new: '1.00',
      change: 'up',
      description: 'no-op · 1 h ago',
      calls: [
        {
          ...{ text: 'page_contains("Cart")', old: '0.50', new: '1.00', change: 'up', reason: 'it is there' },
          range: EMPTY_RANGE,
        },
      ],
    });
    expect(row(1, 0.5)).toMatchObject({ change: 'down' });
    expect(row(0.1 + 0.2, 0.3)).toMatchObject({ change: 'same' });
    expect(row(null, 0)).toMatchObject({ old: '–', change: 'new' });
    expect(row(1, null)).toMatchObject({ new: '–', change: 'unknown' });
  });

  it('shows the agent steps at which the reward changed, numbered as in the panel', () => {
    // Two setup calls, three steps, and the logs of an imported run.
    const counts = [0, 0, 1, 2, 3, 3];
    const steps = [0.25, 0, 0.5, 0.5, 0.5, 1].map((reward, index) => {
      return { index, agentSteps: counts[index] ?? 0, reward, values: [reward] };
    });
    expect(presentRescored(rescored(1, 1, { steps }), entry('a'), now).turns).toBe(
      '0.00, from step 1: 0.50, from step 3: 1.00',
    );
  });

  it('that cannot be read has a reason', () => {
    expect(presentUnread('line 3 is no JSON', entry('a'), now)).toMatchObject({
      problem: 'line 3 is no JSON',
      change: 'unknown',
      calls: [],
    });
  });

  it('is counted and sorted: changes first, then undetermined runs', () => {
    const rows = [row(1, 1), row(1, null), row(0, 1), row(1, 0), row(null, 1)];
    expect(summarizeChanges(rows.map(({ change }) => change))).toBe(
      '3 of 5 changed: 1 up, 1 down, 1 new; 1 cannot be re-scored from its recording',
    );
    expect(inOrder(rows).map(({ change }) => change)).toEqual(['up', 'down', 'new', 'unknown', 'same']);
    expect(summarizeChanges(['same'])).toBe('0 of 1 changed');
  });

  it('belongs to one of the tasks, and has ended', () => {
    const entries = [entry('a'), entry('b'), entry('c', { running: true })];
    const asked = ['a', 'c'].map((name) => ({ file: '/t/shop.tasks.json', name }));
    expect(recordedRuns({ entries }, asked)).toEqual([entries[0]]);
    expect(recordedRuns({ entries }, [{ file: '/t/other.tasks.json', name: 'a' }])).toEqual([]);
  });
});

describe('runs that are re-scored on save', () => {
  const said = (...results: Rescored[]) => changesOf(results).map(({ text, kind }) => `${kind}: ${text}`);

  it('show the changes next to each call', () => {
    expect(said(rescored(0, 1), rescored(1, 1), rescored(0, 0.5))).toEqual(['changed: 0.00 → 1.00, 2 of 3 changed']);
    expect(said(rescored(1, 1), rescored(1, 1))).toEqual(['unchanged: 1.00, none of 2 changed']);
  });

  it('show what cannot be determined from their recordings', () => {
    expect(said(rescored(0, 1), rescored(0, null))).toEqual([
      'changed: 0.00 → 1.00, 1 of 2 changed, 1 of 2 cannot be re-scored',
    ]);
    expect(said(rescored(0, null))).toEqual(['undecided: 1 of 1 cannot be re-scored']);
    expect(said(rescored(0, null, { problem: 'There is no task “a” any more.' }))).toEqual([]);
  });
});
