import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { connect } from '../agents/mcp-client.ts';
import { FakePlacement, verdict } from '../runs/fake-placement.ts';
import { fileIn } from '../runs/tasks.ts';
import { Client } from './client.ts';
import { page, SHOP, shop, slow } from './shop.ts';

describe('debugging an evaluator', () => {
  it('stops at the call, tries another argument from the file without a new run, and gets reward 1', async () => {
    const { client, file, task, placement } = await shop();
    expect(await client.begin({ task }, { file, breakpoints: [{ line: 8 }] })).toEqual({
      reason: 'breakpoint',
      text: undefined,
      at: '8:7-8:59',
      stack: ['page_contains("Thank you")', "step 2: click('#missing')", 'shop (shop.tasks.json)'],
    });
    await writeFile(file, (await readFile(file, 'utf8')).replace('Thank you', 'Thanks'));
    expect(await client.restartFrame()).toMatchObject({
      reason: 'restart',
      at: '8:7-8:56',
      stack: ['page_contains("Thanks") → 1', expect.any(String), 'shop (shop.tasks.json)'],
    });
    expect(await client.scope('Scores')).toMatchObject([
      { name: 'page_contains("Thanks")', value: '{"weight":1,"value":1,"reason":"looked for Thanks"}' },
      { value: '"not evaluated yet"' },
    ]);
    expect(await client.go('continue')).toBe('terminated');
    expect(await client.said()).toContain('completed, reward 1\n  1  page_contains("Thanks"): looked for Thanks');
    expect(placement.methods.filter((method) => method === 'session.open')).toHaveLength(1);
    expect(await client.close()).toBe(0);
  });

  it('steps through setup, actions, and evaluate calls, and stops after the last', async () => {
    const { client, task } = await shop();
    const stops = [await client.begin({ task, stopOnEntry: true })];
    for (let at = 0; at < 5; at += 1) stops.push(await client.go('next'));
    expect(stops.map((stop) => (stop === 'terminated' ? stop : `${stop.reason} ${stop.stack[0]}`))).toEqual([
      'entry goto("shop.html")',
      "step step 1: click('#order')",
      "step step 2: click('#missing')",
      'step page_contains("Thank you")',
      'step url_contains("/done")',
      'step url_contains("/done") → 1',
    ]);
    expect(await client.go('next')).toBe('terminated');
  });

  it('steps out of setup to the agent, and out of its actions to the evaluate calls', async () => {
    const { client, task } = await shop();
    await client.begin({ task, stopOnEntry: true });
    expect(await client.go('stepOut')).toMatchObject({ stack: ["step 1: click('#order')", expect.any(String)] });
    expect(await client.go('stepOut')).toMatchObject({ at: '8:7-8:59' });
    expect(await client.go('stepOut')).toBe('terminated');
  });

  it.each([
    [
      'shop.tasks.jsonl',
      '{"id": "shop", "prompt": "p", "gym": "hud-browser", "setup": ["goto", "s.html"], "evaluate": ["page_contains", "Thanks"]}\n',
      [1, 94],
      '1:94-1:121',
    ],
    [
      'shop.tasks.yaml',
      '- id: shop\n  prompt: p\n  gym: hud-browser\n  setup: [goto, s.html]\n  evaluate:\n    - [page_contains, Thanks]\n',
      [6, undefined],
      '6:7-6:30',
    ],
    [
      'shop_tasks.py',
      'from hud.task import Task\n\ntask = Task(\n  id="shop", prompt="p", gym="hud-browser",\n  evaluate=("page_contains", "Thanks"),\n)\n',
      [5, undefined],
      '5:12-5:39',
    ],
  ] as const)('stops at a call in %s, and tries another argument there', async (name, text, [line, column], at) => {
    const { client, cwd } = await shop();
    const file = await fileIn(cwd, name, text);
    const breakpoint = { line, ...(column === undefined ? {} : { column }) };
    expect(await client.begin({ task: `${file}#shop` }, { file, breakpoints: [breakpoint] })).toMatchObject({
      reason: 'breakpoint',
      at,
      stack: ['page_contains("Thanks")', expect.any(String), expect.stringContaining(name)],
    });
    await writeFile(file, text.replace('Thanks', 'Thank'));
    expect(await client.restartFrame()).toMatchObject({
      stack: ['page_contains("Thank") → 0', expect.any(String), expect.any(String)],
    });
    expect(await client.go('continue')).toBe('terminated');
  });

  it('announces its capabilities, and withdraws those for recordings', async () => {
    const { client, file, task } = await shop();
    const { body = {} } = await client.initializeRequest({ adapterID: 'taskwright' });
    const { exceptionBreakpointFilters: filters, ...supported } = body;
    expect(Object.keys(supported).filter((name) => supported[name as keyof typeof supported])).toEqual([
      'supportsConfigurationDoneRequest',
      'supportsFunctionBreakpoints',
      'supportsConditionalBreakpoints',
      'supportsHitConditionalBreakpoints',
      'supportsLogPoints',
      'supportsBreakpointLocationsRequest',
      'supportsExceptionFilterOptions',
      'supportsExceptionInfoRequest',
      'supportsEvaluateForHovers',
      'supportsCompletionsRequest',
      'supportsSetVariable',
      'supportsSetExpression',
      'supportsRestartFrame',
      'supportsRestartRequest',
      'supportsTerminateRequest',
      'supportsStepBack',
      'supportsGotoTargetsRequest',
    ]);
    expect(filters?.map(({ filter, default: on }) => [filter, on])).toEqual([
      ['evaluator-failed', false],
      ['evaluator-threw', true],
      ['time-limit', true],
      ['action-failed', false],
    ]);
    await client.begin({ task }, { file, breakpoints: [{ line: 8 }] });
    expect(client.events.find(({ event }) => event === 'capabilities')?.body.capabilities).toEqual({
      ...{ supportsStepBack: false, supportsGotoTargetsRequest: false },
    });
    await expect(client.go('stepBack')).rejects.toThrow('A live run cannot go back. Replay the recorded run instead.');
  });

  it('returns the breakpoint locations of a line', async () => {
    const { client, file, task } = await shop();
    await client.begin({ task, stopOnEntry: true }, { file });
    const ask = async (line: number, endLine = line) =>
      (await client.customRequest('breakpointLocations', { source: { path: file }, line, endLine })).body.breakpoints;
    expect(await ask(6)).toEqual([{ line: 6, column: 14, endLine: 6, endColumn: 57 }]);
    expect((await ask(1, 10)).map(({ line }: { line: number }) => line)).toEqual([6, 8, 9]);
    expect(await ask(2)).toEqual([]);
  });

  it('uses the configuration: another agent, another seed, in Docker', async () => {
    const { cwd, task } = await shop();
    await fileIn(cwd, 'other.actions', "press('Enter')");
    const placements = { local: new FakePlacement(page), docker: new FakePlacement(page, 'docker') };
    const client = new Client({ cwd, placements });
    const launch = { task, agent: 'replay:other.actions', seed: 7, placement: 'docker' };
    expect(await client.begin(launch, { functions: ['1'] })).toMatchObject({
      stack: ["step 1: press('Enter')", 'shop (shop.tasks.json)'],
    });
    const { docker, local } = placements;
    expect(docker.requests.find(({ method }) => method === 'session.reset')).toMatchObject({ params: { seed: 7 } });
    expect(local.methods).toEqual([]);
    expect((await client.scope('Task')).find(({ name }) => name === 'seed')?.value).toBe('7');
  });

  it('says where an external agent connects', async () => {
    const { client, task } = await shop();
    const end = client.begin({ task, agent: 'mcp' });
    const offer = await vi.waitFor(() => {
      const found = client.outputs.map(({ output }) => /(http:\S+) \(Authorization: Bearer (\S+)\)/.exec(output));
      const [, url = '', token = ''] = found.find((match) => match !== null) ?? expect.fail('nothing was said');
      return { url, token };
    }, 20_000);
    await (await connect(offer)).callTool({ name: 'finish', arguments: {} });
    expect(await end).toBe('terminated');
  });

  it('pauses a run at its next call or action', async () => {
    const { client, task, acts } = await slow();
    const stop = client.begin({ task });
    await acts.begun.promise;
    await client.pauseRequest({ threadId: 1 });
    acts.ends.resolve();
    expect(await stop).toMatchObject({ reason: 'pause', stack: ["step 2: click('#missing')", expect.any(String)] });
    expect(await client.go('continue')).toBe('terminated');
  });

  it('stops by conditions, hit counts, and names of actions; a logpoint only prints', async () => {
    const { client, file, task } = await shop();
    const set = { file, functions: ['2', 'click'] };
    const breakpoints = [
      { line: 6, logMessage: 'opening {args[0]} at step {step}' },
      { line: 8, condition: 'page_contains("Thanks") and step == 2', hitCondition: '>= 1' },
      { line: 9, condition: 'not url_contains("/done")' },
    ];
    expect(await client.begin({ task }, { ...set, breakpoints })).toMatchObject({ reason: 'function breakpoint' });
    expect(client.outputs.find(({ category }) => category === 'stdout')).toMatchObject({
      output: 'opening shop.html at step 0\n',
      source: { path: file },
      line: 6,
    });
    expect(await client.go('continue')).toMatchObject({ stack: ["step 2: click('#missing')", expect.any(String)] });
    expect(await client.go('continue')).toMatchObject({ reason: 'breakpoint', at: '8:7-8:59' });
    expect(await client.go('continue')).toBe('terminated');
  });

  it('stops with a reason at a condition that cannot be evaluated', async () => {
    const { client, file, task } = await shop();
    const stop = await client.begin({ task }, { file, breakpoints: [{ line: 8, condition: 'stpe == 2' }] });
    expect(stop).toMatchObject({ reason: 'breakpoint' });
    expect(await client.said()).toContain('“stpe” is not defined.');
  });

  it('stops if an action or an evaluator failed', async () => {
    const { client, task } = await shop();
    const filterOptions = [{ filterId: 'evaluator-failed', condition: 'value < 0.5' }];
    expect(await client.begin({ task }, { filters: ['action-failed'], filterOptions })).toMatchObject({
      reason: 'exception',
      text: 'no element matches #missing',
      stack: ["step 2: click('#missing')", 'shop (shop.tasks.json)'],
    });
    expect(await client.go('continue')).toMatchObject({
      reason: 'exception',
      text: '0: looked for Thank you',
      at: '8:7-8:59',
    });
    expect((await client.exceptionInfoRequest({ threadId: 1 })).body).toMatchObject({
      exceptionId: 'page_contains("Thank you") → 0',
      description: '0: looked for Thank you',
    });
    expect(await client.go('continue')).toBe('terminated');
  });

  it('stops if an evaluator threw, with its message, unless turned off', async () => {
    const broken = SHOP.replace('"url_contains", "args": ["/done"]', '"broken", "args": []');
    for (const filters of [['evaluator-threw'], []]) {
      const { client, cwd, task } = await shop(undefined, broken);
      await fileIn(cwd, 'shop.functions.ts', 'export const broken = () => { throw new Error("it threw") };');
      const stop = await client.begin({ task }, { filters });
      if (filters.length > 0) {
        expect(stop).toMatchObject({ reason: 'exception', text: 'it threw', at: '9:7-9:41' });
        expect((await client.exceptionInfoRequest({ threadId: 1 })).body.exceptionId).toBe('broken() → error');
        expect(await client.go('continue')).toBe('terminated');
      } else expect(stop).toBe('terminated');
      expect(await client.said()).toContain('error: ');
    }
  });

  it('stops if a call exceeded its time limit, unless turned off', async () => {
    const late = SHOP.replace('"url_contains", "args": ["/done"]', '"broken", "args": []');
    for (const filters of [['time-limit'], ['evaluator-threw']]) {
      const { file, task, cwd } = await shop(undefined, late);
      await fileIn(cwd, 'shop.functions.ts', 'export const broken = () => new Promise(() => {});');
      const error = { code: 'call_timeout', message: '`broken` did not return within 30 s' } as const;
      const placement = new FakePlacement({
        ...page,
        evaluate: (call) => (call.function === 'broken' ? { error, duration_ms: 1 } : verdict(1)),
      });
      const client = new Client({ cwd, placement });
      const stop = await client.begin({ task }, { file, filters });
      if (filters[0] === 'time-limit') {
        expect(stop).toMatchObject({ reason: 'exception', text: 'broken did not return within 30 s', at: '9:7-9:41' });
        expect(await client.go('continue')).toBe('terminated');
      } else expect(stop).toBe('terminated');
    }
  });

  it('keeps the environment after the run until the user continues', async () => {
    const { client, task, placement } = await shop();
    expect(await client.begin({ task, keepEnvironment: true })).toMatchObject({
      stack: ["step 2: click('#missing')", 'shop → 0.5 (shop.tasks.json)'],
    });
    expect(await client.ask('page_contains("Thanks")')).toBe('1 (looked for Thanks)');
    expect(placement.sessions.size).toBe(1);
    expect(await client.go('continue')).toBe('terminated');
    expect(placement.sessions.size).toBe(0);
  });

  it('restarts with the current version of the task', async () => {
    const { client, file, task, placement } = await shop();
    await client.begin({ task }, { file, breakpoints: [{ line: 8 }] });
    await writeFile(file, SHOP.replace('Thank you', 'Thanks'));
    const stop = client.next();
    await client.restartRequest({});
    expect(await stop).toMatchObject({
      reason: 'breakpoint',
      stack: ['page_contains("Thanks")', ...Array(2).fill(expect.anything())],
    });
    expect(placement.methods.filter((method) => method === 'session.open')).toHaveLength(2);
    expect(placement.sessions.size).toBe(1);
  });

  it('leaves nothing behind when the client disconnects while stopped', async () => {
    const { client, file, task, placement } = await shop();
    await client.begin({ task }, { file, breakpoints: [{ line: 8 }] });
    expect(await client.close()).toBe(0);
    expect(placement.sessions.size).toBe(0);
    expect(placement.released).toBe(1);
  });

  it('stops immediately on request, and the run is recorded as cancelled', async () => {
    const { client, file, task } = await shop();
    await client.begin({ task }, { file, breakpoints: [{ line: 8 }] });
    const over = client.next();
    await client.terminateRequest();
    expect(await over).toBe('terminated');
    expect(client.terminations).toBe(1);
    expect(await client.said()).toContain('cancelled, reward');
  });

  it('does not stop without debugging', async () => {
    const { client, file, task } = await shop();
    expect(await client.begin({ task, noDebug: true }, { file, breakpoints: [{ line: 8 }] })).toBe('terminated');
  });

  it('ends if the task no longer exists on restart', async () => {
    const { client, file, task } = await shop();
    await client.begin({ task }, { file, breakpoints: [{ line: 8 }] });
    await writeFile(file, '[]');
    const over = client.next();
    await expect(client.restartRequest({})).rejects.toThrow('matches no task');
    expect(await over).toBe('terminated');
  });

  it('reports why a configuration cannot be launched', async () => {
    const { client, cwd, file } = await shop();
    const refused = async (launch: Record<string, unknown>) =>
      await client.launchRequest(launch as object).then(
        () => 'launched',
        (error: Error) => error.message,
      );
    expect(await refused({})).toContain('Specify either "task"');
    expect(await refused({ task: `${file}#shpo` })).toContain('There is no task “shpo”');
    expect(await refused({ task: `${cwd}/other.json` })).toContain('File or folder not found');
    expect(await refused({ run: cwd })).toContain('does not exist');
    await expect(client.attachRequest({})).rejects.toThrow('Attach is not supported');
  });
});
