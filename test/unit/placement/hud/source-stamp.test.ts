import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sourceStamp } from '../../../../src/placement/hud/source-stamp.ts';
import { temporaryFolder } from '../../runs/tasks.ts';

it('changes when a Python file in the folder, or in one below it, changes', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'env.py');
  await mkdir(join(folder, 'parts'));
  await mkdir(join(folder, '.venv'));
  await writeFile(file, 'a = 1\n');
  const stamps = [await sourceStamp(file)];
  const change = async (path: string, text: string) => {
    await writeFile(join(folder, path), text);
    stamps.push(await sourceStamp(file));
  };
  await change('env.py', 'a = 10\n');
  await change('parts/one.py', 'b = 1\n');
  await rm(join(folder, 'parts', 'one.py'));
  stamps.push(await sourceStamp(file));
  expect(new Set(stamps).size).toBe(3);
  expect(stamps[3]).toBe(stamps[1]);

  await change('notes.txt', 'x');
  await change('.venv/lib.py', 'x');
  expect(await sourceStamp(folder)).toBe(stamps[1]);
});
