import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Count, failed } from './count.ts';
import { COUNT_FILE } from './count-reporter.ts';
import { outFolder, root } from './places.ts';

/** Runs one vitest project, its output streamed, and counts its tests. */
export async function runVitest(project: string, filters: readonly string[]): Promise<Count> {
  const report = join(outFolder, 'tests', `${project}.json`);
  await rm(report, { force: true });
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts', 'count-reporter.ts')}`];
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn(process.execPath, [program, 'run', '--project', project, ...reporters, ...filters], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, [COUNT_FILE]: report },
    });
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? 1));
  });
  const counted = await readCount(report, project);
  // A crash: never less than one failure.
  const crashed = code !== 0 && counted.failures.length === 0;
  return crashed ? { ...counted, failures: [{ test: project, message: `vitest ended with ${code}` }] } : counted;
}

async function readCount(path: string, project: string): Promise<Count> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Count;
  } catch (error) {
    // Tests that nobody can count did not pass.
    return failed(project, error);
  }
}
