import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Json } from '../../../src/base/json.ts';
import { Lines } from '../../../src/base/lines.ts';
import type { Path } from '../../../src/base/path.ts';
import { applyChange, isEqualJson } from '../../../src/tasks/apply-change.ts';
import type { Change, TextEdit } from '../../../src/tasks/change.ts';
import { yamlWriter } from '../../../src/tasks/formats/yaml/writer.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { caseCount } from '../../sample.ts';
import { key, task, value } from './any-yaml.ts';

function apply(text: string, edits: readonly TextEdit[]): string {
  const lines = new Lines(text);
  let result = '';
  let last = 0;
  for (const { range, text: put } of edits) {
    const start = lines.offset(range.start);
    expect(start).toBeGreaterThanOrEqual(last);
    result += text.slice(last, start) + put;
    last = lines.offset(range.end);
  }
  return result + text.slice(last);
}

/** The text after the changes of one row; the edits must be allowed. */
function edit(text: string, changes: readonly Change[], row = 0): string {
  const edits = readTasks('/a.tasks.yaml', text).rows[row]?.edit(changes);
  if (edits === null || edits === undefined) throw new Error(`no edit of ${JSON.stringify(text)}`);
  return apply(text, edits);
}

describe('a change in a task of YAML', () => {
  const text = [
    '# the shop',
    '- id: buy # the first',
    '  prompt: "Buy it"',
    '  gym: hud-browser',
    '',
    '  # how it begins',
    '  setup:',
    '    - function: goto',
    "      args: ['shop.html'] # beside it",
    '  evaluate: {function: page_contain, args: [Thanks]}',
    '  metadata:',
    '- id: other',
    '  prompt: |',
    '    Two',
    '    lines',
    '',
  ].join('\n');

  it.each<[string, Change, string, string]>([
    [
      'a function',
      { set: ['evaluate', 'function'], value: 'page_contains' },
      'function: page_contain,',
      'function: page_contains,',
    ],
    ['a quoted text', { set: ['prompt'], value: 'Sell "it"' }, '"Buy it"', '"Sell \\"it\\""'],
    ['a text in single quotes', { set: ['setup', 0, 'args', 0], value: "it's" }, "'shop.html'", "'it''s'"],
    ['a text that reads as something else', { set: ['gym'], value: 'no' }, 'gym: hud-browser', 'gym: "no"'],
    ['a value where none is written', { set: ['metadata'], value: {} }, 'metadata:', 'metadata: {}'],
    [
      'a value inside where none is',
      { set: ['metadata'], value: { weight: 2 } },
      '  metadata:\n',
      '  metadata:\n    weight: 2\n',
    ],
    ['a name', { rename: ['gym'], key: 'environment' }, 'gym:', 'environment:'],
    [
      'a name in flow style',
      { rename: ['evaluate', 'args'], key: 'arguments' },
      'args: [Thanks]',
      'arguments: [Thanks]',
    ],
    ['a member taken out', { remove: ['gym'] }, '  gym: hud-browser\n', ''],
    ['the first member taken out', { remove: ['id'] }, 'id: buy # the first\n  prompt', ' # the first\n  prompt'],
    ['a member in flow style taken out', { remove: ['evaluate', 'args'] }, ', args: [Thanks]', ''],
    [
      'a member with its lines taken out',
      { remove: ['setup'] },
      "  setup:\n    - function: goto\n      args: ['shop.html'] # beside it\n",
      '',
    ],
    [
      'the only item taken out',
      { remove: ['setup', 0] },
      "setup:\n    - function: goto\n      args: ['shop.html'] # beside it\n",
      'setup: [] # beside it\n',
    ],
    ['a new member', { set: ['max_steps'], value: 5 }, '  metadata:\n', '  metadata:\n  max_steps: 5\n'],
    [
      'a new member in flow style',
      { set: ['evaluate', 'id'], value: 'x' },
      'args: [Thanks]}',
      'args: [Thanks], id: x}',
    ],
    ['one more argument', { set: ['evaluate', 'args', 9], value: 7 }, '[Thanks]', '[Thanks, 7]'],
    [
      'one more call',
      { set: ['setup', 1], value: { function: 'click', args: ['#buy'] } },
      '# beside it\n',
      '# beside it\n    - function: click\n      args: ["#buy"]\n',
    ],
    [
      'a list in place of a mapping',
      { set: ['evaluate'], value: [] },
      '{function: page_contain, args: [Thanks]}',
      '[]',
    ],
    [
      'a text in place of lines',
      { set: ['setup'], value: 'browser.maximize' },
      "setup:\n    - function: goto\n      args: ['shop.html'] # beside it\n",
      'setup: browser.maximize # beside it\n',
    ],
  ])('%s', (_, change, before, after) => {
    expect(text.split(before)).toHaveLength(2);
    expect(edit(text, [change])).toBe(text.replace(before, () => after));
  });

  it('works in the last task, in CRLF, in a multiline string, and at the end of the file', () => {
    const crlf = text.replaceAll('\n', '\r\n');
    expect(edit(crlf, [{ set: ['gym'], value: 'qa' }], 1)).toBe(`${crlf}  gym: qa\r\n`);
    expect(edit(text, [{ set: ['prompt'], value: 'One\nline' }], 1)).toBe(
      text.replace('Two\n    lines', 'One\n    line').replace('|\n    One', '|-\n    One'),
    );
    expect(edit('- id: a\n  prompt: p', [{ set: ['gym'], value: 'qa' }])).toBe('- id: a\n  prompt: p\n  gym: qa');
    expect(edit('id: a\nprompt: p\n', [{ set: ['gym'], value: 'qa' }])).toBe('id: a\nprompt: p\ngym: qa\n');
  });

  it('applies several changes in sequence', () => {
    const changes: Change[] = [
      { rename: ['gym'], key: 'environment' },
      { set: ['environment'], value: 'qa' },
      { remove: ['metadata'] },
      { set: ['evaluate'], value: [{ function: 'response_is', args: ['x'] }] },
      { set: ['evaluate', 0, 'args', 1], value: 'y' },
    ];
    const row = readTasks('/a.tasks.yaml', edit(text, changes)).rows[0];
    expect(row?.value).toEqual({
      id: 'buy',
      prompt: 'Buy it',
      environment: 'qa',
      setup: [{ function: 'goto', args: ['shop.html'] }],
      evaluate: [{ function: 'response_is', args: ['x', 'y'] }],
    });
  });

  it('is refused if it would change more, or is impossible', () => {
    const no = (source: string, change: Change, row = 0) =>
      expect(readTasks('/a.tasks.yaml', source).rows[row]?.edit([change])).toBeNull();
    no('- id: a\n  gym: &g qa\n- id: b\n  gym: *g\n', { set: ['gym'], value: 'x' });
    no('- &b\n  id: a\n  gym: {type: qa, a: 1}\n- <<: *b\n  id: c\n', { set: ['gym', 'type'], value: 'x' }, 1);
    no('- id: [a\n  prompt: p\n', { set: ['prompt'], value: 'x' });
    no('- id: a\n', { remove: ['gym'] });
    no('- id: a\n', { set: ['id', 'x'], value: 1 });
    no('- id: a\n', { rename: ['x'], key: 'y' });
    expect(edit('- id: a\n  gym: &g qa\n- id: b\n  gym: *g\n', [{ set: ['gym'], value: 'x' }], 1)).toContain('gym: x');
  });
});

function* paths(of: Json, path: Path = []): Generator<Path> {
  yield path;
  if (Array.isArray(of)) for (const [index, item] of of.entries()) yield* paths(item, [...path, index]);
  else if (typeof of === 'object' && of !== null) {
    for (const [name, item] of Object.entries(of)) yield* paths(item as Json, [...path, name]);
  }
}

const styles = fc.record({
  indentSeq: fc.boolean(),
  indent: fc.constantFrom(2, 4),
  defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL'),
  defaultKeyType: fc.constantFrom(null, 'PLAIN'),
  collectionStyle: fc.constantFrom('any', 'flow'),
  lineWidth: fc.constantFrom(0, 40),
} as const);

describe('reading after a change gives the value with the change made', { timeout: 120_000 }, () => {
  it('at any position, and keeps the other tasks and the comments', () => {
    let made = 0;
    let asked = 0;
    fc.assert(
      fc.property(
        fc.tuple(task, task, task),
        styles,
        fc.constantFrom('list', 'set', 'one'),
        fc.boolean(),
        fc.array(
          fc.record({ kind: fc.constantFrom('set', 'add', 'append', 'rename', 'remove'), at: fc.nat(40), key, value }),
          {
            minLength: 1,
            maxLength: 3,
          },
        ),
        (tasks, style, form, crlf, steps) => {
          const whole = form === 'list' ? tasks : form === 'set' ? { name: 'n', tasks } : tasks[1];
          let text = `# first\n${stringify(whole, { ...style, aliasDuplicateObjects: false })}# last\n`;
          if (crlf) text = text.replaceAll('\n', '\r\n');
          const file = readTasks('/a.tasks.yaml', text);
          const index = form === 'one' ? 0 : 1;
          const row = file.rows[index];
          let expectation: Json | undefined = row?.value as Json;
          fc.pre(expectation !== undefined && row?.task !== null);
          const changes: Change[] = [];
          for (const step of steps) {
            const all: Path[] = [...paths(expectation)].slice(1);
            const path = all[step.at % Math.max(1, all.length)];
            if (path === undefined) break;
            const change: Change =
              step.kind === 'set'
                ? { set: path, value: step.value }
                : step.kind === 'add'
                  ? { set: [...path.slice(0, -1), typeof path.at(-1) === 'number' ? 0 : step.key], value: step.value }
                  : step.kind === 'append'
                    ? { set: [...path, typeof path.at(-1) === 'number' ? 99 : step.key], value: step.value }
                    : step.kind === 'rename'
                      ? { rename: path, key: step.key }
                      : { remove: path };
            const next: Json | undefined = applyChange(expectation, change);
            if (next === undefined) {
              expect(row?.edit([...changes, change])).toBeNull();
              continue;
            }
            expectation = next;
            changes.push(change);
          }
          const edits = row?.edit(changes);
          asked += 1;
          if (edits === null || edits === undefined) return;
          made += 1;
          const after = readTasks('/a.tasks.yaml', apply(text, edits));
          expect(
            after.findings.filter(({ severity, code }) => severity === 'error' && code !== 'task-not-object'),
          ).toEqual([]);
          expect(after.rows[index]?.value).toEqual(expectation);
          for (const other of form === 'one' ? [] : [0, 2]) {
            expect(after.rows[other]?.value).toEqual(file.rows[other]?.value);
          }
          expect(apply(text, edits)).toMatch(/^# first\r?\n[\s\S]*# last\r?\n$/);
        },
      ),
      { numRuns: caseCount(100, 600) },
    );
    expect(made / asked).toBeGreaterThan(0.9);
  });

  it('a task is inserted and removed in the style of its neighbors', () => {
    fc.assert(
      fc.property(
        fc.array(task, { minLength: 1, maxLength: 4 }),
        task,
        styles,
        fc.boolean(),
        fc.boolean(),
        fc.nat(4),
        (tasks, one, style, set, crlf, at) => {
          let text = stringify(set ? { name: 'n', tasks, description: 'd' } : tasks, {
            ...style,
            aliasDuplicateObjects: false,
          });
          if (crlf) text = text.replaceAll('\n', '\r\n');
          const file = readTasks('/a.tasks.yaml', text);
          const values = file.rows.map(({ value: own }) => own as Json);
          const index = at % (tasks.length + 1);
          const put = file.insertRow(index, one);
          expect(put).not.toBeNull();
          const longer = readTasks('/a.tasks.yaml', apply(text, put ?? []));
          expect(longer.findings).toEqual([]);
          expect(longer.set).toEqual(file.set);
          expect(longer.rows.map(({ value: own }) => own)).toEqual(values.toSpliced(index, 0, one));
          const taken = index % tasks.length;
          const cut = file.removeRow(taken);
          expect(cut).not.toBeNull();
          const shorter = readTasks('/a.tasks.yaml', apply(text, cut ?? []));
          expect(shorter.set).toEqual(file.set);
          expect(shorter.rows.map(({ value: own }) => own)).toEqual(values.toSpliced(taken, 1));
        },
      ),
      { numRuns: caseCount(60, 300) },
    );
  });

  it('every string and number is written so that YAML 1.1 and 1.2 read it', () => {
    fc.assert(
      fc.property(value, key, (one, name) => {
        for (const version of ['1.1', '1.2'] as const) {
          expect(isEqualJson(parse(`- ${yamlWriter.value(one)}\n`, { version }), [one])).toBe(true);
          expect(
            isEqualJson(parse(`x: [${yamlWriter.value(one)}, {${yamlWriter.member(name, false)}1}]`, { version }), {
              x: [one, { [name]: 1 }],
            }),
          ).toBe(true);
        }
      }),
      { numRuns: caseCount(150, 1_000) },
    );
    for (const text of [
      'no',
      'Yes',
      'on',
      'y',
      '1e3',
      '0x1f',
      '1_000',
      '2024-01-01',
      '12:30:00',
      '~',
      '.inf',
      '',
      '=',
      '<<',
      'a: b',
      'a #b',
      '- a',
      '? a',
      "'",
      'a, b',
      '@a',
      '`',
    ]) {
      expect(yamlWriter.value(text)).toBe(JSON.stringify(text));
    }
    for (const text of [
      'hud-browser',
      'page_contains',
      'Buy the lamp',
      'https://shop.example/a?b=c',
      'pages/shop.html',
    ]) {
      expect(yamlWriter.value(text)).toBe(text);
    }
  });
});

describe('tasks are inserted and removed', () => {
  const text = '# All\n- id: a\n  prompt: p\n\n# the second\n- id: b\n  prompt: q # said\n# end\n';
  const put = (source: string, index: number, row: Json = { id: 'new', prompt: 'New: one' }) => {
    const edits = readTasks('/a.tasks.yaml', source).insertRow(index, row);
    return edits === null ? null : apply(source, edits);
  };
  const cut = (source: string, index: number) => {
    const edits = readTasks('/a.tasks.yaml', source).removeRow(index);
    return edits === null ? null : apply(source, edits);
  };

  it('before the comment of the next task, and after the last task', () => {
    expect(put(text, 1)).toBe(text.replace('# the second', () => '- id: new\n  prompt: "New: one"\n\n# the second'));
    expect(put(text, 2)).toBe(text.replace('# end', () => '\n- id: new\n  prompt: "New: one"\n# end'));
    expect(put('tasks:\n  -   id: a\n', 1, { id: 'b' })).toBe('tasks:\n  -   id: a\n  -   id: b\n');
    expect(put('- id: a', 1, { id: 'b' })).toBe('- id: a\n- id: b');
    expect(put('tasks: []\n', 0, { id: 'b' })).toBe('tasks:\n  - id: b\n');
    expect(put('id: a\nprompt: p\n', 1)).toBeNull();
  });

  it('with their lines: comments stay, and removing the last leaves an empty list', () => {
    expect(cut(text, 0)).toBe('# All\n# the second\n- id: b\n  prompt: q # said\n# end\n');
    expect(cut(text, 1)).toBe('# All\n- id: a\n  prompt: p\n\n# the second\n# end\n');
    expect(cut('name: n\ntasks:\n- id: a\n', 0)).toBe('name: n\ntasks:\n  []\n');
    expect(cut('id: a\n', 0)).toBeNull();
  });
});

it('equality distinguishes lists from objects and ignores the order of members', () => {
  expect(isEqualJson({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  expect(isEqualJson([], {})).toBe(false);
  expect(isEqualJson({ a: 1 }, { b: 1 })).toBe(false);
});
