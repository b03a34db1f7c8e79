import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import type { Change } from '../../../src/tasks/change.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { caseCount } from '../../sample.ts';
import { applyChanges, applyEdits } from './changes.ts';

function edit(file: string, text: string, changes: readonly Change[], row = 0): string {
  return applyEdits(text, readTasks(file, text).rows[row]?.edit(changes));
}

const TWO = `[
  {
    "id": "a",
    "evaluate": ["page_contains", "x"]
  },
  {
    "id": "b"
  }
]
`;

describe('a change of a task in JSON keeps the layout around it', () => {
  it('replaces a value and nothing else', () => {
    expect(edit('/a.tasks.json', TWO, [{ set: ['evaluate', 0], value: 'contains_text' }])).toBe(
      TWO.replace('page_contains', 'contains_text'),
    );
  });

  it('adds a member in the layout of its neighbors', () => {
    expect(edit('/a.tasks.json', TWO, [{ set: ['gym'], value: 'qa' }], 1)).toBe(
      TWO.replace('"id": "b"', '"id": "b",\n    "gym": "qa"'),
    );
    expect(edit('/a.task.json', '{"id":"a"}', [{ set: ['gym'], value: 'qa' }])).toBe('{"id":"a","gym":"qa"}');
    expect(edit('/a.task.json', '{ "id": "a", "x": 1 }', [{ set: ['gym'], value: 'qa' }])).toBe(
      '{ "id": "a", "x": 1, "gym": "qa" }',
    );
    expect(edit('/a.task.json', '{\r\n\t"id": "a"\r\n}', [{ set: ['m'], value: { weight: 1 } }])).toBe(
      '{\r\n\t"id": "a",\r\n\t"m": { "weight": 1 }\r\n}',
    );
    expect(edit('/a.task.json', '{}', [{ set: ['id'], value: 'a' }])).toBe('{"id": "a"}');
  });

  it('wraps what is too long, and everything if everything is wrapped', () => {
    const calls = ['page_contains', 'element_exists'].map((name) => ({ function: name, args: ['Order placed'] }));
    expect(edit('/a.tasks.json', TWO, [{ set: ['evaluate'], value: calls }])).toBe(
      TWO.replace(
        '["page_contains", "x"]',
        `[
      { "function": "page_contains", "args": ["Order placed"] },
      { "function": "element_exists", "args": ["Order placed"] }
    ]`,
      ),
    );
    const dumped = JSON.stringify([{ id: 'a', evaluate: ['f', 'x'] }], null, 4);
    expect(edit('/a.tasks.json', dumped, [{ set: ['setup'], value: ['goto', 'x'] }])).toBe(
      JSON.stringify([{ id: 'a', evaluate: ['f', 'x'], setup: ['goto', 'x'] }], null, 4),
    );
  });

  it('creates missing parents of the value, but not inside a string', () => {
    expect(edit('/a.task.json', '{"id": "a"}', [{ set: ['metadata', 'weight'], value: 1 }])).toBe(
      '{"id": "a", "metadata": {"weight": 1}}',
    );
    expect(readTasks('/a.task.json', '{"id": "a"}').rows[0]?.edit([{ set: ['id', 'x'], value: 1 }])).toBeNull();
  });

  it('appends to a list for any index past its end', () => {
    expect(edit('/a.tasks.json', TWO, [{ set: ['evaluate', 7], value: 'y' }])).toBe(TWO.replace('"x"]', '"x", "y"]'));
  });

  it('removes a member with its comma and its line', () => {
    expect(edit('/a.tasks.json', TWO, [{ remove: ['id'] }])).toBe(TWO.replace('"id": "a",\n    ', ''));
    expect(edit('/a.tasks.json', TWO, [{ remove: ['evaluate'] }])).toBe(
      TWO.replace(',\n    "evaluate": ["page_contains", "x"]', ''),
    );
    expect(edit('/a.tasks.json', TWO, [{ remove: ['id'] }], 1)).toBe(TWO.replace('{\n    "id": "b"\n  }', '{}'));
    expect(edit('/a.task.json', '{"a": 1, "b": 2,\n "c": 3}', [{ remove: ['b'] }])).toBe('{"a": 1,\n "c": 3}');
  });

  it('makes several changes one after the other', () => {
    expect(
      edit('/a.tasks.json', TWO, [
        { rename: ['evaluate'], key: 'setup' },
        { set: ['setup', 0], value: 'goto' },
        { set: ['x'], value: [] },
        { set: ['x', 0], value: 1 },
        { remove: ['id'] },
      ]),
    ).toBe(TWO.replace('"id": "a",\n    "evaluate": ["page_contains", "x"]', '"setup": ["goto", "x"],\n    "x": [1]'));
  });

  it('writes a row of JSON lines on one line, in its style', () => {
    const text = '{"id": "a"}\r\n{"id":"b"}\r\n';
    const evaluate = [{ function: 'page_contains', args: ['x'.repeat(80), '\u2028'] }];
    expect(edit('/a.tasks.jsonl', text, [{ set: ['evaluate'], value: evaluate }])).toBe(
      `{"id": "a", "evaluate": [{"function": "page_contains", "args": ["${'x'.repeat(80)}", "\\u2028"]}]}\r\n{"id":"b"}\r\n`,
    );
    expect(edit('/a.tasks.jsonl', text, [{ set: [], value: { id: 'c', x: [1, 2] } }], 1)).toBe(
      '{"id": "a"}\r\n{"id":"c","x":[1,2]}\r\n',
    );
  });

  it('leaves comments and trailing commas where they are', () => {
    const text = '\uFEFF{\n  "id": "a", // first\n  "x": [1,],\n}\n';
    expect(
      edit('/a.task.json', text, [
        { set: ['x', 1], value: 2 },
        { set: ['y'], value: 3 },
      ]),
    ).toBe('\uFEFF{\n  "id": "a", // first\n  "x": [1, 2,],\n  "y": 3,\n}\n');
  });

  it('does nothing to a broken row', () => {
    const [broken, whole] = readTasks('/a.tasks.jsonl', '{"id": "a"\n{"id": "b"}').rows;
    expect(broken?.edit([{ set: ['id'], value: 'c' }])).toBeNull();
    expect(whole?.edit([{ set: ['id'], value: 'c' }])).toHaveLength(1);
  });
});

/** A text with a row put in at the index, and with that row taken out again. */
function there(file: string, text: string, index: number, value: Json): string {
  const now = applyEdits(text, readTasks(file, text).insertRow(index, value));
  expect(readTasks(file, now).rows[index]?.value).toEqual(value);
  return now;
}

describe('a row in a file', () => {
  const task = { id: 'c', prompt: 'p' };

  it('is inserted in the layout of the others', () => {
    const printed = '{\n    "id": "c",\n    "prompt": "p"\n  }';
    expect(there('/a.tasks.json', TWO, 2, task)).toBe(TWO.replace('"b"\n  }', `"b"\n  },\n  ${printed}`));
    expect(there('/a.tasks.json', TWO, 0, task)).toBe(TWO.replace('[\n', `[\n  ${printed},\n`));
    expect(there('/a.tasks.json', '[{"id":"a"}]', 1, task)).toBe('[{"id":"a"}, {"id":"c","prompt":"p"}]');
    expect(there('/a.taskset.json', '{"tasks": [\r\n {"id": "a"}\r\n]}', 1, task)).toBe(
      '{"tasks": [\r\n {"id": "a"},\r\n {"id": "c", "prompt": "p"}\r\n]}',
    );
  });

  it('is inserted in an empty list or file', () => {
    expect(there('/a.tasks.json', '[]\n', 0, { id: 'c' })).toBe('[\n  { "id": "c" }\n]\n');
    expect(there('/a.tasks.json', '\n', 0, { id: 'c' })).toBe('[\n  { "id": "c" }\n]\n');
    expect(there('/a.tasks.jsonl', '', 0, { id: 'c' })).toBe('{"id": "c"}\n');
  });

  it('is inserted as a line of JSON lines', () => {
    const text = '{"id":"a"}\r\n\r\n{"id":"b"}';
    expect(there('/a.tasks.jsonl', text, 2, task)).toBe(`${text}\r\n{"id":"c","prompt":"p"}`);
    expect(there('/a.tasks.jsonl', text, 1, task)).toBe('{"id":"a"}\r\n\r\n{"id":"c","prompt":"p"}\r\n{"id":"b"}');
    expect(there('/a.tasks.jsonl', '{"id":"a"}\n', 1, task)).toBe('{"id":"a"}\n{"id":"c","prompt":"p"}\n');
  });

  it('is removed with its comma and its line', () => {
    const without = (file: string, text: string, index: number): string =>
      applyEdits(text, readTasks(file, text).removeRow(index));
    expect(without('/a.tasks.json', '[\n  {"id":"a"},\n  {"id":"b"}\n]', 0)).toBe('[\n  {"id":"b"}\n]');
    expect(without('/a.tasks.json', '[\n  {"id":"a"},\n  {"id":"b"}\n]', 1)).toBe('[\n  {"id":"a"}\n]');
    expect(without('/a.tasks.json', '[{"id":"a"}]', 0)).toBe('[]');
    expect(without('/a.tasks.jsonl', '{"id":"a"}\r\n{"id":"b"}\r\n', 0)).toBe('{"id":"b"}\r\n');
    expect(without('/a.tasks.jsonl', '{"id":"a"}\r\n{"id":"b"}', 1)).toBe('{"id":"a"}');
  });

  it('is not inserted into a single task, or next to broken rows', () => {
    expect(readTasks('/a.task.json', '{"id":"a"}').insertRow(1, task)).toBeNull();
    expect(readTasks('/a.tasks.json', '[{"id":"a"').insertRow(1, task)).toBeNull();
    expect(readTasks('/a.tasks.json', '[{"id":"a"}, {"id" "b"}]').insertRow(2, task)).toBeNull();
    expect(readTasks('/a.tasks.json', '[{"id":"a"}]').insertRow(2, task)).toBeNull();
    expect(readTasks('/a.tasks.json', '[{"id":"a"}]').removeRow(1)).toBeNull();
  });
});

describe('any text, changes, and layout', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'id', 'args', 'é"\n');
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<Json>('', 'x', 'y\u2028z', 1, 2.5, true, null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  const row = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });
  const path = fc.array(fc.oneof(key, fc.nat(3)), { maxLength: 3 });
  const filled = path.filter(({ length }) => length > 0);
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc.record({ set: path, value }),
    fc.record({ rename: filled, key }),
    fc.record({ remove: filled }),
  );
  /** A row in some layout, some keys doubled. */
  const text = fc
    .record({
      row,
      indent: fc.constantFrom('', '  ', '\t'),
      double: fc.boolean(),
      comment: fc.boolean(),
      crlf: fc.boolean(),
    })
    .map(({ row: given, indent, double, comment, crlf }) => {
      let printed = JSON.stringify(given, null, indent);
      if (double) printed = printed.replace(/"(a|b|id)":( ?)/g, '"$1":$2[{}],$2"$1":$2');
      if (comment && indent !== '') printed = printed.replace(/,\n/, ', // why\n');
      return crlf ? printed.replaceAll('\n', '\r\n') : printed;
    });

  it('reading after an edit gives the value with the changes made, and the rest of the file is as it was', () => {
    fc.assert(
      fc.property(text, fc.array(change, { maxLength: 4 }), fc.boolean(), (own, changes, lines) => {
        const isLine = lines && !own.includes('\n');
        const before = isLine ? '{"id": "first"}\n' : '[\n{"id": "first"},\n';
        const after = isLine ? '\n{"id": "last"}\n' : ' ,{"id": "last"} ]\n';
        const file = isLine ? '/a.tasks.jsonl' : '/a.tasks.json';
        const whole = before + own + after;
        const target = readTasks(file, whole).rows[1];
        const expectation = applyChanges(target?.value as Json, changes);
        const edits = target?.edit(changes);
        if (expectation === undefined) {
          expect(edits).toBeNull();
          return;
        }
        // An empty object or list that holds a comment is left alone.
        if (edits === null && own.includes('//')) return;
        const now = applyEdits(whole, edits);
        expect(now.startsWith(before)).toBe(true);
        expect(now.endsWith(after)).toBe(true);
        expect(readTasks(file, now).rows.map((each) => each.value)).toEqual([
          { id: 'first' },
          expectation,
          { id: 'last' },
        ]);
      }),
      { numRuns: caseCount(300, 3_000) },
    );
  });

  it('inserting and removing rows leaves the others unchanged', () => {
    const rows = fc.array(text, { maxLength: 4 });
    fc.assert(
      fc.property(rows, row, fc.nat(4), fc.constantFrom(', ', ',\n  ', ',\r\n', '\n'), (own, added, at, separator) => {
        const lines = separator === '\n' && own.every((each) => !each.includes('\n'));
        const file = lines ? '/a.tasks.jsonl' : '/a.tasks.json';
        const between = separator === '\n' ? ',\n' : separator;
        const whole = lines ? own.join('\n') : `[${between.slice(1)}${own.join(between)}${between.slice(1)}]`;
        const before = readTasks(file, whole);
        const values = before.rows.map(({ value: each }) => each);
        const index = Math.min(at, own.length);
        const put = applyEdits(whole, before.insertRow(index, added));
        expect(readTasks(file, put).rows.map(({ value: each }) => each)).toEqual(values.toSpliced(index, 0, added));
        expect(
          readTasks(file, applyEdits(put, readTasks(file, put).removeRow(index))).rows.map(({ value: each }) => each),
        ).toEqual(values);
      }),
      { numRuns: caseCount(200, 1_000) },
    );
  });
});
