import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ActionInput } from '../../../../src/actions/action.ts';
import type { Json } from '../../../../src/base/json.ts';
import { forController } from '../../../../src/environments/custom/actions.ts';
import { type Controller, ControllerError } from '../../../../src/environments/custom/controller.ts';
import { CustomEnvironment } from '../../../../src/environments/custom/environment.ts';
import { refusedKeys, safeHostConfig } from '../../../../src/environments/custom/host-config.ts';
import { Conversation, type Invocation } from '../../../../src/environments/custom/invocation.ts';
import { readReply } from '../../../../src/environments/custom/observation.ts';
import { readCustom } from '../../../../src/environments/custom/spec.ts';
import { readVerdict } from '../../../../src/environments/custom/verdict.ts';
import type { EnvironmentSpec } from '../../../../src/tasks/task.ts';
import { call, task } from '../../runs/tasks.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('the environment of a task', () => {
  it.each<[string, object, object]>([
    ['a path is a folder', { image_or_build_context: './controller' }, { context: './controller', image: null }],
    ['and so is one above', { image_or_build_context: '../shared/x' }, { context: '../shared/x', image: null }],
    ['any other text is an image', { image_or_build_context: 'org/x:1' }, { context: null, image: 'org/x:1' }],
    ['as in a task set', { type: 'docker', image_uri: 'org/x:1' }, { context: null, image: 'org/x:1' }],
    [
      'up to 0.2.4 a folder',
      { controller_source_dir: 'c', dockerfile: 'FROM x' },
      { context: 'c', dockerfile: 'FROM x' },
    ],
  ])('%s', (_, spec, expected) => {
    expect(readCustom({ type: 'public', location: 'local', ...spec } as EnvironmentSpec)).toMatchObject(expected);
  });

  it('its host_config is passed on if it limits, and rejected if it grants access to the machine', () => {
    const config = {
      Memory: 1,
      ShmSize: 2,
      Privileged: true,
      Binds: ['/:/m'],
      NetworkMode: 'container:x',
      Odd: 1,
      CapAdd: [],
    };
    expect(refusedKeys(config).map(({ key, leftOut }) => [key, leftOut])).toEqual([
      ['Privileged', false],
      ['Binds', false],
      ['NetworkMode', false],
      ['Odd', true],
    ]);
    expect(safeHostConfig(config)).toEqual({ Memory: 1, ShmSize: 2 });
    const off = {
      Privileged: false,
      PublishAllPorts: true,
      SecurityOpt: ['no-new-privileges:true'],
      NetworkMode: 'none',
    };
    expect(refusedKeys(off)).toEqual([]);
    expect(refusedKeys({ SecurityOpt: ['seccomp=unconfined'] })).toHaveLength(1);
  });
});

describe('the actions that a controller is called with', async () => {
  const vectors = (await readFile(join(import.meta.dirname, '../../../fixtures/hud/cla-actions-0.2.10.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { hud: string; in: ActionInput; out?: Json })
    .filter(({ hud, in: given, out }) => hud === '0.2.10' && out !== undefined && typeof given === 'object');

  it.each(vectors)('$in is dumped as HUD does', ({ in: given, out }) => {
    expect(forController([given], undefined, null).objects).toEqual([out]);
  });

  it('strings are CLA where CLA has a word for them, else custom actions', () => {
    const { objects } = forController(['mouse_click(3, 4)', "click('#buy')"], undefined, null);
    expect(objects).toMatchObject([
      { type: 'click', point: { x: 3, y: 4 }, button: 'left', pattern: null },
      { type: 'custom', action: "click('#buy')", args: null },
    ]);
  });

  it('are those before the first that cannot be read', () => {
    const { objects, failure } = forController(['noop(5)', 'frobnicate()', 'noop(6)'], undefined, null);
    expect(objects).toMatchObject([{ type: 'wait', time: 5 }]);
    expect(failure).toMatchObject({ code: 'unknown_action', input: 'frobnicate()' });
  });

  it('are scaled to the size of the screenshot, rounded down to whole pixels', () => {
    const [screen, picture] = [
      { width: 400, height: 100 },
      { width: 100, height: 50 },
    ];
    const given = [
      { type: 'click', point: { x: 399, y: 99 } },
      { type: 'drag', path: [{ x: 4, y: 2 }] },
      { type: 'move', point: null, offset: { x: 8, y: 8 } },
    ];
    expect(forController(given, screen, picture).objects).toMatchObject([
      { point: { x: 99, y: 49 } },
      { path: [{ x: 1, y: 1 }] },
      { offset: { x: 8, y: 8 } },
    ]);
  });
});

describe('the call that a controller is sent', () => {
  it('has numbers as they are written in the task', () => {
    const { request } = new Conversation({
      function: 'a.f',
      args: [1, { b: 2 ** 53 }],
      numbers: { '/0': '1.0', '/1/b': '9007199254740993' },
    });
    expect(request).toMatch(
      /^\{"divider":"[0-9a-f-]+","function":"a\.f","args":\[1\.0,\{"b":9007199254740993\}\]\}\n$/,
    );
  });
});

describe("what a controller's step answers", () => {
  it('is text and picture, with its size', () => {
    const { observation, info } = readReply({ observation: { screenshot: PIXEL, text: 'x' }, info: { n: 1 } });
    expect(observation).toMatchObject({ text: 'x', screenshot: { type: 'png', width: 1, height: 1 } });
    expect(info).toEqual({ n: 1 });
  });

  it.each<[Json, string | null]>([
    [{ score: 3 }, '{\n  "score": 3\n}'],
    ['plain', 'plain'],
    [null, null],
    [{ observation: { text: 'y' } }, 'y'],
  ])('%j is shown as text', (reply, text) => {
    expect(readReply(reply).observation).toEqual({ text, screenshot: null });
  });
});

describe("what a controller's evaluate answers", () => {
  it.each<[Json, object]>([
    [1, { value: 1, reason: 'returned 1' }],
    [false, { value: 0, reason: 'returned false' }],
    [
      { score: 0.5, reason: 'half' },
      { value: 0.5, reason: 'half' },
    ],
    [{ reward: 1, score: 0 }, { value: 1 }],
    [
      { score: 1, criteria_scores: { size: 1, colour: 0 } },
      { parts: [{ name: 'size' }, { name: 'colour', value: 0 }] },
    ],
    [null, { error: { code: 'call_returned_nothing' } }],
    ['1.0', { error: { code: 'call_out_of_range', message: expect.stringContaining('"1.0"') } }],
    [{ reason: 'no score' }, { error: { code: 'call_out_of_range' } }],
    [Number.NaN, { error: { code: 'call_out_of_range', message: expect.stringContaining('NaN') } }],
    [1.5, { error: { code: 'call_out_of_range' } }],
  ])('%j', (result, expected) => {
    expect(readVerdict('f', result)).toMatchObject(expected);
  });
});

describe('a custom environment', () => {
  const env = { type: 'public', location: 'local', image_or_build_context: './c' };
  const startEnvironment = async (
    answers: Record<string, Json | Error>,
    of: Partial<Parameters<typeof task>[0]> = {},
  ) => {
    const invocations: Invocation[] = [];
    const controller: Controller = {
      invoke: async (invocation) => {
        invocations.push(invocation);
        const { function: name } = invocation;
        const result = answers[name];
        if (result instanceof Error) throw result;
        if (result !== undefined) return { result, output: '' };
        return { message: 'ImportError', place: null, trace: '', missing: true, output: '' };
      },
      ownPath: (path) => path,
      close: async () => undefined,
    };
    const environment = new CustomEnvironment(
      async () => controller,
      () => undefined,
    );
    const options = { task: task({ env, ...of }), files: { folder: '/tasks' }, seed: 0 };
    return {
      environment,
      invocations,
      reset: await environment.reset(options),
      signal: new AbortController().signal,
    };
  };

  it('without a step is answered, and nothing else', async () => {
    const { environment, reset } = await startEnvironment({});
    expect(reset.observation).toEqual({ text: null, screenshot: null });
    expect(await environment.step([{ type: 'response', text: 'Paris' }])).toMatchObject({
      error: null,
      info: { response: 'Paris' },
    });
    expect(await environment.step(['mouse_click(1, 1)'])).toMatchObject({
      error: { message: expect.stringContaining('no function `step`') },
    });
  });

  it('whose first observation fails does not start', async () => {
    const { environment } = await startEnvironment({ step: { observation: { text: 'a' } } });
    expect(await environment.step(['noop()'])).toMatchObject({ error: null, observation: { text: 'a' } });
    const failing = new ControllerError('it ended itself');
    await expect(startEnvironment({ step: failing })).rejects.toMatchObject({ code: 'environment_failed' });
  });

  it('that is remote is given the response by the functions of responses alone, as HUD does', async () => {
    const evaluate = [call('response_is', ['Paris'])];
    const remote = { ...env, location: 'remote' };
    const { environment, invocations, signal } = await startEnvironment({ response_is: 1 }, { env: remote, evaluate });
    await environment.call(evaluate[0] as never, 'evaluate', { response: 'Rome', signal });
    expect(invocations.at(-1)).toEqual({ function: 'response_is', args: ['Paris', 'Rome'] });
    await environment.call(evaluate[0] as never, 'evaluate', { response: '', signal });
    expect(invocations.at(-1)).toEqual({ function: 'response_is', args: ['Paris'] });
    const here = await startEnvironment({ response_is: 1 }, { env, evaluate });
    await here.environment.call(evaluate[0] as never, 'evaluate', { response: 'Rome', signal });
    expect(here.invocations.at(-1)).toEqual({ function: 'response_is', args: ['Paris'] });
  });

  it('reports its live URL, and cannot be restored from a recording', async () => {
    const { environment } = await startEnvironment({ get_urls: { url: 'http://x', live_url: null } });
    expect(await environment.urls()).toEqual({ url: 'http://x', live_url: null });
    expect('restore' in environment).toBe(false);
  });
});
