import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { Lines } from '../../../src/base/lines.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import type { Finding } from '../../../src/tasks/finding.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import type { Era } from '../../../src/tasks/task.ts';

interface Refusal {
  readonly loc: readonly (string | number)[];
  readonly type: string;
}

/** What the model of a release made of a row. */
interface Recorded {
  readonly hud: string;
  readonly case: string;
  readonly in: Json;
  readonly in_json?: string;
  readonly error?: { readonly type: string; readonly errors?: readonly Refusal[] };
}

function recorded(file: string): Recorded[] {
  return readFileSync(join(import.meta.dirname, '../../fixtures/hud', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);
}

/** The row of a recording as the text of a file. Texts that were substituted stand in the address of a server. */
function textOf({ case: name, in: value, in_json }: Recorded): string {
  const base = { prompt: 'p', mcp_config: { s: { url: 'http://x' } }, evaluate_tool: { name: 'e' } };
  if (name === 'subst')
    return JSON.stringify({ ...base, mcp_config: { s: { url: 'http://x', headers: { a: value } } } });
  if (name === 'subst-key') return JSON.stringify({ ...base, mcp_config: value });
  if (name === 'subst-elsewhere') return JSON.stringify({ ...base, ...(value as object) });
  return in_json ?? JSON.stringify(value);
}

function errorsOf(text: string): readonly Finding[] {
  return diagnose(readTasks('/a.task.json', text), new Map()).filter(({ severity }) => severity === 'error');
}

/** Whether a finding stands in the value that a model refused, or in what is around it where that is missing. */
function standsAt(text: string, { range }: Finding, { loc }: Refusal): boolean {
  const [row] = readTasks('/a.task.json', text).rows;
  for (let length = loc.length; length > 0; length -= 1) {
    // The names of a union's branches stand in a place too.
    const path = loc.slice(0, length).map((step) => (/^\d+$/.test(String(step)) ? Number(step) : step));
    const found = row?.rangeOf(path);
    if (found === undefined) continue;
    const lines = new Lines(text);
    // A key that is too much is underlined, not its value.
    const around = row?.rangeOf(path, 'key') ?? found;
    return (
      lines.offset(range.start) >= Math.min(lines.offset(around.start), lines.offset(found.start)) &&
      lines.offset(range.end) <= lines.offset(found.end)
    );
  }
  return true;
}

const isOf = (era: Era) => (row: Recorded) =>
  row.case !== 'file' && readTasks('/a.task.json', textOf(row)).rows[0]?.era === era;

const rows: readonly (readonly [Era, string, string])[] = [
  ['0.4', 'task-0.4.jsonl', '0.4.74'],
  ['0.5', 'task-0.5.jsonl', '0.5.41'],
  ['0.6', 'task-0.6.jsonl', '0.6.21'],
];

describe.each(rows)('rows that the model of HUD %s was given', (era, file, release) => {
  const all = recorded(file).filter((row) => row.hud === release && isOf(era)(row));

  it.each(all.filter(({ error }) => error === undefined).map((row) => [row.case, textOf(row), row] as const))(
    '%s %s: accepted there, no error here',
    (_, text) => {
      expect(errorsOf(text).map(({ message }) => message)).toEqual([]);
    },
  );

  it.each(all.filter(({ error }) => error !== undefined).map((row) => [row.case, textOf(row), row] as const))(
    '%s %s: refused there, an error at the place here',
    (_, text, { error }) => {
      const errors = errorsOf(text);
      expect(errors).not.toEqual([]);
      // Added to every other refusal, where a row has no slug.
      for (const refusal of error?.errors ?? []) {
        if (refusal.type === 'default_factory_not_called') continue;
        expect(
          errors.some((finding) => standsAt(text, finding, refusal)),
          JSON.stringify([refusal, errors]),
        ).toBe(true);
      }
    },
  );
});
