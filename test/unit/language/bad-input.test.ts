import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { hover } from '../../../src/language/typing/hover.ts';
import { signatureHelp } from '../../../src/language/typing/signature-help.ts';
import type { TextEdit } from '../../../src/tasks/change.ts';
import { loadTaskFile } from '../../../src/tasks/discover.ts';
import type { Finding } from '../../../src/tasks/finding.ts';
import { Lines } from '../../../src/tasks/lines.ts';
import { prepareToRead, readTasks, type TaskFile } from '../../../src/tasks/read.ts';
import { atOnce } from '../../../src/tasks/slices.ts';
import type { Json } from '../../../src/tasks/task.ts';
import { edited } from '../tasks/changes.ts';
import { ownNamed } from './own.ts';

const own = ownNamed('cart_total');

const tasks: readonly Json[] = [
  {
    id: 'buy',
    prompt: 'Buy the lamp: "now"',
    gym: { type: 'hud-browser' },
    setup: [['goto', 'shop.html'], { function: 'click', args: ['#buy'] }],
    evaluate: { function: 'page_contain', args: [['Thanks', 'Order']], id: 'x', metadata: { weight: 1e3 } },
    metadata: null,
    sensitive_data: {},
  },
  { id: 7, instruction: 'Look', start_url: 'https://shop.example/?a=b', reward_fn: "check_url_contains('cart')" },
  { id: 'buy', prompt: 'p', gym: 'qa', evaluate: ['response_match', '(?i)('], max_step: 3, tags: ['a', 'ä€😀'] },
  { prompt: 'p', mcp_config: { hud: { url: '${URL:no}' } }, evaluate_tool: { name: 'e', arguments: {} } },
  { env: { name: 'shop' }, scenario: 'shop:buy', args: { n: 1 } },
  { env: 'shop', id: 'buy', args: {}, slug: 'Buy It' },
];

const flow = (one: Json): string => JSON.stringify(one);
const yaml = `# tasks
name: s
tasks:
  - &base
    id: buy # first
    prompt: |
      Buy "it"

      now
    gym: {type: hud-browser}
    setup:
    - goto
    - shop.html
    evaluate: [page_contain, 'Thanks']
    metadata: null
  - <<: *base
    id: other
    max_step: 1e3
  - id: plain
    prompt: two
      lines
    evaluate: {function: response_is, args: [x, "y"]}
`;
const python = `from hud import Task, TaskSet
import os
x = os.environ["A"]
tasks = TaskSet(tasks=[
    Task(id="buy", prompt="Buy" " it", gym="hud-browser", setup=("goto", "shop.html"),
         evaluate=("page_contain", ["Thanks", f"{x}"]), metadata={"a": None, **x}),
    Task(
        prompt='''two
lines''', gyms=x, evaluate=[("url_match", r"\\d+")],
    ),
])
`;

const FILES: Readonly<Record<string, readonly string[]>> = {
  '/a.tasks.json': [
    JSON.stringify(tasks, null, 2),
    JSON.stringify(tasks),
    JSON.stringify({ name: 's', tasks }, null, 2),
    JSON.stringify(tasks[0]),
  ],
  '/a.tasks.jsonl': [tasks.map(flow).join('\n')],
  '/a.tasks.yaml': [
    yaml,
    tasks.map((one) => `- ${flow(one)}`).join('\n'),
    JSON.stringify(tasks, null, 1),
    yaml.replace('&base', '').replace('<<: *base', 'prompt: "a\n      b"'),
  ],
  '/a_tasks.py': [python],
};

const piece = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.constantFrom(
    '\0',
    '\uFEFF',
    '\uD800',
    '\uDC00x',
    '\r',
    '\r\n',
    '\n',
    '\u2028',
    '\u0085',
    '\t',
    '\u001b[31m',
    '\uFFFE',
  ),
  fc.constantFrom('{', '}', '[', ']', ',', ':', '"', "'", '\\', '#', '- ', '  ', '//', '/*', '|', '>', '"""', '(', ')'),
  fc.constantFrom(
    '&a ',
    '*a',
    '<<: *base',
    '!!binary x',
    '---\n',
    '...\n',
    '%YAML 9\n',
    '? ',
    '"tasks": [',
    'tasks:\n',
    '|+9\n',
  ),
  fc.constantFrom(
    '1e999',
    '-0',
    '9'.repeat(400),
    '0x',
    '.nan',
    'NaN',
    '\\u12',
    '"\\ud800"',
    '__proto__',
    '"__proto__": {}',
    'constructor',
  ),
  fc.constantFrom(
    'Task(',
    'TaskSet([',
    'lambda: ',
    'def f():\n',
    'prompt=',
    '**x',
    '*x',
    "f'{",
    'b"x"',
    '"evaluate": ["", 1]',
  ),
);

const place = fc.double({ min: 0, max: 1, noNaN: true });
const damage = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: place }),
  fc.record({ kind: fc.constant('behead' as const), at: place }),
  fc.record({ kind: fc.constant('double' as const) }),
  fc.record({ kind: fc.constantFrom('crlf' as const, 'cr' as const, 'mixed' as const, 'mark' as const) }),
  fc.record({ kind: fc.constant('put' as const), at: place, length: fc.nat(6), piece }),
  fc.record({ kind: fc.constant('put' as const), at: place, length: fc.nat(6), piece }),
  fc.record({ kind: fc.constant('move' as const), at: place, to: place }),
);
type Damage = typeof damage extends fc.Arbitrary<infer D> ? D : never;

function damaged(text: string, done: Damage): string {
  switch (done.kind) {
    case 'cut':
      return text.slice(0, Math.floor(done.at * text.length));
    case 'behead':
      return text.slice(Math.floor(done.at * text.length));
    case 'double':
      return text + text;
    case 'crlf':
      return text.replaceAll('\n', '\r\n');
    case 'cr':
      return text.replaceAll('\n', '\r');
    case 'mixed':
      return text.replaceAll(/\n(?=[^\n]*\n[^\n]*\n)/g, '\r\n');
    case 'mark':
      return `\uFEFF${text}`;
    case 'put': {
      const at = Math.floor(done.at * text.length);
      return text.slice(0, at) + done.piece + text.slice(at + done.length);
    }
    case 'move': {
      const at = Math.floor(done.at * text.length);
      const to = Math.floor(done.to * text.length);
      const [start, end] = [Math.min(at, to), Math.max(at, to)];
      return text.slice(end) + text.slice(start, end) + text.slice(0, start);
    }
  }
}

/** Whether the text itself can be read: what is wrong with its tasks is another matter. */
function isReadable(file: TaskFile): boolean {
  return file.findings.every(({ severity }) => severity !== 'error');
}

function stripped(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** What every text must stand: being read, asked at any place, changed and mended. */
function endure(name: string, text: string, at: number): void {
  const file = readTasks(name, text);
  const findings = diagnose(file, own);
  const lines = new Lines(stripped(text));
  const end = lines.length;
  for (const { range, message, code } of findings) {
    expect(code).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(message).not.toMatch(/undefined|\[object/);
    expect(lines.offset(range.start)).toBeLessThanOrEqual(lines.offset(range.end));
    expect(lines.offset(range.end)).toBeLessThanOrEqual(end);
  }
  const readable = isReadable(file);
  const stays = (edits: readonly TextEdit[] | null | undefined, after: (made: TaskFile) => void = () => {}): void => {
    if (edits === null || edits === undefined) return;
    const made = readTasks(name, edited(text, edits));
    if (readable)
      expect(made.findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual(
        made.findings
          .filter(({ severity, code }) => severity === 'error' && code === 'task-not-object')
          .map(({ code }) => code),
      );
    after(made);
  };
  for (const finding of findings.slice(0, 25)) for (const fix of finding.fixes?.() ?? []) stays(fix.edits);
  for (const offset of [0, Math.floor(at * end), Math.floor(at * 0.5 * end), end]) {
    const position = lines.position(offset);
    const cursor = file.cursor(position);
    if (cursor !== undefined) {
      expect(lines.offset(cursor.range.start)).toBeLessThanOrEqual(lines.offset(cursor.range.end));
      expect(Number.isSafeInteger(cursor.range.end.line)).toBe(true);
    }
    hover(file, position, own);
    signatureHelp(file, position, own);
  }
  const row = file.rows[Math.floor(at * file.rows.length)];
  if (row !== undefined) {
    stays(row.edit([{ set: ['gym'], value: 'qa' }]), (made) => {
      if (readable) expect(made.rows[row.index]?.value).toMatchObject({ gym: 'qa' });
    });
    stays(row.edit([{ set: ['evaluate', 0, 'args', 5, 'x'], value: [null, { a: '\uD800\u0000' }] }]));
    stays(row.edit([{ rename: ['evaluate'], key: 'prompt' }]));
    stays(row.edit([{ remove: ['setup', 0] }, { remove: ['setup'] }, { remove: ['nothing'] }]));
    stays(row.edit([{ set: [], value: { id: 'new' } }]));
    stays(
      row.edit([
        { set: ['setup', -1], value: 0 },
        { set: ['id', 'x', 1.5], value: 0 },
      ]),
    );
    stays(file.removeRow(row.index), (made) => {
      if (readable) expect(made.rows.length).toBe(file.rows.length - 1);
    });
  }
  stays(file.insertRow(file.rows.length, { id: 'new', prompt: 'x: "y"' }), (made) => {
    if (readable) expect(made.rows.length).toBe(file.rows.length + 1);
  });
  file.insertRow(-1, {});
  file.insertRow(99, {});
  file.removeRow(99);
}

const withoutFixes = (findings: readonly Finding[]) => findings.map(({ fixes: _, ...rest }) => rest);

describe('any text gives findings, never an exception and never a hang', { timeout: 240_000 }, () => {
  beforeAll(() => prepareToRead('/a_tasks.py'));

  it.each(Object.keys(FILES))('%s: a valid file that was cut, doubled, mixed or written into', (name) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...(FILES[name] ?? [])),
        fc.array(damage, { maxLength: 4 }),
        place,
        (text, done, at) => {
          endure(name, done.reduce(damaged, text), at);
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each(Object.keys(FILES))('%s: noise', (name) => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), place, (pieces, at) => {
        endure(name, pieces.join(''), at);
      }),
      { numRuns: 100 },
    );
  });

  it.each(Object.keys(FILES))('%s: while it is typed it says the same as a file that is opened anew', (name) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...(FILES[name] ?? [])),
        fc.array(fc.record({ at: place, length: fc.nat(4), piece }), { minLength: 1, maxLength: 5 }),
        (original, steps) => {
          let text = original;
          const file = readTasks(name, text);
          diagnose(file, own);
          for (const { at, length, piece: put } of steps) {
            const start = Math.floor(at * text.length);
            const end = Math.min(text.length, start + length);
            text = text.slice(0, start) + put + text.slice(end);
            atOnce(file.change([{ start, end, text: put }]));
            // A mark at the very beginning is dropped where a file is opened, not where it is typed.
            if (text.startsWith('\uFEFF')) return;
            const anew = readTasks(name, text);
            expect(withoutFixes(diagnose(file, own))).toEqual(withoutFixes(diagnose(anew, own)));
            expect(file.rows.map(({ value, range }) => [value, range])).toEqual(
              anew.rows.map(({ value, range }) => [value, range]),
            );
          }
        },
      ),
      { numRuns: 80 },
    );
  });
});

describe('what is made to exhaust a reader is read in good time', { timeout: 240_000 }, () => {
  beforeAll(() => prepareToRead('/a_tasks.py'));

  const laughs = (separator: string) =>
    Array.from(
      { length: 30 },
      (_, at) =>
        `a${at}: &a${at} [${Array.from({ length: 9 }, () => (at === 0 ? 'x' : `*a${at - 1}`)).join(separator)}]`,
    ).join('\n');
  const many = 10_000;
  const texts: readonly (readonly [string, string])[] = [
    ['lists in lists', '['.repeat(many)],
    ['lists in lists, closed', `${'['.repeat(many)}${']'.repeat(many)}`],
    ['objects in objects', '{"a":'.repeat(many)],
    ['objects in objects, closed', `${'{"a":'.repeat(many)}1${'}'.repeat(many)}`],
    ['a task with lists in lists', `[{"prompt":"p","x":${'['.repeat(many)}${']'.repeat(many)}}]`],
    ['dashes', '- '.repeat(many)],
    ['mappings in mappings', Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
    ['questions', '? '.repeat(many)],
    ['laughs', laughs(', ')],
    [
      'laughs in tasks',
      Array.from(
        { length: 50 },
        (_, at) => `- {${`p${at}: &p${at} [${'x, '.repeat(90)}], q: [${`*p${at}, `.repeat(300)}]`}}`,
      ).join('\n'),
    ],
    [
      'merges of merges',
      `x0: &x0 {a: 1}\n${Array.from({ length: 60 }, (_, at) => `x${at + 1}: &x${at + 1}\n  <<: [*x${at}, *x${at}]\n  k${at}: 1`).join('\n')}\nprompt: p`,
    ],
    ['quotes', '"'.repeat(many)],
    ['an open text over many lines', `- "${'x\n'.repeat(many)}`],
    ['a long number', `[{"prompt":"p","x":${'9'.repeat(many)}}]`],
    ['a long word', 'x'.repeat(1_000_000)],
    ['a long line of words', 'a: b, '.repeat(many)],
    ['spaces', ' '.repeat(1_000_000)],
    ['line ends', '\r\n'.repeat(100_000)],
    ['backslashes', `"${'\\'.repeat(many)}`],
    ['colons', ':'.repeat(many)],
    ['commas', `[${','.repeat(many)}]`],
    ['braces that close nothing', '}]'.repeat(many)],
    ['comments', '/*'.repeat(many)],
    ['comment lines', '# x\n'.repeat(many)],
    ['anchors', '&a '.repeat(many)],
    ['tags', '!'.repeat(many)],
    ['the same key', `{${'"a":1,'.repeat(many)}"prompt":"p"}`],
    ['tasks that do not end', '[{"prompt":"p",\n'.repeat(2000)],
    ['calls in calls', `from hud import Task\nTask(${'Task('.repeat(2000)}`],
    ['brackets in Python', `from hud import Task\nx = ${'['.repeat(many)}`],
    [
      'many tasks of Python in one line',
      `from hud import Task\ntasks = [${'Task(prompt="p", gym="qa"), '.repeat(2000)}]`,
    ],
    ['calls in Python that do not end', `from hud import Task\n${'a = Task(\n'.repeat(many)}`],
    ['functions in Python that do not end', `from hud import Task\n${'def f('.repeat(many)}`],
    ['spaces that JSON has not', '[{"prompt": "p", \u00a0 "setup": [\u2028 \f \v \uFEFF],\u00a0}\u3000]'],
    ['minus signs in Python', `from hud import Task\nt = Task(max_steps=${'-'.repeat(many)}1)`],
    [
      'names that stand for names',
      `from hud import Task\n${Array.from({ length: many }, (_, at) => `x${at} = x${at + 1}`).join('\n')}\nt = Task(prompt=x0)`,
    ],
    [
      'names that stand for ever more',
      `from hud import Task\nx0 = ["a"]\n${Array.from({ length: 40 }, (_, at) => `x${at + 1} = [x${at}, x${at}]`).join('\n')}\nt = Task(prompt="p", metadata={"a": x40})`,
    ],
    [
      'texts that stand for ever more',
      `from hud import Task\nx0 = "a"\n${Array.from({ length: 60 }, (_, at) => `x${at + 1} = f"{x${at}}{x${at}}"`).join('\n')}\nt = Task(prompt=x60)`,
    ],
    ['texts beside each other', `from hud import Task\nt = Task(prompt=${'"a" '.repeat(many)})`],
  ];
  const cases = texts.flatMap(([what, text]) => Object.keys(FILES).map((name) => [name, what, text] as const));

  it.each(cases)('%s: %s', (name, _, text) => {
    const start = performance.now();
    endure(name, text, 0.6);
    // A generous bound: a few tens of milliseconds are usual, and other tests share the machine.
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});

it('a place between the two characters of a line end is one at the end of the line', () => {
  const [before, between] = [3, 4].map((character) =>
    readTasks('/a.tasks.yaml', 'a: \r\n').cursor({ line: 0, character }),
  );
  expect(between?.range).toEqual(before?.range);
  expect(between?.at).toBe(before?.at);
});

describe('bytes that are no text', { timeout: 120_000 }, () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'taskwright-bytes-'));
    await prepareToRead('/a_tasks.py');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are one finding, or text', async () => {
    const text = JSON.stringify(tasks);
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom(
        Buffer.from(text, 'utf16le'),
        Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]),
        Buffer.from(text, 'utf16le').swap16(),
        Buffer.from('[{"prompt":"Käse"}]', 'latin1'),
        Buffer.from(text).subarray(0, text.indexOf('€') + 1),
        Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]),
        Buffer.from([0xed, 0xa0, 0x80]),
        Buffer.alloc(0),
        Buffer.alloc(1000),
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        bytes,
        fc.constantFrom('a.tasks.json', 'a.tasks.jsonl', 'a.tasks.yaml', 'a_tasks.py'),
        async (content, name) => {
          const path = join(folder, name);
          writeFileSync(path, content);
          const file = await loadTaskFile(path);
          const findings = diagnose(file, own);
          const isText = (() => {
            try {
              return !new TextDecoder('utf-8', { fatal: true }).decode(content).includes('\0');
            } catch {
              return false;
            }
          })();
          if (findings.some(({ code }) => code === 'not-utf-8')) expect(findings).toHaveLength(1);
          else if (!isText) expect(findings.length + (name.endsWith('.py') ? 1 : 0)).toBeGreaterThan(0);
        },
      ),
      { numRuns: 200 },
    );
  });
});
