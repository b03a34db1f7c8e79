import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isObject } from '../../../src/base/json.ts';
import { nearestNumbers } from '../../../src/base/raw-numbers-in.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import { isTuple } from '../../../src/tasks/tuple.ts';

beforeAll(() => prepareToRead('tasks.py'));

/** What Python 3.11 itself made of each source. */
const records = readFileSync(join(import.meta.dirname, '../../fixtures/python/literals.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { readonly source: string; readonly value: unknown });

/** A task's `config`, with tuples told apart from lists. */
function read(source: string): unknown {
  const file = readTasks('/x/tasks.py', `from hud import Task\nt = Task(prompt="p", config=${source}\n)\n`);
  expect(file.findings).toEqual(file.findings.filter(({ code }) => code === 'duplicate-key'));
  return markTuples((file.rows[0]?.value as { readonly config: unknown } | undefined)?.config);
}

function markTuples(value: unknown): unknown {
  if (Array.isArray(value)) return isTuple(value) ? { __tuple__: value.map(markTuples) } : value.map(markTuples);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, markTuples(item)]));
}

describe('a literal has the value that Python gives it', () => {
  it.each(records.map(({ source, value }) => [source, value] as const))('%j', (source, value) => {
    expect(nearestNumbers(read(source))).toEqual(value);
  });

  it('whatever the line ends of the file are', () => {
    expect(read('"""a\r\nb\rc"""')).toBe('a\nb\nc');
    expect(read('"a\\\r\nb"')).toBe('ab');
  });

  it('f-strings without expressions to evaluate, too', () => {
    expect(read('f"{{a}}: \\t{{}}"')).toBe('{a}: \t{}');
    expect(read('rf"\\d{{2}}" "x"')).toBe('\\d{2}x');
  });

  it('strings joined by a plus, and dict(...)', () => {
    expect(read('"a" + \'b\' + ("c" "d")')).toBe('abcd');
    expect(read('dict(a=1, b=dict(c=None))')).toEqual({ a: 1, b: { c: null } });
  });
});

describe('values that only running the program gives are unknown', () => {
  it.each([
    ['name', 'the variable name'],
    ['make(1)', 'a call of make'],
    ['os.environ["X"]', 'an expression'],
    ['f"{name}"', 'an f-string with the variable name'],
    ['f"{1 + 1}"', 'an f-string with an expression'],
    ['[x for x in y]', 'a comprehension'],
    ['{k: v for k, v in y}', 'a comprehension'],
    ['{1, 2}', 'a set'],
    ['b"bytes"', 'bytes'],
    ['"a\\N{BULLET}"', 'a character by its Unicode name'],
    ['f"\\N{BULLET}"', 'a character by its Unicode name'],
    ['1j', 'a complex number'],
    ['1e999 > 1', 'an expression'],
    ['"a" % 1', 'an expression'],
    ['"a".upper()', 'an expression'],
    ['1 if x else 2', 'a condition'],
    ['lambda x: x', 'an expression'],
    ['not True', 'an expression'],
    ['[*more]', 'a starred value'],
    ['Path("x")', 'a call of Path'],
    ["'\\N{BULLET}'", 'a character by its Unicode name'],
  ])('%s', (source, what) => {
    const file = readTasks('/x/tasks.py', `from hud import Task\nt = Task(prompt="p", config={"k": ${source}})\n`);
    expect(file.findings).toMatchObject([{ severity: 'information', code: 'python-not-literal' }]);
    expect(file.findings[0]?.message).toContain(what);
    expect(file.findings[0]?.message).toContain('config.k');
  });
});

describe('what Python rejects is an error at its position', () => {
  it.each([
    ['"\\x1"', 'escape'],
    ['"\\U99999999"', 'escape'],
    ['012', 'leading zeros'],
    ['f"}"', '}}'],
    ['1e999', 'finite'],
    ['"open', 'closing quote'],
    ['[1', 'Expected “]”'],
    ['[1 2]', 'comma'],
    ['[,]', 'Expected a value'],
    ['{"a", "b": 1}', 'Expected a value'],
    ['{"a": }', 'Expected a value'],
    ['$', 'Invalid Python'],
    ['ur"a"', 'string prefix “ur”'],
    ['1_', 'Invalid Python number'],
    ['"a\nb"', 'not terminated'],
    ['f"a\nb"', 'not terminated'],
    ['dict(class=1)', 'keyword'],
  ])('%s', (source, words) => {
    const file = readTasks('/x/tasks.py', `from hud import Task\nt = Task(prompt="p", config=${source})\n`);
    const errors = file.findings.filter(({ severity }) => severity === 'error');
    expect(errors[0]?.message).toContain(words);
    expect(errors[0]?.range.start.line).toBe(1);
  });
});

it('a dictionary with keys that are not strings is unknown', () => {
  const file = readTasks('/x/tasks.py', 'from hud import Task\nt = Task(prompt="p", config={1: 2, "a": 3})\n');
  expect(file.findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual(['information python-not-literal']);
  expect(file.rows[0]?.value).toEqual({ prompt: 'p', config: { a: 3 } });
});
