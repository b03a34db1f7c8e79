import { request } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentAddress, AgentContext } from '../../../src/runs/agents/agent-kind.ts';
import { Quota } from '../../../src/runs/agents/mcp/guard.ts';
import { type OutsideLimits, outsideAgent } from '../../../src/runs/agents/mcp/outside-agent.ts';
import { toolsOf } from '../../../src/runs/agents/mcp/tools.ts';
import type { RunPlan } from '../../../src/runs/run/plan.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { attempt } from './attempt.ts';
import { type FakeAnswers, FakePlacement, seen, verdict } from './fake-placement.ts';
import { connect, type McpEra, shownIn } from './mcp-client.ts';
import { call } from './tasks.ts';

const BROWSER = { type: 'hud-browser' };
const GENEROUS: OutsideLimits = {
  connectMs: 60_000,
  silenceMs: 60_000,
  waiting: 16,
  perMinute: 10_000,
  total: 10_000,
};

/** A run that waits for an agent from outside. */
async function waitingRun(
  of: { task?: Partial<Task>; plan?: Partial<RunPlan>; answers?: FakeAnswers; limits?: Partial<OutsideLimits> } = {},
) {
  const placement = new FakePlacement(of.answers);
  const limits = { ...GENEROUS, ...of.limits };
  const cancelled = new AbortController();
  const offered = Promise.withResolvers<AgentAddress>();
  const waiting: boolean[] = [];
  const environment = of.task?.env ?? BROWSER;
  const client = outsideAgent(
    {
      cwd: '',
      program: '',
      environment,
      manualInput: null,
      log: () => {},
      offer: (address) => {
        waiting.push(address !== null);
        if (address !== null) offered.resolve(address);
      },
    } satisfies AgentContext,
    limits,
  );
  const run = attempt({
    task: { env: environment, prompt: 'Buy the lamp.', ...of.task },
    plan: { agent: 'mcp', client, ...of.plan },
    placement,
    signal: cancelled.signal,
  });
  /** The last request was the last one of the agent. */
  const vanish = async (): Promise<void> => {
    limits.silenceMs = 1;
    await ask(await offered.promise, { headers: { authorization: `Bearer ${(await offered.promise).token}` } });
  };
  const cancel = async () => {
    cancelled.abort();
    return (await run).record;
  };
  return { run, placement, waiting, address: offered.promise, vanish, cancel };
}

/** The status of a plain request, and the body of its answer. */
function ask(
  { url }: AgentAddress,
  of: { method?: string; path?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { method = 'POST', path, headers = {}, body = '' } = of;
    const to = new URL(path ?? url, url);
    const sent = request(to, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const ERAS: readonly McpEra[] = ['with a handshake', 'without a handshake'];

describe('an agent from outside', () => {
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
    expect((await ask(at, { headers: { authorization: `Bearer ${at.token}` } })).status).toBe(401);
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
    const { run, address } = await waitingRun({ plan: { maxSteps: 1 } });
    const client = await connect(await address);
    const last = await client.callTool({ name: 'browser_click', arguments: { target: '1' } });
    expect(shownIn(last)).toMatchObject({ isError: true, text: expect.stringContaining('over') });
    expect((await run).record).toMatchObject({ status: 'completed', truncated: true, steps: 1 });
  });

  it('may answer with the last step that a run allows', async () => {
    const { run, address } = await waitingRun({ plan: { maxSteps: 1 } });
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

  it('does not keep a cancelled run', async () => {
    const { address, waiting, cancel } = await waitingRun();
    const at = await address;
    expect((await cancel()).status).toBe('cancelled');
    expect(waiting).toEqual([true, false]);
    const headers = { authorization: `Bearer ${at.token}` };
    expect((await ask(at, { headers })).status).toBe(401);
  });
});

describe('the tools of an environment', () => {
  const names = (type: string): string[] => toolsOf({ type }, null).map(({ name }) => name);

  it('are its actions, and the end of the run', () => {
    expect(names('qa')).toEqual(['answer', 'finish']);
    expect(names('hud-ubuntu')).toEqual(['computer', 'finish']);
    expect(names('public')).toEqual(['observe', 'act', 'finish']);
    expect(names('coding')).toEqual(['observe', 'shell', 'read_file', 'write_file', 'apply_patch', 'finish']);
    expect(names('openenv')).toEqual(['observe', 'act', 'finish']);
    expect(names('browsergym')).toEqual(names('hud-browser'));
    for (const type of ['hud-browser', 'qa', 'coding', 'openenv']) {
      expect(names(type).join()).not.toMatch(/reset|state|reward|evaluate|grade|score|solution/);
    }
  });

  it('take the action of an OpenEnv environment by its own schema', () => {
    const schema = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] };
    const act = toolsOf({ type: 'openenv' }, schema).find(({ name }) => name === 'act');
    expect(act?.inputSchema).toEqual(schema);
    expect(act?.use({ message: 'hi' })).toEqual({ kind: 'act', actions: [{ message: 'hi' }] });
  });

  it.each([
    ['browser_click', { target: '5', doubleClick: true }, ["dblclick('5')"]],
    ['browser_click', { target: '5', button: 'right', modifiers: ['Shift'] }, ["click('5', 'right', ['Shift'])"]],
    ['browser_type', { target: '5', text: 'a', slowly: true }, ["focus('5')", "keyboard_type('a')"]],
    ['browser_press_key', { key: 'Control+a' }, ["keyboard_press('Control+a')"]],
    ['browser_hover', { target: '5' }, ["hover('5')"]],
    ['browser_drag', { startTarget: '1', endTarget: '2' }, ["drag_and_drop('1', '2')"]],
    ['browser_select_option', { target: '5', values: ['a', 'b'] }, ["select_option('5', ['a', 'b'])"]],
    ['browser_upload_file', { target: '5', paths: ['a.txt'] }, ["upload_file('5', 'a.txt')"]],
    ['browser_navigate', { url: 'cart.html' }, ["goto('cart.html')"]],
    ['browser_navigate_back', {}, ['go_back()']],
    ['browser_navigate_forward', {}, ['go_forward()']],
    ['browser_tabs', { action: 'new', url: 'a.html' }, ['new_tab()', "goto('a.html')"]],
    ['browser_tabs', { action: 'select', index: 1 }, ['tab_focus(1)']],
    ['browser_tabs', { action: 'close' }, ['tab_close()']],
    ['browser_wait_for', { time: 0.5 }, ['noop(500)']],
    ['browser_mouse_click_xy', { x: 1, y: 2, clickCount: 2 }, ['mouse_dblclick(1, 2)']],
    ['browser_mouse_move_xy', { x: 1, y: 2 }, ['mouse_move(1, 2)']],
    ['browser_mouse_drag_xy', { startX: 1, startY: 2, endX: 3, endY: 4 }, ['mouse_drag_and_drop(1, 2, 3, 4)']],
    ['browser_mouse_wheel', { deltaX: 0, deltaY: 100 }, ['scroll(0, 100)']],
  ])('%s %j', (name, args, actions) => {
    const tool = toolsOf(BROWSER, null).find((one) => one.name === name);
    expect(tool?.use(args)).toEqual({ kind: 'act', actions });
  });

  it.each([
    [
      { action: 'click', x: 1, y: 2, clicks: 2 },
      { type: 'click', point: { x: 1, y: 2 }, button: 'left', pattern: [0] },
    ],
    [
      { action: 'scroll', scroll_y: 3 },
      { type: 'scroll', scroll: { x: 0, y: 3 } },
    ],
    [
      { action: 'press', keys: ['ctrl', 'c'] },
      { type: 'press', keys: ['ctrl', 'c'] },
    ],
    [
      { action: 'type', text: 'a' },
      { type: 'type', text: 'a' },
    ],
    [
      { action: 'move', x: 1, y: 2 },
      { type: 'move', point: { x: 1, y: 2 } },
    ],
    [
      { action: 'wait', time: 5 },
      { type: 'wait', time: 5 },
    ],
  ])('computer %j', (args, action) => {
    const [computer] = toolsOf({ type: 'hud-ubuntu' }, null);
    expect(computer?.name).toBe('computer');
    expect(computer?.use(args)).toEqual({ kind: 'act', actions: [action] });
    expect(() => computer?.use({ action: 'drag' })).toThrow('drag needs path');
  });
});

const SECRET = 'the-secret-order-number';

describe('an agent from outside cannot', () => {
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
    const headers = {
      authorization: `Bearer ${at.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} });
    expect((await ask(at, { headers, body })).body).toMatch(/-32601|-32600|-32602/);
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
    const quota = new Quota(60, 1_000);
    const now = performance.now();
    const taken = Array.from({ length: 70 }, () => quota.take(now)?.status ?? 200);
    expect(taken.filter((status) => status === 200).length).toBeLessThanOrEqual(61);
    expect(taken.at(-1)).toBe(429);
    expect(quota.take(now + 2_000)).toBeNull();
  });

  it('send a request of any size', async () => {
    const { run, address } = await waitingRun({ task, answers });
    const at = await address;
    const headers = {
      authorization: `Bearer ${at.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: { text: 'x'.repeat(5_000_000) },
    });
    const status = await ask(at, { headers, body }).then(
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
