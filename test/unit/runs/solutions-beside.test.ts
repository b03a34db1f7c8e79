import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { solutionsBeside } from '../../../src/runs/solutions/solution-file.ts';

it('finds the solutions of the tasks of a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'solutions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a.actions'), '');
  writeFileSync(join(folder, '2.actions'), '');
  const tasks = ['a', 'b', null].map((id, index) => ({ id, index }));
  expect(solutionsBeside(join(folder, 'x.tasks.jsonl'), tasks)).toEqual([
    { task: tasks[0], path: join(folder, 'a.actions') },
    { task: tasks[2], path: join(folder, '2.actions') },
  ]);
  expect(solutionsBeside(join(folder, 'gone', 'x.tasks.jsonl'), tasks)).toEqual([]);
});
