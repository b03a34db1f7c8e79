import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';

const fixtures = join(import.meta.dirname, '../../fixtures');
const folder = join(fixtures, 'valid');

/** Errors and warnings, with their place. */
function listFindings(name: string, text: string): string[] {
  return diagnose(readTasks(`/tasks/${name}`, text), new Map())
    .filter(({ severity }) => severity !== 'information')
    .map(({ severity, code, range, message }) => `${severity} ${code} (line ${range.start.line + 1}): ${message}`);
}

/** The row in other words, which change nothing. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'with CRLF': (text) => text.replaceAll('\n', '\r\n'),
  'with a byte order mark': (text) => `\uFEFF${text}`,
};

describe('files as HUD and the public task formats have them', () => {
  beforeAll(() => prepareToRead('/tasks/a.py'));

  describe.each(readdirSync(folder))('%s', (name) => {
    const text = readFileSync(join(folder, name), 'utf8');

    it.each(Object.entries(WAYS))('%s: nothing is wrong', (_, write) => {
      const known = listFindings(name, write(text));
      expect(known.filter((line) => !/^warning no-evaluate/.test(line))).toEqual([]);
    });

    it('has tasks', () => {
      expect(readTasks(`/tasks/${name}`, text).rows.length).toBeGreaterThan(1);
    });
  });
});

describe('rows that the model of HUD 0.2.10 was given', () => {
  interface Recorded {
    readonly model: string;
    readonly case: string;
    readonly in: unknown;
    readonly error?: unknown;
  }
  const rows = readFileSync(join(fixtures, 'hud/task-0.2.10.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);
  const findingsOf = (row: Recorded) =>
    diagnose(
      readTasks(row.model === 'TaskSet' ? '/a.taskset.json' : '/a.task.json', JSON.stringify(row.in)),
      new Map(),
    );

  // An empty prompt can be said, and no agent can do anything with it.
  it.each(
    rows.filter((row) => row.error === undefined && row.case !== 'empty-prompt').map((row) => [row.case, row] as const),
  )('%s: accepted there, no error here', (_, row) => {
    expect(findingsOf(row).filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  // A list is no TaskSet there, and a file of tasks here.
  it.each(
    rows
      .filter((row) => row.error !== undefined && row.case !== 'list-of-tasks')
      .map((row) => [row.case, row] as const),
  )('%s: refused there, something is said here', (_, row) => {
    const about = findingsOf(row).filter(
      ({ code, severity }) => severity !== 'information' && !/^no-(?:gym|evaluate)$/.test(code),
    );
    expect(about.length).toBeGreaterThan(0);
  });
});
