import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/json.ts';
import { readSignatures, type UserSignature } from '../../../src/functions/user/names.ts';
import { readBody } from '../../../src/serving/http/body.ts';
import { check, resetSchema } from '../../../src/serving/http/requests.ts';
import { ServedTasks } from '../../../src/serving/tasks.ts';
import { readTasks } from '../../../src/tasks/read.ts';

const NO_FUNCTIONS: ReadonlyMap<string, UserSignature> = new Map();
const SECRET = 'the-answer';
const ROWS = ['a', 'b', 'c', 'd', 'e'].map((id) => ({
  id,
  prompt: `Question ${id}`,
  gym: 'qa',
  tags: ['easy'],
  metadata: { note: SECRET, ...(id === 'e' ? { split: 'test' } : {}) },
  evaluate: ['response_is', SECRET],
}));

function serve(rows: readonly Json[], seed = 0, { own = NO_FUNCTIONS, trustsClients = false } = {}): ServedTasks {
  const file = readTasks('/tasks/some.tasks.json', JSON.stringify(rows));
  const all = file.rows.map((row) => ({ file, row, userFunctions: NO_FUNCTIONS }));
  return new ServedTasks({ cwd: '/tasks', load: async () => all, beside: async () => own }, seed, trustsClients);
}

const nameOf = async (tasks: ServedTasks, args: { readonly [key: string]: Json }): Promise<string> =>
  (await tasks.choose(args)).name;

describe('Served tasks', () => {
  it('are listed without evaluate calls, metadata, and solutions', async () => {
    const tasks = serve(ROWS);
    expect(await tasks.splits()).toEqual(['train', 'test']);
    expect((await tasks.summaries('train')).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
    const [last] = await tasks.summaries('test');
    expect(last).toEqual({
      id: 'e',
      split: 'test',
      index: 0,
      prompt: 'Question e',
      environment: 'qa',
      tags: ['easy'],
      max_steps: null,
    });
    expect(JSON.stringify([await tasks.summaries('train'), last])).not.toContain(SECRET);
  });

  it('are named by id, by address, by split and index, by what the list told, or by an object', async () => {
    const tasks = serve(ROWS);
    expect(await nameOf(tasks, { task: 'b' })).toBe('b');
    expect(await nameOf(tasks, { task: 'some.tasks.json#2' })).toBe('c');
    expect(await nameOf(tasks, { task: '/tasks/some.tasks.json#d' })).toBe('d');
    expect(await nameOf(tasks, { split: 'train', index: 1 })).toBe('b');
    expect(await nameOf(tasks, { split: 'test', index: 0 })).toBe('e');
    const [summary] = await tasks.summaries('train');
    expect(await nameOf(tasks, { task: summary ?? null })).toBe('a');
    const { task } = await tasks.choose({
      task: { id: 'new', prompt: 'p', gym: 'qa', evaluate: ['response_is', 'x'] },
    });
    expect(task).toMatchObject({ id: 'new', file: '/tasks/reset.task.json', env: { type: 'qa' } });
  });

  it.each<[string, JsonObject]>([
    ['a question', { gym: 'qa', evaluate: ['response_is', 'x'] }],
    ['a page', { gym: 'hud-browser', setup: ['goto', 'https://shop.example'], evaluate: ['page_contains', 'x'] }],
    ['HTML', { gym: 'hud-browser', setup: ['load_html_content', '<p>x</p>'], evaluate: ['page_contains', 'x'] }],
    ['a benchmark', { gym: { type: 'browsergym', benchmark: 'miniwob', task_name: 'click-test' } }],
  ])('that a client defines are data, such as %s', async (_what, task) => {
    const chosen = await serve(ROWS).choose({ task: { id: 'new', prompt: 'p', ...task } });
    expect(chosen.name).toBe('new');
  });

  it.each<[string, JsonObject]>([
    ['commands in a folder', { gym: { type: 'coding' }, setup: ['run_command', 'id'], evaluate: ['file_exists', 'x'] }],
    ['a repository', { gym: { type: 'coding', git: 'file:///tmp/x' }, evaluate: ['file_exists', 'x'] }],
    ['MCP servers', { mcp_config: { x: { command: 'sh', args: ['-c', 'id'] } }, evaluate_tool: { name: 'x' } }],
    ['a desktop', { gym: 'hud-ubuntu', evaluate: ['file_exists', 'x'] }],
    ['an image', { gym: { type: 'public', image_or_build_context: 'x' }, evaluate: ['x'] }],
    ['an OpenEnv server', { gym: { type: 'openenv', image: 'x' } }],
    ['a HUD environment', { env: 'letter-count', id: 'count', args: { word: 'strawberry' }, prompt: null }],
    ['a task in code', { gym: { type: 'browsergym', benchmark: 'custom', task_name: 'x' } }],
    ['functions beside the tasks', { gym: 'qa', evaluate: ['judged', 'x'] }],
    [
      'functions beside the tasks, in others',
      {
        gym: 'qa',
        evaluate: [
          ['response_is', 'x'],
          ['judged', 'x'],
        ],
      },
    ],
  ])('that a client defines cannot be more than data unless clients are trusted: %s', async (_what, task) => {
    const signatures = await readSignatures(
      'export function judged(context: unknown, text: string) { return 1; }',
      '/tasks/x.functions.ts',
    );
    const own = new Map(signatures.map((one) => [one.name, one]));
    const choose = (trustsClients: boolean): Promise<unknown> =>
      serve(ROWS, 0, { own, trustsClients }).choose({ task: { id: 'new', prompt: 'p', ...task } });
    await expect(choose(false)).rejects.toMatchObject({
      code: 'bad_argument',
      message: expect.stringContaining('--trust-clients'),
    });
    const outcome = await choose(true).catch((error: Error) => error.message);
    if (typeof outcome === 'string') expect(outcome).not.toContain('--trust-clients');
  });

  it('keep the digits of an object in a request', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = Buffer.from('{"task": {"id": 9007199254740993, "prompt": "p", "gym": "qa", "max_steps": NaN}}');
    const { task } = check(resetSchema, readBody({ body, headers } as FastifyRequest)) as { readonly task: Json };
    const digits = JSON.stringify(task);
    expect(digits).toBe('{"id":9007199254740993,"prompt":"p","gym":"qa","max_steps":null}');
    expect(await nameOf(serve(ROWS), { task })).toBe('9007199254740993');
  });

  it('of a benchmark are named as browsergym_env names them, too', async () => {
    const gym = { type: 'browsergym', benchmark: 'miniwob', task_name: 'click-test' };
    const tasks = serve([...ROWS, { id: 'click', gym }]);
    expect(await nameOf(tasks, { task_name: 'click-test' })).toBe('click');
    expect(await nameOf(tasks, { task: 'click-test' })).toBe('click');
    expect(await nameOf(tasks, { task: 'b', task_name: 'click-test' })).toBe('b');
    await expect(tasks.choose({ task_name: 'click-tes' })).rejects.toThrow('There is no task “click-tes”.');
  });

  it.each([
    [{ task: 'bb' }, 'There is no task “bb”. Did you mean “b”?'],
    [{ task: 5 }, '"task" is the id of a task, or an object.'],
    [{ split: 'train', index: 9 }, 'There is no task 9 in the split “train”. It has 4 tasks.'],
    [{ split: 'zzz' }, 'The split “zzz” has no task that can run.'],
    [{ task: { prompt: 'p', gym: 'nope' } }, 'cannot run: There is no environment of type “nope”'],
  ])('that do not exist are errors: %j', async (args, message) => {
    await expect(serve(ROWS).choose(args)).rejects.toThrow(message);
  });

  it('are listed with an id that names them, even where an id is the index of another', async () => {
    const [first] = ROWS;
    const { id: _, ...withoutId } = first ?? {};
    const tasks = serve([withoutId, { ...first, id: '0', prompt: 'Second' }, { ...first, id: 'c' }]);
    const summaries = await tasks.summaries('train');
    expect(summaries.map(({ id }) => id)).toEqual(['/tasks/some.tasks.json#[0]', '/tasks/some.tasks.json#0', 'c']);
    for (const summary of summaries) {
      expect((await tasks.choose({ task: summary })).task.prompt).toBe(summary['prompt']);
    }
  });

  it('with an id that stands twice are named by their address', async () => {
    const [first] = ROWS;
    await expect(serve([first ?? null, first ?? null]).choose({ task: 'a' })).rejects.toThrow(
      'Several tasks have the id “a”. Name one by its address: /tasks/some.tasks.json#a, /tasks/some.tasks.json#[1].',
    );
    const named = await serve([first ?? null, { ...first, prompt: 'Second' }]).choose({
      task: '/tasks/some.tasks.json#[1]',
    });
    expect(named.task.prompt).toBe('Second');
  });

  it('that no one names come each once before any comes again, in an order of the seed', async () => {
    const order = async (seed: number): Promise<string[]> => {
      const tasks = serve(ROWS, seed);
      const names: string[] = [];
      for (let count = 0; count < 10; count++) names.push(await nameOf(tasks, {}));
      return names;
    };
    const first = await order(1);
    expect(first.slice(0, 5).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(first.slice(5).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await order(1)).toEqual(first);
    expect(await order(2)).not.toEqual(first);
  });
});
