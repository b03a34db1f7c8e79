import { describe, expect, it } from 'vitest';
import { LastTwo, withBefore } from '../../../src/editor/compare/last-two.ts';
import { runText } from '../../../src/presentation/runs/run-text.ts';
import { verdictOf } from '../../../src/presentation/runs/verdict.ts';
import type { RunEntry } from '../../../src/traces/store.ts';
import { runRecordSchema, stepSchema, type TraceHeader } from '../../../src/traces/trace.ts';

const record = (reward: number | null, over: object = {}) =>
  runRecordSchema.parse({
    run_id: 'r',
    task_id: 'pay',
    file: '/w/a.task.json',
    group_id: 'g',
    seed: 0,
    status: 'completed',
    reward,
    success: reward === 1,
    truncated: false,
    error: null,
    steps: 1,
    duration_ms: 5,
    started_at: '2026-01-01T00:00:00.000Z',
    trace_dir: null,
    prompt: 'Pay.',
    grade: { reward, done: true, content: null, info: {}, is_error: false, subscores: [] },
    ...over,
  });

const entry = (traceDir: string, reward: number | null, over: Partial<RunEntry> = {}): RunEntry => ({
  traceDir,
  jobId: 'j',
  run: record(reward),
  agent: 'noop',
  running: false,
  reasons: '',
  writtenAt: null,
  ...over,
});

/** Newest first, as the history has them. */
const lastTwo = (...entries: RunEntry[]): LastTwo =>
  new LastTwo({ entries, onDidChange: () => ({ dispose() {} }) } as unknown as ConstructorParameters<
    typeof LastTwo
  >[0]);

const KEY = '/w/a.task.json#pay';

describe('the last two runs of a task', () => {
  it('are those that ended with a reward', () => {
    const runs = lastTwo(entry('d', null, { running: true }), entry('c', 1), entry('b', null), entry('a', 0.25));
    expect(runs.of(KEY)?.map(({ traceDir }) => traceDir)).toEqual(['c', 'a']);
    expect(runs.from(KEY, 'c')?.map(({ traceDir }) => traceDir)).toEqual(['c', 'a']);
    expect([runs.from(KEY, 'a'), runs.from(KEY, 'x'), runs.of('other')]).toEqual([undefined, undefined, undefined]);
  });

  it('are shown after the task if they differ', () => {
    const differ = lastTwo(entry('b', 1), entry('a', 0.25)).of(KEY);
    expect(withBefore(verdictOf(record(1)), differ)).toBe('1.00 ← 0.25');
    expect(withBefore(verdictOf(record(1)), lastTwo(entry('b', 1), entry('a', 1)).of(KEY))).toBe('1.00');
    const running = verdictOf({ status: 'running', reward: null, success: false, error: null });
    expect(withBefore(running, differ)).toBe('running');
  });
});

describe('a run as text', () => {
  const header = {
    agent: 'replay:/w/pay.actions',
    runtime: 'local',
    seed: 3,
    task: { id: 'pay' },
  } as unknown as TraceHeader;
  const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 9 } };
  const step = (index: number, more: object) =>
    stepSchema.parse({
      index,
      started_at: '2026-01-01T00:00:00.000Z',
      duration_ms: 17 * index,
      observation: null,
      reward: null,
      terminated: false,
      info: {},
      error: null,
      ...more,
    });

  it('contains verdict and steps, without values that always differ', () => {
    const subscores = [
      { name: 'page_contains("Paid")', value: 0.5, weight: 2, reason: '`#done`: “Paid” is hidden', range },
    ];
    const grade = { reward: 0.5, done: true, content: 'Done.', info: {}, is_error: false, subscores };
    const text = runText(header, record(0.5, { grade, duration_ms: 4711 }), [
      step(0, { source: 'setup', call: { function: 'goto', args: ['shop.html'], range } }),
      step(1, { source: 'agent', action: "click('#pay')", error: { message: '`#pay` is missing', code: 'missing' } }),
      step(2, { source: 'agent', action: { type: 'response', text: 'Done.' } }),
      step(3, { source: 'evaluate', call: { function: 'page_contains', args: ['Paid'], range } }),
    ]);
    expect(text).toBe(`verdict    partly passed, reward 0.50
agent      solution
placement  local
seed       3
prompt     Pay.
response   Done.

EVALUATE
  0.50  page_contains("Paid") (weight 2)
        #done: “Paid” is hidden

SETUP
  goto("shop.html")

AGENT
  click('#pay')
      #pay is missing
  {"type":"response","text":"Done."}
`);
  });
});
