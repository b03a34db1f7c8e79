import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import type { LocalPlacement } from '../../../src/placement/local.ts';
import type { ServerEvent } from '../../../src/server/results.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { hasPython } from '../python.ts';
import { nothingLeft, place, processesOf, processOf, task } from './harness.ts';

const folder = join(import.meta.dirname, '..', '..', 'fixtures');
const call = (name: string, args: Json[] = []) => ({ function: name, args, range: EMPTY_RANGE });

async function open(placement: LocalPlacement, more: Partial<Task> = {}) {
  const server = await placement.server();
  const events: ServerEvent[] = [];
  server.onEvent((event) => events.push(event));
  const { session } = await server.request('session.open', {});
  const env = { type: 'public', location: 'local', image_or_build_context: './controller' };
  const asked = task('', { file: join(folder, 'some.task.json'), env, initial_state: {}, ...more });
  const reset = () => server.request('session.reset', { session, task: asked, files: { folder }, seed: 0 });
  return {
    started: await reset(),
    reset,
    events,
    evaluate: (name: string, args: Json[] = [], limit_ms = 20_000) =>
      server.request('session.evaluate', { session, call: call(name, args), limit_ms }),
    setup: (name: string, args: Json[] = []) =>
      server.request('session.setup', { session, call: call(name, args), limit_ms: 20_000 }),
    step: (...actions: (string | { type: string; [key: string]: string })[]) =>
      server.request('session.step', { session, actions }),
    close: () => server.request('session.close', { session }),
  };
}

const python = (mark: string) =>
  processesOf(mark).then((all) => all.filter(({ command }) => /python\S* -c/.test(command)));

describe.runIf(hasPython('custom environments'))('a custom environment on this machine', () => {
  test('is evaluated by the results of its functions, and their failures are errors', async () => {
    const { placement } = place({ browserAhead: false });
    const { evaluate } = await open(placement);

    expect(await evaluate('prints')).toMatchObject({ value: 1, reason: 'returned 1' });
    expect(await evaluate('multi', [true])).toMatchObject({ value: 1 });
    expect(await evaluate('scored', [0.25])).toMatchObject({ value: 0.25, reason: 'as told' });
    expect(await evaluate('none')).toMatchObject({ error: { code: 'call_returned_nothing' } });
    expect(await evaluate('nan')).toMatchObject({
      error: { code: 'call_out_of_range', message: expect.stringContaining('`nan` returned NaN') },
    });
    expect(await evaluate('uni')).toMatchObject({ error: { code: 'call_out_of_range' } });
    expect(await evaluate('boom', [1])).toMatchObject({
      error: {
        code: 'call_threw',
        message: expect.stringMatching(
          /^`boom` failed \(controller\/src\/hud_controller\/__init__\.py:\d+\): ValueError: bad \(1,\)$/,
        ),
        stack: expect.stringContaining('Traceback'),
      },
    });
    expect(await evaluate('response_is', ['x'])).toMatchObject({ error: { code: 'unknown_function' } });
  });

  test('is observed with its step function, which gets the actions as HUD serializes them', async () => {
    const { placement } = place({ browserAhead: false });
    const { started, step } = await open(placement);

    expect(started).toMatchObject({ observation: { text: '0', screenshot: null }, goal: null });
    const stepped = await step('mouse_click(3, 4)', { type: 'custom', action: 'pull' });
    expect(stepped).toMatchObject({
      observation: { text: '2' },
      error: null,
      terminated: false,
      info: { task_info: { n: 2 }, acted: [{ action: 'mouse_click(3, 4)', point: { x: 3, y: 4 } }, {}] },
    });
    expect(await step({ type: 'response', text: 'done' })).toMatchObject({ info: { response: 'done' } });
    expect(await step('frobnicate(1)')).toMatchObject({ error: { code: 'unknown_action' } });
  });

  test('is observed only after its last setup call, because it may not exist before', async () => {
    const { placement } = place({ browserAhead: false });
    const { started, setup } = await open(placement, { setup: [call('none'), call('none')] });

    expect(started.observation).toEqual({ text: null, screenshot: null });
    expect(await setup('none')).toMatchObject({ step: { observation: { text: null } } });
    expect(await setup('none')).toMatchObject({ step: { observation: { text: '0' } } });
  });

  test('kills a function that never ends, and continues', async () => {
    const { placement, mark } = place({ browserAhead: false });
    const { evaluate } = await open(placement);

    expect(await evaluate('loops', [], 700)).toMatchObject({
      error: { code: 'call_timeout', message: '`loops` did not return within 0.7 s' },
    });
    await vi.waitFor(async () => expect(await python(mark)).toEqual([]), { timeout: 60_000, interval: 50 });
    expect(await evaluate('prints')).toMatchObject({ value: 1 });
  });

  test('ends with its session, and all that its functions have started', async () => {
    const { placement, mark } = place({ browserAhead: false });
    const { evaluate, close } = await open(placement);
    await evaluate('starts_a_server');
    expect(await python(mark)).toHaveLength(1);
    await close();

    await vi.waitFor(async () => expect(await python(mark)).toEqual([]), { timeout: 60_000, interval: 50 });
  });

  test.each(['starts_a_server', 'starts_a_server_of_its_own'])(
    'starts again with each reset, which ends processes of its functions: %s',
    async (starts) => {
      const { placement, mark } = place({ browserAhead: false });
      const { evaluate, reset, close } = await open(placement);
      await evaluate(starts);
      const before = await python(mark);
      expect(before).toHaveLength(1);

      await reset();
      expect(await python(mark)).toEqual([]);
      expect(await evaluate(starts)).toMatchObject({ value: 1 });
      const servers = await python(mark);
      expect([servers.length, servers[0]?.pid === before[0]?.pid]).toEqual([1, false]);

      await close();
      await vi.waitFor(async () => expect(await python(mark)).toEqual([]), { timeout: 60_000, interval: 50 });
    },
  );

  test('leaves nothing behind when its session or the server is killed in the middle of a call', async () => {
    const { placement, mark } = place({ browserAhead: false });
    const first = await open(placement);
    await first.evaluate('starts_a_server');
    const looping = first.evaluate('loops').catch((error: Error) => error.message);
    await vi.waitFor(async () => expect(await python(mark)).toHaveLength(2), { timeout: 60_000, interval: 50 });
    const server = await processOf(mark, 'server');
    process.kill(server.pid, 'SIGKILL');

    expect(await looping).toContain('was ended by SIGKILL');
    await nothingLeft(mark);
  });
});
