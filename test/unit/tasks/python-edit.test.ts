import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import type { Change } from '../../../src/tasks/change.ts';
import { pythonWriter } from '../../../src/tasks/formats/python/writer.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import { caseCount } from '../../sample.ts';
import { applyChanges, applyEdits } from './changes.ts';

beforeAll(() => prepareToRead('tasks.py'));

const IMPORT = 'from hud import Task, TaskSet\n';

function edit(text: string, changes: readonly Change[], row = 0): string {
  const file = readTasks('/x/tasks.py', IMPORT + text);
  return applyEdits(IMPORT + text, file.rows[row]?.edit(changes)).slice(IMPORT.length);
}

function isRefused(text: string, changes: readonly Change[]): boolean {
  return readTasks('/x/tasks.py', IMPORT + text).rows[0]?.edit(changes) === null;
}

const LINES = `tasks = [
    Task(
        id="a",  # the first
        prompt="p",
        evaluate=("page_contains", "x"),
    ),
    Task(id="b", prompt='q'),
]
`;

describe('a change of a task in Python keeps the layout around it', () => {
  it('replaces a value and nothing else', () => {
    expect(edit(LINES, [{ set: ['evaluate', 0], value: 'contains_text' }])).toBe(
      LINES.replace('page_contains', 'contains_text'),
    );
    expect(edit(LINES, [{ set: ['id'], value: null }], 1)).toBe(LINES.replace('"b"', 'None'));
  });

  it('adds an argument in the layout of its neighbors', () => {
    expect(edit(LINES, [{ set: ['gym'], value: 'qa' }])).toBe(
      LINES.replace('("page_contains", "x"),', '("page_contains", "x"),\n        gym="qa",'),
    );
    expect(edit(LINES, [{ set: ['gym'], value: 'qa' }], 1)).toBe(LINES.replace("'q'", '\'q\', gym="qa"'));
    expect(edit('Task()', [{ set: ['gym'], value: 'qa' }])).toBe('Task(gym="qa")');
    expect(edit('Task(\r\n\tid="a"\r\n)', [{ set: ['metadata'], value: { weight: 1 } }])).toBe(
      'Task(\r\n\tid="a",\r\n\tmetadata={"weight": 1}\r\n)',
    );
    const commented = 'Task(\n    id="a"  # why\n)';
    expect(edit(commented, [{ set: ['gym'], value: 'qa' }])).toBe('Task(\n    id="a",  # why\n    gym="qa"\n)');
  });

  it('adds to dictionaries and lists, and creates missing parents', () => {
    const text = 'Task(evaluate={"function": "f"}, setup=["a"])';
    expect(edit(text, [{ set: ['evaluate', 'args'], value: [] }])).toBe(text.replace('"f"}', '"f", "args": []}'));
    expect(edit(text, [{ set: ['setup', 1], value: true }])).toBe(text.replace('["a"]', '["a", True]'));
    expect(edit(text, [{ set: ['metadata', 'a', 0], value: 1 }])).toBe(text.replace('"])', '"], metadata={"a": [1]})'));
  });

  it('keeps tuples', () => {
    expect(edit(LINES, [{ set: ['evaluate'], value: ['f'] }])).toBe(LINES.replace('("page_contains", "x")', '("f",)'));
    const list = 'Task(setup=[("goto", "u")])';
    expect(edit(list, [{ set: ['setup', 1], value: ['click', '#x'] }])).toBe(
      'Task(setup=[("goto", "u"), ("click", "#x")])',
    );
    expect(edit(LINES, [{ remove: ['evaluate', 1] }])).toBe(
      LINES.replace('("page_contains", "x")', '("page_contains",)'),
    );
  });

  it('renames an argument or a key', () => {
    expect(edit(LINES, [{ rename: ['evaluate'], key: 'setup' }])).toBe(LINES.replace('evaluate=', 'setup='));
    expect(edit("Task(x={'args': 1})", [{ rename: ['x', 'args'], key: 'b' }])).toBe('Task(x={"b": 1})');
    expect(isRefused('Task(a=1)', [{ rename: ['a'], key: 'no name' }])).toBe(true);
    expect(isRefused('Task(a=1)', [{ rename: ['a'], key: 'class' }])).toBe(true);
  });

  it('removes an argument with its comma and its line', () => {
    expect(edit(LINES, [{ remove: ['id'] }])).toBe(LINES.replace('        id="a",  # the first\n', ''));
    expect(edit(LINES, [{ remove: ['evaluate'] }])).toBe(
      LINES.replace('        evaluate=("page_contains", "x"),\n', ''),
    );
    expect(edit(LINES, [{ remove: ['id'] }], 1)).toBe(LINES.replace('id="b", ', ''));
    expect(edit(LINES, [{ remove: ['prompt'] }], 1)).toBe(LINES.replace(", prompt='q'", ''));
    expect(edit('Task(a=1)', [{ remove: ['a'] }])).toBe('Task()');
    expect(edit('Task(a=1, b=2,)', [{ remove: ['b'] }])).toBe('Task(a=1,)');
  });

  it('makes several changes one after the other', () => {
    expect(
      edit('Task(a=1)', [
        { set: ['b'], value: 2 },
        { remove: ['a'] },
        { rename: ['b'], key: 'c' },
        { set: ['c'], value: [3] },
      ]),
    ).toBe('Task(c=[3])');
  });

  it('changes nothing that is broken or defined elsewhere', () => {
    expect(isRefused('Task(a=1', [{ set: ['a'], value: 2 }])).toBe(true);
    expect(isRefused('C = {"a": 1}\nTask(config=C)', [{ set: ['config', 'a'], value: 2 }])).toBe(true);
    expect(edit('C = {"a": 1}\nTask(config=C)', [{ set: ['config'], value: 2 }])).toContain('Task(config=2)');
  });
});

describe('any change', () => {
  const key = fc.constantFrom('id', 'setup', 'args', 'x_y', 'b2');
  const text = fc.oneof(fc.constantFrom('a', 'it\'s "x"', '#no', 'a\\', '"""', '😀', '\n', ''), fc.string());
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(key, tie('json'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  const task = fc.dictionary(key, json, { maxKeys: 4, noNullPrototype: true });
  const path = fc.array(fc.oneof(key, fc.nat({ max: 3 })), { minLength: 1, maxLength: 3 }).map(([, ...rest]) => rest);
  const change: fc.Arbitrary<Change> = fc
    .tuple(key, path, json, key, fc.nat({ max: 4 }))
    .map(([first, rest, value, other, kind]) => {
      const at = [first, ...rest];
      return kind === 0 ? { remove: at } : kind === 1 ? { rename: at, key: other } : { set: at, value };
    });
  const layouts: readonly ((task: Readonly<Record<string, Json>>) => string)[] = [
    (row) => `Task(${members(row).join(', ')})`,
    (row) => `Task(${members(row).join(', ')},)`.replace('(,)', '()'),
    (row) =>
      `x = [\n  Task(\n${members(row)
        .map((member) => `    ${member},  # c\n`)
        .join('')}  ),\n]`,
    (row) =>
      `Task(${members(row)
        .map((member) => `\r\n    ${member}`)
        .join(',')}\r\n)`,
    (row) => `TaskSet(tasks=[${pythonWriter.value({ prompt: 'p' })}, ${pythonWriter.value(row)}])`,
  ];

  function members(row: Readonly<Record<string, Json>>): string[] {
    return Object.entries(row).map(([name, value]) => pythonWriter.member(name, true) + pythonWriter.value(value));
  }

  it('has the requested result, or is refused', () => {
    let done = 0;
    fc.assert(
      fc.property(
        task,
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...layouts),
        (row, changes, layout) => {
          const before = IMPORT + layout(row);
          const file = readTasks('/x/tasks.py', before);
          const own = file.rows.at(-1);
          expect(own?.value).toEqual(row);
          const edits = own?.edit(changes);
          if (edits === null || edits === undefined) return;
          done += 1;
          const after = applyEdits(before, edits);
          expect(readTasks('/x/tasks.py', after).rows.at(-1)?.value, after).toEqual(applyChanges(row, changes));
        },
      ),
      { numRuns: caseCount(150, 1_000), seed: 4 },
    );
    expect(done).toBeGreaterThan(caseCount(30, 300));
  });
});

describe('tasks of a list', () => {
  const insert = (text: string, index: number, value: Json): string =>
    applyEdits(IMPORT + text, readTasks('/x/tasks.py', IMPORT + text).insertRow(index, value)).slice(IMPORT.length);
  const remove = (text: string, index: number): string =>
    applyEdits(IMPORT + text, readTasks('/x/tasks.py', IMPORT + text).removeRow(index)).slice(IMPORT.length);
  const value = { id: 'new', gym: 'qa' };

  it('are inserted in the layout of their neighbors', () => {
    expect(insert(LINES, 2, value)).toBe(LINES.replace("'q'),", '\'q\'),\n    Task(id="new", gym="qa"),'));
    expect(insert(LINES, 0, value)).toBe(
      LINES.replace('[\n', '[\n    Task(\n        id="new",\n        gym="qa",\n    ),\n'),
    );
    expect(insert('x = [Task(id="a")]', 1, value)).toBe('x = [Task(id="a"), Task(id="new", gym="qa")]');
    expect(insert('x = TaskSet(name="n", tasks=[{"id": "a"}])', 1, value)).toBe(
      'x = TaskSet(name="n", tasks=[{"id": "a"}, {"id": "new", "gym": "qa"}])',
    );
    expect(insert('x = TaskSet(tasks=[])', 0, value)).toBe('x = TaskSet(tasks=[Task(id="new", gym="qa")])');
  });

  it('are removed with their comma', () => {
    expect(remove(LINES, 1)).toBe(LINES.replace('    Task(id="b", prompt=\'q\'),\n', ''));
    expect(remove('x = [Task(id="a"), Task(id="b")]', 0)).toBe('x = [Task(id="b")]');
    expect(remove('x = [Task(id="a"), Task(id="b")]', 1)).toBe('x = [Task(id="a")]');
  });

  it('that are not in a list are not changed', () => {
    const file = readTasks('/x/tasks.py', `${IMPORT}t = Task(id="a")`);
    expect(file.insertRow(1, value)).toBeNull();
    expect(file.removeRow(0)).toBeNull();
  });
});
