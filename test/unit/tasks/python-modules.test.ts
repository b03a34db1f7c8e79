import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findTaskFiles } from '../../../src/tasks/discover.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import { looksLikeTaskFile } from '../../../src/tasks/recognition.ts';
import type { TaskFile } from '../../../src/tasks/rows.ts';
import { codes, values } from './python-file.ts';

const ENV = `
from hud import Environment
env = Environment(name="letter-count")
WORD = "raspberry"
OPTIONS = {"deep": True}

@env.template()
async def count(sentence: str = "strawberry", letter: str = "r"):
    answer = yield f"How many {letter} in {sentence}?"
    yield 1.0

@env.template(id="fix")
async def fix_add(target: str = "test_calc.py"):
    yield "Fix it"
    yield 1.0
`;

/** As the documentation of HUD 0.5 writes it. */
const OLD_ENV = `
from hud import Environment
env = Environment("letter-counter")

@env.scenario("count-letters")
async def count(word: str, letter: str):
    answer = yield "How many?"
    yield 1.0

@env.scenario()
async def checkout(user_id: str):
    yield "Check out"
    yield 1.0

@env.scenario(name="named")
async def other(n: int):
    yield "Other"
    yield 1.0
`;

let folder = '';

beforeAll(() => prepareToRead('a.py'));
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'taskwright-modules-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};

const read = (...lines: readonly string[]): TaskFile => readTasks(join(folder, 'tasks.py'), lines.join('\n'));

const counted = (args: Record<string, unknown>) => ({ env: 'letter-count', id: 'count', args });

describe('a task set that imports its templates', () => {
  it('lists the calls of templates, as HUD writes a new project', () => {
    write('env.py', ENV);
    const file = read(
      '"""Tasks for letter-count."""',
      'from env import count',
      '',
      'tasks = [',
      '    count(sentence="Strawberry world", letter="r"),',
      '    count("banana", letter="a"),',
      ']',
    );
    expect(values(file)).toEqual([
      counted({ sentence: 'Strawberry world', letter: 'r' }),
      counted({ sentence: 'banana', letter: 'a' }),
    ]);
    expect(file.rows.map(({ era, name }) => [era, name])).toEqual([
      ['0.6', 'count-4376680e'],
      ['0.6', 'count-e8d5ddbb'],
    ]);
    expect(codes(file)).toEqual([]);
  });

  it.each([
    ['under another name', 'from env import fix_add as f', 'f(target="a")'],
    ['of a module', 'import env', 'env.fix_add(target="a")'],
    ['of a module under another name', 'import env as e', 'e.fix_add(target="a")'],
    ['of a package', 'import levels.one', 'levels.one.fix_add(target="a")'],
    ['of a module in a package', 'from levels.one import fix_add', 'fix_add(target="a")'],
    ['of a module that a package contains', 'from levels import one', 'one.fix_add(target="a")'],
    ['that a package imports', 'from levels import fix_add', 'fix_add(target="a")'],
    ['relative to the file', 'from .env import fix_add', 'fix_add(target="a")'],
    ['of a module relative to the file', 'from . import env', 'env.fix_add(target="a")'],
    ['with all names', 'from env import *', 'fix_add(target="a")'],
    ['in parentheses', 'from env import (\n    count,\n    fix_add,\n)', 'fix_add(target="a")'],
  ])('a template %s', (_, statement, call) => {
    write('env.py', ENV);
    write('levels/one.py', ENV);
    write('levels/__init__.py', 'from .one import fix_add\n');
    expect(values(read(statement, `tasks = [${call}]`))).toEqual([
      { env: 'letter-count', id: 'fix', args: { target: 'a' } },
    ]);
  });

  it('an environment and constants are those of the module', () => {
    write('env.py', ENV);
    const file = read(
      'from hud import Task',
      'from hud.eval import Taskset',
      'from env import OPTIONS, WORD, count, env',
      'import env as module',
      'TASKS = Taskset("letters", [',
      '    Task(env=env, id="count", args={"sentence": WORD}),',
      '    count(sentence=f"one {WORD}"),',
      '    count(sentence=module.WORD, letter=OPTIONS),',
      '])',
    );
    expect(values(file)).toEqual([
      counted({ sentence: 'raspberry' }),
      counted({ sentence: 'one raspberry' }),
      counted({ sentence: 'raspberry', letter: { deep: true } }),
    ]);
    expect(file.set?.name).toBe('letters');
  });

  it('a value that the file changes is not known', () => {
    write('env.py', ENV);
    const file = read('from env import OPTIONS, count', 'OPTIONS["x"] = 1', 'count(letter=OPTIONS)');
    expect(codes(file)).toContain('information python-not-literal');
  });

  it('a template can be registered on an environment of another module', () => {
    write('env.py', ENV);
    const file = read('from env import env', '@env.template()', 'async def own(n): ...', 'tasks = [own(n=1)]');
    expect(values(file)).toEqual([{ env: 'letter-count', id: 'own', args: { n: 1 } }]);
  });

  it('tasks of HUD 0.5 are those of its scenarios', () => {
    write('env.py', OLD_ENV);
    const file = read(
      'from env import checkout, count, env, other',
      'a = count.task(word="banana", letter="a")',
      'b = checkout.task("alice")',
      'c = other.task(n=1)',
      'd = env("count-letters", word="x")',
      'generator = count(word="no task")',
    );
    const env = { name: 'letter-counter' };
    expect(values(file)).toEqual([
      { env, scenario: 'count-letters', args: { word: 'banana', letter: 'a' } },
      { env, scenario: 'checkout', args: { user_id: 'alice' } },
      { env, scenario: 'named', args: { n: 1 } },
      { env, scenario: 'count-letters', args: { word: 'x' } },
    ]);
    expect(file.rows.map(({ era }) => era)).toEqual(['0.5', '0.5', '0.5', '0.5']);
  });

  it('names of modules that are not next to the file, or have no such template, are no tasks', () => {
    write('env.py', ENV);
    expect(values(read('from other import count', 'import os', 'count(1)', 'os.path.join("a")'))).toEqual([]);
    expect(values(read('from env import missing', 'missing(1)'))).toEqual([]);
    expect(values(read('from env import count', 'count = print', 'count("x")'))).toEqual([]);
  });

  it('modules that import each other are read once', () => {
    write('a.py', `from b import *\nfrom tasks import *\n${ENV}`);
    write('b.py', 'from a import *\nfrom b import *\n');
    expect(values(read('from a import count', 'count()'))).toEqual([counted({})]);
  });

  it('a module is read again when it changes', () => {
    write('env.py', ENV);
    expect(values(read('from env import count', 'count()'))).toEqual([counted({})]);
    write('env.py', ENV.replace('letter-count', 'letters'));
    expect(values(read('from env import count', 'count()'))).toEqual([{ env: 'letters', id: 'count', args: {} }]);
    rmSync(join(folder, 'env.py'));
    const file = read('from env import count', 'count()');
    expect(values(file)).toEqual([]);
    expect(file.dependsOn).toContain(join(folder, 'env.py'));
  });
});

describe('fields that are assigned to a task', () => {
  it('are fields of its row, as HUD writes slugs and columns', () => {
    write('env.py', ENV);
    const file = read(
      'from env import count',
      'easy = count(sentence="a")',
      'easy.slug = "easy-one"',
      'easy.columns = {',
      '    "suite": "unit",',
      '}',
      'hard = count(sentence="b")',
      'hard.agent_config = {"max_steps": 5}',
      'for one in [easy, hard]:',
      '    one.slug = "unknown"',
    );
    expect(values(file)).toEqual([
      { ...counted({ sentence: 'a' }), slug: 'easy-one', columns: { suite: 'unit' } },
      { ...counted({ sentence: 'b' }), agent_config: { max_steps: 5 } },
    ]);
    expect(file.rows[0]?.name).toBe('easy-one');
    expect(file.rows[0]?.rangeOf(['slug'])).toEqual({
      start: { line: 2, character: 12 },
      end: { line: 2, character: 22 },
    });
    // They are statements of their own.
    expect(file.rows[0]?.edit([{ set: ['slug'], value: 'x' }])).toBeNull();
    expect(file.rows[0]?.edit([{ set: ['args', 'letter'], value: 'x' }])).not.toBeNull();
  });

  it('follow edits of the task', () => {
    write('env.py', ENV);
    const file = read('from env import count', 'easy = count(sentence="a")', 'easy.slug = "easy-one"');
    const at = 'from env import count\neasy = count(sentence="'.length;
    for (const _ of file.change([{ start: at, end: at + 1, text: 'banana' }]));
    expect(values(file)).toEqual([{ ...counted({ sentence: 'banana' }), slug: 'easy-one' }]);
    expect(file.rows[0]?.rangeOf(['slug'])?.start).toEqual({ line: 2, character: 12 });
  });
});

describe('files that import templates', () => {
  it('are task files, and withheld as such', async () => {
    write('env.py', ENV);
    const tasks = write('tasks.py', 'from env import count\ntasks = [count()]\n');
    write('train.py', 'from env import WORD\nprint(WORD)\n');
    write('other.py', 'import os\ntasks = [count()]\n');
    const inPackage = write('sub/tasks.py', 'from levels import fix_add\ntasks = [fix_add()]\n');
    write('sub/levels/__init__.py', 'from .one import fix_add\n');
    write('sub/levels/one.py', ENV);
    expect(await findTaskFiles([folder])).toEqual([inPackage, tasks].sort());
    expect(looksLikeTaskFile(tasks)).toBe(true);
    expect(looksLikeTaskFile(inPackage)).toBe(true);
    expect(looksLikeTaskFile(join(folder, 'other.py'))).toBe(false);
  });
});
