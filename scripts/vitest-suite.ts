import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Count, countFailure } from './count.ts';
import { COUNT_FILE } from './count-reporter.ts';
import { beforeEnding } from './ending.ts';
import { outFolder, root } from './places.ts';

export interface VitestOptions {
  readonly project: string;
  /** Runs only the test files that have one of these in their path; empty for all. */
  readonly include: readonly string[];
  /** Runs only the tests of these names; absent for all. */
  readonly tests?: readonly string[];
  /** How many files run at the same time; by default as the project says. */
  readonly workers?: number;
  /** `1/3`: the first of three parts of the files. */
  readonly shard?: string;
  /** Glob patterns of test files that do not run. */
  readonly exclude?: readonly string[];
  /** Environment variables of the tests in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the vitest project of a suite, passes its output to `say`, and counts its tests. */
export async function runVitest(
  suite: string,
  { project, include, tests = [], workers, shard, exclude = [], env = {} }: VitestOptions,
  say: (text: string) => void,
): Promise<Count> {
  const report = join(outFolder, 'tests', `${suite}.json`);
  await rm(report, { force: true });
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [
    ...['run', '--project', project],
    ...['--reporter=default', `--reporter=${join(root, 'scripts', 'count-reporter.ts')}`],
    ...(workers === undefined ? [] : [`--maxWorkers=${workers}`]),
    ...(shard === undefined ? [] : [`--shard=${shard}`]),
    ...(tests.length === 0 ? [] : [`--testNamePattern=(${tests.map(escapeRegExp).join('|')})$`]),
    ...exclude.map((pattern) => `--exclude=${pattern}`),
    ...include,
  ];
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }), ...env, [COUNT_FILE]: report },
    });
    beforeEnding(() => void child.kill());
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', say);
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? 1));
  });
  const count = await readCount(report, suite);
  // vitest crashed: count at least one failure.
  const hasCrashed = code !== 0 && count.failures.length === 0;
  return hasCrashed ? { ...count, failures: [{ test: suite, message: `vitest ended with ${code}` }] } : count;
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

async function readCount(path: string, suite: string): Promise<Count> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Count;
  } catch (error) {
    // Tests that cannot be counted did not pass.
    return countFailure(suite, error);
  }
}
