// Runs the tests nearest to the changes since a commit (`HEAD` by default): lint of the changed files, and as many
// unit and system tests that import them as take less than a minute. `npm test` runs everything.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changedFiles, nearestTests, withinSeconds } from './changed-files.ts';
import type { Count } from './count.ts';
import { outFolder, root } from './places.ts';

/**
 * How many seconds the files of a suite may take in total, by their times in the last run of the suite. Two files run at
 * the same time, and the suites too.
 */
const LIMITS = { unit: 40, system: 15 };

const base = process.argv[2] ?? 'HEAD';
const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
const changes = changedFiles(
  git('diff', '--name-only', base),
  git('ls-files', '--others', '--exclude-standard'),
).filter((path) => existsSync(join(root, path)));
if (changes.length === 0) {
  process.stdout.write(`Nothing differs from ${base}.\n`);
  process.exit(0);
}
process.stdout.write(`Changed since ${base}: ${changes.length} files\n`);

const sources = changes.filter((path) => /\.(ts|mts|mjs|py)$/.test(path));
const lint = ['--error-on-warnings', '--no-errors-on-unmatched', '--files-ignore-unknown=true'];
const modules = join(root, 'node_modules');
const results = await Promise.all([
  run([join(modules, '@biomejs', 'biome', 'bin', 'biome'), 'check', ...lint, ...changes]),
  runTests('unit'),
  runTests('system', () => run([join(root, 'scripts', 'build.mjs')])),
]);
const isGreen = results.every(Boolean);
process.stdout.write(isGreen ? '\nThe nearest tests passed. `npm test` runs everything.\n' : '\nFailed.\n');
process.exitCode = isGreen ? 0 : 1;

/** Runs the nearest tests of a suite, after `prepare` if there are any. */
async function runTests(suite: keyof typeof LIMITS, prepare = async () => true): Promise<boolean> {
  const nearest = nearestTests(sources, `test/${suite}`);
  const files = withinSeconds(nearest, LIMITS[suite], lastSeconds(suite));
  process.stdout.write(`${suite}: the nearest ${files.length} of ${nearest.length} test files that import them\n`);
  if (files.length === 0) return true;
  return (await prepare()) && run([join(modules, 'vitest', 'vitest.mjs'), 'run', '--project', suite, ...files]);
}

/** How long each file of a suite took when it last ran. */
function lastSeconds(suite: string): (file: string) => number | undefined {
  const path = join(outFolder, 'tests', `${suite}.json`);
  if (!existsSync(path)) return () => undefined;
  const { files } = JSON.parse(readFileSync(path, 'utf8')) as Count;
  const seconds = new Map(files.map((one) => [one.file, one.seconds]));
  return (file) => seconds.get(file);
}

/** Runs a program of Node and shows its output when it has ended. Resolves to whether it succeeded. */
function run(args: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => {
      process.stdout.write(output);
      resolve(code === 0);
    });
  });
}
