import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { Lines } from '../../../src/base/lines.ts';
import { diagnose, refusal } from '../../../src/language/findings/diagnose.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import { browser, fixesOf, listFindings, saidOf } from './findings.ts';

describe('a valid task', () => {
  it.each<Json>([
    { ...browser, setup: ['goto', 'shop.html'], evaluate: ['page_contains', ['a', 'b']] },
    { ...browser, evaluate: [{ function: 'text_matches', args: ['#total:visible', '(?i)\\d+ EUR'] }] },
    { id: 'q', prompt: 'Capital of France?', gym: 'qa', evaluate: { function: 'response_includes', args: ['Paris'] } },
    { instruction: 'Buy', start_url: 'shop.html', reward_function: 'check_page_contains("Thanks")', max_steps: 5 },
    { ...browser, evaluate: { function: 'cookie_match', args: [['a', '1', 'b', '2']], metadata: { weight: 2 } } },
    { ...browser, evaluate: ['contains_text', 'x'] },
    { ...browser, evaluate: ['history_length', { min: 2 }] },
  ])('%j: nothing to say', (task) => {
    expect(saidOf(task)).toEqual([]);
  });
});

describe('a typo', () => {
  beforeAll(() => prepareToRead('/a.py'));

  it('in the name of a function is reported at that word, with a fix for the word', () => {
    const text = JSON.stringify({ ...browser, evaluate: ['page_contain', 'x'] });
    expect(listFindings('/a.task.json', text)).toEqual([
      'error unknown-function page_contain: Unknown function “page_contain”. Did you mean “page_contains”?',
    ]);
    expect(fixesOf(diagnose(readTasks('/a.task.json', text), new Map())[0])).toEqual(['"page_contains"']);
  });

  it.each([
    ['/a.task.json', '{"id": "a", "prompt": "p", "gym": "qa", "evaluate": ["response_si", "x"]}'],
    ['/a.tasks.jsonl', '{"id": "a", "prompt": "p", "gym": "qa", "evaluate": ["response_si", "x"]}\r\n'],
    ['/a.task.yaml', "id: a\nprompt: p\ngym: qa\nevaluate: ['response_si', x]\n"],
    ['/a.task.yaml', 'id: a\nprompt: p\ngym: qa\nevaluate:\n  - function: "response_si"\n    args: [x]\n'],
    ['/a.py', "from hud import Task\n\nt = Task(id='a', prompt='p', gym='qa', evaluate=('response_si', 'x'))\n"],
    ['/a.py', 'from hud import Task\n\nt = Task(id="a", prompt="p", gym="qa", evaluate=(r"""response_si""", "x"))\n'],
  ])('is underlined at the word alone, its quotes left out (%s: %j)', (file, text) => {
    expect(listFindings(file, text).map((line) => line.split(':')[0])).toEqual(['error unknown-function response_si']);
  });

  it.each([
    [['raw_last_action_is', { type: 'press', keys: ['ctlr', 'c'] }], 'ctlr', 'ctrl'],
    [['raw_last_action_is', { type: 'click', point: { x: 1, y: 2 }, button: 'rigth' }], 'rigth', 'right'],
    [['raw_last_action_is', { type: 'prss', keys: ['a'] }], 'prss', 'press'],
  ])('in an action is reported and fixed at the word: %j', (evaluate, word, meant) => {
    const text = JSON.stringify({ id: 'a', prompt: 'p', gym: 'hud-browser', evaluate });
    expect(listFindings('/a.task.json', text)).toEqual([
      expect.stringMatching(`^error invalid-argument ${word}: .*Did you mean “${meant}”\\?$`),
    ]);
    const [finding] = diagnose(readTasks('/a.task.json', text), new Map());
    expect(fixesOf(finding)).toEqual([`"${meant}"`]);
  });

  it('is reported with its quotes if it is written with escapes', () => {
    const text = '{"id": "a", "prompt": "p", "gym": "qa", "evaluate": ["response\\u005fsi", "x"]}';
    expect(listFindings('/a.task.json', text)[0]).toMatch(/^error unknown-function "response\\u005fsi":/);
  });

  it('in the call string of a reward is reported and fixed at the name', () => {
    const text = JSON.stringify({ id: 'a', instruction: 'p', reward_function: "check_page_contain('x', 1) " });
    expect(listFindings('/a.task.json', text)[0]).toMatch(/^error unknown-function page_contain: /);
    const [finding] = diagnose(readTasks('/a.task.json', text), new Map());
    expect(fixesOf(finding)).toEqual(['"check_page_contains(\'x\', 1) "']);
  });

  it('is fixed in YAML in the style of YAML', () => {
    const text = 'id: a\nprompt: p\ngym: qa\nevaluate: [response_si, x]\n';
    const [finding] = diagnose(readTasks('/a.task.yaml', text), new Map());
    expect(finding).toMatchObject({
      range: { start: { line: 3, character: 11 }, end: { line: 3, character: 22 } },
      task_id: 'a',
    });
    expect(fixesOf(finding)).toEqual(['response_is']);
  });

  it('is compared with user-defined functions, too', () => {
    const task = { ...browser, evaluate: ['cart_totl', 3] };
    expect(saidOf(task, ['cart_total'])[0]).toContain('Did you mean “cart_total”?');
    expect(saidOf({ ...browser, evaluate: ['cart_total', 3] }, ['cart_total'])).toEqual([]);
    expect(saidOf({ ...browser, evaluate: ['launch_rocket'] })).toEqual([
      'error unknown-function launch_rocket: Unknown function “launch_rocket”. It is neither built in nor exported by a *.functions.ts or *.functions.py file next to the tasks',
    ]);
  });

  it('in a key is reported, because HUD ignores it silently', () => {
    expect(saidOf({ ...browser, evalute: ['page_contains', 'x'] })).toEqual([
      expect.stringMatching(/^warning no-evaluate a: /),
      'warning unknown-key evalute: “evalute” is not a key of a task; it is ignored, as in HUD. Did you mean “evaluate”?',
    ]);
  });

  it('in a function is not corrected to a function of the other phase', () => {
    expect(saidOf({ ...browser, evaluate: ['load_html_contents', 'x'] })).toEqual([
      expect.stringMatching(
        /^error unknown-function load_html_contents: Unknown function “load_html_contents”\. It is/,
      ),
    ]);
    expect(saidOf({ ...browser, setup: ['page_contain', 'x'], evaluate: ['page_contains', 'x'] })).toEqual([
      expect.stringMatching(/^error unknown-function page_contain: Unknown function “page_contain”\. It is neither/),
    ]);
  });

  it('in an environment', () => {
    expect(saidOf({ prompt: 'p', gym: 'hud-browsr' })).toContainEqual(
      expect.stringMatching(
        /^error unknown-environment hud-browsr: There is no environment of type “hud-browsr”\. Did you mean “hud-browser”\?$/,
      ),
    );
  });

  it('in an environment does not hide the problems of its calls', () => {
    expect(
      saidOf({ prompt: 'p', gym: 'hud-browsr', setup: 'gotto', evaluate: ['text_matches', '#a'] }).map((one) =>
        one.replace(/:.*/, ''),
      ),
    ).toEqual([
      'error unknown-environment hud-browsr',
      'error unknown-function gotto',
      'error missing-argument text_matches',
    ]);
  });

  it.each<[string, Json]>([
    ['an environment that only its author knows', { gym: 'warehouse', evaluate: ['shelf_is_full', 3] }],
    ['one with a controller', { gym: { type: 'publc' }, evaluate: ['shelf_is_full', 3] }],
  ])('is not reported in the functions of %s', (_, task) => {
    expect(saidOf({ prompt: 'p', ...(task as object) }).map((one) => one.split(' ')[1])).toEqual([
      'unknown-environment',
    ]);
  });
});

describe('a row with keys of two eras', () => {
  it.each<[object, string]>([
    [
      { scenario: 'a', env: { name: 'x' }, gym: 'qa' },
      '“gym” is a key of HUD 0.2, but with “scenario” this is a task of HUD 0.5',
    ],
    [
      { prompt: 'p', gym: 'qa', setup_tool: [] },
      '“setup_tool” is a key of HUD 0.4, but with “gym” this is a task of HUD 0.2',
    ],
    [
      { prompt: 'p', setup_tool: [] },
      '“setup_tool” is a key of HUD 0.4, but without “mcp_config” this is a task of HUD 0.2',
    ],
    [{ env: 'x', id: 'a', evaluate: [] }, ''],
    [
      { env: 'x', id: 'a', prompt: 'p' },
      '“prompt” is a key of HUD 0.2 and HUD 0.4, but with “env” this is a task of HUD 0.6',
    ],
  ])('%j says which key decides', (row, expected) => {
    const keys = saidOf(row as Json).filter((one) => one.startsWith('warning unknown-key'));
    if (expected === '') expect(keys.join()).toContain('but with “evaluate” this is a task of HUD 0.2');
    else expect(keys).toEqual([expect.stringContaining(expected)]);
  });

  it('that HUD 0.5 reads as a task of 0.4 has no key of a wrong era', () => {
    const row = {
      scenario: 'a',
      prompt: 'p',
      mcp_config: { a: { url: 'http://a.example' } },
      evaluate_tool: { name: 'e' },
    };
    expect(saidOf(row).map((one) => one.split(' ')[1])).toEqual(['scenario-dropped']);
  });
});

describe('a task that lacks something', () => {
  it('a prompt', () => {
    expect(saidOf({ id: 'a', gym: 'qa', evaluate: ['response_is', 'x'] })).toEqual([
      'error no-prompt a: This task has no prompt. In "prompt", tell the agent what to do',
    ]);
    expect(saidOf({ prompt: '', gym: 'qa', evaluate: ['response_is', 'x'] })[0]).toMatch(/^error no-prompt "": /);
    expect(saidOf({ prompt: 5, gym: 'qa', evaluate: ['response_is', 'x'] })).toEqual([
      'error prompt-not-text 5: The prompt must be a string that tells the agent what to do',
    ]);
  });

  it('a prompt, where the environment gives one', () => {
    const gym = { type: 'browsergym', benchmark: 'miniwob', task_name: 'click-test' };
    expect(saidOf({ gym })).toEqual([]);
    expect(saidOf({ benchmark: 'miniwob', task_name: 'click-test' })).toEqual([]);
  });

  it('an evaluate, or an environment', () => {
    expect(saidOf(browser)).toEqual(['warning no-evaluate a: This task has no "evaluate", so its runs get no reward']);
    expect(saidOf({ ...browser, config: { function: 'book', args: [] } })).toEqual([
      expect.stringMatching(/^warning no-evaluate a: .* no reward\. HUD 0\.2\.10 sends "config" to HUD’s platform/),
    ]);
    expect(saidOf({ id: 'a', prompt: 'p', evaluate: ['response_is', 'x'] })).toEqual([
      expect.stringMatching(/^warning no-gym a: .*"gym": "qa"$/),
    ]);
  });
});

describe('a task of a benchmark', () => {
  const gym = { type: 'browsergym', benchmark: 'miniwob', task_name: 'click-test' };

  it('needs neither a prompt nor evaluate, and has no findings about HUD', () => {
    expect(saidOf({ gym: { ...gym, success: 'full' } })).toEqual([]);
    expect(saidOf({ instruction: 'Press it.', benchmark: 'miniwob', task_name: 'click-test' })).toEqual([]);
  });

  it.each<[Json, RegExp]>([
    [{ gym: { ...gym, task_name: 'click-tset' } }, /^error benchmark-task click-tset: .*Did you mean “click-test”/],
    [{ gym: { ...gym, benchmark: 'miniwobb' } }, /^error benchmark-task miniwobb: .*Did you mean “miniwob”/],
    [{ gym: { ...gym, success: 'half' } }, /^error benchmark-task half: "success" is "positive" or "full", not "half"/],
    [{ gym: { type: 'browsergym', benchmark: 'miniwob' } }, /^error benchmark-task .*: "task_name" names a task/],
    [{ benchmark: 'miniwob', task_name: 'click-tset' }, /^error benchmark-task click-tset: /],
    [{ gym: { ...gym, taskname: 'x' } }, /^warning unknown-key taskname: /],
    [{ gym, metadata: { dialogs: 'ask' } }, /^error bad-dialogs ask: Tasks of BrowserGym cannot ask/],
    [{ gym, metadata: { dialogs: 'no' } }, /^error bad-dialogs no: "dialogs" must be "ask"/],
    [{ gym, start_url: 'shop.html' }, /^warning benchmark-start start_url: /],
    [{ gym: { ...gym, benchmark: 'webarena' } }, /^information environment-not-run .*benchmark “webarena”/],
  ])('%j', (task, message) => {
    expect(saidOf(task)).toEqual([expect.stringMatching(message)]);
  });
});

describe('a task that other programs run', () => {
  it.each<[Json, RegExp]>([
    [
      { env: 'shop', id: 'buy', runtime_config: { compose: { document: { services: { main: {} } } } } },
      /^information era-not-run env: This is a task of HUD 0\.6\. .*write its path as "document" \(shop, buy\)/,
    ],
    [
      { env: 'shop', id: 'buy', runtime_config: { compose: { document: 'compose.yaml', service_access: true } } },
      /^information era-not-run env: .*access to Docker, which "service_access" asks for \(shop, buy\)/,
    ],
    [{ prompt: 'p', gym: { type: 'hud', name: 'shop' } }, /^information environment-not-run .*as HUD 0\.6 writes/],
    [
      { prompt: 'p', gym: 'OSWorld-Ubuntu', config: { config: [{ type: 'login', parameters: {} }] } },
      /^information environment-not-run OSWorld-Ubuntu: .*the step “login”/,
    ],
  ])('%j is said to be one, and only that', (task, message) => {
    expect(saidOf(task)).toEqual([expect.stringMatching(message)]);
  });
});

it('a task of HUD 0.6 is run', () => {
  expect(saidOf({ env: 'shop', id: 'buy', args: {}, runtime_config: { limits: { startup_timeout_s: 9 } } })).toEqual(
    [],
  );
});

describe('a task of MCP servers', () => {
  it.each<[Json]>([
    [{ prompt: 'p', mcp_config: { s: { url: 'http://x' } }, evaluate_tool: { name: 'e' } }],
    [{ env: { name: 'shop', url: 'http://x/mcp', headers: { a: 'b' } }, scenario: 'buy', args: {} }],
    [{ env: { name: 'shop', command: 'python', args: ['s.py'], env: { A: '1' } }, scenario: 'buy' }],
    [{ prompt: 'p', gym: { type: 'mcp', config: { s: { command: 'x' } } }, evaluate: [{ function: 'e', args: [{}] }] }],
  ])('%j is run', (task) => {
    expect(saidOf(task)).toEqual([]);
  });

  it.each<[Json, RegExp]>([
    ['mcp', /^error no-server mcp: “mcp” needs an object/],
    [{ type: 'mcp' }, /^error no-server .*: No MCP server is specified/],
    [{ type: 'mcp', config: {} }, /^error no-server .*: No MCP server is specified/],
    [{ type: 'mcp', config: { s: { args: [] } } }, /^error mcp-server .*“s” needs a "url", or a "command"/],
    [{ type: 'mcp', config: { s: { url: 'x' } } }, /^error mcp-url x: .*must begin with http/],
  ])('%j has no server', (gym, message) => {
    const evaluate = [{ function: 'e', args: [{}] }];
    expect(saidOf({ prompt: 'p', gym, evaluate })).toEqual([expect.stringMatching(message)]);
  });
});

describe('a set of tasks', () => {
  it('a duplicate id', () => {
    const task = { prompt: 'p', gym: 'qa', evaluate: ['response_is', 'x'] };
    const text = JSON.stringify(
      [
        { id: 'a', ...task },
        { id: 'b', ...task },
        { id: 'a', ...task },
      ],
      null,
      1,
    );
    const lines = new Lines(text);
    const findings = diagnose(readTasks('/a.tasks.json', text), new Map());
    expect(findings.map(({ code, message }) => [code, message])).toEqual([
      ['duplicate-id', 'The id “a” is already used in line 3. An address with this id selects only that task'],
    ]);
    expect(lines.offset(findings[0]?.range.start ?? { line: 0, character: 0 })).toBe(text.lastIndexOf('"a"') + 1);
    const first = { file: '/a.tasks.json', range: lines.range(text.indexOf('"a"') + 1, text.indexOf('"a"') + 2) };
    expect(findings[0]?.related).toEqual([{ ...first, message: 'The first “a”' }]);
    const [fix] = findings[0]?.fixes?.() ?? [];
    expect(fix).toMatchObject({ title: 'Change to “a-2”', safe: false });
    expect(fix?.edits.map((edit) => edit.text)).toEqual(['"a-2"']);
  });

  it.each([
    ['', []],
    ['a b c', []],
    ['a b b', [2]],
    ['t-1 t-2 t-10 t-11', []],
    ['t-1 t-2 t-10 t-2', [3]],
    ['t-1 t-1 t-2', [1]],
    ['b a b', [2]],
    ['aa b aa b', [2, 3]],
    ['t-9 t-10 t-09 t-9', [3]],
  ])('an id that an earlier task has is a duplicate: %s', (ids, rows) => {
    const text = ids
      .split(' ')
      .map((id) => JSON.stringify({ id, prompt: 'p', gym: 'qa', evaluate: ['response_is', 'x'] }));
    const found = diagnose(readTasks('/a.tasks.jsonl', text.join('\n')), new Map());
    expect(found.map(({ code, range }) => [code, range.start.line])).toEqual(rows.map((row) => ['duplicate-id', row]));
  });

  it('findings are in the order of the text, including syntax errors', () => {
    const text = '[\n{"prompt":"p","gym":"qa"},\n{"prompt" 5},\n{"gym":"qa","evaluate":["response_si","x"]}\n]';
    expect(
      diagnose(readTasks('/a.tasks.json', text), new Map()).map(({ code, task_id }) => `${task_id} ${code}`),
    ).toEqual(['0 no-evaluate', '1 syntax', '2 no-prompt', '2 unknown-function']);
  });
});

describe('Run refuses a task', () => {
  const refuse = (text: string, index = 0) => {
    const file = readTasks('/a.tasks.json', text);
    const row = file.rows[index];
    if (row === undefined) throw new Error('no row');
    return { refused: refusal(file, row, new Map()), findings: diagnose(file, new Map()) };
  };

  it('with the message of its finding', () => {
    const { refused, findings } = refuse(JSON.stringify([{ ...browser, evaluate: ['page_contain', 'x'] }]));
    const [finding] = findings;
    expect(refused).toEqual({
      message: finding?.message,
      code: 'unknown-function',
      file: '/a.tasks.json',
      range: finding?.range,
    });
  });

  it('if it is not supported yet, but not for a warning', () => {
    expect(
      refuse('[{"prompt":"p","gym":"OSWorld-Ubuntu","config":{"evaluator":{"func":"exact_match"}}}]').refused?.code,
    ).toBe('environment-not-run');
    expect(refuse('[{"prompt":"p","gym":"qa"}]').refused).toBeNull();
  });

  it('for its own faults only', () => {
    const text = '[\n{"prompt":"p","gym":"qa"},\n{"prompt":"p" "gym":"qa"},\n]';
    expect(refuse(text, 0).refused).toBeNull();
    expect(refuse(text, 1).refused?.code).toBe('syntax');
  });
});

describe('a value that cannot be read has no other finding', () => {
  beforeAll(() => prepareToRead('/a.py'));

  it.each([
    [
      '/a.task.yaml',
      'id: a\nprompt: p\ngym: qa\nevaluate: [response_is, !!binary aGk=]\nmax_steps: .inf\nmetadata: !!omap [a: 1]\n',
      3,
    ],
    [
      '/a.task.json',
      '{"id":"a","prompt":"p","gym":"qa","evaluate":["response_is","x"],"max_steps":1e999,"metadata":1e999}',
      2,
    ],
    [
      '/a.py',
      'from hud import Task\na = Task(id="a", prompt="p", gym="qa", evaluate=["response_is", "x"], max_steps=1e999)\n',
      1,
    ],
  ])('%s', (file, text, count) => {
    const codes = listFindings(file, text).map((one) => one.split(' ')[1]);
    expect(codes).toHaveLength(count);
    expect(codes.every((code) => code === 'number-not-finite' || code === 'value-not-json')).toBe(true);
  });
});
