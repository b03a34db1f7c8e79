import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json.ts';
import { Lines } from '../../../../src/base/lines.ts';
import { actionsAt } from '../../../../src/language/actions/actions.ts';
import { diagnose } from '../../../../src/language/findings/diagnose.ts';
import { prepareToRead, readTasks } from '../../../../src/tasks/read.ts';
import { applyEdits } from '../../tasks/changes.ts';

beforeAll(() => prepareToRead('/a.py'));

/** Everything that is offered at the first place of a word. */
function offered(file: string, text: string, word: string) {
  const position = new Lines(text).position(text.indexOf(word));
  return actionsAt(readTasks(file, text), position, () => text);
}

function titles(file: string, text: string, word: string, kind: string): string[] {
  return offered(file, text, word)
    .filter((action) => action.kind === kind)
    .map(({ title, refusal: refused }) => (refused === undefined ? title : `not: ${title}`));
}

/** The text after an action, by the words of a menu. */
function done(file: string, text: string, word: string, title: string): string {
  const action = offered(file, text, word).find((each) => each.title === title);
  expect(action?.refusal).toBeUndefined();
  return applyEdits(text, action?.edits());
}

function notes(task: Json, title: string): readonly string[] {
  return offered('/a.task.json', JSON.stringify(task), '"').find((each) => each.title === title)?.notes ?? [];
}

function convert(task: Json, era: string): unknown {
  return JSON.parse(done('/a.task.json', JSON.stringify(task), '"', `Convert to ${era}`));
}

function refusalOf(task: Json, era: string): string | undefined {
  return offered('/a.task.json', JSON.stringify(task), '"').find(({ title }) => title === `Convert to ${era}`)?.refusal;
}

const RFC = 'OpenEnv’s Generic Task Support';

describe('rewriting the form of a call', () => {
  const json = `{
  "id": "a",
  "evaluate": ["page_contains", "x"], "prompt": "p"
}`;

  it('works in JSON and changes nothing else', () => {
    expect(titles('/a.task.json', json, 'x', 'call')).toEqual([
      'Write the call as an object',
      'Write the call as an object in a list',
    ]);
    const object = done('/a.task.json', json, 'evaluate', 'Write the call as an object');
    expect(object).toBe(json.replace('["page_contains", "x"]', '{ "function": "page_contains", "args": ["x"] }'));
    expect(done('/a.task.json', object, 'function', 'Write the call as a list')).toBe(json);
    expect(titles('/a.task.json', json, 'id', 'call')).toEqual([]);
  });

  it('in YAML', () => {
    const yaml = 'prompt: p # why\nevaluate: browser.done\n';
    const list = done('/a.task.yaml', yaml, 'browser', 'Write the call as an object in a list');
    expect(list.startsWith('prompt: p # why\nevaluate:')).toBe(true);
    expect(readTasks('/a.task.yaml', list).rows[0]?.value).toEqual({
      prompt: 'p',
      evaluate: [{ function: 'browser.done', args: [] }],
    });
    expect(done('/a.task.yaml', list, 'evaluate', 'Write the call as its name only')).toBe(yaml);
  });

  it('works in Python, where a list of tuples is several calls', () => {
    const python = 'from hud import Task\nt = Task(prompt="p", setup=[("goto", "u"), ("click", "#x")])\n';
    const objects = done('/tasks.py', python, 'goto', 'Write each call as an object');
    expect(readTasks('/tasks.py', objects).rows[0]?.value).toMatchObject({
      setup: [
        { function: 'goto', args: ['u'] },
        { function: 'click', args: ['#x'] },
      ],
    });
    expect(done('/tasks.py', objects, 'goto', 'Write each call as a tuple')).toBe(python);
  });

  it('is not offered if it would lose something', () => {
    const weighed = '{"prompt": "p", "evaluate": {"function": "f", "args": [], "metadata": {"weight": 2}}}';
    expect(titles('/a.task.json', weighed, 'weight', 'call')).toEqual(['Write the call as an object in a list']);
    const nested = '{"prompt": "p", "evaluate": {"function": "f", "args": [[["x"]]]}}';
    expect(titles('/a.task.json', nested, 'evaluate', 'call')).toEqual(['Write the call as an object in a list']);
    const broken = '{"prompt": "p", "evaluate": [{"function": "f", "args": []}, 5]}';
    expect(titles('/a.task.json', broken, 'evaluate', 'call')).toEqual([]);
  });

  it('always keeps the meaning', () => {
    const call = fc.oneof(
      fc.constantFrom<Json>('f', 'a.b'),
      fc.tuple(fc.constant('f'), fc.constantFrom<Json>('x', 1, ['a', 'b'], { a: 1 })).map((list): Json => list),
      fc.record({
        function: fc.constant('f'),
        args: fc.constantFrom<Json>([], ['x'], 'x', [[['x']]]),
        metadata: fc.constantFrom<Json>(null, { weight: 2 }),
      }),
    );
    const value = fc.oneof(call, fc.array(call, { maxLength: 3 }));
    fc.assert(
      fc.property(value, fc.constantFrom('/a.task.json', '/a.tasks.jsonl'), (evaluate, file) => {
        const text = JSON.stringify({ prompt: 'p', evaluate });
        const meant = (of: string): unknown =>
          readTasks(file, of).rows[0]?.task?.evaluate.map(({ function: name, args, metadata }) => [
            name,
            args,
            metadata ?? null,
          ]);
        for (const action of offered(file, text, 'evaluate')) {
          if (action.kind === 'call') expect(meant(applyEdits(text, action.edits()))).toEqual(meant(text));
        }
      }),
    );
  });
});

describe('adding what a task lacks', () => {
  it('adds a unique id, derived from the prompt', () => {
    const text = '[{"id": "buy-the-red-bag"}, {"prompt": "Buy the red bag. Then pay, please!"}, {"prompt": "?"}]';
    const now = done('/a.tasks.json', text, 'Buy', 'Add an ID');
    expect(now).toBe(text.replace('please!"', 'please!", "id": "buy-the-red-bag-then"'));
    const twice = '[{"id": "buy"}, {"prompt": "Buy!"}, {"prompt": "?"}]';
    expect(readTasks('/a.tasks.json', done('/a.tasks.json', twice, 'Buy!', 'Add an ID')).rows[1]?.id).toBe('buy-2');
    expect(readTasks('/a.tasks.json', done('/a.tasks.json', twice, '?', 'Add an ID')).rows[2]?.id).toBe('task');
    expect(titles('/a.tasks.json', text, 'red-bag', 'add')).not.toContain('Add an ID');
  });

  it('adds an evaluate call that fits the environment', () => {
    const page = 'prompt: p\ngym: hud-browser\n';
    expect(done('/a.task.yaml', page, 'prompt', 'Add an evaluate call: page_contains')).toContain('page_contains');
    const question = '{"id": "a", "prompt": "p", "gym": "qa"}\n';
    const [add] = offered('/a.tasks.jsonl', question, 'prompt').filter(({ kind }) => kind === 'add');
    expect(add?.title).toBe('Add an evaluate call: response_includes');
    const now = applyEdits(question, add?.edits());
    expect(now).toContain(String(add?.placeholder));
    expect(diagnose(readTasks('/a.tasks.jsonl', now), new Map())).toEqual([]);
    const has = '{"id": "a", "prompt": "p", "evaluate": "x"}';
    expect(titles('/a.task.json', has, 'prompt', 'add')).toEqual([]);
  });
});

describe('converting a task to another era', () => {
  it("from OpenEnv's proposal to HUD 0.2", () => {
    const task = { instruction: 'Buy', start_url: 'shop.html', reward_function: "check_url_contains('done')" };
    expect(convert(task, 'HUD 0.2')).toEqual({
      prompt: 'Buy',
      gym: 'hud-browser',
      setup: ['goto', 'shop.html'],
      evaluate: ['url_contains', 'done'],
    });
    expect(notes(task, 'Convert to HUD 0.2')).toEqual([]);
    const state = { ...task, local_storage: { cart: '3' }, max_steps: 5, tags: ['x'] };
    expect(convert(state, 'HUD 0.2')).toMatchObject({
      setup: [
        { function: 'goto', args: ['shop.html'] },
        { function: 'set_local_storage', args: [{ cart: '3' }] },
        { function: 'goto', args: ['shop.html'] },
      ],
      metadata: { tags: ['x'] },
      max_steps: 5,
    });
    expect(notes(state, 'Convert to HUD 0.2')).toHaveLength(2);
    expect(refusalOf({ instruction: 'x', reward_fn: 'lambda: 1' }, 'HUD 0.2')).toContain('*.functions.ts');
  });

  it("from HUD 0.2 to OpenEnv's proposal and back", () => {
    const task = {
      id: 'a',
      prompt: 'Buy',
      gym: 'hud-browser',
      setup: ['goto', 'shop.html'],
      evaluate: { function: 'page_contains', args: [['a', 'b']] },
    };
    const there = convert(task, RFC) as Json;
    expect(there).toEqual({
      id: 'a',
      instruction: 'Buy',
      start_url: 'shop.html',
      reward_function: 'page_contains(["a","b"])',
    });
    expect(convert(there, 'HUD 0.2')).toEqual({
      ...task,
      evaluate: [{ function: 'page_contains', args: [['a', 'b']] }],
    });
    expect(convert({ prompt: 'Buy', gym: 'hud-browser', target: 'Done' }, RFC)).toEqual({
      instruction: 'Buy',
      reward_function: 'response_includes("Done")',
    });
    const more = { ...task, system_prompt: 's', config: {}, metadata: { k: 1 } };
    expect(convert(more, RFC)).toMatchObject({ metadata: { k: 1, system_prompt: 's' } });
    expect(notes(more, `Convert to ${RFC}`)).toEqual([
      '“system_prompt” is moved to metadata.system_prompt: the format does not support it',
    ]);
  });

  it('reports what cannot be converted', () => {
    const task = { prompt: 'p', gym: 'hud-browser' };
    expect(refusalOf({ ...task, gym: 'qa' }, RFC)).toContain('“qa”');
    expect(refusalOf({ ...task, setup: ['click', '#x'] }, RFC)).toContain('“click”');
    expect(refusalOf({ ...task, evaluate: ['x', 'y'].map((name) => ({ function: name, args: [] })) }, RFC)).toContain(
      '2',
    );
    expect(refusalOf({ ...task, evaluate: 5 }, RFC)).toContain('is not readable');
    expect(refusalOf({ prompt: 'p', mcp_config: {} }, 'HUD 0.6')).toContain('template');
  });

  it('from HUD 0.4 to HUD 0.2', () => {
    const task = {
      prompt: 'Increment the counter to reach 3',
      mcp_config: { local: { command: 'docker', args: ['run', '--rm', '-i', '-e', 'A=1', 'blank:latest'] } },
      agent_config: { allowed_tools: ['act'], system_prompt: 's' },
      setup_tool: { name: 'setup', arguments: { name: 'goto', arguments: { url: 'u' } } },
      integration_test_tool: [{ name: 'act', arguments: {} }],
      evaluate_tool: { name: 'evaluate', arguments: { target: 3 } },
    };
    expect(convert(task, 'HUD 0.2')).toEqual({
      prompt: task.prompt,
      gym: { type: 'public', location: 'local', image_or_build_context: 'blank:latest' },
      setup: { function: 'goto', args: ['u'] },
      evaluate: { function: 'evaluate', args: [3] },
      system_prompt: 's',
      metadata: {
        agent_config: task.agent_config,
        integration_test_tool: task.integration_test_tool,
        mcp_config: task.mcp_config,
      },
    });
    expect(notes(task, 'Convert to HUD 0.2')).toHaveLength(4);
    const remote = { ...task, mcp_config: JSON.stringify({ hud: { url: 'u', headers: { 'Mcp-Image': 'org/e:1' } } }) };
    expect(convert(remote, 'HUD 0.2')).toMatchObject({
      gym: { type: 'public', location: 'remote', image_or_build_context: 'org/e:1' },
    });
  });

  it('from HUD 0.5 to HUD 0.6 and back', () => {
    const task = { env: { name: 'my-org/blank' }, scenario: 'count-to', args: { target: 3 }, slug: 'count-3' };
    const there = { env: 'my-org/blank', id: 'count-to', args: { target: 3 }, slug: 'count-3' };
    expect(convert(task, 'HUD 0.6')).toEqual(there);
    expect(convert(there, 'HUD 0.5')).toEqual(task);
    const full = { id: 'p-1', env: { name: 'e', include: ['a'] }, scenario: 'e:s', args: null, metadata: { k: 1 } };
    expect(convert(full, 'HUD 0.6')).toEqual({
      env: 'e',
      id: 's',
      metadata: { k: 1, id: 'p-1', env: { include: ['a'] } },
    });
    expect(notes(full, 'Convert to HUD 0.6')).toHaveLength(3);
    expect(refusalOf({ scenario: 's' }, 'HUD 0.6')).toContain('"env"');
    expect(refusalOf({ scenario: 'a:b:c', env: { name: 'e' } }, 'HUD 0.6')).toContain('scenario');
  });

  it('keeps the layout of the file', () => {
    const yaml = '# Shop\n- scenario: count # how\n  env:\n    name: blank\n- prompt: p\n';
    const now = done('/a.tasks.yaml', yaml, 'count', 'Convert to HUD 0.6');
    expect(now).toBe('# Shop\n- id: count # how\n  env: blank\n- prompt: p\n');
  });
});

describe('wrapping tasks in a set', () => {
  it.each([
    ['/shop.tasks.json', '[{"id": "a"}]', '{"name": "shop", "tasks": [{"id": "a"}]}'],
    ['/shop.task.json', '{"id": "a"}\n', '{"name": "shop", "tasks": [{"id": "a"}]}\n'],
    [
      '/shop.tasks.json',
      '[\r\n\t{"id": "a"},\r\n\r\n\t{"id": "b"}\r\n]\r\n',
      '{\r\n\t"name": "shop",\r\n\t"tasks": [\r\n\t\t{"id": "a"},\r\n\r\n\t\t{"id": "b"}\r\n\t]\r\n}\r\n',
    ],
    [
      '/shop.task.json',
      '{\n  "id": "a"\n}\n',
      '{\n  "name": "shop",\n  "tasks": [\n    {\n      "id": "a"\n    }\n  ]\n}\n',
    ],
    ['/shop.tasks.yaml', '# Shop\n---\n- id: a\n- id: b\n', '# Shop\n---\nname: "shop"\ntasks:\n- id: a\n- id: b\n'],
    [
      '/shop.task.yaml',
      'id: a\nprompt: |\n  p\n\n  q\n',
      'name: "shop"\ntasks:\n- id: a\n  prompt: |\n    p\n\n    q\n',
    ],
    ['/shop.tasks.yml', '[{id: a},\n {id: b}]\n', 'name: "shop"\ntasks:\n  [{id: a},\n   {id: b}]\n'],
  ])('%s %j', (file, text, wrapped) => {
    expect(done(file, text, 'id', 'Wrap in a task set')).toBe(wrapped);
  });

  it('is offered once, and not in JSON lines', () => {
    expect(titles('/a.taskset.json', '{"tasks": [{"id": "a"}]}', 'id', 'set')).toEqual([]);
    expect(titles('/a.tasks.jsonl', '{"id": "a"}', 'id', 'set')).toEqual([]);
  });
});
