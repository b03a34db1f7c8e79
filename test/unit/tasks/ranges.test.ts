import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Json } from '../../../src/base/json.ts';
import { Lines } from '../../../src/base/lines.ts';
import type { Path } from '../../../src/base/path.ts';
import { readTasks, type TaskRow } from '../../../src/tasks/read.ts';
import { caseCount } from '../../sample.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('', '#', '- x', 'a: b', '{', '"', "'", '\\', 'ä€😀', 'null', '1', 'true', '*a', '&a', ' ', '\n'),
);
// No backslash: V8 13.6 gives an escaped key the name of an earlier one that ends in a backslash.
const name = text.filter((key) => !key.includes('\\'));
const { tree: value } = fc.letrec<{ tree: Json; list: Json; object: Json }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('tree'), { maxLength: 4 }),
  object: fc.dictionary(name, tie('tree'), { maxKeys: 4 }).map((entries) => ({ ...entries })),
}));
const row = fc
  .dictionary(name, value, { minKeys: 1, maxKeys: 5 })
  .map((entries): Record<string, Json> => ({ ...entries, prompt: 'p' }));
const rows = fc.array(row, { minLength: 1, maxLength: 5 });
const lineEnd = fc.constantFrom('\n', '\r\n');

function* paths(of: Json, path: Path = []): Generator<readonly [Path, Json]> {
  yield [path, of];
  if (Array.isArray(of)) for (const [index, item] of of.entries()) yield* paths(item, [...path, index]);
  else if (typeof of === 'object' && of !== null) {
    for (const [key, item] of Object.entries(of)) yield* paths(item as Json, [...path, key]);
  }
}

/** The text at each value's range, read alone, is that value; the text at each key's range is that key. */
function checkRanges(
  source: string,
  found: readonly TaskRow[],
  expected: readonly Json[],
  read: (text: string) => unknown,
) {
  const lines = new Lines(source);
  expect(found).toHaveLength(expected.length);
  for (const [index, taskRow] of found.entries()) {
    expect(taskRow.value).toEqual(expected[index]);
    for (const [path, item] of paths(expected[index] ?? null)) {
      const range = taskRow.rangeOf(path);
      if (range === undefined) throw new Error(`no range at ${JSON.stringify(path)}`);
      const slice = source.slice(lines.offset(range.start), lines.offset(range.end));
      expect(read(`${' '.repeat(range.start.character)}${slice}`)).toEqual(item);
      const last = path.at(-1);
      if (typeof last !== 'string') continue;
      const key = taskRow.rangeOf(path, 'key');
      if (key === undefined) throw new Error(`no key at ${JSON.stringify(path)}`);
      const written = read(source.slice(lines.offset(key.start), lines.offset(key.end)));
      expect(String(written ?? (last === '' ? '' : 'null'))).toBe(last);
    }
  }
}

describe('every value has its range', { timeout: 60_000 }, () => {
  it('in JSON', () => {
    fc.assert(
      fc.property(rows, fc.constantFrom(0, 1, 2, '\t'), lineEnd, fc.boolean(), (list, indent, end, set) => {
        const source = JSON.stringify(set ? { name: 'n', tasks: list } : list, null, indent).replaceAll('\n', end);
        const read = readTasks('/a.tasks.json', source);
        expect(read.findings).toEqual([]);
        checkRanges(source, read.rows, list, (slice) => JSON.parse(slice));
      }),
      { numRuns: 100 },
    );
  });

  it('in JSON lines', () => {
    fc.assert(
      fc.property(rows, lineEnd, (list, end) => {
        const source = list.map((one) => JSON.stringify(one)).join(end);
        const read = readTasks('/a.tasks.jsonl', source);
        expect(read.findings).toEqual([]);
        checkRanges(source, read.rows, list, (slice) => JSON.parse(slice));
      }),
      { numRuns: 100 },
    );
  });

  it('in YAML', () => {
    fc.assert(
      fc.property(rows, fc.boolean(), fc.boolean(), (list, flow, set) => {
        const source = stringify(set ? { name: 'n', tasks: list } : list, {
          collectionStyle: flow ? 'flow' : 'block',
          lineWidth: 0,
          aliasDuplicateObjects: false,
        });
        const read = readTasks('/a.tasks.yaml', source);
        expect(read.findings).toEqual([]);
        checkRanges(source, read.rows, list, (slice) => parse(slice) as unknown);
      }),
      { numRuns: 100 },
    );
  });
});

describe('any text is read without an exception', { timeout: 60_000 }, () => {
  it.each(['/a.tasks.json', '/a.tasks.jsonl', '/a.tasks.yaml'])('%s', (file) => {
    const piece = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\n',
        '\r\n',
        '- ',
        '  ',
        '// x',
        '/*',
        '"prompt"',
        '"tasks"',
        'NaN',
      ),
      fc.constantFrom(
        '{"prompt":"p"}',
        '"setup":["goto","u"]',
        'tasks:\n',
        '&a ',
        '*a',
        '<<: ',
        '!!x ',
        '|\n',
        '---\n',
        '\uFEFF',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const source = pieces.join('');
        const read = readTasks(file, source);
        const lines = new Lines(source);
        const last = lines.position(source.length);
        for (const { range } of [...read.findings, ...read.rows]) {
          expect(range.end.line).toBeLessThanOrEqual(last.line);
          expect(lines.offset(range.start)).toBeLessThanOrEqual(lines.offset(range.end));
        }
        for (const taskRow of read.rows) {
          expect(taskRow.task?.index ?? taskRow.index).toBe(taskRow.index);
          taskRow.rangeOf(['setup', 0]);
        }
      }),
      { numRuns: caseCount(60, 300) },
    );
  });

  it('a truncated JSON task does not affect the tasks before it', () => {
    const source = JSON.stringify(
      [
        { prompt: 'first', tags: ['x'] },
        { prompt: 'second', x: [{ y: 'z"' }] },
      ],
      null,
      2,
    );
    const start = source.indexOf('},') + 2;
    fc.assert(
      fc.property(fc.integer({ min: start, max: source.length }), (cut) => {
        expect(readTasks('/a.tasks.json', source.slice(0, cut)).rows[0]?.task?.prompt).toBe('first');
      }),
    );
  });
});
