import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { readToolCalls, readValidation } from '../../../src/tasks/tool-calls.ts';

function readRecords<Row>(file: string): Row[] {
  return readFileSync(join(import.meta.dirname, '../../fixtures/hud', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

describe('rows as HUD 0.2.10 reads them', () => {
  interface Recorded {
    readonly model: string;
    readonly case: string;
    readonly in: Json;
    readonly out?: Readonly<Record<string, Json>>;
    /** The location of the first problem. */
    readonly error?: readonly string[];
  }
  const rows = readRecords<Recorded>('task-0.2.10.jsonl').filter(({ model }) => model === 'Task');

  it.each(rows.filter(({ out }) => out !== undefined).map((row) => [row.case, row] as const))(
    '%s: read without an error, with the same fields',
    (_, { in: value, out = {} }) => {
      const [row] = readTasks('/a.task.json', JSON.stringify(value)).rows;
      expect(row?.reading?.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      for (const field of ['id', 'prompt', 'system_prompt', 'config', 'sensitive_data', 'metadata', 'description']) {
        expect(row?.task?.[field as 'id'], field).toEqual(out[field]);
      }
    },
  );

  it.each(rows.flatMap((row) => (row.error === undefined ? [] : [[row.case, row.in, row.error] as const])))(
    '%s: refused there, never read without a finding at the place',
    (_, value, [key, ...inside]) => {
      const file = readTasks('/a.task.json', JSON.stringify(value));
      const [row, ...more] = file.rows;
      expect(more).toEqual([]);
      const findings = diagnose(file, new Map()).filter(({ severity }) => severity !== 'information');
      if (key === undefined) return expect(findings).not.toEqual([]);
      // Branches of a union follow `gym` and `setup`; a value that is missing has no place.
      const place = row?.rangeOf(key === 'sensitive_data' ? [key, ...inside] : [key]) ?? row?.range;
      const at = findings.filter(({ range }) => range.start.character >= (place?.start.character ?? 0));
      expect(at.some(({ range }) => range.end.character <= (place?.end.character ?? 0))).toBe(true);
    },
  );
});

describe('tool calls as HUD 0.4.74 passes them on', () => {
  interface Recorded {
    readonly hud: string;
    readonly case: string;
    readonly in: Readonly<Record<string, Json>>;
    readonly out?: Readonly<Record<string, Json>>;
  }
  interface ToolCall {
    readonly name: string;
    readonly arguments: Json;
  }
  const calls = readRecords<Recorded>('task-0.4.jsonl')
    .filter((row) => row.hud === '0.4.74' && !row.case.startsWith('subst'))
    .flatMap(({ case: name, in: value, out }) =>
      ['setup_tool', 'evaluate_tool', 'integration_test_tool'].flatMap((key) =>
        out?.[key] !== undefined && key in value ? [[name, key, value[key] as Json, out[key] ?? []] as const] : [],
      ),
    );

  it.each(calls)('%s: %s', (_, key, value, out) => {
    const read = readToolCalls(value, [key]).map(({ function: name, args }) => ({ name, arguments: args[0] ?? null }));
    const passed = [out].flat() as unknown as readonly ToolCall[];
    expect(read).toEqual(passed.map((one) => ({ name: one.name, arguments: one.arguments })));
  });

  it('leaves the arguments in a validation as they are', () => {
    const args = { board: { name: 'x', arguments: {} } };
    expect(readValidation([{ name: 's', arguments: args }])).toMatchObject([{ function: 's', args: [args] }]);
    expect(readToolCalls([{ name: 's', arguments: args }], [])[0]?.args).toEqual([
      { name: 'board', arguments: { name: 'x', arguments: {} } },
    ]);
  });
});
