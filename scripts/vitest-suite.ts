import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Count, failed } from './count.ts';
import { COUNT_FILE } from './count-reporter.ts';
import { outFolder, root } from './places.ts';

/**
 * Runs the vitest project of a suite, and those whose names begin with it and a dash. Streams the output, counts the tests.
 *
 * @param variables environment variables of the tests beside those of this process
 */
export async function runVitest(
  suite: string,
  filters: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Count> {
  const report = join(outFolder, 'tests', `${suite}.json`);
  await rm(report, { force: true });
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts', 'count-reporter.ts')}`];
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [program, 'run', '--project', suite, '--project', `${suite}-*`, ...reporters, ...filters],
      {
        cwd: root,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { ...process.env, ...variables, [COUNT_FILE]: report },
      },
    );
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? 1));
  });
  const counted = await readCount(report, suite);
  // A crash: never less than one failure.
  const crashed = code !== 0 && counted.failures.length === 0;
  return crashed ? { ...counted, failures: [{ test: suite, message: `vitest ended with ${code}` }] } : counted;
}

async function readCount(path: string, suite: string): Promise<Count> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Count;
  } catch (error) {
    // Tests that nobody can count did not pass.
    return failed(suite, error);
  }
}
