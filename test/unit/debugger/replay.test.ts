import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Breakpoints } from '../../../src/debugger/breakpoints.ts';
import type { DebuggeeEvents, Stop } from '../../../src/debugger/debuggee.ts';
import { callAt } from '../../../src/debugger/places.ts';
import { Replay } from '../../../src/debugger/replay.ts';
import { openRun } from '../../../src/runs/store.ts';
import { loadTaskFile } from '../../../src/tasks/discover.ts';
import { taskwright } from '../cli/command-line.ts';
import { FakePlacement, seen, verdict } from '../runs/fake-placement.ts';
import { fileIn, temporaryFolder } from '../runs/tasks.ts';
import { Client } from './client.ts';

const SHOP = `[
  {
    "id": "shop",
    "prompt": "Place the order.",
    "gym": "hud-browser",
    "setup": {"function": "goto", "args": ["shop.html"]},
    "evaluate": [
      {"function": "page_contains", "args": ["Thank you"]},
      {"function": "url_contains", "args": ["/done"]}
    ]
  }
]
`;

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

describe('a person who looks back at a run', () => {
  it('steps along it, forwards and backwards, and sees the state after each step', async () => {
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

  it('goes on to the end and stands there, goes back to the start, and ends where it goes on from the end', async () => {
    const { client, run } = await recorded();
    await client.begin({ run });
    expect(await client.go('continue')).toMatchObject({ at: '9:7-9:54' });
    expect(await client.go('reverseContinue')).toMatchObject({ reason: 'entry', at: '6:14-6:57' });
    await client.go('continue');
    expect(await client.go('continue')).toBe('terminated');
  });

  it('is stopped by breakpoints on actions and calls and by what went wrong, in both directions', async () => {
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

  it('jumps to a step, by its number or by the call of the task file', async () => {
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

  it('says what a recording cannot do, and takes the capability back', async () => {
    const { client, run } = await recorded();
    await client.begin({ run });
    expect(client.events.find(({ event }) => event === 'capabilities')?.body.capabilities).toEqual({
      ...{ supportsRestartFrame: false, supportsSetVariable: false, supportsSetExpression: false },
    });
    await expect(client.restartFrameRequest({ frameId: 1 })).rejects.toThrow('debug the task live');
    await expect(client.ask('page_contains("x")')).rejects.toThrow('cannot be asked of a recording');
  });

  it('finds calls where the file has them now, and says which it does not find', async () => {
    const { client, file, run } = await recorded();
    const moved = SHOP.replace('    "evaluate": [', '    "max_steps": 5,\n    "evaluate": [').replace(
      '"url_contains"',
      '"cookie_exists"',
    );
    await writeFile(file, moved);
    await client.begin({ run, step: 4 });
    expect(await client.said()).toContain('url_contains, as it was when this ran, is not in the task any more');
    expect((await client.stackTraceRequest({ threadId: 1 })).body.stackFrames[0]).toMatchObject({ line: 9, column: 7 });
  });

  it('is shown where it was when the task file is gone', async () => {
    const { client, file, run } = await recorded();
    await rm(file);
    await client.begin({ run, step: 4 });
    expect(await client.said()).toContain('calls are shown where they were when the task ran');
    expect((await client.stackTraceRequest({ threadId: 1 })).body.stackFrames[0]).toMatchObject({ line: 8 });
  });

  it('can look at a trace that was cut off in the middle of a line', async () => {
    const { client, run } = await recorded();
    await rm(join(run, 'run.json'));
    await appendFile(join(run, 'trace.jsonl'), '{"index": 6, "sou');
    await client.begin({ run });
    expect(await client.go('continue')).toMatchObject({ at: '9:7-9:54' });
  });
});

describe('a recording whose values are known at each step', () => {
  it('stops at an evaluate call where its value changes, in both directions', async () => {
    const { file, run } = await recorded();
    const breakpoints = new Breakpoints();
    const taskFile = await loadTaskFile(file);
    const place = callAt(taskFile, 7, null);
    if (place === undefined) throw new Error('no call there');
    breakpoints.setCalls(file, [{ id: 5, file, place, hits: 0 }]);
    const stops: Stop[] = [];
    let heard = (): void => {};
    const events: DebuggeeEvents = {
      stopped: (stop) => {
        stops.push(stop);
        heard();
      },
      output: () => {},
      ended: () => {},
    };
    const values = [
      [0, 0],
      [0, 0],
      [1, 0],
      [1, 0],
      [1, 1],
      [1, 1],
    ];
    const host = { cwd: '/', read: loadTaskFile, find: never, run: never };
    const replay = await Replay.open(host, { run: await openRun(run), breakpoints, values }, events);
    const go = async (how: 'continue' | 'reverse'): Promise<number> => {
      const stood = new Promise<void>((resolve) => {
        heard = resolve;
      });
      replay.resume(how);
      await stood;
      return replay.at;
    };
    replay.start();
    expect(await go('continue')).toBe(2);
    expect(stops.at(-1)).toMatchObject({ reason: 'breakpoint', breakpoints: [5] });
    expect(await go('continue')).toBe(5);
    expect(stops.at(-1)?.reason).toBe('step');
    expect(await go('reverse')).toBe(1);
  });
});

function never(): never {
  throw new Error('A replay runs nothing.');
}
