import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LiveSwitch } from '../../../src/runs/run/live-switch.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import { attempt } from './attempt.ts';
import { type FakeAnswers, FakePlacement, seen, verdict } from './fake-placement.ts';
import { call, fileIn, task, temporaryFolder } from './tasks.ts';

const two = [call('page_contains', ['a'], undefined, 4), call('page_contains', ['b'], undefined, 5)];

describe('a run', () => {
  it('resets, sets up, runs the agent, evaluates, and releases the session', async () => {
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

  it('without setup calls records the first observation in a separate line', async () => {
    const { steps } = await attempt({ lines: "click('1')" });
    expect(steps.map((step) => [step.source, step.observation?.text])).toEqual([
      ['system', 'start'],
      ['agent', 'after step 1'],
    ]);
  });

  it('writes each screenshot once, named by its content, and run.json last', async () => {
    const { steps, folder } = await attempt({ lines: "click('1')\nclick('2')" });
    const name = `${createHash('sha256')
      .update(new Uint8Array([137, 80, 78, 71]))
      .digest('hex')}.png`;
    expect(await readdir(join(folder, 'screens'))).toEqual([name]);
    expect(new Set(steps.map((step) => step.observation?.screenshot))).toEqual(new Set([`screens/${name}`]));
    expect((await readdir(folder)).sort()).toEqual(['run.json', 'screens', 'trace.jsonl']);
  });

  it('writes every step to disk before it requests the next action', async () => {
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

  it('uses the prompt of the environment if the task has none', async () => {
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

  it('emits events in order', async () => {
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

describe('a run that cannot be written', () => {
  it.each([
    { what: 'the last step', lines: 'noop()' },
    { what: 'a step before the last', lines: 'noop()\nnoop()' },
  ])('is the run’s error: $what', async ({ lines }) => {
    const out = await temporaryFolder();
    const { record, events, placement } = await attempt({
      lines,
      plan: { out },
      answers: {
        step: async () => {
          await rm(join(out, 'job', 'run', 'screens'), { recursive: true });
          return seen('x', {
            observation: { text: 'x', screenshot: { type: 'png', data: Buffer.from('other'), width: 1, height: 1 } },
          });
        },
      },
    });
    const message = `The run cannot be recorded in ${join(out, 'job', 'run')}: no such file or folder.`;
    expect(record).toMatchObject({
      status: 'error',
      reward: null,
      steps: 1,
      error: { code: 'trace_unwritable', message },
    });
    // A sentence, not a stack.
    expect(events.filter(({ type }) => type === 'log')).toEqual([]);
    expect(placement.sessions.size).toBe(0);
  });

  it('reports that its end cannot be recorded, with its number of steps', async () => {
    const out = await temporaryFolder();
    const agent = `replay:${await fileIn(out, 'agent.actions', 'noop()')}`;
    const plan = { task: task(), agent, seed: 0, jobId: 'job', groupId: 'group', runId: 'run', out, cwd: out };
    const placement = new FakePlacement({
      step: async () => {
        await rm(join(out, 'job', 'run'), { recursive: true });
        return seen('x');
      },
    });
    const record = await runTask(plan, placement, () => {}, new AbortController().signal);
    expect(record).toMatchObject({ status: 'error', reward: null, steps: 1, trace_dir: null });
    expect(record.error?.message).toMatch(/^The run cannot be recorded in .*: no such file or folder\.$/);
  });
});

it('closes its session while the last step is being written', async () => {
  const asked: string[][] = [];
  const placement = new FakePlacement();
  await attempt({
    placement,
    lines: 'noop()',
    listen: ({ type }) => {
      if (type === 'step') asked.push(placement.methods.slice(2));
    },
  });
  expect(asked).toEqual([[], ['session.step', 'session.close']]);
});

describe('the agent’s turns end', () => {
  it('when the environment terminates the run', async () => {
    const { record } = await attempt({
      lines: "click('1')\nclick('2')\nclick('3')",
      answers: { step: (_params, count) => seen('x', { terminated: count === 2, reward: count === 2 ? 1 : 0 }) },
    });
    expect(record).toMatchObject({ steps: 2, truncated: false, grade: { done: true } });
  });

  it.each([
    { what: 'the plan’s limit', plan: { limits: { max_steps: 1 } }, of: { max_steps: 2 }, steps: 1 },
    { what: 'else the task’s limit', plan: {}, of: { max_steps: 2 }, steps: 2 },
  ])('at $what, and the run is graded', async ({ plan, of, steps }) => {
    const { record } = await attempt({
      task: { ...of, evaluate: two },
      plan,
      lines: "click('1')\nclick('2')\nclick('3')",
    });
    expect(record).toMatchObject({ status: 'completed', steps, truncated: true, reward: 1, success: true });
  });

  it('at 100 steps by default', async () => {
    const { record } = await attempt({ lines: 'noop()\n'.repeat(101) });
    expect(record).toMatchObject({ steps: 100, truncated: true });
  });

  it('and a script that ends at the limit is not truncated', async () => {
    const { record } = await attempt({ lines: 'noop()\nnoop()', plan: { limits: { max_steps: 2 } } });
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
  it('is the weighted mean of the calls, their minimum, or their maximum', async () => {
    const weighted = [call('f', [1], { weight: 3 }), call('f', [0], { weight: 1 })];
    const answers: FakeAnswers = { evaluate: (one) => verdict(Number(one.args[0])) };
    expect((await attempt({ task: { evaluate: weighted }, answers })).record.reward).toBe(0.75);
    expect((await attempt({ task: { evaluate: weighted, metadata: { combine: 'all' } }, answers })).record.reward).toBe(
      0,
    );
    const any = await attempt({ task: { evaluate: weighted, metadata: { combine: 'any' } }, answers });
    expect(any.record).toMatchObject({ reward: 1, success: true });
  });

  it('is that of the environment if the task has no evaluate call', async () => {
    const { record } = await attempt({
      lines: "click('1')\nclick('2')",
      answers: {
        reset: () => ({ ...seen('start', { reward: 0 }), goal: null }),
        step: (_params, count) => seen('x', { reward: count / 2 }),
      },
    });
    expect(record).toMatchObject({ reward: 1, success: true, grade: { info: { environment_reward: 1 } } });
  });

  it('is null with a warning if there is neither', async () => {
    const { record } = await attempt({});
    expect(record).toMatchObject({ status: 'completed', reward: null, success: false });
    expect(record.grade.info['warning']).toContain('no evaluate call');
  });

  it('is that of the evaluate calls if there are both', async () => {
    const { record, steps } = await attempt({
      task: { evaluate: two.slice(0, 1) },
      lines: 'noop()',
      answers: { step: () => seen('x', { reward: 1 }), evaluate: () => verdict(0) },
    });
    expect(record).toMatchObject({ reward: 0, grade: { info: { environment_reward: 1 } } });
    expect(steps[1]?.reward).toBe(1);
  });

  it('includes the response that counted', async () => {
    const { record } = await attempt({
      lines: 'x\ny',
      answers: { step: (_params, count) => seen('', { info: { response: `r${count}` } }) },
    });
    expect(record.grade.content).toBe('r2');
  });
});

describe('the live picture', () => {
  it('is requested only while it is shown', async () => {
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
        live.set(event.step.index === 1);
      },
    });
    expect(events.filter((event) => event.type === 'frame')).toHaveLength(1);
    const asked = placement.requests.filter((request) => request.method === 'session.live');
    expect(asked.map((request) => (request.params as { on: boolean }).on)).toEqual([true, false]);
  });
});
