import { describe, expect, it } from 'vitest';
import { FrameGate } from '../../../src/editor/panel/frames.ts';
import { chooseAgent, solutionDraft } from '../../../src/editor/runs/agents.ts';
import { agentLabel } from '../../../src/presentation/labels.ts';
import { age, type RunResult, verdictOf } from '../../../src/presentation/runs/verdict.ts';
import { formatReward } from '../../../src/results/reward.ts';

describe('Run without a choice', () => {
  const there = (): boolean => true;
  const gone = (): boolean => false;

  it('takes the last agent used for that task', () => {
    expect(chooseAgent({ last: 'noop', solution: 'replay:/w/a.actions', exists: there })).toBe('noop');
  });

  it('takes the solution if there was none', () => {
    expect(chooseAgent({ last: undefined, solution: 'replay:/w/a.actions', exists: there })).toBe(
      'replay:/w/a.actions',
    );
  });

  it('takes the solution if the last agent no longer exists', () => {
    expect(chooseAgent({ last: 'module:/w/gone.ts', solution: 'replay:/w/a.actions', exists: gone })).toBe(
      'replay:/w/a.actions',
    );
  });

  it('is manual without a last agent and a solution', () => {
    expect(chooseAgent({ last: undefined, solution: null, exists: there })).toBeNull();
  });

  it('describes agents', () => {
    expect(
      ['noop', 'manual', 'replay:/w/a.actions', 'module:/w/bot.ts', 'process:python x.py'].map((agent) =>
        agentLabel(agent),
      ),
    ).toEqual(['no-op', 'manual', 'replay a.actions', 'module bot.ts', 'process python x.py']);
  });

  it('describes the solution of a task as such, also of a task of an environment', () => {
    expect(agentLabel('replay:/w/log-in.actions', 'log-in')).toBe('solution');
    expect(agentLabel('replay:/w/words-train-1.actions', 'words/train/1')).toBe('solution');
    expect(agentLabel('replay:/w/words-train-1.actions', 'words/train/11')).toBe('replay words-train-1.actions');
  });

  it('starts a solution with the prompt as its comment', () => {
    expect(solutionDraft('Buy it.\n\nThen leave.').split('\n').slice(0, 2)).toEqual(['# Buy it.', '# Then leave.']);
  });
});

describe('a verdict in a list', () => {
  const run = (fields: Partial<RunResult>): RunResult => ({
    status: 'completed',
    reward: null,
    success: false,
    error: null,
    ...fields,
  });

  it.each([
    [run({ reward: 1, success: true }), 'passed', '1.00'],
    [run({ reward: 2 / 3 }), 'partial', '0.67'],
    [run({ reward: 0 }), 'failed', '0.00'],
    [run({}), 'ungraded', 'no reward'],
    [run({ status: 'error', error: { code: 'call_timeout' } }), 'error', 'call timeout'],
    [run({ status: 'cancelled', reward: 0.5 }), 'cancelled', '0.50 cancelled'],
    [run({ status: 'cancelled' }), 'cancelled', 'cancelled'],
    [run({ status: 'interrupted' }), 'interrupted', 'interrupted'],
    [run({ status: 'running' }), 'running', 'running'],
  ])('%o is %s, “%s”', (judged, kind, text) => {
    expect(verdictOf(judged)).toMatchObject({ kind, text });
  });

  it('never rounds up to 1.00 or down to 0.00', () => {
    expect(formatReward(0.9999)).toBe('>0.99');
    expect(formatReward(0.0001)).toBe('<0.01');
    expect(formatReward(1 - 1e-12)).toBe('1.00');
  });

  it('has an age', () => {
    const now = Date.parse('2026-05-20T12:00:00Z');
    const ago = (seconds: number): string => age(now - seconds * 1000, now);
    expect([ago(5), ago(120), ago(3 * 3600), ago(5 * 86400), ago(40 * 86400)]).toEqual([
      'just now',
      '2 min ago',
      '3 h ago',
      '5 d ago',
      '2026-04-10',
    ]);
  });
});

describe('frames of the live picture', () => {
  it('wait until the page is ready', () => {
    const sent: number[] = [];
    const gate = new FrameGate<number>((frame) => sent.push(frame), 2);
    gate.add(1);
    gate.add(2);
    expect(sent).toEqual([]);
    gate.open();
    expect(sent).toEqual([2]);
  });

  it('are sent no faster than they are drawn, the newest first', () => {
    const sent: number[] = [];
    const gate = new FrameGate<number>((frame) => sent.push(frame), 2);
    gate.open();
    for (const frame of [1, 2, 3, 4, 5]) gate.add(frame);
    expect(sent).toEqual([1, 2]);
    gate.flush();
    expect(sent).toEqual([1, 2, 5]);
    gate.flush();
    gate.add(6);
    expect(sent).toEqual([1, 2, 5, 6]);
  });

  it('are sent before the step that they show, regardless of undrawn frames', () => {
    const sent: number[] = [];
    const gate = new FrameGate<number>((frame) => sent.push(frame), 1);
    gate.open();
    for (const frame of [1, 2, 3]) gate.add(frame);
    expect(sent).toEqual([1]);
    gate.flush();
    expect(sent).toEqual([1, 3]);
    gate.flush();
    expect(sent).toEqual([1, 3]);
    gate.close();
    gate.add(4);
    gate.flush();
    expect(sent).toEqual([1, 3]);
  });

  it('are held back while the page is hidden', () => {
    const sent: number[] = [];
    const gate = new FrameGate<number>((frame) => sent.push(frame), 1);
    gate.open();
    gate.add(1);
    gate.close();
    gate.add(2);
    gate.flush();
    expect(sent).toEqual([1]);
    gate.open();
    expect(sent).toEqual([1, 2]);
  });

  it('are sent again to a reloaded page, which may get no others', () => {
    const sent: number[] = [];
    const gate = new FrameGate<number>((frame) => sent.push(frame), 1);
    gate.open();
    gate.add(1);
    gate.flush();
    expect(sent).toEqual([1]);
    gate.close();
    gate.open();
    expect(sent).toEqual([1, 1]);
    gate.flush();
    expect(sent).toEqual([1, 1]);
  });

  it('of one run are not sent after another run is shown', () => {
    const sent: number[] = [];
    const gate = new FrameGate<number>((frame) => sent.push(frame), 1);
    gate.add(1);
    gate.clear();
    gate.open();
    expect(sent).toEqual([]);
  });
});
