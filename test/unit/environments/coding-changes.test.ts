import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Changes } from '../../../src/environments/coding/changes.ts';

const MEGABYTE = 1024 * 1024;

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'changes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('holds no more than 64 MB of what an agent has written', async () => {
  const folder = emptyFolder();
  const changes = new Changes(folder, { read: async () => null, leftOut: [] });
  for (let index = 0; index < 50; index += 1) {
    const file = join(folder, `${index}.bin`);
    writeFileSync(file, '');
    truncateSync(file, 9 * MEGABYTE);
  }
  const all = await changes.all();
  expect(all.length).toBe(50);
  expect(all.reduce((sum, { after }) => sum + (after?.length ?? 0), 0)).toBe(63 * MEGABYTE);
});

it('records no more than 16 MB of texts in one step, and names the others', async () => {
  const folder = emptyFolder();
  const changes = new Changes(folder, { read: async () => null, leftOut: [] });
  for (let index = 0; index < 40; index += 1) {
    writeFileSync(join(folder, `${index}.txt`), `${index}\n`.padEnd(MEGABYTE, 'x'));
  }
  const recorded = await changes.record();
  expect(recorded.changes.length).toBe(40);
  expect(Object.keys(recorded.contents).length).toBe(16);
  expect(recorded.changes.filter(({ after }) => after !== undefined).length).toBe(16);
});
