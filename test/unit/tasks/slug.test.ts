import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTasks } from '../../../src/tasks/read.ts';

interface Recorded {
  readonly case: string;
  readonly in: unknown;
  readonly in_json?: string;
  readonly slug?: string;
}

const recorded = readFileSync(join(import.meta.dirname, '../../fixtures/hud/task-0.6.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)
  .filter(({ slug }) => slug !== undefined);

function slugOf(args: string): string | null | undefined {
  return readTasks('/a.task.json', `{"env": "e", "id": "t", "args": ${args}}`).rows[0]?.slug;
}

describe('the slug of a task of HUD 0.6', () => {
  it.each(recorded.map((row) => [row.case, row.in_json ?? JSON.stringify(row.in), row.slug] as const))(
    '%s %s',
    (_, text, slug) => {
      expect(readTasks('/a.task.json', text).rows[0]?.slug).toBe(slug);
    },
  );

  it('distinguishes 1 from 1.0, as in Python', () => {
    expect(slugOf('{"a": 1}')).toBe('t-e4ad4daa');
    expect(slugOf('{"a": 1.0}')).not.toBe(slugOf('{"a": 1}'));
    expect(slugOf('{"a": 1e0}')).toBe(slugOf('{"a": 1.0}'));
    expect(slugOf('{"a": -0}')).toBe(slugOf('{"a": 0}'));
  });

  it('writes floating-point numbers as in Python', () => {
    const args =
      '{"a": 1.5e-7, "b": 123456789012345680.0, "c": 1e16, "d": 1e15, "e": 0.00001234, "f": -0.0, "g": 5e-324}';
    // sha1 of {"a": 1.5e-07, "b": 1.2345678901234568e+17, "c": 1e+16, "d": 1000000000000000.0, "e": 1.234e-05, "f": -0.0, "g": 5e-324}
    expect(slugOf(args)).toBe('t-f82ca5c1');
  });

  it('sorts keys by code points, not by UTF-16 units', () => {
    expect(slugOf('{"😀": 2, "\\ufb01": 1}')).toBe('t-6bee411d');
  });

  it('is unknown if the row is not one of HUD 0.6, or has a slug that HUD rejects', () => {
    const rows = ['{"prompt": "p", "gym": "qa"}', '{"env": "e", "id": "t", "slug": ""}', '{"env": "e", "id": 5}'];
    expect(rows.map((text) => readTasks('/a.task.json', text).rows[0]?.slug)).toEqual([null, null, null]);
  });
});
