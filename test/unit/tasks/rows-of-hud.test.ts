import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTasks } from '../../../src/tasks/read.ts';
import type { Json } from '../../../src/tasks/task.ts';

describe('rows as HUD 0.2.10 reads them', () => {
  interface Recorded {
    readonly model: string;
    readonly case: string;
    readonly in: Json;
    readonly out?: Readonly<Record<string, Json>>;
    readonly error?: readonly Json[];
  }
  const recorded = readFileSync(join(import.meta.dirname, '../../fixtures/hud/task-0.2.10.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded)
    .filter(({ model }) => model === 'Task');

  it.each(recorded.filter(({ out }) => out !== undefined).map((row) => [row.case, row] as const))(
    '%s: read without an error, with the same fields',
    (_, { in: value, out = {} }) => {
      const [row] = readTasks('/a.task.json', JSON.stringify(value)).rows;
      expect(row?.reading?.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      for (const field of ['id', 'prompt', 'system_prompt', 'config', 'sensitive_data', 'metadata', 'description']) {
        expect(row?.task?.[field as 'id'], field).toEqual(out[field]);
      }
    },
  );

  // Not run here at all, so their details are left to the people who run them: unknown names and shapes of images.
  const ofEnvironments = recorded.filter(({ case: name }) => name.startsWith('gym-'));
  it.each(
    recorded
      .filter((row) => row.error !== undefined && !ofEnvironments.includes(row))
      .map((row) => [row.case, row] as const),
  )('%s: refused there, never read without a word', (name, { in: value }) => {
    const [row, ...more] = readTasks('/a.task.json', JSON.stringify(value)).rows;
    expect(more).toEqual([]);
    const said = [...(row?.findings ?? []), ...(row?.reading?.problems ?? [])].map(({ severity }) => severity);
    // A prompt may come from the environment: whether one is missing is said by `diagnose`.
    if (name !== 'no-prompt')
      expect(said.some((severity) => severity === 'error' || severity === 'warning')).toBe(true);
  });
});
