import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { isRawNumber, nearestNumber, parseExactJson } from '../../../src/base/raw-number.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import { isTuple } from '../../../src/tasks/tuple.ts';
import { containsUnknown } from '../../../src/tasks/unknown.ts';
import { caseCount } from '../../sample.ts';

beforeAll(() => prepareToRead('tasks.py'));

type Answer = { readonly is: 'value'; readonly value: unknown } | { readonly is: 'refused' | 'unknown' | 'fails' };

/** What Python itself makes of expressions. */
function evaluate(sources: readonly string[]): Answer[] {
  const script = join(import.meta.dirname, 'python-literals.py');
  const { stdout, stderr, status } = spawnSync('python3', [script], {
    input: JSON.stringify(sources),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(stderr);
  return parseExactJson(stdout) as Answer[];
}

/** What is read as the same argument of a task. */
function read(source: string): Answer {
  const text = `from hud import Task\nt = Task(config=${source}\n)`;
  const file = readTasks('/x/tasks.py', text);
  const errors = file.findings.filter(({ severity }) => severity === 'error');
  const [first, ...more] = file.rows;
  // A bracket in the expression can close the call.
  const isWhole = more.length === 0 && first !== undefined && text.endsWith(first.text);
  if (!isWhole || errors.length > 0) return { is: 'refused' };
  const row = first.value as { readonly config?: unknown };
  if (!('config' in row) || containsUnknown(row)) return { is: 'unknown' };
  return { is: 'value', value: markTuples(row.config) };
}

function markTuples(value: unknown): unknown {
  if (Array.isArray(value)) return isTuple(value) ? { __tuple__: value.map(markTuples) } : value.map(markTuples);
  // Python has all digits of integers, and the nearest number of others.
  if (isRawNumber(value)) return /^-?\d+$/.test(value.rawJSON) ? `int ${value.rawJSON}` : nearestNumber(value);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, markTuples(item)]));
}

const pieces = fc.constantFrom(
  ...[
    'a',
    'é',
    '😀',
    ' ',
    '#',
    '{',
    '}',
    '{{',
    '}}',
    '{1}',
    '"',
    "'",
    '\\"',
    "\\'",
    '\\\\',
    '\\n',
    '\\t',
    '\\a',
    '\\0',
  ],
  ...[
    '\\101',
    '\\777',
    '\\x41',
    '\\x4',
    '\\u00e9',
    '\\ud800',
    '\\U0001F600',
    '\\U00110000',
    '\\N{BULLET}',
    '\\q',
    '\\8',
  ],
  ...['\\\n', '\\\r\n', '\n', '\r', '\f', '\u2028', '[', ')', '%s', '$'],
);
const string = fc
  .tuple(
    fc.constantFrom('', '', '', 'r', 'R', 'u', 'U', 'f', 'F', 'rf', 'fR', 'b', 'Br', 'ur', 'bu'),
    fc.constantFrom('"', "'", '"""', "'''"),
    fc.array(pieces, { maxLength: 5 }),
  )
  .map(([prefix, quote, body]) => `${prefix}${quote}${body.join('')}${quote}`);
const number = fc.oneof(
  fc.constantFrom(
    ...['0', '1', '-1', '+1', '- -1', '00', '0_0', '01', '1_000', '1__0', '1_', '_1', '0x1F', '0X_f', '0b10', '0o17'],
    ...[
      '0b2',
      '0xg',
      '1.',
      '.5',
      '1.5e3',
      '1E-3',
      '1e400',
      '-1e400',
      '1_0.0_1e1_0',
      '1e',
      '1j',
      '1.5J',
      '00.5',
      '08.5',
    ],
    ...['9007199254740993', '123456789012345678901234567890', '1if True else 2', '1 .real', '~1', '1e5', '-0', '-0.0'],
  ),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);
const word = fc.constantFrom(
  'True',
  'False',
  'None',
  'true',
  'null',
  '...',
  'not True',
  '()',
  '[]',
  '{}',
  'dict()',
  'x',
);
const space = fc.constantFrom('', '', '', ' ', '\n  ', ' # a "comment [\n', '\t', ' \\\n', '\f');

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression');
  const spaced = fc.tuple(space, inner, space).map((parts) => parts.join(''));
  const items = fc
    .tuple(
      fc.array(
        fc.oneof(
          { weight: 9, arbitrary: spaced },
          spaced.map((one) => `*${one}`),
        ),
        { maxLength: 3 },
      ),
      fc.boolean(),
    )
    .map(([list, comma]) => list.join(',') + (comma && list.length > 0 ? ',' : ''));
  const member = fc.oneof(
    { weight: 9, arbitrary: fc.tuple(fc.oneof({ weight: 9, arbitrary: string }, number), space, inner) },
    fc.tuple(fc.constant('**'), space, inner),
  );
  const members = fc
    .array(
      member.map(([key, gap, value]) => (key === '**' ? `**${gap}${value}` : `${key}${gap}:${gap}${value}`)),
      { maxLength: 3 },
    )
    .map((list) => list.join(', '));
  const named = fc
    .array(fc.tuple(fc.constantFrom('a', 'b', 'é', 'class'), inner), { maxLength: 3 })
    .map((list) => list.map(([key, value]) => `${key}=${value}`).join(', '));
  return {
    expression: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'expression' },
      { weight: 3, arbitrary: string },
      { weight: 3, arbitrary: number },
      { weight: 2, arbitrary: word },
      { weight: 2, arbitrary: items.map((list) => `[${list}]`) },
      { weight: 2, arbitrary: items.map((list) => `(${list})`) },
      { weight: 1, arbitrary: items.map((list) => `{${list}}`) },
      { weight: 2, arbitrary: members.map((list) => `{${list}}`) },
      { weight: 1, arbitrary: named.map((list) => `dict(${list})`) },
      { weight: 1, arbitrary: fc.tuple(inner, named).map(([first, rest]) => `dict(${first}, ${rest})`) },
      { weight: 1, arbitrary: fc.tuple(string, space, string).map((parts) => parts.join('')) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(inner, fc.constantFrom('+', ' + ', '-', ' or ', ' if ', ' == '), inner)
          .map((parts) => parts.join('')),
      },
    ),
  };
});

/**
 * A value must be the one that Python has. What Python evaluates may be unknown here, but never an error, and what Python
 * rejects is never taken for a value.
 */
it('Python literals mean what Python makes of them', () => {
  const count = caseCount(2_000, 200_000);
  for (let from = 0; from < count; from += 2_000) {
    const sources = fc.sample(expression, { numRuns: 2_000, seed: 7 + from });
    const expected = evaluate(sources);
    const wrong = sources.flatMap((source, index) => {
      const here = read(source);
      const there = expected[index] as Answer;
      const isFine =
        here.is === 'value'
          ? there.is === 'fails' || (there.is === 'value' && isSame(here.value, there.value))
          : here.is === 'unknown' || there.is !== 'value';
      return isFine ? [] : [{ source, here, there }];
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  }
}, 600_000);

/** Compares without regard to the order of members. */
function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, markTuples(b));
}
