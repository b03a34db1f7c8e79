import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sourceStamp } from '../../../src/placement/source-stamp.ts';
import { temporaryFolder } from '../runs/tasks.ts';

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

it('changes with the manifest of an OpenEnv environment, and is empty for a folder that is missing', async () => {
  const folder = await temporaryFolder();
  expect(await sourceStamp(join(folder, 'nowhere'))).toBe('');
  await writeFile(join(folder, 'openenv.yaml'), 'app: server.app:app\n');
  const before = await sourceStamp(folder);
  await writeFile(join(folder, 'openenv.yaml'), 'app: server.other:app\n');
  expect(await sourceStamp(folder)).not.toBe(before);
});

it('does not change with recorded runs, which may hold Python files that agents wrote', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'env.py'), 'a = 1\n');
  // A file of that name beside the code makes it no job.
  await writeFile(join(folder, 'job.json'), '{}');
  const before = await sourceStamp(folder);
  expect(before).toContain('env.py');
  const run = join(folder, 'runs', 'job-1', 'count-0', 'files');
  await mkdir(run, { recursive: true });
  await writeFile(join(folder, 'runs', 'job-1', 'job.json'), '{}');
  await writeFile(join(run, 'answer.py'), 'b = 1\n');
  expect(await sourceStamp(folder)).toBe(before);
});
