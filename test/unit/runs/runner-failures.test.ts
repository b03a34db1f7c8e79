import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Agent } from '../../../src/agents/agent.ts';
import { ServerError } from '../../../src/placement/placement.ts';
import { attempt } from './attempt.ts';
import { type FakeAnswers, FakePlacement, never, seen, verdict } from './fake-placement.ts';
import { call } from './tasks.ts';

const two = [call('page_contains', ['a'], undefined, 4), call('page_contains', ['b'], undefined, 5)];

describe('a placement that fails', () => {
  it('is the error of the run, with its code, even if another bundle threw it', async () => {
    // Each bundle has a copy of the class.
    class OtherError extends Error {
      override readonly name = 'ServerError';
      readonly code = 'docker_missing';
    }
    const open = () => Promise.reject(new OtherError('There is no Docker.'));
    const { record } = await attempt({ answers: { open } });
    expect(record.error).toEqual({ code: 'docker_missing', message: 'There is no Docker.' });
  });
});

describe('a call without a value makes the run an error with the call and its range', () => {
  const error = (code: string, message = 'it went wrong'): NonNullable<FakeAnswers['evaluate']> => {
    return () => ({ error: { code: code as 'call_threw', message }, duration_ms: 1 });
  };
  it.each([
    { what: 'throws', evaluate: error('call_threw', 'x is not defined'), code: 'call_threw' },
    { what: 'takes too long', evaluate: error('call_timeout'), code: 'call_timeout' },
    { what: 'returns nothing', evaluate: () => verdict(null), code: 'call_returned_nothing' },
    { what: 'returns NaN', evaluate: () => verdict(Number.NaN), code: 'call_out_of_range' },
    { what: 'returns 7.5', evaluate: () => verdict(7.5), code: 'call_out_of_range' },
    { what: 'returns -0.1', evaluate: () => verdict(-0.1), code: 'call_out_of_range' },
    {
      what: 'loses its session',
      evaluate: () => Promise.reject(new ServerError('out_of_memory', 'The session needed too much memory.')),
      code: 'out_of_memory',
    },
  ])('one that $what', async ({ evaluate, code }) => {
    const { record } = await attempt({ task: { evaluate: two.slice(1) }, answers: { evaluate } });
    expect(record).toMatchObject({
      status: 'error',
      reward: null,
      success: false,
      error: { code, file: '/tasks/shop.task.json', range: two[1]?.range, call: two[1] },
      grade: { reward: null, is_error: true },
    });
    expect(record.error?.message).toContain('page_contains("b") (shop.task.json:6:3)');
  });

  it('and the other calls keep their values', async () => {
    const { record, steps } = await attempt({
      task: { evaluate: two },
      answers: {
        evaluate: (one) =>
          one.args[0] === 'a' ? { error: { code: 'call_threw', message: 'no' }, duration_ms: 1 } : verdict(1),
      },
    });
    expect(record.grade.subscores.map((one) => one.value)).toEqual([null, 1]);
    expect(record).toMatchObject({ status: 'error', reward: null });
    expect(steps.filter((step) => step.source === 'evaluate').map((step) => step.error?.code ?? null)).toEqual([
      'call_threw',
      null,
    ]);
  });

  it('and if it ended the session, its error is reported', async () => {
    let died = false;
    const placement = new FakePlacement({
      evaluate: () => {
        if (died) throw new ServerError('call_timeout', 'The session has ended.');
        died = true;
        return { error: { code: 'call_timeout', message: 'did not return' }, duration_ms: 1 };
      },
    });
    const { record } = await attempt({ placement, task: { evaluate: two } });
    expect(record).toMatchObject({ status: 'error', error: { code: 'call_timeout', call: two[0] } });
    expect(record.grade.subscores).toHaveLength(1);
  });

  it('a setup call that fails ends the run before the agent', async () => {
    const { record, placement, steps } = await attempt({
      task: { setup: two, evaluate: two },
      lines: 'noop()',
      answers: { setup: () => ({ error: { code: 'call_threw', message: 'no such page' }, duration_ms: 1 }) },
    });
    expect(record).toMatchObject({ status: 'error', steps: 0, error: { code: 'call_threw', call: two[0] } });
    expect(placement.methods).not.toContain('session.step');
    expect(placement.methods.filter((method) => method === 'session.setup')).toHaveLength(1);
    expect(steps).toMatchObject([{ source: 'setup', error: { code: 'call_threw' } }]);
  });

  it('a weight that is not a number greater than 0 is an error, too', async () => {
    const { record } = await attempt({ task: { evaluate: [call('f', [], { weight: 0 })] } });
    expect(record).toMatchObject({ status: 'error', error: { code: 'invalid_weight' } });
  });

  it('applies the requested time limit to each call', async () => {
    const { placement } = await attempt({
      task: { evaluate: two.slice(1) },
      plan: { limits: { evaluate_timeout_ms: 1234 } },
    });
    const asked = placement.requests.find((request) => request.method === 'session.evaluate');
    expect(asked?.params).toMatchObject({ limit_ms: 1234 });
  });

  it('gives a call in a debugged environment a day', async () => {
    const { placement } = await attempt({
      task: { evaluate: two.slice(1) },
      plan: { limits: { evaluate_timeout_ms: 1234 } },
      answers: { lease: { debugged: true } },
    });
    const asked = placement.requests.find((request) => request.method === 'session.evaluate');
    expect(asked?.params).toMatchObject({ limit_ms: 86_400_000 });
  });

  it.each([[true], [undefined]] as const)('says whether the server of the environment is debugged: %s', async (is) => {
    const { placement } = await attempt({ answers: { lease: is === undefined ? {} : { debugged: is } } });
    const asked = placement.requests.find((request) => request.method === 'session.reset');
    expect((asked?.params as { unlimited?: true } | undefined)?.unlimited).toBe(is);
  });
});

describe('an environment that ends during a run', () => {
  it('ends the run with the reason of the session, and keeps the trace', async () => {
    const { record, steps } = await attempt({
      lines: "click('1')\nclick('2')",
      task: { evaluate: two },
      answers: {
        step: (_params, count) => {
          if (count === 2) throw new ServerError('page_crashed', 'The page has crashed.');
          return seen('x');
        },
      },
    });
    expect(record).toMatchObject({
      status: 'error',
      steps: 1,
      error: { code: 'page_crashed', message: 'The page has crashed.' },
    });
    expect(steps.map((step) => step.source)).toEqual(['system', 'agent']);
  });

  it.each([
    {
      what: 'its session ends while nothing is asked of it',
      kill: (placement: FakePlacement) =>
        placement.say({
          event: 'session.ended',
          session: 's1',
          code: 'browser_crashed',
          message: 'The browser has crashed.',
        }),
      code: 'browser_crashed',
    },
    {
      what: 'the server ends',
      kill: (placement: FakePlacement) => placement.die('server_died', 'The server was killed.'),
      code: 'server_died',
    },
  ])('$what', async ({ kill, code }) => {
    const placement = new FakePlacement({ step: () => never() });
    const { record } = await attempt({
      placement,
      lines: "click('1')",
      listen: (event) => {
        if (event.type === 'doing') kill(placement);
      },
    });
    expect(record).toMatchObject({ status: 'error', error: { code }, steps: 0 });
  });

  it('names the call during which it ended', async () => {
    const placement = new FakePlacement({ evaluate: () => never() });
    const { record } = await attempt({
      placement,
      task: { evaluate: two },
      listen: (event) => {
        if (event.type === 'doing')
          placement.say({ event: 'session.ended', session: 's1', code: 'session_died', message: 'Gone.' });
      },
    });
    expect(record).toMatchObject({ status: 'error', error: { code: 'session_died', call: two[0] } });
  });

  it('is not affected by the end of another session', async () => {
    const placement = new FakePlacement();
    const { record } = await attempt({
      placement,
      lines: 'noop()',
      listen: (event) => {
        if (event.type === 'doing')
          placement.say({ event: 'session.ended', session: 's9', code: 'session_died', message: 'x' });
      },
    });
    expect(record.status).toBe('completed');
  });
});

/** Until the end of the test time passes only by what this returns, for the limits of runs. */
function stoppedClock(): (ms: number) => Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return async (ms) => void (await vi.advanceTimersByTimeAsync(ms));
}

describe('a run that is stopped', () => {
  it('by its time limit in a step is graded as it stands', async () => {
    const pass = stoppedClock();
    const { record, steps } = await attempt({
      task: { evaluate: two },
      plan: { limits: { timeout_ms: 20 } },
      lines: 'noop()',
      answers: { step: () => pass(5_000).then(() => never()) },
    });
    expect(record).toMatchObject({ status: 'completed', truncated: true, error: null, reward: 1 });
    expect(record).not.toHaveProperty('blame');
    expect(steps.map(({ source }) => source)).toEqual(['system', 'evaluate', 'evaluate']);
  });

  it('by its time limit before its task starts is an error', async () => {
    const setup = async () => {
      await delay(100);
      return { ...verdict(null), step: seen('set up') };
    };
    const { record } = await attempt({
      task: { setup: [call('load_html_content', ['a']), call('load_html_content', ['b'])] },
      plan: { limits: { timeout_ms: 20 } },
      lines: 'noop()',
      answers: { setup },
    });
    expect(record).toMatchObject({ status: 'error', error: { code: 'run_timeout' }, reward: null });
    expect(record.error?.message).toContain('0.02 s');
  });

  it('by its time limit, which does not include the start of its environment', async () => {
    const pass = stoppedClock();
    const answers: FakeAnswers = { open: () => pass(1_700) };
    const { record } = await attempt({ plan: { limits: { timeout_ms: 1_500 } }, lines: 'noop()', answers });
    expect(record).toMatchObject({ status: 'completed', error: null });
  });

  it('by the user while the agent acts is cancelled and graded', async () => {
    const cancel = new AbortController();
    const { record, steps } = await attempt({
      task: { evaluate: two },
      lines: "click('1')\nclick('2')\nclick('3')",
      signal: cancel.signal,
      listen: (event) => {
        if (event.type === 'step' && event.step.source === 'agent') cancel.abort();
      },
    });
    expect(record).toMatchObject({ status: 'cancelled', steps: 1, reward: 1, error: null, truncated: false });
    expect(steps.map((step) => step.source)).toEqual(['system', 'agent', 'evaluate', 'evaluate']);
  });

  it('by the user while the agent thinks is not done, and by the agent it is', async () => {
    const cancel = new AbortController();
    const thinking: Agent = {
      act: async () => {
        cancel.abort();
        return await new Promise<never>(() => {});
      },
      close: async () => {},
    };
    const stopped = await attempt({ task: { evaluate: two }, plan: { client: thinking }, signal: cancel.signal });
    expect(stopped.record).toMatchObject({ status: 'cancelled', grade: { done: false } });
    const ended = await attempt({ task: { evaluate: two }, lines: "click('1')" });
    expect(ended.record).toMatchObject({ status: 'completed', grade: { done: true } });
  });

  it('before it started is cancelled without a reward', async () => {
    const { record, placement } = await attempt({ task: { evaluate: two }, signal: AbortSignal.abort() });
    expect(record).toMatchObject({ status: 'cancelled', reward: null, error: null, steps: 0 });
    expect(placement.methods).toEqual([]);
  });

  it('during setup is cancelled without a reward', async () => {
    const cancel = new AbortController();
    const { record, placement } = await attempt({
      task: { setup: two, evaluate: two },
      signal: cancel.signal,
      listen: (event) => {
        if (event.type === 'step') cancel.abort();
      },
    });
    expect(record).toMatchObject({ status: 'cancelled', reward: null });
    expect(placement.methods).not.toContain('session.evaluate');
    expect(placement.sessions.size).toBe(0);
  });
});

describe('an agent that cannot be used', () => {
  it('makes the run an error before an environment starts', async () => {
    const { record, placement } = await attempt({ plan: { agent: 'replay:/nowhere.actions' } });
    expect(record).toMatchObject({ status: 'error', error: { code: 'agent_missing' } });
    expect(placement.methods).toEqual([]);
    expect((await stat(join(record.trace_dir ?? '', 'run.json'))).size).toBeGreaterThan(0);
  });
});
