import { beforeAll, describe, expect, it } from 'vitest';
import { refusal } from '../../../src/language/findings/diagnose.ts';
import { prepareToRead } from '../../../src/tasks/read.ts';
import { isComputed, UNKNOWN } from '../../../src/tasks/unknown.ts';
import { codes, read, values } from './python-file.ts';

beforeAll(() => prepareToRead('tasks.py'));

describe('names', () => {
  it('have the value of the literal that is assigned once', () => {
    const file = read(
      'from hud import Task',
      'URL = "https://example.com"',
      'PAGE: str = f"{URL}/shop"',
      'CONFIG = {"a": [1, URL]}',
      't = Task(prompt=f"Open {PAGE}!", config=CONFIG, setup=("goto", URL))',
    );
    expect(values(file)).toEqual([
      {
        prompt: 'Open https://example.com/shop!',
        config: { a: [1, 'https://example.com'] },
        setup: ['goto', 'https://example.com'],
      },
    ]);
    expect(file.findings).toEqual([]);
  });

  it('are formatted as in Python, or unknown', () => {
    const file = read(
      'from hud import Task',
      'N = -12',
      'H = 0xff',
      'F = 1.0',
      'E = 1e3',
      'a = Task(prompt=f"{N} {H}")',
      'b = Task(prompt=f"{F}")',
      'c = Task(prompt=f"{E}")',
    );
    expect(values(file)).toEqual([{ prompt: '-12 255' }, { prompt: UNKNOWN }, { prompt: UNKNOWN }]);
  });

  it.each([
    ['given twice', 'X = "a"\nX = "b"'],
    ['changed', 'X = "a"\nX += "b"'],
    ['of a loop', 'X = "a"\nfor X in xs: pass'],
    ['of a parameter', 'X = "a"\ndef f(a, X=1): pass'],
    ['given in a function', 'def f():\n    X = "a"'],
    ['of a list that is filled', 'X = []\nX.append(1)'],
    ['given by a call', 'X = make()'],
    ['given by itself', 'X = X'],
    ['of an import', 'from y import z as X'],
    ['imported later', 'X = "a"\nfrom y import X'],
    ['given with others later', 'X = "a"\nX, Y = "b", "c"'],
    ['unpacked later', 'X = "a"\n[X] = ["b"]'],
    ['given by a match', 'X = "a"\nmatch y:\n    case X: pass'],
    ['of a list that is filled by another name', 'X = []\nY = X\nY.append(1)'],
    ['of a list that is filled by a third name', 'X = []\nY = X\nZ = Y\nZ += [1]'],
  ])('are not known when %s', (_, lines) => {
    const file = read('from hud import Task', lines, 't = Task(prompt="p", config=X)');
    expect(file.findings).toMatchObject([{ code: 'python-not-literal' }]);
  });
});

describe('a task that is known in part', () => {
  it('cannot run, with the reason at the first unknown part, and its known parts are checked', () => {
    const file = read(
      'from hud import Task',
      't = Task(id="a", prompt=PROMPT, gym="hud-browser", setup=[("goto", url), ("gotoo", "x")],',
      '         evaluate=("page_contain", expected), maxsteps=3)',
    );
    expect(codes(file)).toEqual([
      'information python-not-literal',
      'error unknown-function',
      'error unknown-function',
      'warning unknown-key',
    ]);
    const [row] = file.rows;
    if (row === undefined) throw new Error('no row');
    expect(row.findings[0]?.range).toEqual({ start: { line: 1, character: 24 }, end: { line: 1, character: 30 } });
    expect(row.findings[0]?.message).toContain(
      '“prompt” is the variable PROMPT, “setup[0][1]” is the variable url and',
    );
    const only = read('from hud import Task', 't = Task(prompt=P, gym="qa", evaluate=("response_is", "x"))');
    expect(refusal(only, only.rows[0] as NonNullable<(typeof only.rows)[0]>, new Map())?.code).toBe(
      'python-not-literal',
    );
  });

  it.each([
    'prompt=p, gym="qa", evaluate=("response_is", "x")',
    'prompt="p", gym=g, evaluate=("response_is", "x")',
    'prompt="p", gym="qa", evaluate=e',
    'prompt="p", gym="qa", evaluate=[e, ("response_is", "x")]',
    'prompt="p", gym="qa", evaluate=("response_is", *e)',
    'prompt="p", gym="qa", evaluate=(name, "x")',
    'prompt="p", gym="qa", evaluate={"function": f, "args": a}',
    'prompt="p", gym="qa", evaluate={"function": "response_is", **rest}',
    'prompt="p", gym="qa", evaluate=("response_is", "x"), metadata=m, sensitive_data=s, config=c, id=i',
    'prompt="p", gym="qa", evaluate=("response_is", "x"), max_steps=n, start_url=u, cookies=c, tags=t',
    'prompt="p", gym={"type": g}, evaluate=("response_is", "x")',
    '**everything',
    'prompt="p", **rest',
    'prompt=p, mcp_config=m, setup_tool=s, evaluate_tool=e, agent_config=a',
    'prompt="p", mcp_config={"hud": {"url": url, "headers": {"Authorization": f"Bearer {key}"}}}, evaluate_tool={"name": n, "arguments": a}',
    'env=e, scenario=s, args=a',
    'env={"name": n}, scenario="s", args={"a": a}',
    'env=e, id=i, args=a, slug=s, columns=c, runtime_config=r',
    'env="e", id="i", args={"a": a, **b}',
  ])('gives no error or warning for what is unknown: Task(%s)', (args) => {
    const file = read('from hud import Task', `t = Task(${args})`);
    expect(codes(file).filter((code) => !code.startsWith('information'))).toEqual([]);
    expect(codes(file)).toContain('information python-not-literal');
  });

  it.each([
    'Task.model_validate(d)',
    'Task.from_dict(data)',
    'Task.parse_obj(d["x"])',
    'Task.model_validate(original, strict=True)',
    'Task.model_validate(obj=d)',
    'Task(**dict(base))',
    'Task.from_dict({**d, "tags": ["a"]})',
    'Task(env=Environment(name), id="i")',
    'Task(prompt="p", gym={"type": "public", "image_or_build_context": Path(folder)})',
    'Task(prompt="p", gym=gym)',
    'Task(gym=gym, evaluate=("response_is", "x"))',
    'Task(prompt="p", gym="qa", evaluate=("response_is", lambda a, b=1: a), metadata={"a": x or (lambda: 1)})',
    'Task(prompt="p", gym="qa", evaluate=[{"function": "contains", "args": a}, {"function": "contains", "args": ["b"]}])',
  ])('as a whole or in part gives no error or warning: %s', (call) => {
    const imports = ['from pathlib import Path', 'from hud import Environment, Task'];
    const file = read(...imports, `tasks = [${call} for d in data]`, `t = ${call}`);
    expect(codes(file).filter((code) => !code.startsWith('information'))).toEqual([]);
    expect(file.rows.map(isComputed)).toEqual([true, true]);
  });

  it('has no environment that is not known', () => {
    const file = read('from hud import Task', 'a = Task(**d)', 'b = Task(prompt="p", gym=g)', 'c = Task(prompt="p")');
    expect(file.rows.map(({ task }) => task?.env.type)).toEqual(['unknown', 'unknown', 'hud-browser']);
  });

  it('of a comprehension is listed once', () => {
    const file = read('from hud import Task', 'tasks = [Task(prompt=p, gym="qa") for p in PROMPTS]');
    expect(file.rows).toHaveLength(1);
    expect(file.findings).toMatchObject([{ code: 'python-not-literal' }]);
  });
});
