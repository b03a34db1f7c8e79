import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SolutionFolders } from '../../../src/runs/solutions/solution-file.ts';

it('finds the solutions of many tasks and lists their folder once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'solutions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a.actions'), '');
  writeFileSync(join(folder, '2.actions'), '');
  const folders = new SolutionFolders();
  const of = (id: string | null, index = 0) => folders.of({ file: join(folder, 'x.tasks.jsonl'), id, index });
  expect(of('a')).toBe(join(folder, 'a.actions'));
  expect(of('b')).toBeNull();
  expect(of(null, 2)).toBe(join(folder, '2.actions'));
  // Written after the folder was listed.
  writeFileSync(join(folder, 'late.actions'), '');
  expect(of('late')).toBeNull();
  expect(new SolutionFolders().of({ file: join(folder, 'gone', 'x.tasks.jsonl'), id: 'a', index: 0 })).toBeNull();
});
