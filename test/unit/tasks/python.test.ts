import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { prepareToRead } from '../../../src/tasks/read.ts';
import { UNKNOWN } from '../../../src/tasks/unknown.ts';
import { read, values } from './python-file.ts';

beforeAll(() => prepareToRead('tasks.py'));

const CHECKED = 'gym="hud-browser", evaluate=("page_contains", "Done")';

describe('which calls are tasks', () => {
  it.each([
    ['from hud import Task', 'Task'],
    ['from hud.task import Task as T', 'T'],
    ['from hud.datasets import (\n    Dataset,\n    TaskConfig,  # old\n)', 'TaskConfig'],
    ['import hud', 'hud.Task'],
    ['import hud', 'hud.datasets.Task'],
    ['import os, hud.datasets as data', 'data.Task'],
    ['from hud import datasets', 'datasets.TaskConfig'],
    ['from hud import *', 'Task'],
    ['try:\n    from hud import Task\nexcept ImportError:\n    Task = None', 'Task'],
    ['import os; from hud import Task', 'Task'],
    ['if TYPE_CHECKING: from hud import Task', 'Task'],
    ['try: import hud; HUD = True\nexcept ImportError: pass', 'hud.Task'],
    ['from hud \\\n    import Task', 'Task'],
    ['from \\\n  hud import \\\n    TaskSet, \\\n    Task', 'Task'],
    ['import os, \\\r\n  hud', 'hud.Task'],
    ['import hud\nT = hud.Task', 'T'],
    ['import hud\nT = hud\nU: type = T.Task  # short', 'U'],
  ])('%s: %s(...)', (line, name) => {
    expect(values(read(line, `t = ${name}(prompt="p")`))).toEqual([{ prompt: 'p' }]);
  });

  it.each([
    ['from inspect_ai import Task', 'Task(prompt="p")'],
    ['from hudson import Task', 'Task(prompt="p")'],
    ['from .hud import Task', 'Task(prompt="p")'],
    ['# from hud import Task', 'Task(prompt="p")'],
    ['"""\nfrom hud import Task\n"""', 'Task(prompt="p")'],
    ['from hud import Task', 'other.Task(prompt="p")'],
    ['from hud import Task', 'def make() -> Task: ...'],
    ['from hud import Task', 'class Mine(Task): ...'],
    ['from hud import Task', 'x: list[Task] = []  # Task(prompt="p")'],
    ['from hud import Job', 'Job(name="j")'],
    ['T = T', 'T(prompt="p")'],
    ['from hud import Task\nT = Task\nT = other', 'T(prompt="p")'],
  ])('%s: %s is none', (line, rest) => {
    expect(read(line, rest).rows).toEqual([]);
  });

  it.each([
    ['from pathlib import Path', 'Path("env")', './env'],
    ['from pathlib import PurePath, Path as P', "P('./env')", './env'],
    ['import pathlib', 'pathlib.Path("envs", "one")', './envs/one'],
    ['import os, pathlib as p', 'p.Path("/envs") / "one"', '/envs/one'],
    ['from pathlib import Path', 'Path(__file__).parent / "env" / "one"', './env/one'],
    ['from pathlib import Path', 'Path(__file__).resolve().parent.parent / "env"', './../env'],
    ['from pathlib import Path', 'HERE / "x" if x else Path("y")', undefined],
    ['from pathlib import Path', 'Path(__file__)', undefined],
    ['from pathlib import Path', 'Path(__file__).parent.name', undefined],
    ['from pathlib import Path', 'Path("env") / name', undefined],
    ['from pathlib import Path', 'Path("env").resolve()', undefined],
    ['from pathlib import Path', 'Path()', undefined],
    ['from mine import Path', 'Path("env")', undefined],
  ])('%s: %s is the path %j', (line, path, expected) => {
    const text = `t = Task(prompt="p", gym=CustomGym(location="local", image_or_build_context=${path}), evaluate=["f"])`;
    const [row] = read('from hud.task import Task, CustomGym', line, text).rows;
    expect(row?.value).toMatchObject({ gym: { location: 'local', image_or_build_context: expected ?? UNKNOWN } });
    const isKnown = row?.findings.length === 0;
    expect([isKnown, row?.findings.map(({ code }) => code)]).toEqual(
      expected === undefined ? [false, ['python-not-literal']] : [true, []],
    );
  });

  it.each([
    ['dict(prompt="p", gym="qa")', { prompt: 'p', gym: 'qa' }],
    ['dict(BASE, prompt="p")', { gym: 'qa', tags: ['a'], prompt: 'p' }],
    ['dict({"gym": "qa"}, prompt="p")', { gym: 'qa', prompt: 'p' }],
    ['dict([("gym", "qa"), ["id", "a"]], prompt="p")', { gym: 'qa', id: 'a', prompt: 'p' }],
    ['dict(COPY, gym="hud-browser")', { gym: 'hud-browser', prompt: 'copied' }],
    ['{**COPY, "id": "a"}', { gym: 'qa', prompt: 'copied', id: 'a' }],
  ])('takes the members of %s', (expression, expected) => {
    const file = read(
      'from hud import Task',
      'BASE = {"gym": "qa", "tags": ["a"]}',
      'COPY = dict(gym="qa", prompt="copied")',
      `t = Task(**${expression})`,
    );
    expect(values(file)).toEqual([expected]);
    expect(file.findings).toEqual([]);
  });

  it('reads the members of a dictionary that is passed to a renamed method of Task', () => {
    expect(values(read('from hud import Task', 'make = Task.from_dict', 't = make({"prompt": "p"})'))).toEqual([
      { prompt: 'p' },
    ]);
  });

  it('a bracket on the line after a name begins another statement', () => {
    const file = read('from hud import Task', '(a, b) = 1, 2', 'x = Task', '(t := Task(prompt="p"))');
    expect(values(file)).toEqual([{ prompt: 'p' }]);
    expect(file.findings).toEqual([]);
  });

  it.each(['prompt="p", **dict(prompt="q")', '**BASE, gym="qa"', '**BASE, **BASE'])(
    'reports an argument that is given twice, as Python does: Task(%s)',
    (args) => {
      const file = read('from hud import Task', 'BASE = {"gym": "qa"}', `t = Task(${args})`);
      expect(file.findings).toMatchObject([{ severity: 'error', code: 'duplicate-key' }]);
    },
  );

  it("does not read a user's function named dict as the builtin", () => {
    const file = read('from hud import Task', 'def dict(**more): ...', 't = Task(prompt="p", metadata=dict(a=1))');
    expect(file.findings).toMatchObject([{ code: 'python-not-literal' }]);
  });

  it.each(['{"a"}', '{"a",}', '{1, 2}', '{*names}', 'set()', 'frozenset({"a"})'])(
    'cannot run a task with the set %s, and says so',
    (set) => {
      const file = read('from hud import Task', `t = Task(prompt="p", metadata={"of": ${set}})`);
      expect(file.findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
        'information python-not-literal',
      ]);
    },
  );

  // hud-python 0.2.10: expand_config(Task(prompt="p", setup=...).setup)
  it.each([
    ['(("goto", "a"), ("goto", "b"))', 2],
    ['(("goto", "a"),)', 1],
    ['({"function": "goto", "args": ["a"]},)', 1],
    ['()', 0],
    ['[("goto", "a"), {"function": "goto", "args": ["b"]}]', 2],
    ['[{"function": "goto", "args": ("a", "b")}]', 1],
  ])('warns of setup=%s, which HUD rejects as an invalid tuple', (setup, calls) => {
    const file = read('from hud import Task', `t = Task(prompt="p", ${CHECKED}, setup=${setup})`);
    const messages = diagnose(file, new Map()).map(({ severity, message }) => `${severity} ${message}`);
    expect(messages.filter((message) => /^warning .*Invalid tuple/.test(message))).toHaveLength(1);
    expect(file.rows[0]?.task?.setup).toHaveLength(calls);
  });

  it.each(['[("goto", "a"), ("goto", "b")]', '("goto", "a")', '[("maximize",)]', '[]'])(
    'accepts setup=%s, as HUD does',
    (setup) => {
      expect(read('from hud import Task', `t = Task(prompt="p", gym="hud-browser", setup=${setup})`).findings).toEqual(
        [],
      );
    },
  );

  it('reads a tuple of arguments as one argument, as HUD does', () => {
    const file = read(
      'from hud import Task',
      't = Task(prompt="p", gym="hud-browser", evaluate={"function": "page_contains", "args": ("a", "b")})',
    );
    expect(file.rows[0]?.task?.evaluate[0]?.args).toEqual([['a', 'b']]);
  });

  it('finds them in lists, sets, functions and classes, in the order of the text', () => {
    const file = read(
      'from hud import Task, TaskSet',
      'one = Task(prompt="1")',
      'tasks = TaskSet(name="shop", description="d", tasks=[',
      '    Task(prompt="2"),',
      '    {"prompt": "3"},',
      '    Task(**{"prompt": "4", "gym": "qa"}),',
      '    Task.from_dict({"prompt": "5"}),',
      '])',
      'def test_shop():',
      '    assert run(Task(prompt="6")) == 1',
    );
    expect(values(file).map((value) => (value as { prompt: string }).prompt)).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(file.set).toEqual({ id: null, name: 'shop', description: 'd' });
    expect(file.format).toBe('python');
    expect(file.findings).toEqual([]);
  });

  it('leaves out patterns, and what is expected to fail', () => {
    const file = read(
      'import pytest',
      'from hud import Task',
      'match value:',
      '    case Task(prompt=text):',
      '        pass',
      'def test_rejected(self):',
      '    with pytest.raises(ValueError):',
      '        Task(prompt="rejected")',
      '    with self.assertRaises(ValueError): Task(prompt="rejected too")',
      '    async with run(Task(prompt="1")):',
      '        pass',
      '    Task(prompt="2")',
    );
    expect(values(file)).toEqual([{ prompt: '1' }, { prompt: '2' }]);
  });

  it('knows which of them are in functions and classes, where HUD does not find them', () => {
    const file = read(
      'from hud import Task',
      'def local():',
      '    if True:',
      '        Task(id="1")',
      '    Task(id="2",',
      'prompt="not indented")',
      'async def local():',
      '    return [Task(id="3")]',
      'if True:',
      '    t = Task(id="4")',
      'class Local:',
      '    t = Task(id="5")',
      't = Task(id="6")',
    );
    expect(file.rows.filter(({ isLocal }) => isLocal).map(({ id }) => id)).toEqual(['1', '2', '3', '5']);
  });

  it('a task inside of a task is part of it', () => {
    const file = read('from hud import Task', 't = Task(env="e", id="a", verifier=Task(env="e", id="b"))');
    expect(values(file)).toEqual([{ env: 'e', id: 'a', verifier: { env: 'e', id: 'b' } }]);
  });

  it('reads the data classes of HUD as objects', () => {
    const file = read(
      'from hud import Task, FunctionConfig',
      'from hud.types import CustomGym, MCPToolCall',
      'a = Task(prompt="p", gym=CustomGym(location="local", image_or_build_context="x"), setup=FunctionConfig(function="f", args=[]))',
      'b = Task(prompt="p", mcp_config={}, evaluate_tool=MCPToolCall(name="check", arguments={"n": 1}))',
    );
    expect(values(file)).toEqual([
      {
        prompt: 'p',
        gym: { location: 'local', image_or_build_context: 'x' },
        setup: { function: 'f', args: [] },
      },
      { prompt: 'p', mcp_config: {}, evaluate_tool: { name: 'check', arguments: { n: 1 } } },
    ]);
    expect(file.rows.map(({ era }) => era)).toEqual(['0.2', '0.4']);
  });
});

describe('the spellings of a call in Python, as HUD 0.2.10 expands them', () => {
  interface Recorded {
    readonly source: string;
    readonly out?: readonly { function: string; args: readonly unknown[]; id?: string }[] | null;
    readonly error?: string;
  }
  const records = readFileSync(
    join(import.meta.dirname, '../../fixtures/hud/call-spellings-python-0.2.10.jsonl'),
    'utf8',
  )
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);

  it.each(records.map((row) => [row.source, row] as const))('%s', (source, { out, error }) => {
    const file = read('from hud import Task, FunctionConfig', `t = Task(prompt="p", gym="qa", setup=${source})`);
    const reading = file.rows[0]?.reading;
    const refused = reading?.problems.filter(({ path }) => path[0] === 'setup') ?? [];
    if (error !== undefined) {
      expect(refused).not.toEqual([]);
      return;
    }
    expect(refused).toEqual([]);
    expect(reading?.setup.map(({ function: name, args }) => ({ function: name, args }))).toEqual(
      (out ?? []).map(({ function: name, args }) => ({ function: name, args })),
    );
  });
});

describe('text that is broken while it is written', () => {
  it('affects only its own task', () => {
    const file = read(
      'from hud import Task',
      'tasks = [',
      '    Task(prompt="a", evaluate=("page_con),',
      '    Task(prompt="b"),',
      '    Task(prompt="c", ',
      '    Task(prompt="d", evaluate=(,),',
      '    Task(prompt="e" gym="qa")',
      '    Task(',
      '        prompt="f",',
      '        eval',
      '    ),',
      '    Task(prompt="g"),',
      ']',
      'x = Task(prompt="h", setup=[("a", "b"',
      'def f():',
      '    Task(prompt="i")',
    );
    expect(values(file).map((value) => (value as { prompt: string }).prompt)).toEqual([...'abcdefghi']);
    expect(file.findings.map(({ range, message }) => `${range.start.line}: ${message}`)).toEqual([
      '2: This string is not terminated: its closing quote is missing',
      '4: This “(” is not closed. Expected “)”',
      '5: This “(” is not closed. Expected “)”',
      '5: Expected a value before this comma',
      '6: Expected a comma before this',
      '7: Expected a comma before this task',
      '9: Expected a value after “eval=”',
      '13: This “(” is not closed. Expected “)”',
    ]);
  });

  it('problems elsewhere in the program are not reported', () => {
    const file = read('from hud import Task', 'x = = 3', 't = Task(prompt="p", gym="qa")', 'def (:', '  y z');
    expect(file.findings).toEqual([]);
    expect(file.rows).toHaveLength(1);
  });

  it('the fields of a task are named, each once', () => {
    const file = read('from hud import Task', 't = Task("p", gym="qa", gym="qa")');
    expect(file.findings).toMatchObject([
      { severity: 'error', code: 'python-positional', range: { start: { line: 1, character: 9 } } },
      { severity: 'error', code: 'duplicate-key', range: { start: { line: 1, character: 24 } } },
    ]);
  });
});

it('reading a Python file without preparation throws', async () => {
  const { vi } = await import('vitest');
  vi.resetModules();
  const anew = await import('../../../src/tasks/read.ts');
  expect(() => anew.readTasks('/x/tasks.py', 'from hud import Task')).toThrow('prepareToRead');
});
