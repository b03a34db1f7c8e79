import { connect as connectSocket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Quota } from '../../../src/agents/mcp/guard.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { type FakeAnswers, seen, verdict } from '../runs/fake-placement.ts';
import { call } from '../runs/tasks.ts';
import { connect, shownIn } from './mcp-client.ts';
import { ask, askMcp, waitingRun } from './outside-run.ts';

const SECRET = 'the-secret-order-number';

describe('an external agent cannot', () => {
  const task: Partial<Task> = {
    file: '/tasks/hidden-shop.task.json',
    evaluate: [call('page_contains', [SECRET])],
    metadata: { hint: SECRET },
  };
  const answers: FakeAnswers = { step: () => seen('the page', { reward: 0.123 }), evaluate: () => verdict(1) };

  it.each([
    ['without a token', {}, 401],
    ['with another token', { authorization: 'Bearer x' }, 401],
    ['as a web page', { origin: 'https://shop.example' }, 403],
    ['as a web page of this machine', { origin: 'http://localhost:8000' }, 403],
    ['by the name of another machine', { host: 'shop.example' }, 403],
  ])('connect %s', async (_how, headers, status) => {
    const { address, placement, waiting, cancel } = await waitingRun();
    const { token } = await address;
    const right = status === 401 ? {} : { authorization: `Bearer ${token}` };
    expect((await ask(await address, { headers: { ...right, ...headers } })).status).toBe(status);
    // Such a request is no sign of an agent.
    expect(waiting).toEqual([true]);
    await cancel();
    expect(placement.methods).not.toContain('session.step');
  });

  it('use the token of another run', async () => {
    const [mine, other] = await Promise.all([waitingRun(), waitingRun()]);
    const { token } = await mine.address;
    const crossed = connect({ url: (await other.address).url, token });
    await expect(crossed).rejects.toThrow(/401|[Uu]nauthorized/);
    await Promise.all([mine.cancel(), other.cancel()]);
  });

  it.each([
    'reset',
    'step',
    'state',
    'close',
    'evaluate',
    'session.reset',
    'session.evaluate',
    'get_reward',
    '__proto__',
  ])('call the tool %s', async (name) => {
    const { run, address, placement } = await waitingRun({ task, answers });
    const client = await connect(await address);
    const before = placement.methods.length;
    expect(shownIn(await client.callTool({ name, arguments: {} }))).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^There is no tool/),
    });
    expect(placement.methods).toHaveLength(before);
    await client.callTool({ name: 'finish', arguments: {} });
    await run;
  });

  it.each([
    'resources/list',
    'prompts/list',
    'logging/setLevel',
    'openenv/session/create',
    'session.reset',
    'session.evaluate',
  ])('use the method %s', async (method) => {
    const { run, address } = await waitingRun({ task, answers });
    const at = await address;
    expect((await askMcp(at, { method, params: {} })).body).toMatch(/-32601|-32600|-32602/);
    await (await connect(at)).callTool({ name: 'finish', arguments: {} });
    await run;
  });

  it.each(['/', '/reset', '/step', '/state', '/ws', '/tasks', '/../package.json', '/mcp/state'])(
    'find anything at %s',
    async (path) => {
      const { run, address } = await waitingRun({ task, answers });
      const at = await address;
      const headers = { authorization: `Bearer ${at.token}` };
      expect((await ask(at, { method: 'GET', path, headers })).status).toBe(401);
      await (await connect(at)).callTool({ name: 'finish', arguments: {} });
      await run;
    },
  );

  it('learn anything of the reward, the evaluate calls, the task file, or the metadata', async () => {
    const { run, address } = await waitingRun({ task, answers });
    const at = await address;
    const client = await connect(at);
    const told = [
      client.getInstructions(),
      await client.listTools(),
      await client.callTool({ name: 'browser_snapshot', arguments: {} }),
      await client.callTool({ name: 'browser_click', arguments: { target: '1' } }),
      await client.callTool({ name: 'browser_evaluate', arguments: {} }),
      await client.callTool({ name: 'finish', arguments: { response: 'done' } }),
    ];
    const { record } = await run;
    expect(record.reward).toBe(1);
    const text = JSON.stringify(told);
    for (const hidden of [SECRET, '0.123', 'reward', 'hidden-shop', 'page_contains', record.trace_dir ?? '']) {
      expect(text).not.toContain(hidden);
    }
  });

  it('reset an environment by an action of that name', async () => {
    const { run, address, placement } = await waitingRun({ task: { ...task, env: { type: 'openenv' } }, answers });
    const client = await connect(await address);
    await client.callTool({ name: 'act', arguments: { type: 'reset' } });
    expect(placement.methods.filter((method) => method === 'session.reset')).toHaveLength(1);
    expect(placement.requests.at(-1)?.params).toMatchObject({ actions: [{ type: 'reset' }] });
    await client.callTool({ name: 'finish', arguments: {} });
    await run;
  });

  it('act after finish', async () => {
    const { run, address, placement } = await waitingRun({ task, answers });
    const client = await connect(await address);
    await client.callTool({ name: 'finish', arguments: {} });
    // The server of the run may be gone by now.
    const late = await client.callTool({ name: 'browser_click', arguments: { target: '1' } }).catch(() => null);
    if (late !== null) expect(shownIn(late)).toMatchObject({ isError: true });
    await run;
    expect(placement.methods).not.toContain('session.step');
  });

  it('send more than its requests', async () => {
    const { address, cancel } = await waitingRun({ limits: { total: 3 } });
    const at = await address;
    const headers = { authorization: `Bearer ${at.token}` };
    const statuses: number[] = [];
    for (let i = 0; i < 5; i += 1) statuses.push((await ask(at, { headers, body: '{}' })).status);
    expect(statuses.map((status) => status === 429)).toEqual([false, false, false, true, true]);
    await cancel();
  });

  it('send faster than its rate', () => {
    const quota = new Quota({ perMinute: 60, total: 1_000 });
    const now = performance.now();
    const taken = Array.from({ length: 70 }, () => quota.take(now)?.status ?? 200);
    expect(taken.filter((status) => status === 200).length).toBeLessThanOrEqual(61);
    expect(taken.at(-1)).toBe(429);
    expect(quota.take(now + 2_000)).toBeNull();
  });

  it('send a request of any size', async () => {
    const { run, address } = await waitingRun({ task, answers });
    const at = await address;
    const status = await askMcp(at, { method: 'tools/list', params: { text: 'x'.repeat(5_000_000) } }).then(
      (answer) => answer.status,
      () => 413,
    );
    expect(status).toBe(413);
    await (await connect(at)).callTool({ name: 'finish', arguments: {} });
    await run;
  });

  it('hold the run with a connection that sends nothing', async () => {
    const { address, waiting, cancel } = await waitingRun();
    const socket = connectSocket(Number(new URL((await address).url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await new Promise((resolve) => socket.once('connect', resolve));
    expect(waiting).toEqual([true]);
    expect((await cancel()).status).toBe('cancelled');
  });
});
