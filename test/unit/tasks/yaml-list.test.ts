import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Lines } from '../../../src/base/lines.ts';
import type { Part, Path } from '../../../src/base/path.ts';
import { type Span, shift } from '../../../src/base/range.ts';
import { runToEnd } from '../../../src/base/slices.ts';
import { type FileSource, type RowSource, shiftProblem } from '../../../src/tasks/formats/source.ts';
import { readYamlFile, readYamlWhole } from '../../../src/tasks/formats/yaml/file.ts';
import { readYamlList } from '../../../src/tasks/formats/yaml/list.ts';
import { caseCount } from '../../sample.ts';
import { task } from './any-yaml.ts';

/** What the rows of a file report: values, locations in the file, and problems. */
function describeSource(source: FileSource): unknown {
  return {
    set: source.set,
    problems: source.problems,
    rows: source.rows.map((row) => {
      const { problems, ...content } = row.read();
      return {
        start: row.start,
        end: row.end,
        ...content,
        problems: problems.map((problem) => shiftProblem(problem, row.base)),
        id: locate(row, ['id'], 'value'),
        prompt: [locate(row, ['prompt'], 'key'), locate(row, ['prompt'], 'value')],
        args: locate(row, ['evaluate', 0, 'args', 0], 'value'),
      };
    }),
  };
}

function locate(row: RowSource, path: Path, part: Part): Span | undefined {
  const span = row.locate(path, part);
  return span && shift(span, row.base);
}

function hasErrors(source: FileSource): boolean {
  return [...source.problems, ...source.rows.flatMap((row) => row.read().problems)].some(
    ({ severity }) => severity === 'error',
  );
}

const shape = fc.record({
  indentSeq: fc.boolean(),
  indent: fc.constantFrom(2, 4),
  defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'),
  lineWidth: fc.constantFrom(0, 20, 80),
  collectionStyle: fc.constantFrom('any', 'block'),
} as const);

/** A list of tasks as people and programs write it: in a set or alone, with comments, blank lines, either line end. */
const listText = fc
  .record({
    tasks: fc.array(task, { minLength: 1, maxLength: 5 }),
    shape,
    set: fc.constantFrom('no', 'before', 'after'),
    between: fc.array(fc.constantFrom('', '# a comment', '  # - further in', '\n', '    ')),
    crlf: fc.boolean(),
    marker: fc.boolean(),
  })
  .map(({ tasks, shape: options, set, between, crlf, marker }) => {
    const value =
      set === 'no' ? tasks : set === 'before' ? { name: 'n', description: 'two\nlines', tasks } : { tasks, name: 'n' };
    let text = stringify(value, { ...options, aliasDuplicateObjects: false });
    let index = 0;
    text = text.replaceAll(/^( *)(?=- id: )/gm, (lead) => {
      const comment = between[index % Math.max(1, between.length)];
      index += 1;
      return comment === undefined ? lead : `${comment}\n${lead}`;
    });
    if (marker) text = `# of a shop\n---\n${text}`;
    return crlf ? text.replaceAll('\n', '\r\n') : text;
  });

const snippet = fc.constantFrom(
  '\n',
  ' ',
  '  ',
  '-',
  '- ',
  ':',
  ': ',
  '"',
  "'",
  '#',
  ' #',
  '[',
  ']',
  '{',
  '}',
  ',',
  '|',
  '>',
  '&a ',
  '*a',
  '!x ',
  '\t',
  '\n- ',
  '\n  ',
  '\n---\n',
  '\n...\n',
  'tasks:\n',
  '\nname: x\n',
  '? ',
  '<<: ',
  '%',
  'x',
  '\r\n',
  '\n]',
  '|+',
  '>-',
  '\n- id: new\n  prompt: p\n',
  '\n  - id: new\n',
);

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.nat(12),
  put: fc.oneof(snippet, fc.string({ maxLength: 4 })),
});

function mutate(text: string, { at, cut, put }: { at: number; cut: number; put: string }) {
  const start = Math.floor(at * text.length);
  const end = Math.min(text.length, start + cut);
  return { change: { start, end, text: put }, text: text.slice(0, start) + put + text.slice(end) };
}

describe('a list in block style is read item by item', { timeout: 120_000 }, () => {
  it('with the result of parsing the whole text', () => {
    fc.assert(
      fc.property(listText, (text) => {
        const list = runToEnd(readYamlList(text));
        expect(list).not.toBeNull();
        expect(describeSource(list as FileSource)).toEqual(describeSource(runToEnd(readYamlWhole(text))));
      }),
      { numRuns: caseCount(60, 300) },
    );
  });

  it('or not at all: any broken list is rejected, and no valid list is', () => {
    fc.assert(
      fc.property(listText, fc.array(edit, { minLength: 1, maxLength: 3 }), (original, edits) => {
        let text = original;
        for (const one of edits) text = mutate(text, one).text;
        const list = runToEnd(readYamlList(text));
        fc.pre(list !== null);
        const whole = runToEnd(readYamlWhole(text));
        if (hasErrors(whole)) expect(hasErrors(list as FileSource)).toBe(true);
        else expect(describeSource(list as FileSource)).toEqual(describeSource(whole));
      }),
      { numRuns: caseCount(150, 1_500) },
    );
  });

  it('and is updated by edits as if it were read again', () => {
    fc.assert(
      fc.property(listText, fc.array(edit, { minLength: 1, maxLength: 6 }), (original, edits) => {
        const lines = new Lines(original);
        let source = runToEnd(readYamlFile(lines));
        for (const one of edits) {
          const { change, text } = mutate(lines.text, one);
          lines.edit(change);
          source = source.reread?.(change, lines) ?? runToEnd(readYamlFile(lines));
          expect(describeSource(source)).toEqual(describeSource(runToEnd(readYamlFile(new Lines(text)))));
        }
      }),
      { numRuns: caseCount(50, 500) },
    );
  });

  it('an edit in one task keeps the objects of the others', () => {
    const text = Array.from({ length: 100 }, (_, index) => `- id: t${index}\n  prompt: Go\n`).join('');
    const lines = new Lines(text);
    const before = runToEnd(readYamlFile(lines));
    const at = text.indexOf('Go', text.indexOf('t50'));
    const change = { start: at, end: at, text: 'a\n    b' };
    lines.edit(change);
    const after = before.reread?.(change, lines);
    expect(after?.rows.filter((row) => !before.rows.includes(row as never))).toHaveLength(1);
    expect(after?.rows[50]?.read().value).toEqual({ id: 't50', prompt: 'a bGo' });
    expect(locate(after?.rows[99] as RowSource, ['id'], 'value')).toEqual({
      start: lines.text.indexOf('t99'),
      end: lines.text.indexOf('t99') + 3,
    });
  });

  it.each([
    ['a directive', '%YAML 1.2\n---\n- id: a\n'],
    ['two documents', '- id: a\n---\n- id: b\n'],
    ['an anchor that another task repeats', '- id: a\n  gym: &g qa\n- id: b\n  gym: *g\n'],
    ['an anchor beside the list', 'base: &b {gym: qa}\ntasks:\n- <<: *b\n  id: a\n'],
    ['flow style', '[{id: a}, {id: b}]\n'],
    ['tasks twice', 'tasks:\n- id: a\ntasks:\n- id: b\n'],
    ['a merge beside the list', 'tasks:\n- id: a\n<<: \n'],
    ['a key in another script', 'tasks:\n- id: a\nимя: b\n'],
    ['a single task', 'id: a\nprompt: p\n'],
  ])('what needs a complete parse gets one: %s', (_, text) => {
    expect(runToEnd(readYamlList(text))).toBeNull();
    expect(describeSource(runToEnd(readYamlFile(new Lines(text))))).toEqual(
      describeSource(runToEnd(readYamlWhole(text))),
    );
  });

  it('an anchor that is used only in its own task, and text that looks like one, need no complete parse', () => {
    const text = '- id: a\n  gym: &g qa\n  x: *g\n- id: b\n  prompt: |\n    *g* is & stays &nbsp;\n    **bold**\n';
    const list = runToEnd(readYamlList(text));
    expect(list?.rows[0]?.read().value).toMatchObject({ x: 'qa' });
    expect(describeSource(list as FileSource)).toEqual(describeSource(runToEnd(readYamlWhole(text))));
  });

  it('a text that is too large to parse is reported, with what to do', () => {
    const flow = `[${Array.from({ length: 20_000 }, (_, id) => `{"id": "${id}", "prompt": "p"}`).join(', ')}]`;
    const read = runToEnd(readYamlFile(new Lines(flow)));
    expect(read.rows).toEqual([]);
    expect(read.problems).toMatchObject([{ severity: 'error', code: 'yaml-too-large' }]);
    const html = Array.from({ length: 100_000 }, () => '  <li>one, two: three</li>').join('\n');
    const single = runToEnd(readYamlFile(new Lines(`id: a\nprompt: p\nhtml: |\n${html}\n`)));
    expect(single.rows[0]?.read()).toMatchObject({ readable: true, problems: [] });
    const quoted = runToEnd(readYamlFile(new Lines(`- id: a\n- prompt: "${'x'.repeat(10_000_000)}"\n`)));
    expect(quoted.rows[1]?.read().problems).toMatchObject([{ code: 'yaml-too-large' }]);
    const item = runToEnd(readYamlFile(new Lines(`- id: a\n  prompt: p\n- x: ${flow}\n- id: c\n`)));
    expect(item.rows.map((row) => row.read().problems.map(({ code }) => code))).toEqual([[], ['yaml-too-large'], []]);
  });
});
