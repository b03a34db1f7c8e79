import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose, refusal } from '../../../src/language/findings/diagnose.ts';
import { KNOWN_KEYS } from '../../../src/tasks/era.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { taskSchema } from '../../../src/tasks/task.ts';
import { caseCount } from '../../sample.ts';
import { userFunctionsNamed } from './user-functions.ts';

const keys = [
  ...new Set([...Object.values(KNOWN_KEYS).flat(), 'function', 'args', 'type', 'name', 'value', 'weight', 'x']),
];
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom('page_contains', 'goto', 'response_is', 'qa', 'hud-browser', 'mcp', '', 'x', '(', '#a', 'f(1)'),
    fc.integer({ min: -2, max: 5 }),
    fc.constantFrom(true, null, 1.5),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 4 }),
  ),
}));
const row = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 8 });

describe('any task', () => {
  it('is read to the canonical form, has its findings inside of it, and is refused by Run if it has an error', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 4 }), (rows) => {
        const file = readTasks('/a.tasks.json', JSON.stringify(rows, null, 1));
        const findings = diagnose(file, userFunctionsNamed('own'));
        expect(file.rows).toHaveLength(rows.length);
        for (const { index, task, range, name } of file.rows) {
          expect(taskSchema.safeParse(task).error).toBeUndefined();
          expect(JSON.parse(JSON.stringify(task))).toEqual(task);
          const own = findings.filter(
            ({ range: { start } }) => start.line >= range.start.line && start.line <= range.end.line,
          );
          for (const finding of own) {
            expect(finding.task_id).toBe(name);
            expect(finding.range.end.line).toBeLessThanOrEqual(range.end.line);
            expect(finding.message).not.toMatch(/undefined|\[object|Invalid input/);
          }
          const taskRow = file.rows[index];
          const runRefusal = taskRow === undefined ? null : refusal(file, taskRow, userFunctionsNamed('own'));
          expect(runRefusal !== null).toBe(
            own.some(({ severity }) => severity === 'error' || severity === 'information'),
          );
          if (runRefusal !== null) expect(own.map(({ message }) => message)).toContain(runRefusal.message);
        }
      }),
      { numRuns: caseCount(60, 200) },
    );
  });
});
