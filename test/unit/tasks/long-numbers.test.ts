import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { valueAt } from '../../../src/base/path.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { selectRow } from '../../../src/tasks/address.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import { applyEdits } from './changes.ts';

beforeAll(() => prepareToRead('tasks.py'));

const A = '1610521604143693812';
const B = '1610521604143693813';

/** Two tasks with these ids and metadata in each format. */
const FORMATS = {
  '/a.tasks.json': (ids: readonly string[]) =>
    `[${ids.map((id) => `{"id": ${id}, "prompt": "p", "metadata": {"source": [${id}]}}`).join(',\n')}]\n`,
  '/a.tasks.jsonl': (ids: readonly string[]) =>
    ids.map((id) => `{"id": ${id}, "prompt": "p", "metadata": {"source": [${id}]}}\n`).join(''),
  '/a.tasks.yaml': (ids: readonly string[]) =>
    ids.map((id) => `- id: ${id}\n  prompt: p\n  metadata: {source: [${id}]}\n`).join(''),
  '/a.py': (ids: readonly string[]) =>
    `from hud import Task\ntasks = [\n${ids.map((id) => `    Task(id=${id}, prompt="p", metadata={"source": [${id}]}),\n`).join('')}]\n`,
};

const files = Object.entries(FORMATS);

/** The text after all safe fixes of ids. */
function fixIds(file: string, text: string): string {
  const fixes = diagnose(readTasks(file, text), new Map()).filter(({ code }) => code === 'id-not-text');
  return fixes.reduceRight((left, finding) => applyEdits(left, finding.fixes?.()[0]?.edits), text);
}

describe.each(files)('the id of a task in %s', (file, textOf) => {
  it('is the number as it is written', () => {
    const read = readTasks(file, textOf([A, B, `-${B}`]));
    expect(read.rows.map(({ id, name, label }) => [id, name, label])).toEqual(
      [A, B, `-${B}`].map((id) => [id, id, id]),
    );
    expect(read.rows.map(({ task }) => task?.id)).toEqual([A, B, `-${B}`]);
    expect(selectRow(read, B)?.index).toBe(1);
    expect(selectRow(read, '1610521604143693814')).toBeUndefined();
  });

  it('is not a duplicate of its neighbor', () => {
    const codes = (ids: readonly string[]): string[] =>
      diagnose(readTasks(file, textOf(ids)), new Map()).map(({ code }) => code);
    expect(codes([A, B])).not.toContain('duplicate-id');
    expect(codes([A, A])).toContain('duplicate-id');
  });

  it('distinguishes a float from an integer', () => {
    expect(readTasks(file, textOf(['1', '1.0', '1.5e3'])).rows.map(({ id }) => id)).toEqual(['1', '1.0', '1.5e3']);
  });

  it('becomes a string with the same digits', () => {
    const quoted = fixIds(file, textOf([A, B, '1.0']));
    expect(readTasks(file, quoted).rows.map(({ value }) => (value as { readonly id: unknown }).id)).toEqual([
      A,
      B,
      '1.0',
    ]);
    expect(quoted).toContain(`[${B}]`);
  });
});

describe('other forms of ids', () => {
  it('in YAML are what is written, unless it is an alias', () => {
    const ids = readTasks('/a.tasks.yaml', '- id: 007\n- id: 0x1F\n- id: +5\n- id: 1e3\n').rows.map(({ id }) => id);
    expect(ids).toEqual(['007', '0x1F', '+5', '1e3']);
    const text = `- id: &n ${A}\n  prompt: p\n- id: *n\n  prompt: q\n- id: 5\n`;
    expect(readTasks('/a.tasks.yaml', text).rows.map(({ id }) => id)).toEqual([A, A, '5']);
  });

  it('in Python are the digits of the integer, also of a name', () => {
    const text = `from hud import Task\nN = -${A}\nt = [Task(id=1_610_521_604_143_693_812), Task(id=0xFFFFFFFFFFFFFFFF), Task(id=N), Task(id=f"n{M}"), Task(id=0x1F)]\nM = ${B}\n`;
    expect(readTasks('/a.py', text).rows.map(({ id }) => id)).toEqual([
      A,
      '18446744073709551615',
      `-${A}`,
      `n${B}`,
      '31',
    ]);
  });
});

describe('a number that is written back', () => {
  it.each(files)('keeps its digits in a copy of a task in %s', (file, textOf) => {
    const text = textOf([A, B]);
    const read = readTasks(file, text);
    for (const [target, targetText] of files) {
      const copy = { ...(read.rows[1]?.value as object), id: 'copy', tiny: [1e-7] };
      const before = targetText(['1']);
      const after = applyEdits(before, readTasks(target, before).insertRow(1, copy));
      expect(after).toContain(B);
      expect(readTasks(target, after).rows[1]?.value).toEqual(
        readTasks('/c.json', JSON.stringify(copy)).rows[0]?.value,
      );
    }
  });

  it.each(files)('keeps its digits beside a change in %s', (file, textOf) => {
    const text = textOf([A, B]);
    const edits = readTasks(file, text).rows[1]?.edit([
      { set: ['metadata', 'again'], value: valueAt(readTasks(file, text).rows[0]?.value, ['id']) as Json },
      { rename: ['prompt'], key: 'instruction' },
    ]);
    const after = applyEdits(text, edits);
    expect(readTasks(file, after).rows[1]?.value).toEqual(
      readTasks('/c.json', `{"id": ${B}, "instruction": "p", "metadata": {"source": [${B}], "again": ${A}}}`).rows[0]
        ?.value,
    );
    expect(after).toContain(A);
  });

  it('can be 1e-400, and the key of a mapping in YAML', () => {
    const text = `{"id": "a", "metadata": {"limit": 1e-400}}`;
    const value = readTasks('/a.json', text).rows[0]?.value as never;
    const copied = applyEdits('- id: b\n', readTasks('/b.yaml', '- id: b\n').insertRow(1, value));
    expect(copied).toContain('limit: 1.0e-400');
    expect(readTasks('/b.yaml', copied).rows[1]?.value).toEqual(readTasks('/c.json', text).rows[0]?.value);
    const byNumber = readTasks('/b.yaml', `- id: b\n  metadata:\n    ${A}: x\n    ${B}: y\n`).rows[0]?.value;
    expect(byNumber).toEqual({ id: 'b', metadata: { [A]: 'x', [B]: 'y' } });
    const byInfinity = readTasks('/b.yaml', '- id: b\n  metadata: {.inf: x, 1e999: y, 0x1F: z}\n').rows[0]?.value;
    expect(byInfinity).toEqual({ id: 'b', metadata: { Infinity: 'y', 31: 'z' } });
  });

  it('is read in JSON with comments, too', () => {
    const { rows } = readTasks('/a.json', `{"id": ${A}, /* the first */ "metadata": {"big": [1e999, ${B}],}}`);
    expect(rows[0]?.id).toBe(A);
    expect(JSON.stringify(rows[0]?.value)).toContain(B);
  });
});
