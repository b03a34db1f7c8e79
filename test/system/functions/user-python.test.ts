import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import type { CallResult, FunctionContext, Phase } from '../../../src/functions/declaration.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import { endBusyPython, forgetPython, withPython } from '../../../src/functions/user/python/functions.ts';
import { argumentSchemas } from '../../../src/functions/user/schemas.ts';
import { hasPython } from '../python.ts';
import { stage } from './harness.ts';

let home: string;
let folder: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'taskwright-python-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(home, 'tasks-'));
});

const write = (name: string, text: string) => writeFile(join(folder, name), text);

async function call(name: string, args: Json[] = [], more: Partial<FunctionContext> = {}, phase: Phase = 'evaluate') {
  const context = { page: undefined, response: '5', actions: [], actionTimeout: 1_000, async open() {}, ...more };
  return runCall({ function: name, args }, phase, context, await withPython(NO_USER_FUNCTIONS, folder, name));
}

const error = (result: CallResult) => ('error' in result ? result.error : { code: null, message: '', stack: '' });

describe.runIf(hasPython('functions in Python'))('a Python function next to the tasks', () => {
  it('runs with its arguments and a module next to it', async () => {
    await write('prices.py', 'RATE = 0.5\n');
    await write(
      'shop.functions.py',
      `from prices import RATE
def half(total: float, times: int = 1, *more: int) -> float:
    return total * RATE * times + sum(more)
async def later(text: str) -> dict:
    return {"value": text == "x", "reason": f"it is {text}"}
`,
    );
    expect(await call('half', [1])).toEqual({ value: 0.5, reason: 'returned 0.5' });
    expect(await call('half', [0.5, 2, 0, 0])).toEqual({ value: 0.5, reason: 'returned 0.5' });
    expect(await call('later', ['x'])).toEqual({ value: 1, reason: 'it is x' });
    expect(await call('later', ['ü'])).toEqual({ value: 0, reason: 'it is ü' });
  });

  it.each([
    ['f(a: int)', ['x'], /argument 1 “a: int”: .*number/],
    ['f(a: int)', [1.5], /argument 1 “a: int”: .*int/],
    ['f(a: int)', [true], /“a: int”.*boolean/],
    ['f(a: str, b: "list[str]")', ['x', ['y', 2]], /argument 2 “b: list\[str\]” \(1\): .*string/],
    ['f(a: Dict[str, float])', [{ x: 'y' }], /“a: .*ict\[str, float\]” \(x\)/],
    ['f(a: Literal["x", "y"])', ['z'], /"x"\|"y"/],
    ['f(a: Optional[int])', ['x'], /“a: Optional\[int\]”/],
    ['f(a)', [], />=1/],
    ['f(a)', [1, 2], /<=1/],
  ])('%s refuses %j', async (signature, args, words) => {
    await write('a.functions.py', `from typing import *\ndef ${signature}:\n    return 1\n`);
    const found = error(await call('f', args as Json[]));
    expect(found.code).toBe('invalid_arguments');
    expect(found.message).toMatch(words);
  });

  it.each([
    ['f(a: float)', [1]],
    ['f(a: Optional[int])', [null]],
    ['f(a: str = None)', [null]],
    ['f(a: Money)', [{ any: 'thing' }]],
    ['f(a: "Missing")', ['x']],
    ['f(a: Union[int, List[bool]])', [[true]]],
    ['f(state, a: int, page=None, b: int = 2)', [1, 2]],
    ['f(a: int, *, state)', [1]],
    ['f(a: int, /, b: int = 1)', [1]],
  ])('%s takes %j', async (signature, args) => {
    await write('a.functions.py', `from typing import *\nclass Money: pass\ndef ${signature}:\n    return 1\n`);
    expect(await call('f', args as Json[])).toEqual({ value: 1, reason: 'returned 1' });
  });

  it.each([
    ['None', 'call_returned_nothing', /`f` returned nothing/],
    ['float("nan")', 'call_out_of_range', /`f` returned nan; return a number from 0 to 1/],
    ['float("-inf")', 'call_out_of_range', /returned -inf/],
    ['2', 'call_out_of_range', /returned 2/],
    ['"yes"', 'call_out_of_range', /returned the text "yes"/],
    ['[1]', 'call_out_of_range', /returned a list/],
    ['{"points": 1}', 'call_out_of_range', /returned a dict without "value"/],
    ['{"value": None}', 'call_returned_nothing', /returned nothing/],
    ['{"value": 1, "reason": ["a"]}', 'call_out_of_range', /returned a reason of type list; .* a text as the reason$/],
    ['{"value": 0, "reason": ValueError("no")}', 'call_out_of_range', /returned a reason of type ValueError/],
  ])('returning %s is an error', async (value, code, words) => {
    await write('a.functions.py', `def f():\n    return ${value}\n`);
    const found = error(await call('f'));
    expect(found.code).toBe(code);
    expect(found.message).toMatch(words);
  });

  it.each(['None', '""'])('the reason %s is allowed', async (reason) => {
    await write('a.functions.py', `def f():\n    return {"value": 1, "reason": ${reason}}\n`);
    expect(await call('f')).toEqual({ value: 1, reason: reason === 'None' ? 'returned 1' : '' });
  });

  it('fractions and their like are numbers', async () => {
    await write('a.functions.py', 'from fractions import Fraction\ndef f():\n    return {"value": Fraction(1, 4)}\n');
    expect(await call('f')).toEqual({ value: 0.25, reason: 'returned 0.25' });
  });

  it('one with the return type None is a setup function', async () => {
    await write('a.functions.py', 'def f() -> None:\n    pass\n');
    expect(await call('f', [], {}, 'setup')).toEqual({ value: null, reason: '' });
    expect(error(await call('f')).message).toContain('is a setup function');
  });

  it('is reloaded when it or an import was edited; nothing is written next to it', async () => {
    await mkdir(join(folder, 'lib'));
    await write('lib/rate.py', 'RATE = 0.1\n');
    await write(
      'a.functions.py',
      'from lib.rate import RATE\nn = 0\ndef a():\n    global n\n    n += 1\n    return RATE * n\n',
    );
    expect(await call('a')).toMatchObject({ value: 0.1 });
    expect(await call('a')).toMatchObject({ value: 0.2 });
    await write('lib/rate.py', 'RATE = 0.25\n');
    expect(await call('a')).toMatchObject({ value: 0.25 });
    forgetPython();
    expect(await call('a')).toMatchObject({ value: 0.25 });
    await write('a.functions.py', 'def a():\n    return 1\n');
    expect(await call('a')).toMatchObject({ value: 1 });
    await expect(readFile(join(folder, 'lib', '__pycache__'))).rejects.toThrow('ENOENT');
  });

  it('reports its parameters, including type aliases', async () => {
    await write('a.functions.py', 'Money = float\ndef a(total: Money, n: int = 1):\n    return 1\n');
    const set = await withPython(NO_USER_FUNCTIONS, folder, 'a');
    expect(argumentSchemas(set)['a']).toMatchObject({
      prefixItems: [{ type: 'number' }, { type: 'integer' }],
      minItems: 1,
    });
  });
});

describe.runIf(hasPython('functions in Python'))('a Python error is reported with its location', () => {
  it('when the function raises', async () => {
    await write('a.functions.py', 'def a():\n    return inner()\n\ndef inner():\n    return {}["total"]\n');
    const found = error(await call('a'));
    expect(found).toMatchObject({ code: 'call_threw', message: "`a` threw (a.functions.py:5): KeyError: 'total'" });
    expect(found.stack).not.toContain('host.py');
  });

  it('when it leaves', async () => {
    await write(
      'a.functions.py',
      'import sys, os\ndef a():\n    sys.exit(3)\ndef b():\n    os._exit(3)\ndef c():\n    return 1\n',
    );
    expect(error(await call('a')).message).toBe('`a` threw (a.functions.py:3): SystemExit: 3');
    expect(error(await call('b')).message).toMatch(/^`b` terminated Python \(exit code 3\)/);
    expect(await call('c')).toMatchObject({ value: 1 });
  });

  it('when it runs for ever: Python is ended, and another one takes the next call', async () => {
    await write(
      'a.functions.py',
      `def a():\n    open("${join(folder, 'begun')}", "w").write("begun")\n    while True:\n        pass\ndef b():\n    return 1\n`,
    );
    const looping = call('a');
    await expect.poll(() => readFile(join(folder, 'begun'), 'utf8').catch(() => '')).toBe('begun');
    endBusyPython();
    expect(error(await looping).message).toMatch(/^`a` terminated Python \(SIGKILL\)/);
    expect(await call('b')).toMatchObject({ value: 1 });
  });

  it('when the file cannot be loaded', async () => {
    await write('a.functions.py', 'import nothing_of_this_name\ndef a():\n    return 1\n');
    await write('b.functions.py', 'def b(:\n    return 1\n');
    await write('c.functions.py', 'def c(*, needed):\n    return 1\n');
    const found = error(await call('a'));
    expect(found.code).toBe('call_threw');
    expect(found.message).toMatch(
      /a\.functions\.py:1 could not be loaded: ModuleNotFoundError: .*nothing_of_this_name/,
    );
    expect(found.message).toMatch(/b\.functions\.py:1 could not be loaded: SyntaxError/);
    expect(found.message).toMatch(
      /c\.functions\.py could not be loaded: TypeError: c\(\) requires the keyword argument 'needed'/,
    );
  });

  it('when a module that it imports cannot be loaded', async () => {
    await write('helper.py', 'RATE = 1\nraise ValueError("no luck")\n');
    await write('a.functions.py', 'import helper\ndef a():\n    return 1\n');
    expect(error(await call('a'))).toMatchObject({
      code: 'call_threw',
      message: '`a` cannot be called: a.functions.py:1 could not be loaded: helper.py:2: ValueError: no luck',
    });
    await write('helper.py', 'def rate(:\n');
    expect(error(await call('a')).message).toMatch(
      /a\.functions\.py:1 could not be loaded: helper\.py:1: SyntaxError: /,
    );
  });

  it('when another file has the name too', async () => {
    await write('a.functions.py', 'def a():\n    return 1\n');
    const own = { name: 'a', file: join(folder, 'b.functions.ts'), phase: undefined, args: undefined, run: () => 1 };
    const set = await withPython({ ...NO_USER_FUNCTIONS, functions: new Map([['a', own]]) }, folder, 'a');
    expect(set.functions.has('a')).toBe(false);
    // What is not doubled is there, and is another's when the other files are.
    await write('a.functions.py', 'def b():\n    return 1\n');
    const others = (of: () => number) => ({ ...NO_USER_FUNCTIONS, functions: new Map([['a', { ...own, run: of }]]) });
    const one = () => 1;
    await withPython(
      others(() => 0),
      folder,
      'b',
    );
    expect((await withPython(others(one), folder, 'b')).functions.get('a')?.run).toBe(one);
    expect(set.failures.map(({ message }) => message)).toEqual([
      '`a` is exported by b.functions.ts and a.functions.py. Rename one of them',
    ]);
  });
});

describe.runIf(hasPython('functions in Python'))('`state` describes the environment', () => {
  const browser = stage();

  it('of a page', async () => {
    await write(
      'a.functions.py',
      `def a(state) -> dict:
    found = [state.url, state.title, "hidden" in state.html, state.text, [c["name"] for c in state.cookies], state.storage]
    return {"value": 1, "reason": repr(found)}
def away(state) -> None:
    state.open("http://shop.test/away")
`,
    );
    browser.pages.set('http://shop.test/away', '<title>Away</title>');
    await browser.show('<title>Shop</title><p>Two mugs</p><p hidden>hidden</p>');
    await browser.page.evaluate(() => {
      localStorage['cart'] = '2';
      document.cookie = 'seen=1';
    });
    expect(await call('a', [], browser.context())).toMatchObject({
      reason: "['http://shop.test/', 'Shop', True, 'Two mugs', ['seen'], {'local': {'cart': '2'}, 'session': {}}]",
    });
    expect(await call('away', [], browser.context(), 'setup')).toMatchObject({ value: null });
    expect(await browser.page.title()).toBe('Away');
  });

  it('of an answer and what was done', async () => {
    await write(
      'a.functions.py',
      'def a(state):\n    return {"value": state.response == "5", "reason": str(state.actions[0]["action"]) + str(list(state.files))}\n',
    );
    const action = { input: 'click("1")', normalised: null, error: null, matches: async () => false, typed: null };
    expect(await call('a', [], { actions: [action] })).toEqual({ value: 1, reason: 'click("1")[]' });
  });

  it('of the files that an agent works with, and of no others', async () => {
    await mkdir(join(folder, 'work', 'out'), { recursive: true });
    await write('work/out/report.txt', 'done');
    await write('secret.txt', 'no');
    await write(
      'a.functions.py',
      'def a(state):\n    found = state.files["out/report.txt"].read_text()\n    return {"value": "../secret.txt" not in state.files, "reason": found + str(list(state.files))}\n',
    );
    const workspace = { folder: join(folder, 'work') } as FunctionContext['workspace'];
    expect(await call('a', [], { workspace } as Partial<FunctionContext>)).toEqual({
      value: 1,
      reason: "done['out/report.txt']",
    });
  });

  it('with an explanation if there is no page', async () => {
    await write('a.functions.py', 'def a(state):\n    return state.title == "x"\n');
    expect(error(await call('a')).message).toMatch(
      /^`a` threw \(a\.functions\.py:2\): RuntimeError: this environment has no page/,
    );
  });
});

describe.runIf(hasPython('live pages for functions in Python', 'playwright'))('`page` is the live page', () => {
  const browser = stage();
  const FUNCTIONS = `def ticks(page, state, wanted: int):
    page.locator("#tick").check()
    return {"value": page.locator("input:checked").count() == wanted, "reason": f"{page.title()} {state.title} {len(page.context.cookies())} {len(page.context.pages)}"}
async def later(wanted: str, page) -> dict:
    found = await page.locator("b").inner_text()
    inner = await page.frame_locator("iframe").locator("i").inner_text()
    return {"value": found == wanted, "reason": inner}
def away(page) -> None:
    page.goto("http://shop.test/away")
def fails(page):
    page.locator("#nothing").click(timeout=50)
`;

  it('for plain and for asynchronous functions, one after the other', async () => {
    await write('a.functions.py', FUNCTIONS);
    browser.pages.set('http://shop.test/away', '<title>Away</title>');
    await browser.show(
      '<title>Shop</title><input type=checkbox id=tick><b>yes</b><iframe srcdoc="<i>in</i>"></iframe>',
    );
    await browser.page.evaluate(() => {
      document.cookie = 'seen=1';
    });
    const other = await browser.page.context().newPage();
    expect(await call('ticks', [1], browser.context())).toEqual({ value: 1, reason: 'Shop Shop 1 1' });
    expect(await call('later', ['yes'], browser.context())).toEqual({ value: 1, reason: 'in' });
    expect(await call('ticks', [2], browser.context())).toEqual({ value: 0, reason: 'Shop Shop 1 1' });
    expect(error(await call('fails', [], browser.context())).message).toMatch(
      /^`fails` threw \(a\.functions\.py:11\): .*Timeout 50ms exceeded/,
    );
    expect(await call('away', [], browser.context(), 'setup')).toEqual({ value: null, reason: '' });
    expect(await browser.page.title()).toBe('Away');
    // Ours goes on as it was.
    await browser.show('<button onclick="this.textContent = 1">0</button>');
    await browser.page.locator('button').click();
    expect(await browser.page.locator('button').innerText()).toBe('1');
    await other.close();
  });

  it('not where there is none', async () => {
    await write('a.functions.py', FUNCTIONS);
    expect(error(await call('away', [], {}, 'setup')).message).toMatch(/^`away` threw.*this environment has no page/);
  });
});

describe.runIf(hasPython('functions in Python'))('the virtual environment next to tasks', () => {
  it('is used; without playwright `page` is rejected with an explanation, unless it is optional', async () => {
    spawnSync('python3', ['-m', 'venv', '--without-pip', join(folder, '.venv')]);
    await write(
      'a.functions.py',
      'import sys\ndef a(page):\n    return 1\ndef b(page=None):\n    return page is None\n',
    );
    expect(error(await call('a')).message).toMatch(
      /`page` needs the package playwright, which .*\.venv\/bin\/python3 does not have: pip install playwright/,
    );
    expect(await call('b')).toMatchObject({ value: 1 });
  });
});
