import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { numbersOutside, printJson } from '../../../src/python/numbers.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';

interface Recorded {
  readonly case: string;
  readonly in: unknown;
  readonly in_json?: string;
  readonly slug?: string;
}

const records = readFileSync(join(import.meta.dirname, '../../fixtures/hud/task-0.6.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)
  .filter(({ slug }) => slug !== undefined);

function slugOf(args: string): string | null | undefined {
  return readTasks('/a.task.json', `{"env": "e", "id": "t", "args": ${args}}`).rows[0]?.slug;
}

describe('the slug of a task of HUD 0.6', () => {
  it.each(records.map((row) => [row.case, row.in_json ?? JSON.stringify(row.in), row.slug] as const))(
    '%s %s',
    (_, text, slug) => {
      expect(readTasks('/a.task.json', text).rows[0]?.slug).toBe(slug);
    },
  );

  it('distinguishes 1 from 1.0, as in Python', () => {
    expect(slugOf('{"a": 1}')).toBe('t-e4ad4daa');
    expect(slugOf('{"a": 1.0}')).not.toBe(slugOf('{"a": 1}'));
    expect(slugOf('{"a": 1e0}')).toBe(slugOf('{"a": 1.0}'));
    expect(slugOf('{"a": -0}')).toBe(slugOf('{"a": 0}'));
  });

  it('writes floating-point numbers as in Python', () => {
    const args =
      '{"a": 1.5e-7, "b": 123456789012345680.0, "c": 1e16, "d": 1e15, "e": 0.00001234, "f": -0.0, "g": 5e-324}';
    // sha1 of {"a": 1.5e-07, "b": 1.2345678901234568e+17, "c": 1e+16, "d": 1000000000000000.0, "e": 1.234e-05, "f": -0.0, "g": 5e-324}
    expect(slugOf(args)).toBe('t-f82ca5c1');
  });

  it('sorts keys by code points, not by UTF-16 units', () => {
    expect(slugOf('{"😀": 2, "\\ufb01": 1}')).toBe('t-6bee411d');
  });

  it('is unknown if the row is not one of HUD 0.6, or has a slug that HUD rejects', () => {
    const rows = ['{"prompt": "p", "gym": "qa"}', '{"env": "e", "id": "t", "slug": ""}', '{"env": "e", "id": 5}'];
    expect(rows.map((text) => readTasks('/a.task.json', text).rows[0]?.slug)).toEqual([null, null, null]);
  });
});

describe('numbers as they are written', () => {
  beforeAll(() => prepareToRead('a.py'));

  /** The arguments of a task as its environment gets them. */
  const sent = (file: string, text: string): string | undefined => {
    const env: Readonly<Record<string, Json>> = readTasks(file, text).rows[0]?.task?.env ?? {};
    const { args, numbers } = env;
    return printJson(args ?? null, (numbers ?? {}) as Record<string, string>, ['args']);
  };
  const inPython = (...lines: readonly string[]): string =>
    [
      'from hud import Environment',
      'env = Environment("e")',
      '@env.template(id="t")',
      'def f(a, b): ...',
      ...lines,
    ].join('\n');

  it('are sent to the environment', () => {
    const args = '{"a":[1,1.0,-2.50,1e3,12345678901234567890,1e20],"b/~":{"c":2.0,"d":"1.0","e":null,"f":-0.0}}';
    const expected = '{"a":[1,1.0,-2.5,1000.0,12345678901234567890,1e+20],"b/~":{"c":2.0,"d":"1.0","e":null,"f":-0.0}}';
    expect(sent('/a.task.json', `{"env": "e", "id": "t", "args": ${args}}`)).toBe(expected);
    expect(sent('/a.tasks.jsonl', `{"env": {"name": "e"}, "scenario": "t", "args": ${args}}`)).toBe(expected);
    expect(sent('/a.task.yaml', 'env: e\nid: t\nargs: {a: 1.0, b: 2}')).toBe('{"a":1.0,"b":2}');
  });

  it('are sent to the environment of a verifier', () => {
    const row = '{"env": "e", "id": "t", "verifier": {"env": "e", "id": "v", "args": {"a": 1.0, "b": 2}}}';
    expect(readTasks('/a.task.json', row).rows[0]?.task?.env).toMatchObject({
      verifier: { args: { a: 1, b: 2 }, numbers: { '/args/a': '1.0' } },
    });
  });

  it.each([
    ['a.task.json', '["f", 9007199254740993, {"a": [1.0, 2]}]', '[9007199254740993,{"a":[1.0,2]}]'],
    ['a.task.json', '{"function": "f", "args": [1e3, "1.0"]}', '[1000.0,"1.0"]'],
    ['a.task.json', '{"function": "f", "args": 2.0}', '[2.0]'],
    ['a.task.yaml', '[f, 1.0, 2]', '[1.0,2]'],
    ['a.py', '("f", 1_000.0, 12345678901234567890)', '[1000.0,12345678901234567890]'],
  ])('are sent to a controller: %s %s', (file, evaluate, expected) => {
    const gym = '{"location": "local", "image_or_build_context": "i"}';
    const task = file.endsWith('.py')
      ? `from hud.task import Task\nt = Task(prompt="p", gym=${gym}, evaluate=${evaluate})`
      : `{"prompt": "p", "gym": ${gym}, "evaluate": ${evaluate}}`;
    const [call] = readTasks(`/${file}`, task).rows[0]?.task?.evaluate ?? [];
    expect(printJson(call?.args ?? null, call?.numbers ?? {})).toBe(expected);
  });

  it('are given up for a replaced argument alone', () => {
    const numbers = { '/1': '1.0', '/1/a': '1.0', '/10': '1.0', '/0/1': '2.0' };
    expect(numbersOutside(numbers, 1)).toEqual({ '/10': '1.0', '/0/1': '2.0' });
  });

  it('are those of names in Python', () => {
    expect(sent('/a.py', inPython('f(a=1_000.0, b=0x10)'))).toBe('{"a":1000.0,"b":16}');
    expect(sent('/a.py', inPython('ONE = 1.0', 'TWO = -2', 'f(a=ONE, b=TWO)'))).toBe('{"a":1.0,"b":-2}');
    const slugs = ['f(a=ONE)', 'f(a=1.0)', 'f(a=WHOLE)', 'f(a=1)'].map((call) => {
      return readTasks('/a.py', inPython('ONE = 1.0', 'WHOLE = 1', call)).rows[0]?.slug;
    });
    expect(slugs).toEqual([slugOf('{"a": 1.0}'), slugOf('{"a": 1.0}'), slugOf('{"a": 1}'), slugOf('{"a": 1}')]);
  });

  it('are nothing that a list of tasks shows where JavaScript prints them so, too', () => {
    const row = readTasks('/a.task.json', '{"env": "e", "id": "t", "args": {"a": 1, "b": 2.5}}').rows[0];
    expect(row?.task?.env).toEqual({ type: 'hud', name: 'e', template: 't', args: { a: 1, b: 2.5 } });
  });
});
