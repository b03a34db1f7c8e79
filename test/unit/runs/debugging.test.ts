import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DebuggedSession, RunDebugger } from '../../../src/runs/run/debugging.ts';
import type { RunPlan } from '../../../src/runs/run/plan.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import type { Params } from '../../../src/server/protocol.ts';
import { openRun } from '../../../src/traces/store.ts';
import { type FakeAnswers, FakePlacement, never, verdict } from './fake-placement.ts';
import { call, fileIn, task, temporaryFolder } from './tasks.ts';

/** A debugger that lets everything pass, but for what the test says. */
function holder(of: Partial<RunDebugger>): RunDebugger {
  return {
    debugged: true,
    edited: false,
    beforeReset: async () => {},
    afterReset: () => {},
    beforeCall: async ({ call: planned }) => ({ call: planned, pause: false }),
    afterCall: async () => null,
    beforeAction: async () => {},
    afterAction: async () => {},
    beforeEnd: async () => {},
    ...of,
  };
}

async function held(debug: Partial<RunDebugger>, answers: FakeAnswers = {}, more: Partial<RunPlan> = {}) {
  const out = await temporaryFolder();
  const agent = `replay:${await fileIn(out, 'agent.actions', "click('1')\nclick('2')")}`;
  const placement = new FakePlacement(answers);
  const cancel = new AbortController();
  const ended = runTask(
    {
      task: task({ setup: [call('goto', ['a.html'])], evaluate: [call('page_contains', ['a'])] }),
      ...{ agent, seed: 0, jobId: 'job', groupId: 'group', runId: 'run', out, cwd: out },
      debugger: holder(debug),
      ...more,
    },
    placement,
    () => {},
    cancel.signal,
  );
  const steps = async () => (await openRun(`${out}/job/run`)).steps();
  return { ended, placement, cancel, steps };
}

describe('a run with a debugger', () => {
  it('waits in order before its reset, before and after each call and action, and before its end', async () => {
    const passed: string[] = [];
    const { ended, placement } = await held({
      beforeReset: async () => void passed.push(`after ${placement.methods.at(-1)}`),
      afterReset: () => passed.push('opened'),
      beforeCall: async ({ phase, index, call: planned }) => {
        passed.push(`before ${phase} ${index}`);
        return { call: planned, pause: false };
      },
      afterCall: async ({ phase }) => {
        passed.push(`after ${phase}`);
        return null;
      },
      beforeAction: async (actions, step) => void passed.push(`before ${step} ${actions}`),
      afterAction: async (step) => void passed.push(`after ${step.index}`),
      beforeEnd: async ({ reward }) => void passed.push(`end ${reward}`),
    });
    await ended;
    expect(passed).toEqual([
      'after session.open',
      'opened',
      'before setup 0',
      'after setup',
      "before 0 click('1')",
      'after 1',
      "before 1 click('2')",
      'after 2',
      'before evaluate 0',
      'after evaluate',
      'end 1',
    ]);
  });

  it('repeats a call with other arguments, and the last value counts', async () => {
    const { ended, steps } = await held(
      {
        afterCall: async ({ phase, call: done }) =>
          phase === 'evaluate' && done.args[0] === 'a' ? { ...done, args: ['b'] } : null,
      },
      { evaluate: ({ args }) => verdict(args[0] === 'b' ? 1 : 0) },
    );
    expect(await ended).toMatchObject({ reward: 1, grade: { subscores: [{ name: 'page_contains("b")', value: 1 }] } });
    expect((await steps()).filter(({ source }) => source === 'evaluate')).toMatchObject([{ call: { args: ['b'] } }]);
  });

  it('evaluates an edited response, and runs expressions', async () => {
    let session: DebuggedSession | null = null;
    const { ended, placement } = await held({
      afterReset: (opened) => {
        session = opened;
      },
      beforeCall: async ({ phase, call: planned }) => {
        if (phase === 'evaluate') {
          session?.setResponse('42');
          await session?.runCall('evaluate', call('response_is', ['42']));
        }
        return { call: planned, pause: false };
      },
    });
    expect(await ended).toMatchObject({ grade: { content: '42' } });
    const asked = placement.requests.filter(({ method }) => method === 'session.evaluate');
    expect(asked.map(({ params }) => params as Params<'session.evaluate'>)).toMatchObject([
      { call: { function: 'response_is' }, response: '42' },
      { call: { function: 'page_contains' }, response: '42' },
    ]);
  });

  it('is marked as debugged, and after an edit as edited, in its record and its trace', async () => {
    const { ended, steps } = await held({
      async afterAction(this: { edited: boolean }) {
        this.edited = true;
      },
    });
    const record = await ended;
    expect(record).toMatchObject({ debugged: true, edited: true });
    const run = await openRun(record.trace_dir ?? '');
    expect(run.header).toMatchObject({ debugged: true });
    expect((await steps()).map(({ source, info }) => [source, info['edited']])).toEqual([
      ...[
        ['setup', undefined],
        ['agent', undefined],
        ['agent', true],
      ],
      ['evaluate', true],
    ]);
    const { ended: plain } = await held({ debugged: false });
    expect(Object.keys(await plain)).not.toContain('debugged');
    expect(Object.keys(await plain)).not.toContain('edited');
  });

  it('does not count the wait against its time limit', async () => {
    // Only the waits take time.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const beforeAction = async () => void (await vi.advanceTimersByTimeAsync(150));
    const { ended } = await held({ beforeAction }, {}, { limits: { timeout_ms: 200 } });
    expect(await ended).toMatchObject({ status: 'completed', steps: 2 });
  });

  it('ends at once if it is stopped while it waits, without the next action', async () => {
    const { ended, cancel, placement } = await held({
      beforeAction: () => {
        setTimeout(() => cancel.abort(), 20);
        return never();
      },
    });
    expect(await ended).toMatchObject({ status: 'cancelled', reward: 1 });
    expect(placement.methods).not.toContain('session.step');
    expect(placement.methods.at(-1)).toBe('session.close');
  });

  it('can be inspected after a failed call, until it continues', async () => {
    let error: string | null = null;
    const { ended } = await held(
      {
        beforeEnd: async (_, failed) => {
          error = failed?.code ?? null;
        },
      },
      { setup: () => ({ error: { message: 'no such page', code: 'call_threw' }, duration_ms: 1 }) },
    );
    expect(await ended).toMatchObject({ status: 'error' });
    expect(error).toBe('call_threw');
  });
});
