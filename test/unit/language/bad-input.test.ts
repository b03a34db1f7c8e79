import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runToEnd } from '../../../src/base/slices.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { loadTaskFile } from '../../../src/tasks/discover.ts';
import type { Finding } from '../../../src/tasks/finding.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import { FUZZ_TIMEOUT, inputs } from '../../fuzz.ts';
import { endure, FILES, own, tasks } from './endure.ts';

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

const withoutFixes = (findings: readonly Finding[]) => findings.map(({ fixes: _, ...rest }) => rest);

describe('any text gives findings, and never an exception or a hang', { timeout: FUZZ_TIMEOUT }, () => {
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
      inputs(25, 100),
    );
  });

  it.each(Object.keys(FILES))('%s: noise', (name) => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), place, (pieces, at) => {
        endure(name, pieces.join(''), at);
      }),
      inputs(25, 100),
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
            runToEnd(file.change([{ start, end, text: put }]));
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
      inputs(20, 80),
    );
  });
});

it('a position between the two characters of a line ending is at the end of the line', () => {
  const [before, between] = [3, 4].map((character) =>
    readTasks('/a.tasks.yaml', 'a: \r\n').cursor({ line: 0, character }),
  );
  expect(between?.range).toEqual(before?.range);
  expect(between?.at).toBe(before?.at);
});

describe('bytes that are not text', { timeout: FUZZ_TIMEOUT }, () => {
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
      inputs(40, 200),
    );
  });
});
