import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Lines, type OffsetEdit } from '../../../src/base/lines.ts';
import { runToEnd } from '../../../src/base/slices.ts';
import { Diagnosis } from '../../../src/language/findings/diagnosis.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import type { TaskFile } from '../../../src/tasks/rows.ts';
import { caseCount } from '../../sample.ts';

beforeAll(() => prepareToRead('a.py'));

/** Everything that a reading gives: values, findings, places. */
function summarize(file: TaskFile, diagnosis: Diagnosis) {
  return {
    set: file.set,
    rows: file.rows.map((row) => ({
      index: row.index,
      name: row.name,
      era: row.era,
      value: row.value,
      range: row.range,
      id: row.rangeOf(['id']),
      found: diagnosis.of(row).map(plain),
    })),
    findings: diagnosis.findings().map(plain),
    tally: diagnosis.tally,
  };
}

function plain({ fixes, ...rest }: ReturnType<Diagnosis['findings']>[number]) {
  return { ...rest, fixes: fixes?.().map(({ title, edits }) => ({ title, edits })) };
}

function readAnew(name: string, text: string) {
  const file = readTasks(name, text);
  const diagnosis = new Diagnosis(file, new Map());
  runToEnd(diagnosis.update());
  return summarize(file, diagnosis);
}

/** A person's typing: characters and brackets put in anywhere, parts cut out, doubled or moved. */
const typed = fc.constantFrom(
  ...['"', '{', '}', '[', ']', ',', ':', '\n', '\r\n', '\\', '/', '/*', '*/', '//', ' ', 'a', '5', 'null', '# ', '- '],
  ...['(', ')', "'", '"""', '=', 'Task('],
  ...['{"id":"b","prompt":"p"}', ',\n  {"id":"a"}', '"gym":"qa",', '"id":"c",', '}\n]', '\n\n', 'id: b', '\n- id: a\n'],
);
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.oneof(fc.constant(0), fc.constant(0), fc.nat({ max: 3 }), fc.nat({ max: 60 })),
  text: fc.oneof(typed, fc.constant('')),
});
const edits = fc.array(fc.array(edit, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 8 });

const task = (id: string, more = '') => `{"id":"${id}","prompt":"p","gym":"qa"${more}}`;
const pretty = (id: string) => JSON.stringify({ id, prompt: 'p', setup: [], gym: { type: 'qa' } }, null, 2);
const indented = (text: string) => text.replace(/^/gm, '  ');
const FILES: Readonly<Record<string, readonly string[]>> = {
  '/a.tasks.json': [
    `[\n  ${task('a')},\n  ${task('b', ',"evaluate":["response_si","x"]')},\n  ${task('a')},\n  5,\n  ${task('d')}\n]\n`,
    `[\n${['a', 'b', 'c', 'a'].map((id) => indented(pretty(id))).join(',\n')}\n]`,
    `[${task('a')}, ${task('b')}, ${task('a')}]`,
    `// tasks\n[\n  ${task('a')}, // one\n  ${task('b')},\n]`,
    pretty('a'),
  ],
  '/a.taskset.json': [
    `{\n  "name": "n",\n  "tasks": [\n${['a', 'b', 'a'].map((id) => indented(indented(pretty(id)))).join(',\n')}\n  ]\n}\n`,
    `{"tasks":[\n${task('a')},\n${task('b')},\n${task('c')}\n],"description":"d"}`,
  ],
  '/a.tasks.jsonl': [
    `${task('a')}\n${task('b', ',"x":1')}\n\n${task('a')}\n  ${task('d')}`,
    `\r\n${task('a')}\r\n${task('b')}\r\n{"id":5}\r\n`,
  ],
  '/a.py': [
    [
      'from hud import Task, TaskSet',
      'URL = "u"',
      'tasks = TaskSet(name="n", tasks=[',
      '    Task(id="a", prompt="p", gym="qa"),',
      '    Task(',
      '        id="b",',
      '        prompt=f"{URL}",  # why',
      '        evaluate=[("response_si", "x")],',
      '    ),',
      '    {"id": "a"}, Task(id="c", prompt=p)',
      '])',
      'def f():',
      "    return Task(id='d', prompt='''a",
      "b''')",
    ].join('\n'),
    'import hud\r\nhud.Task(id="a", prompt="p")\r\nhud.Task(\r\n  id="b", gym={"type": "qa"},\r\n)\r\n',
  ],
};

/** Where an edit falls in a text of this length. */
function placeEdit({ at, cut, text }: { at: number; cut: number; text: string }, length: number): OffsetEdit {
  const start = Math.min(length, Math.floor(at * (length + 1)));
  return { start, end: Math.min(length, start + cut), text };
}

describe('a file that is read again after each edit', () => {
  it.each(Object.entries(FILES))('%s is as a file that is read whole', (name, texts) => {
    fc.assert(
      fc.property(fc.constantFrom(...texts), edits, (start, rounds) => {
        let text = start;
        const file = readTasks(name, start);
        const diagnosis = new Diagnosis(file, new Map());
        runToEnd(diagnosis.update());
        for (const round of rounds) {
          const changes: OffsetEdit[] = [];
          for (const made of round) {
            const change = placeEdit(made, text.length);
            changes.push(change);
            text = text.slice(0, change.start) + change.text + text.slice(change.end);
          }
          runToEnd(file.change(changes));
          runToEnd(diagnosis.update());
          expect(summarize(file, diagnosis), JSON.stringify(text)).toEqual(readAnew(name, text));
        }
      }),
      { numRuns: caseCount(30, 150), seed: 4 },
    );
  });

  it('is diagnosed the same if it changes while the first change is prepared', () => {
    const ids = Array.from({ length: 200 }, (_, index) => `t${index % 190}`);
    let text = ids.map((id) => task(id)).join('\n');
    const file = readTasks('/a.tasks.jsonl', text);
    const diagnosis = new Diagnosis(file, new Map());
    runToEnd(diagnosis.update());
    const preparation = diagnosis.prepareForChanges();
    expect(preparation.next().done).toBe(false);
    for (const id of ['t5-unique', 't6', '']) {
      const start = text.indexOf('"t5') + 1;
      const end = text.indexOf('"', start);
      text = text.slice(0, start) + id + text.slice(end);
      runToEnd(file.change([{ start, end, text: id }]));
      runToEnd(diagnosis.update());
      expect(summarize(file, diagnosis)).toEqual(readAnew('/a.tasks.jsonl', text));
    }
    runToEnd(preparation);
    expect(summarize(file, diagnosis)).toEqual(readAnew('/a.tasks.jsonl', text));
  });

  it('keeps the rows that an edit does not touch', () => {
    const text = `[\n${Array.from({ length: 50 }, (_, index) => indented(pretty(`t${index}`))).join(',\n')}\n]`;
    const file = readTasks('/a.tasks.json', text);
    for (const typing of ['x', '"', '{', '[', '}', '\n']) {
      const before = file.rows;
      const at = text.indexOf('"p"', text.length / 2) + 2;
      runToEnd(file.change([{ start: at, end: at, text: typing }]));
      expect(file.rows.filter((row) => !before.includes(row)).length, typing).toBeLessThanOrEqual(3);
      runToEnd(file.change([{ start: at, end: at + 1, text: '' }]));
      expect(file.rows).toHaveLength(50);
    }
  });
});

describe('the text of a file', () => {
  it('is recognized, so that a document that was opened is not read again', () => {
    const file = readTasks('/a.tasks.jsonl', '\uFEFF{"prompt": "a"}\r\n');
    expect(runToEnd(file.isText(['{"prompt": "a"}\r\n']))).toBe(true);
    expect(runToEnd(file.isText(['{"prompt"', ': "a"}\r\n']))).toBe(true);
    expect(runToEnd(file.isText(['{"prompt"']))).toBe(false);
    expect(runToEnd(file.isText(['{"prompt": "a"}\n']))).toBe(false);
    expect(runToEnd(file.isText(['{"prompt": "b"}\r\n']))).toBe(false);
    runToEnd(file.change([{ start: 12, end: 13, text: 'b' }]));
    expect(runToEnd(file.isText(['{"prompt": "b"}\r\n']))).toBe(true);
  });

  it('gives the same positions after any edits as a text that was never edited', () => {
    const pieces = fc.array(fc.constantFrom('a', '\n', '\r', '\r\n', 'ä😀', 'x'.repeat(40_000), '\n'.repeat(9)), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        pieces,
        fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), cut: fc.nat({ max: 50_000 }), pieces })),
        (start, made) => {
          let text = start.join('');
          const lines = new Lines(text);
          for (const { at, cut, pieces: put } of made) {
            const change = placeEdit({ at, cut, text: put.join('') }, text.length);
            text = text.slice(0, change.start) + change.text + text.slice(change.end);
            lines.edit(change);
            const anew = new Lines(text);
            expect([lines.length, lines.lineCount]).toEqual([text.length, anew.lineCount]);
            for (let offset = 0; offset <= text.length; offset += 1 + Math.floor(text.length / 50)) {
              const position = lines.position(offset);
              expect(position).toEqual(anew.position(offset));
              expect(lines.offset(position)).toBe(anew.offset(position));
              expect(lines.slice(offset, text.length) === text.slice(offset)).toBe(true);
            }
          }
          expect(lines.text === text).toBe(true);
        },
      ),
      { numRuns: caseCount(15, 60), seed: 4 },
    );
  });
});
