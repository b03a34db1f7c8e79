import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ServerError } from '../../../src/placement/placement.ts';
import { taskwright } from '../cli/command-line.ts';
import { type FakeAnswers, FakePlacement, never, seen, verdict } from '../runs/fake-placement.ts';
import { fileIn, temporaryFolder } from '../runs/tasks.ts';
import { Client } from './client.ts';
import { SHOP } from './shop.ts';

/** A run with one setup call, three actions of which the second fails, and two evaluate calls of which the first is 0. */
async function recorded() {
  const cwd = await temporaryFolder();
  const file = await fileIn(cwd, 'shop.tasks.json', SHOP);
  await fileIn(cwd, 'shop.actions', "click('#a')\nclick('#b')\nresponse('ordered')");
  const placement = new FakePlacement({
    step: (_, count) =>
      seen(`after ${count}`, {
        info: { url: `http://task.localhost/${count}`, title: 'Shop', ...(count === 3 ? { response: 'ordered' } : {}) },
        ...(count === 2 ? { error: { code: 'no_element', message: 'no element matches #b' } } : {}),
      }),
    evaluate: ({ args }) => verdict(args[0] === '/done' ? 1 : 0, `looked for ${args[0]}`),
  });
  const { out } = await taskwright(['run', `${file}#shop`, '--json'], { cwd, placement });
  const run = JSON.parse(out).runs[0].trace_dir as string;
  const fresh = new FakePlacement();
  return { client: new Client({ cwd, placement: fresh }), placement: fresh, cwd, file, run };
}

describe('replaying a run', () => {
  it('steps forward and backward, and shows the state after each step', async () => {
    const { client, run, placement } = await recorded();
    const stops = [await client.begin({ run })];
    for (const how of ['next', 'next', 'next', 'next', 'next', 'stepBack', 'stepBack', 'stepBack'] as const) {
      stops.push(await client.go(how));
    }
    expect(stops.map((stop) => (stop === 'terminated' ? stop : `${stop.reason} ${stop.stack[0]}`))).toEqual([
      'entry goto("shop.html")',
      "step step 1: click('#a')",
      "step step 2: click('#b')",
      "step step 3: response('ordered')",
      'step page_contains("Thank you") → 0',
      'step url_contains("/done") → 1',
      'step page_contains("Thank you") → 0',
      "step step 3: response('ordered')",
      "step step 2: click('#b')",
    ]);
    expect(await client.ask('url')).toBe('"http://task.localhost/2"');
    expect(await client.ask('response')).toBe('null');
    expect(client.events.filter(({ event }) => event === 'taskwright.atStep').map(({ body }) => body.step)).toEqual([
      ...[0, 1, 2, 3, 4, 5, 4, 3, 2],
    ]);
    expect(placement.methods).toEqual([]);
  });

  it('continues to the end and stops there, returns to the start, and ends when continued from the end', async () => {
    const { client, run } = await recorded();
    await client.begin({ run });
    expect(await client.go('continue')).toMatchObject({ at: '9:7-9:54' });
    expect(await client.go('reverseContinue')).toMatchObject({ reason: 'entry', at: '6:14-6:57' });
    await client.go('continue');
    expect(await client.go('continue')).toBe('terminated');
  });

  it('stops at breakpoints on actions and calls and at errors, in both directions', async () => {
    const { client, file, run } = await recorded();
    await client.begin(
      { run },
      { file, breakpoints: [{ line: 9 }], functions: ['response'], filters: ['action-failed'] },
    );
    expect(await client.go('continue')).toMatchObject({ reason: 'exception', text: 'no element matches #b' });
    expect(await client.go('continue')).toMatchObject({ reason: 'function breakpoint' });
    expect(await client.go('continue')).toMatchObject({ reason: 'breakpoint', at: '9:7-9:54' });
    expect(await client.go('reverseContinue')).toMatchObject({ reason: 'function breakpoint' });
    expect(await client.go('reverseContinue')).toMatchObject({ reason: 'exception' });
  });

  it('jumps to a step by its number or by the call in the task file', async () => {
    const { client, file, run } = await recorded();
    await client.begin({ run, step: 2 });
    const { targets } = (await client.gotoTargetsRequest({ source: { path: file }, line: 8 })).body;
    expect(targets).toMatchObject([{ label: 'page_contains', line: 8 }]);
    const there = client.next();
    await client.gotoRequest({ threadId: 1, targetId: targets[0]?.id ?? -1 });
    expect(await there).toMatchObject({ reason: 'goto', at: '8:7-8:59' });
    const back = client.next();
    await client.customRequest('taskwright.goToStep', { step: 1 });
    expect(await back).toMatchObject({ stack: ["step 1: click('#a')", 'shop (shop.tasks.json)'] });
    await expect(client.customRequest('taskwright.goToStep', { step: 99 })).rejects.toThrow('has 0 to 5');
  });

  it('reports what a recording cannot do, and withdraws the capability', async () => {
    const { client, run } = await recorded();
    await client.begin({ run });
    expect(client.events.find(({ event }) => event === 'capabilities')?.body.capabilities).toEqual({
      ...{ supportsRestartFrame: false, supportsSetVariable: false, supportsSetExpression: false },
    });
    await expect(client.restartFrameRequest({ frameId: 1 })).rejects.toThrow('Debug the task live');
    await expect(client.ask('page_contains("x")')).rejects.toThrow('the run has no recorded pages');
    await expect(client.ask('page.title()')).rejects.toThrow(
      'The page is not available: the run has no recorded pages',
    );
    expect(await client.scope('Page')).toMatchObject([
      { name: 'url', value: 'null' },
      { name: 'title' },
      { name: 'cookies and storage', value: expect.stringContaining('the run has no recorded pages') },
    ]);
    await expect(client.ask('goto("x")')).rejects.toThrow('a recorded run cannot be changed');
    await expect(client.ask('mine()', 'watch')).rejects.toThrow('in the debug console');
  });

  it('shows calls at their current positions, and reports missing ones', async () => {
    const { client, file, run } = await recorded();
    const moved = SHOP.replace('    "evaluate": [', '    "max_steps": 5,\n    "evaluate": [').replace(
      '"url_contains"',
      '"cookie_exists"',
    );
    await writeFile(file, moved);
    await client.begin({ run, step: 4 });
    expect(await client.said()).toContain(
      'url_contains is no longer in the task. It is shown at its recorded position.',
    );
    expect((await client.stackTraceRequest({ threadId: 1 })).body.stackFrames[0]).toMatchObject({ line: 9, column: 7 });
  });

  it('shows recorded positions if the task file no longer exists', async () => {
    const { client, file, run } = await recorded();
    await rm(file);
    await client.begin({ run, step: 4 });
    expect(await client.said()).toContain('Calls are shown at their recorded positions');
    expect((await client.stackTraceRequest({ threadId: 1 })).body.stackFrames[0]).toMatchObject({ line: 8 });
  });

  it('rejects a trace of a newer version, and a folder without a trace', async () => {
    const { client, run, cwd, placement } = await recorded();
    const trace = join(run, 'trace.jsonl');
    const [header, ...lines] = (await readFile(trace, 'utf8')).split('\n');
    const newer = { ...(JSON.parse(header ?? '') as object), version: 99 };
    await writeFile(trace, [JSON.stringify(newer), ...lines].join('\n'));
    await expect(client.begin({ run })).rejects.toThrow(/version 99/);
    await writeFile(trace, 'not a trace');
    await expect(new Client({ cwd, placement }).begin({ run })).rejects.toThrow(/trace/);
    await expect(new Client({ cwd, placement }).begin({ run: join(cwd, 'nowhere') })).rejects.toThrow(/nowhere/);
  });

  it('works without screenshots', async () => {
    const { client, run } = await recorded();
    for (const name of await readdir(run)) {
      if (!/\.(?:jsonl?|br)$/.test(name)) await rm(join(run, name), { recursive: true });
    }
    await client.begin({ run });
    expect(await client.go('next')).toMatchObject({ stack: ["step 1: click('#a')", 'shop (shop.tasks.json)'] });
    const namesAt = async (frameId: number) =>
      (await client.scopesRequest({ frameId })).body.scopes.map(({ name }) => name);
    // The action is in the file that was replayed.
    expect([(await namesAt(1))[0], (await namesAt(2))[0]]).toEqual(['Action', 'State']);
    expect((await client.scope('State')).find(({ name }) => name === 'observation')?.value).toContain('after 1');
  });

  it('shows calls at their current positions after lines and calls were added', async () => {
    const { client, file, run } = await recorded();
    const added = '    "evaluate": [\n      {"function": "element_exists", "args": ["h1"]},';
    await writeFile(file, `\n\n${SHOP.replace('    "evaluate": [', added)}`);
    await client.begin({ run, step: 5 });
    expect(await client.said()).toBe('');
    expect((await client.stackTraceRequest({ threadId: 1 })).body.stackFrames[0]).toMatchObject({
      line: 12,
      column: 7,
    });
  });

  it('reads a trace with an incomplete last line', async () => {
    const { client, run } = await recorded();
    await rm(join(run, 'run.json'));
    await appendFile(join(run, 'trace.jsonl'), '{"index": 6, "sou');
    await client.begin({ run });
    expect(await client.go('continue')).toMatchObject({ at: '9:7-9:54' });
  });
});

describe('a recorded run that can be evaluated', () => {
  const QUIZ = `{
  "id": "quiz",
  "prompt": "6 x 7?",
  "gym": "hud-browser",
  "setup": ["goto", "quiz.html"],
  "evaluate": [
    ["response_is", "42"],
    ["response_includes", "4"]
  ]
}
`;

  /** Responses 1, 24, 42 and nothing more: the first call turns at the third, the second one at the second. */
  async function quiz(of: FakeAnswers = {}) {
    const cwd = await temporaryFolder();
    const file = await fileIn(cwd, 'quiz.task.json', QUIZ);
    await fileIn(cwd, 'quiz.actions', "response('1')\nresponse('24')\nresponse('42')\nnoop()");
    const responses = ['1', '24', '42'];
    const placement = new FakePlacement({
      step: (_, count) => {
        const response = responses[count - 1];
        return seen(`after ${count}`, response === undefined ? {} : { info: { response } });
      },
    });
    const { out } = await taskwright(['run', `${file}#quiz`, '--json'], { cwd, placement });
    const run = JSON.parse(out).runs[0].trace_dir as string;
    let response: string | null = null;
    const judging = new FakePlacement({
      restore: (asked) => {
        response = asked.response;
        return [];
      },
      evaluate: ({ function: name, args }) =>
        verdict(
          name === 'response_is' ? Number(response === args[0]) : Number(response?.includes(String(args[0])) ?? 0),
        ),
      ...of,
    });
    return { client: new Client({ cwd, placement: judging }), judging, file, run };
  }

  it('stops at an evaluate call where its value changes, in both directions', async () => {
    const { client, file, run } = await quiz();
    await client.begin({ run }, { file, breakpoints: [{ line: 7 }] });
    expect(await client.go('continue')).toMatchObject({
      reason: 'breakpoint',
      text: '0 → 1 at step 3',
      at: '7:5-7:26',
      stack: ['response_is("42") → 1', "step 3: response('42')", expect.any(String)],
    });
    expect(await client.ask('response_is("42")')).toBe('1 (because)');
    expect(await client.ask('value')).toBe('1');
    expect(await client.said()).toContain('response_is("42"): 0 → 1 at step 3');
    expect(await client.go('continue')).toMatchObject({ reason: 'step', at: '8:5-8:31' });
    expect(await client.go('reverseContinue')).toMatchObject({
      reason: 'breakpoint',
      text: '0 → 1 at step 3',
      stack: ['response_is("42") → 0', "step 2: response('24')", expect.any(String)],
    });
    expect(await client.ask('response_is("42")')).toBe('0 (because)');
  });

  it('can be paused and moved while it searches for a stop', async () => {
    const { client, file, run } = await quiz({ evaluate: never });
    await client.begin({ run }, { file, breakpoints: [{ line: 7 }] });
    const paused = client.next();
    await client.continueRequest({ threadId: 1 });
    await client.pauseRequest({ threadId: 1 });
    expect(await paused).toMatchObject({ reason: 'pause', stack: ['goto("quiz.html")', expect.any(String)] });
    const there = client.next();
    await client.continueRequest({ threadId: 1 });
    await client.customRequest('taskwright.goToStep', { step: 2 });
    expect(await there).toMatchObject({ reason: 'goto', stack: ["step 2: response('24')", expect.any(String)] });
  });

  it('stays at its step with a reason if no environment is available', async () => {
    const open = () => Promise.reject(new ServerError('browser_missing', 'There is no browser.'));
    const { client, file, run } = await quiz({ open });
    await client.begin({ run }, { file, breakpoints: [{ line: 7 }] });
    expect(await client.go('continue')).toMatchObject({ reason: 'pause' });
    expect(await client.said()).toContain('The recorded pages cannot be evaluated: There is no browser.');
  });

  it('leaves nothing behind', async () => {
    const { client, judging, run } = await quiz();
    await client.begin({ run });
    await client.ask('response_is("42")');
    expect(judging.sessions.size).toBe(1);
    await client.close();
    expect(judging.sessions.size).toBe(0);
    expect(judging.released).toBe(1);
  });
});
