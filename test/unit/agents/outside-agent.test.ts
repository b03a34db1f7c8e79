import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bridge } from '../../../src/cli/agent-bridge.ts';
import { schemaOfCalls } from '../../../src/environments/mcp/tools.ts';
import { seen, verdict } from '../runs/fake-placement.ts';
import { call } from '../runs/tasks.ts';
import { connect, type McpEra, shownIn } from './mcp-client.ts';
import { ask, waitingRun } from './outside-run.ts';

const ERAS: readonly McpEra[] = ['with a handshake', 'without a handshake'];

afterEach(() => {
  vi.useRealTimers();
});

describe('an external agent', () => {
  it.each(ERAS)('solves a task over MCP %s', async (era) => {
    const { run, address, waiting, placement } = await waitingRun({
      task: { evaluate: [call('page_contains', ['Thanks'])] },
      answers: { evaluate: () => verdict(1) },
    });
    const client = await connect(await address, era);
    expect(client.getInstructions()).toContain('Your task: Buy the lamp.');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['browser_click', 'browser_type', 'finish']));
    expect(shownIn(await client.callTool({ name: 'browser_snapshot', arguments: {} }))).toMatchObject({
      text: expect.stringContaining('Task: Buy the lamp.'),
      pictures: 1,
    });
    const clicked = await client.callTool({ name: 'browser_click', arguments: { element: 'Buy', target: '12' } });
    expect(shownIn(clicked)).toEqual({ text: 'after step 1', pictures: 1, isError: false });
    const typed = { target: '#name', text: "Ada's", submit: true };
    expect(shownIn(await client.callTool({ name: 'browser_type', arguments: typed })).text).toBe('after step 2');
    const finished = await client.callTool({ name: 'finish', arguments: { response: 'Bought.' } });
    expect(shownIn(finished)).toEqual({ text: 'The task is over.', pictures: 0, isError: false });

    const { record, steps } = await run;
    expect(record).toMatchObject({ status: 'completed', reward: 1, steps: 3, error: null });
    expect(steps.filter(({ source }) => source === 'agent').map(({ action }) => action)).toEqual([
      "click('12')",
      [`fill('#name', "Ada's")`, "press('#name', 'Enter')"],
      { type: 'response', text: 'Bought.' },
    ]);
    expect(waiting).toEqual([true, false]);
    expect(placement.methods.filter((method) => method === 'session.step')).toHaveLength(3);
    const at = await address;
    const late = await ask(at, { headers: { authorization: `Bearer ${at.token}` } });
    expect(late).toMatchObject({ status: 401, body: expect.stringContaining('No run at this address waits') });
    // Whether there was a run is not said.
    expect((await ask(at, { headers: { authorization: 'Bearer x' } })).body).toBe(late.body);
  });

  it('calls the tools of an environment of HUD', async () => {
    const calls = ['add', 'finish'].map((name) => ({ name, description: '', schema: { type: 'object' } }));
    const { run, address, placement } = await waitingRun({
      task: { env: { type: 'hud', name: 'shop', template: 'buy' }, evaluate: [call('grade')] },
      answers: {
        reset: () => ({ ...seen('a shop'), goal: 'Buy it.', actions: schemaOfCalls(calls) }),
        evaluate: () => verdict(1),
      },
    });
    const client = await connect(await address);
    expect(client.getInstructions()).toContain('call taskwright_finish when');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'add',
      'finish',
      'observe',
      'taskwright_finish',
    ]);
    await client.callTool({ name: 'add', arguments: { count: 2 } });
    await client.callTool({ name: 'taskwright_finish', arguments: { response: 'done' } });
    expect((await run).record).toMatchObject({ status: 'completed', reward: 1, steps: 2 });
    const actions = placement.requests.flatMap(({ method, params }) =>
      method === 'session.step' ? (params as { actions: unknown[] }).actions : [],
    );
    expect(actions).toEqual([
      { name: 'add', arguments: { count: 2 } },
      { type: 'response', text: 'done' },
    ]);
  });

  it('is shown the failure of an action', async () => {
    const error = { message: 'There is no element 99.', code: 'no_element' };
    const { run, address } = await waitingRun({ answers: { step: () => seen('the page', { error }) } });
    const client = await connect(await address);
    const failed = await client.callTool({ name: 'browser_click', arguments: { target: '99' } });
    expect(shownIn(failed)).toMatchObject({ isError: true, text: expect.stringContaining(error.message) });
    await client.callTool({ name: 'finish', arguments: {} });
    expect((await run).record.steps).toBe(1);
  });

  it('learns what is wrong with a call, which does nothing', async () => {
    const { run, address, placement } = await waitingRun();
    const client = await connect(await address);
    const wrong = await client.callTool({ name: 'browser_click', arguments: { selector: '#buy' } });
    expect(shownIn(wrong)).toMatchObject({ isError: true, text: expect.stringContaining('target') });
    expect(shownIn(await client.callTool({ name: 'browser_clock', arguments: {} })).text).toContain('browser_click');
    expect(placement.methods).not.toContain('session.step');
    await client.callTool({ name: 'finish', arguments: {} });
    expect((await run).record.steps).toBe(0);
  });

  it('may call several tools at a time, which act one after the other', async () => {
    const { run, address } = await waitingRun();
    const client = await connect(await address);
    const keys = ['a', 'b', 'c'];
    const results = await Promise.all(
      keys.map((key) => client.callTool({ name: 'browser_press_key', arguments: { key } })),
    );
    expect(results.map((result) => shownIn(result).text).sort()).toEqual([
      'after step 1',
      'after step 2',
      'after step 3',
    ]);
    await client.callTool({ name: 'finish', arguments: {} });
    expect((await run).record.steps).toBe(3);
  });

  it('is told when the environment ends the task', async () => {
    const { run, address } = await waitingRun({ answers: { step: () => seen('bye', { terminated: true }) } });
    const client = await connect(await address);
    const last = await client.callTool({ name: 'browser_click', arguments: { target: '1' } });
    expect(shownIn(last).text).toBe('bye\nThe environment has ended the task.');
    expect((await run).record.status).toBe('completed');
  });

  it('is told when the step limit ends the task', async () => {
    const { run, address } = await waitingRun({ plan: { limits: { max_steps: 1 } } });
    const client = await connect(await address);
    const last = await client.callTool({ name: 'browser_click', arguments: { target: '1' } });
    expect(shownIn(last)).toMatchObject({ isError: true, text: expect.stringContaining('over') });
    expect((await run).record).toMatchObject({ status: 'completed', truncated: true, steps: 1 });
  });

  it('may answer with the last step that a run allows', async () => {
    const { run, address } = await waitingRun({ plan: { limits: { max_steps: 1 } } });
    const client = await connect(await address);
    await client.callTool({ name: 'finish', arguments: { response: 'Bought.' } });
    expect((await run).record).toMatchObject({ status: 'completed', truncated: false, steps: 1 });
  });

  it('that never connects makes the run an error', async () => {
    const { run } = await waitingRun({ limits: { connectMs: 20 } });
    const { record } = await run;
    expect(record).toMatchObject({ status: 'error', reward: null, error: { code: 'agent_absent' } });
    expect(record.error?.message).toMatch(/^No agent connected within 0.02 seconds/);
  });

  it('that vanishes before its first action makes the run an error', async () => {
    const { run, address, vanish } = await waitingRun();
    await connect(await address);
    await vanish();
    expect((await run).record).toMatchObject({ status: 'error', error: { code: 'agent_gone' } });
  });

  it('that vanishes later gets the reward 0', async () => {
    const { run, address, vanish } = await waitingRun({ task: { evaluate: [call('page_contains', ['a'])] } });
    await (await connect(await address)).callTool({ name: 'browser_click', arguments: { target: '1' } });
    await vanish();
    const { record } = await run;
    expect(record).toMatchObject({ status: 'completed', reward: 0, blame: 'agent', error: null, steps: 1 });
    expect(record.grade.info).toMatchObject({ code: 'agent_gone' });
  });

  it('that says that it leaves does not keep the run for long', async () => {
    const { run, address } = await waitingRun({ limits: { leftMs: 1 } });
    await (await connect(await address)).callTool({ name: 'browser_click', arguments: { target: '1' } });
    const headers = { authorization: `Bearer ${(await address).token}` };
    expect((await ask(await address, { method: 'DELETE', headers })).status).toBe(204);
    const { record } = await run;
    expect(record).toMatchObject({ blame: 'agent', steps: 1, grade: { info: { code: 'agent_gone' } } });
    expect(JSON.stringify(record)).toContain('ended its connection');
  });

  it('that has not sent anything yet cannot leave', async () => {
    const { run, address } = await waitingRun({ limits: { leftMs: 1 } });
    const headers = { authorization: `Bearer ${(await address).token}` };
    await ask(await address, { method: 'DELETE', headers });
    const client = await connect(await address);
    await client.callTool({ name: 'finish', arguments: {} });
    expect((await run).record).toMatchObject({ status: 'completed', error: null });
  });

  it('on standard streams leaves when they end', async () => {
    const { run, address } = await waitingRun({ limits: { leftMs: 1 } });
    const streams = { input: new PassThrough(), output: new PassThrough() };
    const bridged = bridge(await address, streams, new AbortController().signal);
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    streams.input.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await bridged;
    expect(JSON.parse(String(streams.output.read()))).toMatchObject({ id: 1, result: { capabilities: { tools: {} } } });
    expect((await run).record).toMatchObject({ status: 'error', error: { code: 'agent_gone' } });
  });

  it.each(ERAS)('learns that its call still runs (%s)', async (era) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const told = Promise.withResolvers<number>();
    const { run, address } = await waitingRun({
      answers: {
        step: async () => {
          vi.advanceTimersByTime(5_000);
          await told.promise;
          return seen('at last');
        },
      },
    });
    const client = await connect(await address, era);
    const waited = await client.callTool(
      { name: 'browser_click', arguments: { target: '1' } },
      { onprogress: ({ progress }) => told.resolve(progress) },
    );
    expect(shownIn(waited).text).toBe('at last');
    expect(vi.getTimerCount()).toBe(0);
    await client.callTool({ name: 'finish', arguments: {} });
    expect((await run).record).toMatchObject({ status: 'completed', steps: 1 });
  });

  it('on standard streams learns that its call still runs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const streams = { input: new PassThrough(), output: new PassThrough() };
    const told = Promise.withResolvers<void>();
    const { run, address } = await waitingRun({
      answers: {
        step: async () => {
          vi.advanceTimersByTime(5_000);
          await told.promise;
          return seen('at last');
        },
      },
    });
    const said: Record<string, unknown>[] = [];
    streams.output.on('data', (line: Buffer) => {
      said.push(JSON.parse(String(line)));
      if (said.at(-1)?.['method'] === 'notifications/progress') told.resolve();
    });
    const bridged = bridge(await address, streams, new AbortController().signal);
    const send = (id: number, name: string, args: object): void => {
      const params = { name, arguments: args, _meta: { progressToken: 'mine' } };
      streams.input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
    };
    send(1, 'browser_click', { target: '1' });
    await told.promise;
    expect(said).toMatchObject([{ method: 'notifications/progress', params: { progressToken: 'mine' } }]);
    send(2, 'finish', {});
    streams.input.end();
    await bridged;
    expect(said.map(({ id }) => id)).toEqual([undefined, 1, 2]);
    expect((await run).record).toMatchObject({ status: 'completed', steps: 1 });
  });

  it('does not keep a cancelled run', async () => {
    const { address, waiting, cancel } = await waitingRun();
    const at = await address;
    expect((await cancel()).status).toBe('cancelled');
    expect(waiting).toEqual([true, false]);
    const headers = { authorization: `Bearer ${at.token}` };
    expect((await ask(at, { headers })).status).toBe(401);
  });
});
