import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ServerError } from '../../../src/placement/placement.ts';
import type { RunEvent } from '../../../src/runs/events.ts';
import { LiveSwitch } from '../../../src/runs/live.ts';
import type { RunPlan } from '../../../src/runs/plan.ts';
import { runTask } from '../../../src/runs/runner.ts';
import { openRun } from '../../../src/runs/store.ts';
import type { RunRecord, Step } from '../../../src/runs/trace.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { type FakeAnswers, FakePlacement, never, seen, verdict } from './fake-placement.ts';
import { call, fileIn, task, temporaryFolder } from './tasks.ts';

interface Outcome {
  readonly record: RunRecord;
  readonly steps: readonly Step[];
  readonly events: readonly RunEvent[];
  readonly placement: FakePlacement;
  readonly folder: string;
}

/** Runs a task with the agent that gives these lines, in an environment that answers so. */
async function attempt(of: {
  task?: Partial<Task>;
  lines?: string;
  plan?: Partial<RunPlan>;
  answers?: FakeAnswers;
  placement?: FakePlacement;
  signal?: AbortSignal;
  listen?: (event: RunEvent) => void;
}): Promise<Outcome> {
  const out = of.plan?.out ?? (await temporaryFolder());
  const agent = `replay:${await fileIn(out, 'agent.actions', of.lines ?? '')}`;
  const placement = of.placement ?? new FakePlacement(of.answers);
  const events: RunEvent[] = [];
  const record = await runTask(
    { task: task(of.task), agent, seed: 7, jobId: 'job', groupId: 'group', runId: 'run', out, cwd: out, ...of.plan },
    placement,
    (event) => {
      events.push(event);
      of.listen?.(event);
    },
    of.signal ?? new AbortController().signal,
  );
  const folder = join(out, 'job', 'run');
  return { record, steps: await (await openRun(folder)).steps(), events, placement, folder };
}

const two = [call('page_contains', ['a'], undefined, 4), call('page_contains', ['b'], undefined, 5)];

describe('a run', () => {
  it('resets, sets up, lets the agent act, evaluates, and gives the session back', async () => {
    const { record, steps, placement } = await attempt({
      task: { setup: [call('goto', ['a.html']), call('click', ['#x'])], evaluate: two },
      lines: "click('1')\nclick('2')",
      answers: { evaluate: (one) => verdict(one.args[0] === 'a' ? 1 : 0.5, `looked for ${one.args[0]}`) },
    });
    expect(placement.methods).toEqual([
      'session.open',
      'session.reset',
      'session.setup',
      'session.setup',
      'session.step',
      'session.step',
      'session.evaluate',
      'session.evaluate',
      'session.close',
    ]);
    expect(placement.requests[1]?.params).toMatchObject({ seed: 7, files: { folder: '/tasks' } });
    expect(placement.requests[2]?.params).toMatchObject({ limit_ms: 30_000 });
    expect(steps.map((step) => [step.index, step.source, step.observation?.text ?? null, step.reward])).toEqual([
      [0, 'setup', 'after goto', null],
      [1, 'setup', 'after click', null],
      [2, 'agent', 'after step 1', null],
      [3, 'agent', 'after step 2', null],
      [4, 'evaluate', null, 1],
      [5, 'evaluate', null, 0.5],
    ]);
    expect(steps[2]?.action).toBe("click('1')");
    expect(steps[4]).toMatchObject({ call: two[0], info: { reason: 'looked for a' } });
    expect(record).toMatchObject({
      run_id: 'run',
      task_id: 'shop',
      file: '/tasks/shop.task.json',
      group_id: 'group',
      seed: 7,
      status: 'completed',
      reward: 0.75,
      success: false,
      truncated: false,
      error: null,
      steps: 2,
      prompt: 'Place the order.',
      grade: { reward: 0.75, done: true, is_error: false },
    });
    expect(record.grade.subscores).toEqual([
      { name: 'page_contains("a")', value: 1, weight: 1, reason: 'looked for a', range: two[0]?.range },
      { name: 'page_contains("b")', value: 0.5, weight: 1, reason: 'looked for b', range: two[1]?.range },
    ]);
    expect(placement.sessions.size).toBe(0);
  });

  it('without setup calls records the first observation in a line of its own', async () => {
    const { steps } = await attempt({ lines: "click('1')" });
    expect(steps.map((step) => [step.source, step.observation?.text])).toEqual([
      ['system', 'start'],
      ['agent', 'after step 1'],
    ]);
  });

  it('writes each picture once, named by its content, and run.json last', async () => {
    const { steps, folder } = await attempt({ lines: "click('1')\nclick('2')" });
    const name = `${createHash('sha256')
      .update(new Uint8Array([137, 80, 78, 71]))
      .digest('hex')}.png`;
    expect(await readdir(join(folder, 'screens'))).toEqual([name]);
    expect(new Set(steps.map((step) => step.observation?.screenshot))).toEqual(new Set([`screens/${name}`]));
    expect((await readdir(folder)).sort()).toEqual(['run.json', 'screens', 'trace.jsonl']);
  });

  it('has every step on disk before the next action is asked for', async () => {
    const onDisk: number[] = [];
    const out = await temporaryFolder();
    const placement = new FakePlacement({
      step: async (_params, count) => {
        const text = await readFile(join(out, 'job', 'run', 'trace.jsonl'), 'utf8');
        onDisk.push(text.split('\n').length - 1);
        return seen(`after step ${count}`);
      },
    });
    await attempt({ placement, lines: "click('1')\nclick('2')\nclick('3')", plan: { out } });
    // The header, the first observation and the steps before this one.
    expect(onDisk).toEqual([2, 3, 4]);
  });

  it('takes the prompt of the environment where the task has none', async () => {
    const { record, events } = await attempt({
      task: { prompt: '' },
      answers: { reset: () => ({ ...seen('start'), goal: 'Click the button.' }) },
    });
    expect(record.prompt).toBe('Click the button.');
    expect(events.find((event) => event.type === 'started')).toMatchObject({ header: { prompt: 'Click the button.' } });
  });

  it('without any prompt is an error', async () => {
    const { record } = await attempt({ task: { prompt: null } });
    expect(record).toMatchObject({ status: 'error', error: { code: 'no_prompt' }, reward: null });
  });

  it('tells what happens in the order in which it happens', async () => {
    const { events } = await attempt({
      task: { setup: [call('goto', ['a'])], evaluate: two.slice(0, 1) },
      lines: 'noop()',
    });
    const told = events.map((event) =>
      event.type === 'phase'
        ? event.phase
        : event.type === 'step'
          ? `step ${event.step.index}`
          : event.type === 'doing'
            ? event.text
            : event.type,
    );
    expect(told).toEqual([
      'started',
      'environment',
      'setup',
      'goto("a")',
      'step 0',
      'agent',
      'noop()',
      'step 1',
      'evaluate',
      'page_contains("a")',
      'step 2',
      'ended',
    ]);
  });
});

describe('the agent’s turns end', () => {
  it('when the environment says terminated', async () => {
    const { record } = await attempt({
      lines: "click('1')\nclick('2')\nclick('3')",
      answers: { step: (_params, count) => seen('x', { terminated: count === 2, reward: count === 2 ? 1 : 0 }) },
    });
    expect(record).toMatchObject({ steps: 2, truncated: false, grade: { done: true } });
  });

  it.each([
    { what: 'the plan’s limit', plan: { maxSteps: 1 }, of: { max_steps: 2 }, steps: 1 },
    { what: 'else the task’s limit', plan: {}, of: { max_steps: 2 }, steps: 2 },
  ])('at $what, and the run is graded', async ({ plan, of, steps }) => {
    const { record } = await attempt({
      task: { ...of, evaluate: two },
      plan,
      lines: "click('1')\nclick('2')\nclick('3')",
    });
    expect(record).toMatchObject({ status: 'completed', steps, truncated: true, reward: 1, success: true });
  });

  it('at 100 steps where nothing else is said', async () => {
    const { record } = await attempt({ lines: 'noop()\n'.repeat(101) });
    expect(record).toMatchObject({ steps: 100, truncated: true });
  });

  it('and a script that ends with the limit was not cut short', async () => {
    const { record } = await attempt({ lines: 'noop()\nnoop()', plan: { maxSteps: 2 } });
    expect(record).toMatchObject({ steps: 2, truncated: false });
  });

  it('but not because an action failed', async () => {
    const { record, steps } = await attempt({
      lines: "click('gone')\nclick('2')",
      answers: {
        step: (_params, count) =>
          seen('x', { error: count === 1 ? { code: 'no_element', message: 'No such element.' } : null }),
      },
    });
    expect(record).toMatchObject({ status: 'completed', steps: 2 });
    expect(steps[1]?.error).toEqual({ code: 'no_element', message: 'No such element.' });
  });
});

describe('the reward', () => {
  it('weighs the calls, or takes the least or the greatest', async () => {
    const weighted = [call('f', [1], { weight: 3 }), call('f', [0], { weight: 1 })];
    const answers: FakeAnswers = { evaluate: (one) => verdict(Number(one.args[0])) };
    expect((await attempt({ task: { evaluate: weighted }, answers })).record.reward).toBe(0.75);
    expect((await attempt({ task: { evaluate: weighted, metadata: { combine: 'all' } }, answers })).record.reward).toBe(
      0,
    );
    const any = await attempt({ task: { evaluate: weighted, metadata: { combine: 'any' } }, answers });
    expect(any.record).toMatchObject({ reward: 1, success: true });
  });

  it('is the environment’s own where the task has no evaluate call', async () => {
    const { record } = await attempt({
      lines: "click('1')\nclick('2')",
      answers: {
        reset: () => ({ ...seen('start', { reward: 0 }), goal: null }),
        step: (_params, count) => seen('x', { reward: count / 2 }),
      },
    });
    expect(record).toMatchObject({ reward: 1, success: true, grade: { info: { environment_reward: 1 } } });
  });

  it('is null with a warning where there is neither', async () => {
    const { record } = await attempt({});
    expect(record).toMatchObject({ status: 'completed', reward: null, success: false });
    expect(record.grade.info['warning']).toContain('no evaluate call');
  });

  it('is decided by evaluate where there are both', async () => {
    const { record, steps } = await attempt({
      task: { evaluate: two.slice(0, 1) },
      lines: 'noop()',
      answers: { step: () => seen('x', { reward: 1 }), evaluate: () => verdict(0) },
    });
    expect(record).toMatchObject({ reward: 0, grade: { info: { environment_reward: 1 } } });
    expect(steps[1]?.reward).toBe(1);
  });

  it('names the response that counted', async () => {
    const { record } = await attempt({
      lines: 'x\ny',
      answers: { step: (_params, count) => seen('', { info: { response: `r${count}` } }) },
    });
    expect(record.grade.content).toBe('r2');
  });
});

describe('a place for the run that cannot be made', () => {
  it('is the error of the run, with its code, also where another bundle threw it', async () => {
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

describe('a call that gives no value makes the run an error which names the call and its place', () => {
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

  it('and the other calls still tell their values', async () => {
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

  it('and where it took its session with it, it is the one that is named', async () => {
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

  it('a weight that is no number above 0 is an error too', async () => {
    const { record } = await attempt({ task: { evaluate: [call('f', [], { weight: 0 })] } });
    expect(record).toMatchObject({ status: 'error', error: { code: 'invalid_weight' } });
  });

  it('gives each call the time that was asked for', async () => {
    const { placement } = await attempt({ task: { evaluate: two.slice(1) }, plan: { evaluateTimeoutMs: 1234 } });
    const asked = placement.requests.find((request) => request.method === 'session.evaluate');
    expect(asked?.params).toMatchObject({ limit_ms: 1234 });
  });
});

describe('an environment that dies in mid-run', () => {
  it('ends the run with the reason that the session gives, and keeps the trace', async () => {
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

  it('names the call during which it died', async () => {
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

  it('another session’s end is none of its business', async () => {
    const placement = new FakePlacement();
    const { record } = await attempt({
      placement,
      lines: 'noop()',
      listen: (event) => {
        if (event.type === 'doing') placement.say({ event: 'session.ended', session: 's9', code: 'x', message: 'x' });
      },
    });
    expect(record.status).toBe('completed');
  });
});

describe('a run that is cut off', () => {
  it('by its time limit is an error', async () => {
    const { record } = await attempt({ plan: { timeoutMs: 20 }, lines: 'noop()', answers: { step: () => never() } });
    expect(record).toMatchObject({ status: 'error', error: { code: 'run_timeout' }, reward: null });
    expect(record.error?.message).toContain('0.02 s');
  });

  it('by its time limit, which does not count what its environment took to be there', async () => {
    const answers: FakeAnswers = { open: () => delay(1_700) };
    const { record } = await attempt({ plan: { timeoutMs: 1_500 }, lines: 'noop()', answers });
    expect(record).toMatchObject({ status: 'completed', error: null });
  });

  it('by the person while the agent acts is cancelled and graded', async () => {
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

  it('before it began is cancelled without a reward', async () => {
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
  it('makes the run an error before any environment is started', async () => {
    const { record, placement } = await attempt({ plan: { agent: 'replay:/nowhere.actions' } });
    expect(record).toMatchObject({ status: 'error', error: { code: 'agent_missing' } });
    expect(placement.methods).toEqual([]);
    expect((await stat(join(record.trace_dir ?? '', 'run.json'))).size).toBeGreaterThan(0);
  });
});

describe('the live picture', () => {
  it('is asked for only while somebody watches', async () => {
    const live = new LiveSwitch();
    const placement = new FakePlacement();
    const picture = { type: 'jpg', data: new Uint8Array([1]), width: 1, height: 1 } as const;
    const { events } = await attempt({
      placement,
      plan: { live },
      lines: 'a\nb\nc',
      listen: (event) => {
        if (event.type !== 'step' || event.step.source !== 'agent') return;
        placement.say({ event: 'frame', session: 's1', picture });
        live.turn(event.step.index === 1);
      },
    });
    expect(events.filter((event) => event.type === 'frame')).toHaveLength(1);
    const asked = placement.requests.filter((request) => request.method === 'session.live');
    expect(asked.map((request) => (request.params as { on: boolean }).on)).toEqual([true, false]);
  });
});
