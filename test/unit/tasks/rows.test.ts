import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { printCall } from '../../../src/tasks/print.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { taskSchema } from '../../../src/tasks/task.ts';

function codes(file: string, text: string): string[] {
  return readTasks(file, text).findings.map(({ code, range: { start } }) => `${start.line}:${start.character} ${code}`);
}

function prompts(file: string, text: string): (string | null)[] {
  return readTasks(file, text).rows.map((row) => row.task?.prompt ?? null);
}

describe('the shapes of a task file', () => {
  it.each([
    ['/t.task.json', '{"id":"a","prompt":"p"}'],
    ['/t.tasks.json', '[{"id":"a","prompt":"p"}]'],
    ['/t.taskset.json', '{"tasks":[{"id":"a","prompt":"p"}]}'],
    ['/t.tasks.jsonl', '\n{"id":"a","prompt":"p"}\n\n'],
    ['/t.task.yaml', 'id: a\nprompt: p\n'],
    ['/t.tasks.yml', '- id: a\n  prompt: p\n'],
    ['/t.taskset.yaml', 'tasks:\n- id: a\n  prompt: p\n'],
  ])('%s %s', (file, text) => {
    const read = readTasks(file, text);
    expect(read.findings).toEqual([]);
    expect(read.rows).toHaveLength(1);
    expect(read.rows[0]?.task).toMatchObject({ id: 'a', prompt: 'p', index: 0, file });
  });

  it('reads the keys beside the list', () => {
    const text = '{"name":"Shop","tasks":[{"prompt":"p"}],"description":"d","id":"s"}';
    expect(readTasks('/a.taskset.json', text).set).toEqual({ id: 's', name: 'Shop', description: 'd' });
    expect(readTasks('/a.taskset.yaml', 'name: Shop\ntasks: [{prompt: p}]\n').set).toMatchObject({ name: 'Shop' });
  });

  it('ignores a byte order mark in positions, and reads CRLF', () => {
    const read = readTasks('/a.tasks.jsonl', '\uFEFF{"prompt":"a"}\r\n\r\n{"prompt":"b"}\r\n');
    expect(read.findings).toEqual([]);
    expect(read.rows.map((row) => [row.task?.prompt, row.range])).toEqual([
      ['a', { start: { line: 0, character: 0 }, end: { line: 0, character: 14 } }],
      ['b', { start: { line: 2, character: 0 }, end: { line: 2, character: 14 } }],
    ]);
  });
});

describe('a broken task affects only itself', () => {
  it.each([
    ['a missing comma', '[\n  {"prompt":"a"},\n  {"prompt":"b" "id":"x"},\n  {"prompt":"c"}\n]', '2:16 syntax'],
    ['a missing comma between tasks', '[\n  {"prompt":"a"}\n  {"prompt":"b"},\n  {"prompt":"c"}\n]', '2:2 syntax'],
    ['a missing bracket', '[\n  {"prompt":"a"},\n  {"x":[1},\n  {"prompt":"c"}\n]', '2:9 syntax'],
    ['a missing brace', '[\n  {"prompt":"a"},\n  {"x":{"y":1},\n  {"prompt":"c"}\n]', '2:14 syntax'],
    ['an open string', '[\n  {"prompt":"a"},\n  {"prompt":"b},\n  {"prompt":"c"}\n]', '2:12 syntax'],
    ['NaN', '[\n  {"prompt":"a"},\n  {"x":NaN},\n  {"prompt":"c"}\n]', '2:7 syntax'],
  ])('in JSON: %s', (_, text, place) => {
    const [a, , c] = prompts('/a.tasks.json', text);
    expect([a, c]).toEqual(['a', 'c']);
    expect(codes('/a.tasks.json', text)[0]).toBe(place);
  });

  it('in JSON on one line', () => {
    const text = '[{"prompt":"a"},{"x":[{"y":1},{"y":2}],"prompt":"b]},{"prompt":"c"},{"prompt":"d"}]';
    expect(prompts('/a.tasks.json', text)).toEqual(['a', null, 'c', 'd']);
  });

  it.each([
    ['{"name":"x" "tasks":[{"prompt":"a"}]}', '0:12 syntax'],
    ['{"name":x,"tasks":[{"prompt":"a"}]}', '0:8 syntax'],
    ['{"name":[1,"tasks":[{"prompt":"a"}]}', '0:8 syntax'],
    ['{"name":"x","tasks":[{"prompt":"a"}],}', '0:36 trailing-comma'],
    ['{/*x*/"tasks":[{"prompt":"a"}]}', '0:1 comment'],
    ['{"tasks":[{"prompt":"a"}]', '0:0 syntax'],
  ])('the text around a list can be broken: %s', (text, place) => {
    expect(prompts('/a.taskset.json', text)).toEqual(['a']);
    expect(codes('/a.taskset.json', text)).toEqual([place]);
  });

  it('in JSON lines', () => {
    const text = '{"prompt":"a"}\n{"prompt":"b"\n[1]\n{"prompt":"c"} {}\n{"prompt":"d"}';
    expect(prompts('/a.tasks.jsonl', text)).toEqual(['a', null, null, null, 'd']);
    expect(codes('/a.tasks.jsonl', text)).toEqual(['1:13 syntax', '2:0 task-not-object', '3:15 syntax']);
  });

  it('in YAML', () => {
    const text = '- prompt: a\n- prompt: "b\n  id: x: y\n- prompt: c\n';
    expect(prompts('/a.tasks.yaml', text)).toEqual(['a', null, 'c']);
    const set = 'name: s\ntasks:\n  - prompt: a\n  - prompt: [b\n  - prompt: c\n';
    expect(prompts('/a.taskset.yaml', set)).toEqual(['a', null, 'c']);
    expect(readTasks('/a.taskset.yaml', set).set).toMatchObject({ name: 's' });
  });

  it('keeps its index, so that the tasks after it keep theirs', () => {
    const read = readTasks('/a.tasks.json', '[{"prompt":"a"}, 5, {"prompt":"c"}]');
    expect(read.rows.map(({ index, task }) => [index, task?.index])).toEqual([
      [0, 0],
      [1, undefined],
      [2, 2],
    ]);
    expect(read.findings).toMatchObject([{ code: 'task-not-object', task_id: '1' }]);
  });
});

describe('what JSON does not allow', () => {
  it('a comment or a trailing comma is an error at its position, and the task is still read', () => {
    const text = '[\n  {"prompt":"a", // why\n   "tags":["x",],},\n  /* b */\n  {"prompt":"c"},\n]';
    expect(codes('/a.tasks.json', text)).toEqual([
      '1:17 comment',
      '2:14 trailing-comma',
      '2:16 trailing-comma',
      '3:2 comment',
      '4:16 trailing-comma',
    ]);
    expect(prompts('/a.tasks.json', text)).toEqual(['a', 'c']);
  });

  it.each([
    ['/a.tasks.json', '[{"prompt":"a","x":1e999}]', '0:19 number-not-finite'],
    ['/a.tasks.json', '[{"prompt":"a","x":-Infinity}]', '0:19 syntax'],
    ['/a.tasks.yaml', '- prompt: a\n  x: .nan\n', '1:5 number-not-finite'],
    ['/a.tasks.yaml', '- prompt: a\n  x: -.inf\n', '1:5 number-not-finite'],
  ])('%s: a number that is not finite: %s', (file, text, place) => {
    expect(codes(file, text)).toEqual([place]);
  });

  it.each([
    ['/a.task.json', '{"prompt":"a","prompt":"b"}', '0:1 duplicate-key'],
    ['/a.task.yaml', 'prompt: a\nprompt: b\n', '1:0 duplicate-key'],
  ])('%s: a duplicate key is reported, and the last one counts', (file, text, place) => {
    expect(codes(file, text)).toEqual([place]);
    expect(prompts(file, text)).toEqual(['b']);
  });

  it.each([
    ['/a.tasks.json', ''],
    ['/a.tasks.yaml', '# nothing\n'],
  ])('%s: an empty file is one error', (file, text) => {
    expect(codes(file, text)).toEqual(['0:0 empty-file']);
  });

  it.each([
    ['/a.tasks.json', `[{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`],
    ['/a.tasks.jsonl', `{"x":${'['.repeat(100_000)}`],
    ['/a.tasks.yaml', `- x: ${'['.repeat(50_000)}${']'.repeat(50_000)}\n`],
  ])('%s: nesting without end is an error, not a crash', (file, text) => {
    expect(readTasks(file, text).findings.map(({ code }) => code)).toContain('nested-too-deeply');
  });
});

describe('YAML', () => {
  it('anchors, aliases, and merge keys are resolved', () => {
    const text = [
      'base: &base {gym: hud-browser, evaluate: {function: page_contains, args: [x]}}',
      'tasks:',
      '- <<: *base',
      '  prompt: &p one',
      '- <<: *base',
      '  prompt: *p',
      '  gym: qa',
    ].join('\n');
    const read = readTasks('/a.taskset.yaml', text);
    expect(read.findings).toEqual([]);
    expect(read.rows.map(({ value }) => value)).toEqual([
      { gym: 'hud-browser', evaluate: { function: 'page_contains', args: ['x'] }, prompt: 'one' },
      { gym: 'qa', evaluate: { function: 'page_contains', args: ['x'] }, prompt: 'one' },
    ]);
    expect(read.rows[1]?.rangeOf(['prompt'])).toEqual({
      start: { line: 5, character: 10 },
      end: { line: 5, character: 12 },
    });
    expect(read.rows[1]?.rangeOf(['evaluate', 'args', 0])?.start).toEqual({
      line: 0,
      character: text.indexOf('[x]') + 1,
    });
  });

  it('is not expanded without limit by aliases', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let at = 1; at < 12; at += 1) {
      lines.push(`a${at}: &a${at} [${Array.from({ length: 10 }, () => `*a${at - 1}`).join(', ')}]`);
    }
    lines.push('prompt: p');
    const found = codes('/a.task.yaml', lines.join('\n'));
    expect(found.some((code) => code.endsWith('too-many-aliases'))).toBe(true);
    expect(codes('/a.task.yaml', 'prompt: p\nx: &x [*x]\n')).toEqual(['1:7 alias-circle']);
    expect(codes('/a.task.yaml', 'prompt: p\nx: *nothing\n')[0]).toMatch(/^1:3 /);
  });

  it('an unknown tag is an error', () => {
    expect(codes('/a.tasks.yaml', '- prompt: !secret x\n')).toEqual(['0:10 unknown-tag']);
    expect(codes('/a.tasks.yaml', '- prompt: !!python/object:os.system x\n')).toEqual(['0:10 unknown-tag']);
    expect(codes('/a.tasks.yaml', '- prompt: !!str 5\n')).toEqual([]);
  });

  it('a second document is an error', () => {
    expect(codes('/a.tasks.yaml', '- prompt: a\n---\n- prompt: b\n')).toEqual(['1:0 second-document']);
  });
});

describe('the content of a row', () => {
  const read = (row: Json) => {
    const found = readTasks('/a.task.json', JSON.stringify(row)).rows[0];
    if (found?.task == null) throw new Error('no task');
    expect(taskSchema.safeParse(found.task).error).toBeUndefined();
    return {
      task: found.task,
      codes: (found.reading?.problems ?? []).map(({ severity, code }) => `${severity} ${code}`),
    };
  };

  it.each([
    [{ scenario: 's', mcp_config: {}, gym: 'qa' }, '0.5'],
    [{ mcp_config: {}, prompt: 'p', gym: 'qa' }, '0.4'],
    [{ gym: 'qa', env: 'e', id: 'i' }, '0.2'],
    [{ setup: [], env: 'e' }, '0.2'],
    [{ evaluate: [], instruction: 'i' }, '0.2'],
    [{ env: 'e', id: 'i' }, '0.6'],
    [{ instruction: 'i' }, 'rfc'],
    [{ prompt: 'i', start_url: 'u' }, 'rfc'],
    [{ prompt: 'i', reward_fn: 'f' }, 'rfc'],
    [{ prompt: 'p' }, '0.2'],
  ])('%j is of era %s', (row, era) => {
    expect(read(row).task.era).toBe(era);
  });

  it("the RFC's spellings", () => {
    const { task, codes: said } = read({
      instruction: 'Buy it',
      name: 'Shop',
      tags: ['shop'],
      metadata: { tags: ['slow', 'shop'], combine: 'all' },
      max_steps: 7,
      reward_function: 'check_page_contains("Thanks")',
      initial_state: {
        html_file: 'shop.html',
        cookies: [{ name: 'a', value: 'b' }],
        localStorage: { cart: '3' },
      },
    });
    expect(said).toEqual([]);
    expect(task).toMatchObject({
      era: 'rfc',
      prompt: 'Buy it',
      name: 'Shop',
      tags: ['shop', 'slow'],
      max_steps: 7,
      env: { type: 'hud-browser' },
      initial_state: {
        start_url: 'shop.html',
        cookies: [{ name: 'a', value: 'b' }],
        local_storage: { cart: '3' },
      },
    });
    expect(task.evaluate.map(printCall)).toEqual(['page_contains("Thanks")']);
  });

  it('a task of a benchmark', () => {
    const named = { benchmark: 'miniwob', task_name: 'click-test' };
    for (const instruction of [undefined, 'Press it.']) {
      const { task, codes: said } = read(instruction === undefined ? named : { ...named, instruction });
      expect(said).toEqual([]);
      expect(task).toMatchObject({ era: 'rfc', prompt: instruction ?? null, env: { type: 'browsergym', ...named } });
    }
  });

  it('the same keys at the top of the task', () => {
    const state = { start_url: 'shop.html', cookies: { theme: 'dark' }, local_storage: { n: '1' } };
    expect(read({ prompt: 'p', ...state }).task.initial_state).toEqual({
      start_url: 'shop.html',
      cookies: [{ name: 'theme', value: 'dark' }],
      local_storage: { n: '1' },
    });
    expect(read({ prompt: 'p', html: '<p>x', start_url: 'u' })).toMatchObject({
      task: { initial_state: { html: '<p>x' } },
      codes: ['warning start-twice'],
    });
    expect(read({ prompt: 'p', cookies: [{ value: 'x' }], local_storage: [1], max_steps: 0 }).codes).toEqual([
      'error cookie',
      'error local-storage',
      'error max-steps',
    ]);
  });

  it('a row of HUD 0.2 without gym is qa if only the response is evaluated', () => {
    expect(read({ prompt: 'p', evaluate: ['response_is', 'x'] })).toMatchObject({
      task: { env: { type: 'qa' } },
      codes: ['warning no-gym'],
    });
    expect(read({ prompt: 'p', evaluate: ['page_contains', 'x'] }).task.env.type).toBe('hud-browser');
  });

  it('the environments of other eras keep their names', () => {
    const gym = { location: 'local', image_or_build_context: 'img' };
    expect(read({ prompt: 'p', gym }).task.env).toEqual({ type: 'public', ...gym });
    expect(read({ env: { name: 'shop' }, scenario: 'buy', args: { n: 1 } }).task).toMatchObject({
      env: { type: 'mcp', mcp_config: null, name: 'shop', scenario: 'buy', args: { n: 1 } },
      setup: [],
      evaluate: [{ function: 'grade', args: [] }],
    });
    const args = { size: 1 };
    const agent_config = { max_steps: 7 };
    expect(read({ env: 'shop', id: 'buy', args, slug: 'one', verifier: null, agent_config }).task).toMatchObject({
      id: 'one',
      env: { type: 'hud', name: 'shop', template: 'buy', args, verifier: null },
      evaluate: [{ function: 'grade', args: [] }],
      max_steps: 7,
    });
    expect(read({ prompt: 'p', gym: 5 }).codes).toEqual(['error gym-unreadable']);
  });

  it.each([
    [{ name: 'setup', arguments: { n: 4 } }, [{ function: 'setup', args: [{ n: 4 }] }]],
    [{ name: 'setup' }, [{ function: 'setup', args: [] }]],
    ['{"name": "setup", "arguments": {"n": 4}}', [{ function: 'setup', args: [{ n: 4 }] }]],
    [
      { setup: { name: 'board', arguments: { n: 4 } } },
      [{ function: 'setup', args: [{ name: 'board', arguments: { n: 4 } }] }],
    ],
    [
      [{ name: 'a' }, { name: 'b', arguments: { x: 1 } }],
      [
        { function: 'a', args: [] },
        { function: 'b', args: [{ x: 1 }] },
      ],
    ],
    [null, []],
    ['no JSON', []],
    [5, []],
  ])('the tool calls %j are calls of a task of HUD 0.4', (setup_tool, setup) => {
    const agent_config = { allowed_tools: ['a'], system_prompt: 's' };
    const mcp_config = { local: { url: 'http://x' } };
    const row = { prompt: 'p', mcp_config, setup_tool, evaluate_tool: [{ name: 'e' }, { name: 'f' }], agent_config };
    const { task } = read({ ...row, integration_test_tool: { name: 'act' } });
    expect(task).toMatchObject({ setup, evaluate: [{ function: 'e' }] });
    expect(task.env).toEqual({
      type: 'mcp',
      mcp_config,
      allowed_tools: ['a'],
      solution: [{ name: 'act', arguments: {} }],
    });
  });

  it('every call has its range', () => {
    const text =
      '{"prompt":"p","gym":"qa",\n"evaluate":[{"function":"response_is","args":["x"]},\n {"function":"f","args":[]}]}';
    expect(readTasks('/a.task.json', text).rows[0]?.task?.evaluate.map(({ range }) => range)).toEqual([
      { start: { line: 1, character: 12 }, end: { line: 1, character: 51 } },
      { start: { line: 2, character: 1 }, end: { line: 2, character: 27 } },
    ]);
  });
});

describe('sensitive data', () => {
  it('is read in any shape: what HUD rejects is a secret, too', () => {
    const sensitive_data = { 'shop.example': { pin: 1234, password: 'x', list: [] }, token: 't' };
    const [row] = readTasks('/a.task.json', JSON.stringify({ prompt: 'p', gym: 'hud-browser', sensitive_data })).rows;
    expect(row?.task?.sensitive_data).toEqual({ 'shop.example': { pin: '1234', password: 'x' }, '*': { token: 't' } });
    const refused = row?.reading?.problems.filter(({ code }) => code === 'sensitive-data').map(({ path }) => path);
    expect(refused).toEqual([
      ['sensitive_data', 'shop.example', 'pin'],
      ['sensitive_data', 'shop.example', 'list'],
      ['sensitive_data', 'token'],
    ]);
  });
});
