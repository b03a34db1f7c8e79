import { describe, expect, it } from 'vitest';
import type { Range } from '../../../src/base/range.ts';
import { affectsTask } from '../../../src/editor/testing/continuous.ts';
import { rescoredOutcome } from '../../../src/editor/testing/rescored-outcome.ts';
import { bareOutcome, isWorse, outcomeOf } from '../../../src/presentation/tests/outcome.ts';
import { outputOf } from '../../../src/presentation/tests/output.ts';
import type { Rescored, RescoredCall } from '../../../src/runs/rescoring/rescorer.ts';
import type { Call } from '../../../src/tasks/task.ts';
import type { RunRecord, Step } from '../../../src/traces/trace.ts';

const line = (at: number): Range => ({ start: { line: at, character: 2 }, end: { line: at, character: 20 } });
const call = (name: string, at: number, ...args: Call['args']): Call => ({ function: name, args, range: line(at) });
const task = (...evaluate: Call[]) => ({ file: '/w/a.task.json', range: line(1), evaluate });

const record = (values: readonly (number | null)[], over: Partial<RunRecord> = {}): RunRecord => ({
  run_id: 'r',
  task_id: 'a',
  file: '/w/a.task.json',
  group_id: 'g',
  agent: 'noop',
  seed: 0,
  status: 'completed',
  reward: 0,
  success: false,
  truncated: false,
  error: null,
  steps: 1,
  duration_ms: 5,
  started_at: '2026-01-01T00:00:00.000Z',
  trace_dir: null,
  prompt: '',
  grade: {
    reward: 0,
    done: true,
    content: 'I saw 3 lamps',
    info: {},
    is_error: false,
    subscores: values.map((value, index) => ({
      name: `call ${index}`,
      value,
      weight: 1,
      reason: `reason ${index}`,
      range: line(9),
    })),
  },
  ...over,
});

describe('a file that is saved', () => {
  const of = (file: string, name: string) => ({ file, name });
  it('affects the task of a solution, and for a page or module all tasks of the folder', () => {
    expect(affectsTask('/w/shop/pay.actions', of('/w/shop/a.tasks.json', 'pay'))).toBe(true);
    expect(affectsTask('/w/shop/pay.actions', of('/w/shop/a.tasks.json', 'cart'))).toBe(false);
    expect(affectsTask('/w/shop/pages/shop.HTML', of('/w/shop/a.tasks.json', 'cart'))).toBe(true);
    expect(affectsTask('/w/shop/own.functions.ts', of('/w/shop/a.tasks.json', 'cart'))).toBe(true);
    expect(affectsTask('/w/shopping/own.functions.ts', of('/w/shop/a.tasks.json', 'cart'))).toBe(false);
    expect(affectsTask('/w/shop/notes.md', of('/w/shop/a.tasks.json', 'cart'))).toBe(false);
  });
});

describe('a run as the result of a test', () => {
  it('that passed has no message', () => {
    expect(outcomeOf(task(call('x', 3)), record([1], { reward: 1, success: true }))).toMatchObject({
      kind: 'passed',
      messages: [],
    });
  });

  it('has a message with value and reason at each call below 1, and none at others', () => {
    const { kind, messages } = outcomeOf(task(call('a', 3), call('b', 4), call('c', 5)), record([0, 1, 0.5]));
    expect(kind).toBe('failed');
    expect(messages.map(({ text, range }) => [text, range?.start.line])).toEqual([
      ['call 0: 0.00, reason 0', 3],
      ['call 2: 0.50, reason 2', 5],
    ]);
  });

  it('compares the response with the expected text, and nothing for a page', () => {
    const { messages } = outcomeOf(
      task(call('response_is', 3, '2 lamps'), call('contains_all', 4, ['2', 'lamps']), call('page_contains', 5, 'Ok')),
      record([0, 0.5, 0]),
    );
    expect(messages.map(({ compared }) => compared)).toEqual([
      { expected: '2 lamps', actual: 'I saw 3 lamps' },
      { expected: '2\nlamps', actual: 'I saw 3 lamps' },
      null,
    ]);
  });

  it('shows the reward if no call explains why it is below 1', () => {
    const { messages } = outcomeOf(task(), record([], { reward: 0.25 }));
    expect(messages.map(({ text, range }) => [text, range?.start.line])).toEqual([['The reward is 0.25.', 1]]);
  });

  it('has the message of an error at the call that failed, otherwise at the task', () => {
    const failure = { message: 'It threw.', code: 'call_failed' };
    const { kind, messages } = outcomeOf(
      task(call('a', 3)),
      record([null], { status: 'error', reward: null, error: { ...failure, range: line(3) } }),
    );
    expect([kind, messages[0]?.text, messages[0]?.range]).toEqual(['errored', 'It threw.', line(3)]);
    const other = outcomeOf(task(), record([], { status: 'error', reward: null, error: failure }));
    expect(other.messages[0]?.range?.start.line).toBe(1);
  });

  it('is skipped if it was stopped or has no reward', () => {
    expect(outcomeOf(task(), record([], { status: 'cancelled', reward: 0 })).kind).toBe('skipped');
    expect(outcomeOf(task(), record([], { reward: null })).kind).toBe('skipped');
  });

  it('has the reason at its location for a rejected task, and none for a task that did not start', () => {
    const error = { message: 'Unknown function.', code: 'unknown_function', file: '/w/a.task.json', range: line(3) };
    expect(bareOutcome(record([], { status: 'error', reward: null, error }))).toMatchObject({
      kind: 'errored',
      messages: [{ text: 'Unknown function.', range: line(3) }],
    });
    expect(bareOutcome(record([], { status: 'cancelled', reward: null })).kind).toBe('skipped');
    const nobody = { message: 'No agent is known.', code: 'no_agent' };
    expect(bareOutcome(record([], { status: 'error', reward: null, error: nobody })).kind).toBe('skipped');
    expect(bareOutcome(record([], { reward: 0.5 })).messages[0]?.text).toBe('The reward is 0.50.');
    expect(bareOutcome(record([], { reward: 1, success: true })).kind).toBe('passed');
  });

  it('shows code without backticks around it, and calls as they are written', () => {
    const error = { message: '`a` threw', code: 'call_threw' };
    const failed = record([0], { status: 'error', reward: null, error });
    const [subscore] = failed.grade.subscores;
    if (subscore === undefined) throw new Error('no subscore');
    const graded = { ...failed, grade: { ...failed.grade, subscores: [{ ...subscore, reason: 'no `#b`' }] } };
    expect(outcomeOf(task(call('a', 3)), graded).messages[0]?.text).toBe('a threw\ncall 0: 0.00, no #b');
    expect(bareOutcome(failed).messages[0]?.text).toBe('a threw');
    expect(bareOutcome({ ...failed, error: { ...error, code: 'no_agent' } }).summary).toBe('a threw');
    expect(outputOf({ type: 'ended', record: failed })[0]).toBe('  a threw');
    const step: Step = {
      ...{
        index: 0,
        source: 'evaluate',
        call: call('a', 3, '`x`'),
        reward: 0,
        error: null,
        info: { reason: 'no `#b`' },
      },
      ...{ observation: null, terminated: false, started_at: '2026-01-01T00:00:00.000Z', duration_ms: 5 },
    };
    expect(outputOf({ type: 'step', step })).toEqual(['  evaluate a("`x`") 0.00: no #b']);
    expect(outputOf({ type: 'step', step: { ...step, error } })).toEqual(['  evaluate a("`x`") 0.00: a threw']);
  });

  it('is the worst of several repeats', () => {
    const kinds = ['passed', 'skipped', 'failed', 'errored'] as const;
    const outcomes = kinds.map((kind) => ({ kind, summary: '', messages: [] }));
    for (const [at, outcome] of outcomes.entries()) {
      expect(outcomes.map((other) => isWorse(other, outcome))).toEqual(kinds.map((_, other) => other > at));
    }
  });
});

describe('a re-scored run as the result of a test', () => {
  const judged = (name: string, at: number, old: number | null, now: number | null): RescoredCall => ({
    call: call(name, at, 'x'),
    old,
    new: now,
    reason: `the reason of \`${name}\``,
    failed: false,
  });
  const rescored = (now: number | null, calls: readonly RescoredCall[], problem: string | null = null): Rescored => ({
    ...{ traceDir: '/w/jobs/j/r', runId: 'r', taskId: 'a', old: 0.5, new: now, calls, steps: null, problem },
  });

  it('passes if the current calls pass', () => {
    expect(rescoredOutcome(rescored(1, [judged('a', 3, 0.5, 1)]), '/w/a.task.json')).toEqual({
      ...{ kind: 'passed', summary: 'reward 0.50 → 1.00', messages: [] },
    });
  });

  it('fails with a message at each call below 1', () => {
    const calls = [judged('a', 3, 1, 1), judged('b', 4, 1, 0), judged('c', 5, 0, null)];
    expect(rescoredOutcome(rescored(0.5, calls), '/w/a.task.json')).toEqual({
      kind: 'failed',
      summary: 'reward 0.50 → 0.50',
      messages: [
        { text: 'b("x"): 0.00, the reason of b', file: '/w/a.task.json', range: line(4), compared: null },
        {
          text: 'c("x"): cannot be re-scored, the reason of c',
          file: '/w/a.task.json',
          range: line(5),
          compared: null,
        },
      ],
    });
  });

  it('is skipped with a reason if it cannot be determined or its task no longer exists', () => {
    expect(rescoredOutcome(rescored(null, [judged('a', 3, 1, null)]), '/w/a.task.json')).toEqual({
      kind: 'skipped',
      summary: 'reward 0.50 → –\r\n  a("x"): cannot be re-scored, the reason of a',
      messages: [],
    });
    const gone = 'The `reset` of “a” failed.';
    expect(rescoredOutcome(rescored(null, [judged('a', 3, 1, null)], gone), '/w/a.task.json')).toEqual({
      ...{ kind: 'skipped', summary: 'The reset of “a” failed.', messages: [] },
    });
  });
});
