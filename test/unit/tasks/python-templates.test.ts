import { beforeAll, describe, expect, it } from 'vitest';
import { prepareToRead } from '../../../src/tasks/read.ts';
import { isComputed, UNKNOWN } from '../../../src/tasks/unknown.ts';
import { codes, read, values } from './python-file.ts';

beforeAll(() => prepareToRead('tasks.py'));

describe('tasks of templates and scenarios', () => {
  const TEMPLATE = [
    'from hud import Environment',
    'env = Environment(name="Letter Count", version="1")',
    '@env.template(description="counts")',
    'async def count(word: str = "strawberry", letter: str = "r"):',
    '    answer = yield f"How many {letter} in {word}?"',
    '    yield 1.0',
  ];

  it('a template that is called is a row of HUD 0.6', () => {
    const file = read(...TEMPLATE, 'tasks = [count(word="raspberry"), count("a", letter="b"), count()]');
    const row = { env: 'letter-count', id: 'count' };
    expect(values(file)).toEqual([
      { ...row, args: { word: 'raspberry' } },
      { ...row, args: { word: 'a', letter: 'b' } },
      { ...row, args: {} },
    ]);
    expect(file.rows.map(({ era }) => era)).toEqual(['0.6', '0.6', '0.6']);
    expect(codes(file).filter((code) => code.startsWith('error'))).toEqual([]);
  });

  it('arguments by position can be variables, which are unknown', () => {
    const file = read(
      ...TEMPLATE,
      'tasks = [count(word) for word in WORDS]',
      'tasks += [count(word, letter="x") for word in WORDS]',
      'more = [count(*words), count(word), env(NAME), env(NAME)]',
    );
    const row = { env: 'letter-count', id: 'count' };
    expect(values(file).slice(0, 2)).toEqual([
      { ...row, args: { word: UNKNOWN } },
      { ...row, args: { word: UNKNOWN, letter: 'x' } },
    ]);
    expect(codes(file).filter((code) => !code.startsWith('information'))).toEqual([]);
    expect(file.rows.every(isComputed)).toBe(true);
  });

  it('only tasks that HUD finds in the file need slugs of their own', () => {
    const local = ['def a():', '    count(word="w")', 'def b():', '    count(word="w")', 'c = count(word="w")'];
    expect(codes(read(...TEMPLATE, ...local))).not.toContain('error duplicate-slug');
    expect(codes(read(...TEMPLATE, ...local, 'd = count(word="w")'))).toContain('error duplicate-slug');
  });

  it('reads the id of the decorator, and ignores other decorators', () => {
    const file = read(
      'import hud',
      'env = hud.Environment("e")',
      '@env.template(',
      '    id="x",',
      ')',
      '@other(1)',
      'async def made(n: int): ...',
      '@app.template()',
      'def page(): ...',
      'made(n=1)',
      'page()',
    );
    expect(values(file)).toEqual([{ env: 'e', id: 'x', args: { n: 1 } }]);
  });

  it('an environment that a task names is its name in HUD 0.6 and an object in 0.5', () => {
    const file = read(
      ...TEMPLATE.slice(0, 2),
      'from hud import Task',
      'a = Task(env=env, id="count", args={})',
      'b = Task(env=env, scenario="count")',
      'c = env("count", word="x")',
    );
    expect(values(file)).toEqual([
      { env: 'letter-count', id: 'count', args: {} },
      { env: { name: 'letter-count' }, scenario: 'count' },
      { env: { name: 'letter-count' }, scenario: 'count', args: { word: 'x' } },
    ]);
  });

  it('an environment of another file is unknown, and the task is still one of 0.6', () => {
    const file = read('from hud import Task', 'from env import env', 'a = Task(env=env, id="count", args={})');
    expect(file.rows[0]?.era).toBe('0.6');
    expect(codes(file)).not.toContain('error no-prompt');
    expect(codes(file)).toContain('information python-not-literal');
  });
});
