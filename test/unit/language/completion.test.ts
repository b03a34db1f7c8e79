import { beforeAll, describe, expect, it } from 'vitest';
import { readSignatures } from '../../../src/functions/user/names.ts';
import type { CompletionContext } from '../../../src/language/typing/completion.ts';
import { prepareToRead } from '../../../src/tasks/read.ts';
import { accept, labels, listCompletions } from './typing.ts';

const json = '/tasks/a.task.json';

describe('keys', () => {
  it('required keys come first, and present keys are left out', async () => {
    const found = await labels(json, '{"id": "a", |}');
    expect(found.slice(0, 3)).toEqual(['prompt', 'gym', 'evaluate']);
    expect(found).not.toContain('id');
  });

  it('come with a value to fill in', async () => {
    expect(await accept(json, '{"id": "a", "pr|"}', 'prompt')).toBe('{"id": "a", "prompt": "$1"}');
    expect(await accept(json, '{"id": "a", |}', 'setup')).toBe('{"id": "a", "setup": [$1]}');
    expect(await accept(json, '{"id": "a", max|}', 'max_steps')).toBe('{"id": "a", "max_steps": ${1:20}}');
  });

  it('keep an existing value', async () => {
    expect(await accept(json, '{"pr|": "x"}', 'prompt')).toBe('{"prompt": "x"}');
  });

  it('add missing commas', async () => {
    expect(await accept(json, '{"id": "a" "p|" "gym": "qa"}', 'prompt')).toBe(
      '{"id": "a", "prompt": "$1", "gym": "qa"}',
    );
    expect(await accept(json, '{\n  "id": "a"\n  |\n}', 'prompt')).toBe('{\n  "id": "a",\n  "prompt": "$1"\n}');
  });

  it('are those of the era of the task', async () => {
    expect(await labels(json, '{"prompt": "p", "mcp_config": {}, |}')).toContain('evaluate_tool');
    expect(await labels(json, '{"env": "e", "id": "t", |}')).toContain('runtime_config');
    expect(await labels(json, '{"env": "e", "id": "t", "runtime_config": {"limits": {|}}}')).toEqual([
      'startup_timeout_s',
      'run_timeout_s',
    ]);
    expect(await labels(json, '{"prompt": "p", "mcp_config": {"local": {"|"}}}')).toContain('command');
    expect(await labels(json, '{"prompt": "p", "mcp_config": {}, "setup_tool": [{|}]}')).toEqual(['name', 'arguments']);
  });

  it('are those of the enclosing object', async () => {
    expect(await labels(json, '{"evaluate": {"function": "x", |}}')).toEqual(['args', 'id', 'metadata']);
    expect(await labels(json, '{"evaluate": [{"function": "x", "metadata": {|}}]}')).toEqual(['weight']);
    expect(await labels(json, '{"metadata": {|}}')).toContain('combine');
    expect(await labels(json, '{"cookies": [{"name": "a", |}]}')).toContain('sameSite');
    expect(await labels(json, '{"gym": {"type": "browsergym", |}}')).toEqual(['benchmark', 'task_name', 'success']);
    expect(await labels(json, '{"gym": {|}}')).toContain('image_or_build_context');
    expect(await labels(json, '{"evaluate": ["history_length", {|}]}')).toEqual(['exact', 'min', 'max']);
    expect(await labels(json, '{"evaluate": ["tests_pass", "make", "r.xml", {|}]}')).toEqual([
      'fail_to_pass',
      'pass_to_pass',
      'timeout_s',
    ]);
    expect(await labels(json, '{"setup": ["set_cookies", [{|}]]}')).toContain('name');
  });

  it('are not offered for unknown objects', async () => {
    expect(await labels(json, '{"config": {|}}')).toEqual([]);
    expect(await labels(json, '{"evaluate": ["page_contains", {|}]}')).toEqual([]);
  });

  it('offer a task of each environment in an empty file', async () => {
    const text = await accept(json, '{|}', 'task in a browser');
    expect(text).toBe(
      [
        '{',
        '\t"id": "${1:id}",',
        '\t"prompt": "${2:What the agent should do}",',
        '\t"gym": "hud-browser",',
        '\t"setup": ["goto", "${3:page.html}"],',
        '\t"evaluate": ["page_contains", "${4:text}"]',
        '}',
      ].join('\n'),
    );
    expect(await accept('/tasks/a.tasks.jsonl', '{|}', 'task with a question')).toBe(
      '{"id": "${1:id}", "prompt": "${2:The question}", "gym": "qa", "evaluate": ["response_includes", "${3:answer}"]}',
    );
  });
});

describe('environments', () => {
  it('are offered by name, supported ones first', async () => {
    expect((await labels(json, '{"gym": "|"}')).slice(0, 2)).toEqual(['hud-browser', 'qa']);
    expect(await accept(json, '{"gym": "hud|"}', 'hud-browser')).toBe('{"gym": "hud-browser"}');
    expect(await accept(json, '{"gym": |, "id": "a"}', 'qa')).toBe('{"gym": "qa", "id": "a"}');
  });

  it('are offered as objects if they need more than a name', async () => {
    expect(await accept(json, '{"gym": "|"}', '{ type: browsergym }')).toBe(
      '{"gym": { "type": "browsergym", "benchmark": "${1:miniwob}", "task_name": "${2:click-test}" }}',
    );
    expect(await labels(json, '{"gym": {"type": "public", "location": "|"}}')).toEqual(['local', 'remote']);
  });
});

const own = new Map(
  (await readSignatures('export function cart_total(context, total) {}', '/tasks/shop.functions.ts')).map((one) => [
    one.name,
    one,
  ]),
);
const beside: Partial<CompletionContext> = { own };

describe('functions', () => {
  it('those of the phase and the environment come first, including user-defined ones', async () => {
    const found = await listCompletions(json, '{"gym": "qa", "evaluate": ["|"]}', beside);
    expect(found.slice(0, 2).map(({ label }) => label)).toEqual(['cart_total', 'raw_last_action_is']);
    expect(found.find(({ label }) => label === 'page_contains')).toMatchObject({
      detail: 'needs a page',
      unlikely: true,
    });
    expect(found.find(({ label }) => label === 'goto')).toMatchObject({ detail: 'for setup', unlikely: true });
    expect(found.at(-1)).toMatchObject({ unlikely: true });
  });

  it('have documentation', async () => {
    const [found] = (await listCompletions(json, '{"evaluate": ["text|"]}')).filter(
      ({ label }) => label === 'text_matches',
    );
    expect(found?.signature).toBe('(selector, pattern)');
    expect(found?.doc).toContain('matches the visible text');
  });

  it.each([
    ['the whole value', '{"setup": "go|"}', '{"setup": ["goto", "$1"]}'],
    ['the whole value without quotes', '{"setup": |}', '{"setup": ["goto", "$1"]}'],
    ['the first of a list', '{"setup": ["go|"]}', '{"setup": ["goto", "$1"]}'],
    ['an empty list', '{"setup": [|]}', '{"setup": ["goto", "$1"]}'],
    ['the first of a list with arguments', '{"setup": ["go|", "a"]}', '{"setup": ["goto", "a"]}'],
    ['a list in a list', '{"setup": [["go|"]]}', '{"setup": [["goto", "$1"]]}'],
    [
      'one more call',
      '{"setup": [{"function": "f", "args": []}, "go|"]}',
      '{"setup": [{"function": "f", "args": []}, { "function": "goto", "args": ["$1"] }]}',
    ],
    ['one more list', '{"setup": [["f"], |]}', '{"setup": [["f"], ["goto", "$1"]]}'],
    ['an object', '{"setup": {"function": "|"}}', '{"setup": {"function": "goto", "args": ["$1"]}}'],
    [
      'an object with arguments',
      '{"setup": {"function": "|", "args": []}}',
      '{"setup": {"function": "goto", "args": []}}',
    ],
    [
      'an object whose arguments come first',
      '{"setup": {"args": [], "function": "go|"}}',
      '{"setup": {"args": [], "function": "goto"}}',
    ],
    [
      'an object before another key',
      '{"setup": [{"function": "go|" "id": "a"}]}',
      '{"setup": [{"function": "goto", "args": ["$1"], "id": "a"}]}',
    ],
  ])('are inserted in the syntax of %s', async (_, marked, text) => {
    expect(await accept(json, marked, 'goto')).toBe(text);
  });

  it('without arguments are inserted as a name', async () => {
    expect(await accept(json, '{"setup": "|"}', 'browser.maximize')).toBe('{"setup": "browser.maximize"}');
  });

  it('that are user-defined have the arguments of their code', async () => {
    expect(await accept(json, '{"evaluate": ["cart|"]}', 'cart_total', beside)).toMatch(
      /^\{"evaluate": \["cart_total", .*\]\}$/,
    );
  });

  it('are inserted in a reward function as a call', async () => {
    expect(await accept(json, '{"reward_function": "page|"}', 'page_contains')).toBe(
      `{"reward_function": "\${1:page_contains('')}"}`,
    );
  });
});

const page = `<!-- <b id="not"> --><script>var a = '<i id="neither">'</script>
<h1 class="big title">Shop</h1><form><input name="q" data-testid="search"><button id="buy" class='big'>Buy now</button></form>`;

describe('arguments', () => {
  const shop: Partial<CompletionContext> = {
    pages: async () => ['shop.html', 'sub/help.html'],
    page: async (name) => (name === 'shop.html' ? page : null),
    used: () => ({ tags: new Set(['shop', 'slow']), urls: new Set(['https://example.com/']) }),
  };

  it('selectors are those of the pages that the task opens', async () => {
    const found = await listCompletions(
      json,
      '{"setup": ["goto", "shop.html"], "evaluate": ["element_exists", "|"]}',
      shop,
    );
    expect(found.map(({ label }) => label)).toEqual([
      '#buy',
      '.big',
      '.title',
      '[data-testid="search"]',
      '[name="q"]',
      'h1',
      'form',
      'input',
      'button',
    ]);
    expect(found[0]).toMatchObject({ signature: ' <button> Buy now', detail: 'shop.html' });
  });

  it.each([
    ['start_url', '{"start_url": "shop.html?a=1", "reward_function": "", "evaluate": ["element_exists", "#|"]}'],
    [
      'html_file in initial_state',
      '{"initial_state": {"html_file": "shop.html"}, "evaluate": ["element_exists", "#|"]}',
    ],
    [
      'a list of calls',
      '{"setup": [{"function": "goto", "args": ["shop.html"]}, {"function": "click", "args": ["#|"]}]}',
    ],
    ['inline HTML', '{"setup": ["load_html_content", "<p id=buy>"], "evaluate": ["element_exists", "#|"]}'],
  ])('selectors are found through %s', async (_, marked) => {
    expect(await labels(json, marked, shop)).toContain('#buy');
  });

  it('selectors complete the last part of what is written', async () => {
    const start = '{"start_url": "shop.html", "evaluate": ["element_exists", ';
    expect(await accept(json, `${start}"form > #b|"]}`, '#buy', shop)).toBe(`${start}"form > #buy"]}`);
    expect(await accept(json, `${start}"button.b|ug"]}`, '.big', shop)).toBe(`${start}"button.big"]}`);
    expect(await accept(json, `${start}"|"]}`, '[name="q"]', shop)).toBe(`${start}"[name=\\"q\\"]"]}`);
    expect(await labels(json, `${start}"text=B|"]}`, shop)).toEqual([]);
  });

  it('pages are the files beside the task, and addresses that tasks use', async () => {
    for (const marked of ['{"setup": ["goto", "|"]}', '{"start_url": "|"}']) {
      expect(await labels(json, marked, shop)).toEqual(['shop.html', 'sub/help.html', 'https://example.com/']);
    }
    expect(await labels(json, '{"evaluate": ["url_match", "|"]}', shop)).toEqual(['https://example.com/']);
  });

  it('keys are Playwright’s in press, with or without a selector', async () => {
    expect(await labels(json, '{"setup": ["press", "|"]}', shop)).toContain('Control+A');
    expect(await labels(json, '{"setup": ["press", "#q", "|"]}', shop)).toContain('Enter');
  });

  it('actions are strings or objects, with their fields and values', async () => {
    const start = '{"evaluate": ["raw_last_action_is", ';
    expect(await labels(json, `${start}"|"]}`)).toEqual(expect.arrayContaining(['click(bid)', '{ type: press }']));
    expect(await labels(json, `${start}{|}]}`)).toEqual(['type']);
    expect(await labels(json, `${start}{"type": "|"}]}`)).toContain('keydown');
    expect(await labels(json, `${start}{"type": "click", |}]}`)).toEqual(['point', 'button', 'pattern', 'hold_keys']);
    expect(await labels(json, `${start}{"type": "click", "button": "|"}]}`)).toEqual([
      'left',
      'right',
      'middle',
      'back',
      'forward',
    ]);
    expect(await labels(json, `${start}{"type": "press", "keys": ["|"]}]}`)).toContain('pagedown');
  });

  it('cookies have their shape, and the names that the task sets', async () => {
    expect(await accept(json, '{"setup": ["set_cookies", |]}', '[{ name, value }]')).toBe(
      '{"setup": ["set_cookies", [{ "name": "${1:name}", "value": "${2:value}" }]]}',
    );
    expect(
      await labels(
        json,
        '{"cookies": {"theme": "dark"}, "setup": ["set_cookies", [{"name": "a"}]], "evaluate": ["cookie_exists", "|"]}',
      ),
    ).toEqual(['theme', 'a']);
  });
});

describe('other values', () => {
  it('tags are those that other tasks have', async () => {
    const used = () => ({ tags: new Set(['slow', 'shop']), urls: new Set<string>() });
    expect(await labels(json, '{"tags": ["shop", "|"]}', { used })).toEqual(['slow']);
    expect(await accept(json, '{"tags": |}', 'slow', { used })).toBe('{"tags": ["slow"]}');
  });

  it('words of a fixed choice', async () => {
    expect(await labels(json, '{"metadata": {"combine": "|"}}')).toEqual(['all', 'any']);
    expect(await labels(json, '{"cookies": [{"name": "a", "sameSite": "|"}]}')).toEqual(['Strict', 'Lax', 'None']);
  });

  it('nothing is offered outside of keys and values', async () => {
    expect(await labels(json, '{"prompt": "Buy |"}')).toEqual([]);
    expect(await labels(json, '{"prompt" |: "Buy"}')).toEqual([]);
  });
});

describe('in YAML', () => {
  const yaml = '/tasks/a.task.yaml';

  it.each([
    ['a key', 'id: a\npr|', 'prompt', 'id: a\nprompt: "$1"'],
    ['a key between others', 'id: a\npr|\ngym: qa', 'prompt', 'id: a\nprompt: "$1"\ngym: qa'],
    ['a key in an empty place', 'id: a\n|\ngym: qa', 'prompt', 'id: a\nprompt: "$1"\ngym: qa'],
    ['an environment', 'gym: |', 'qa', 'gym: qa'],
    ['an environment in quotes', 'gym: "hud|"', 'hud-browser', 'gym: hud-browser'],
    ['a function alone', 'setup: go|', 'goto', 'setup: [goto, "$1"]'],
    ['a function in brackets', 'setup: [go|]', 'goto', 'setup: [goto, "$1"]'],
    ['a function that begins a list', 'setup:\n  - go|', 'goto', 'setup:\n  - goto\n  - "$1"'],
    ['a function under its key', 'setup:\n  function: go|', 'goto', 'setup:\n  function: goto\n  args: ["$1"]'],
    [
      'one more call',
      'setup:\n  - function: f\n    args: []\n  - go|',
      'goto',
      'setup:\n  - function: f\n    args: []\n  - { function: goto, args: ["$1"] }',
    ],
    ['a key of a call', 'setup:\n  - function: f\n    ar|', 'args', 'setup:\n  - function: f\n    args: [$1]'],
  ])('%s', async (_, marked, label, text) => {
    expect(await accept(yaml, marked, label)).toBe(text);
  });

  it('a task is offered in an empty file', async () => {
    expect(await accept('/tasks/a.tasks.yaml', '- |', 'task with a question')).toBe(
      '- id: "${1:id}"\n  prompt: "${2:The question}"\n  gym: qa\n  evaluate: [response_includes, "${3:answer}"]',
    );
  });
});

describe('in Python', () => {
  const python = '/tasks/tasks.py';
  const task = (rest: string): string => `from hud import Task\n\na = Task(id="a", ${rest})\n`;

  beforeAll(() => prepareToRead(python));

  it.each([
    ['a key', 'pr|', 'prompt', 'prompt="$1"'],
    ['a key in an empty place', '|', 'setup', 'setup=[$1]'],
    ['an environment', 'gym="|"', 'qa', 'gym="qa"'],
    ['an environment in single quotes', "gym='hud|'", 'hud-browser', 'gym="hud-browser"'],
    ['a function in a tuple', 'setup=("go|")', 'goto', 'setup=(["goto", "$1"])'],
    ['the first of a tuple', 'setup=("go|", )', 'goto', 'setup=("goto", "$1", )'],
    ['a function in a list', 'setup=[("go|",)]', 'goto', 'setup=[("goto", "$1",)]'],
    ['one more call', 'setup=[("f",), |]', 'goto', 'setup=[("f",), ("goto", "$1")]'],
    ['a function under its key', 'setup={"function": "go|"}', 'goto', 'setup={"function": "goto", "args": ["$1"]}'],
    ['a key of a call', 'setup={"function": "f", "a|"}', 'args', 'setup={"function": "f", "args": [$1]}'],
    ['a truth', 'metadata={"partial": |}', 'true', 'metadata={"partial": True}'],
  ])('%s', async (_, marked, label, text) => {
    expect(await accept(python, task(marked), label)).toBe(task(text));
  });

  it('offers nothing outside of tasks', async () => {
    expect(await labels(python, 'from hud import Task\nother(pr|)\na = Task(id="a")\n')).toEqual([]);
  });
});
