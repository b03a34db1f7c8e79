import { describe, expect, it } from 'vitest';
import { runToEnd } from '../../../src/base/slices.ts';
import { namesAcross, sharedFindings } from '../../../src/language/findings/across.ts';
import type { Finding } from '../../../src/tasks/finding.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import type { TaskFile } from '../../../src/tasks/rows.ts';

function file(path: string, ...rows: readonly object[]): ReturnType<typeof readTasks> {
  return readTasks(path, rows.map((row) => JSON.stringify(row)).join('\n'));
}

function duplicatesAcross(files: readonly TaskFile[]): ReadonlyMap<string, readonly Finding[]> {
  return new Map([...runToEnd(namesAcross(files))].map(([path, names]) => [path, sharedFindings(names)]));
}

describe('tasks of several files', () => {
  it('that share an id are pointed at each other, in the later file', () => {
    const findings = duplicatesAcross([
      file('/w/a/shop.tasks.jsonl', { id: 'x', prompt: 'p' }, { id: 'buy', prompt: 'p' }),
      file('/w/b/market.tasks.jsonl', { id: 'buy', prompt: 'q' }),
    ]);
    expect([...findings.keys()]).toEqual(['/w/b/market.tasks.jsonl']);
    expect(findings.get('/w/b/market.tasks.jsonl')).toMatchObject([
      {
        severity: 'warning',
        code: 'duplicate-id',
        task_id: 'buy',
        range: { start: { line: 0, character: 7 }, end: { line: 0, character: 10 } },
        message:
          'The id “buy” is also used in ../a/shop.tasks.jsonl, line 2. Runs of both files cannot distinguish the tasks',
        related: [{ file: '/w/a/shop.tasks.jsonl', range: { start: { line: 1, character: 7 } } }],
      },
    ]);
  });

  it('of HUD 0.6 share templates, and no slugs, the default ones included', () => {
    const one = file('/w/one.tasks.jsonl', { env: 'e', id: 't', args: { a: 1 } });
    const other = file('/w/other.tasks.jsonl', { env: 'e', id: 't', args: { a: 2 } });
    const same = file('/w/same.tasks.jsonl', { env: 'f', id: 't', args: { a: 1 } });
    expect(duplicatesAcross([one, other]).size).toBe(0);
    expect(duplicatesAcross([one, same]).get('/w/same.tasks.jsonl')).toMatchObject([{ code: 'duplicate-slug' }]);
  });

  it('are not reported if one file repeats an id, which that file reports itself', () => {
    const twice = file('/w/a.tasks.jsonl', { id: 'x', prompt: 'p' }, { id: 'x', prompt: 'p' });
    expect(duplicatesAcross([twice]).size).toBe(0);
  });

  it('are reported once if one file is a copy of another', () => {
    const rows = Array.from({ length: 50 }, (_, index) => ({ id: `t${index}`, prompt: 'p' }));
    const findings = duplicatesAcross([file('/w/all.tasks.jsonl', ...rows), file('/w/some.tasks.jsonl', ...rows)]);
    expect(findings.get('/w/some.tasks.jsonl')).toMatchObject([
      { message: expect.stringMatching(/^50 tasks in this file have the id or slug of a task in all\.tasks\.jsonl/) },
    ]);
  });

  it('are updated when tasks move or are removed', () => {
    const one = file('/w/a.tasks.jsonl', { id: 'x', prompt: 'p' });
    const other = file('/w/b.tasks.jsonl', { id: 'z', prompt: 'q' }, { id: 'x', prompt: 'q' });
    const names = runToEnd(namesAcross([one, other])).get('/w/b.tasks.jsonl') ?? [];
    runToEnd(other.change([{ start: 0, end: 0, text: '\n' }]));
    expect(sharedFindings(names)).toMatchObject([{ range: { start: { line: 2 } } }]);
    runToEnd(one.change([{ start: 7, end: 8, text: 'y' }]));
    expect(sharedFindings(names)).toEqual([]);
  });
});
