// The tests that are nearest to what was changed since a commit (`HEAD` by default): lint of the changed files, the unit
// tests that import them, and a few of the system tests that do. `npm test` runs everything.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.ts';
import { changedFiles, nearestTests } from './changed-files.ts';
import { root } from './places.ts';

/** How many files of system tests run: they start browsers and servers. */
const SYSTEM_FILES = 3;

const base = process.argv[2] ?? 'HEAD';
const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
const changed = changedFiles(
  git('diff', '--name-only', base),
  git('ls-files', '--others', '--exclude-standard'),
).filter((path) => existsSync(join(root, path)));
if (changed.length === 0) {
  process.stdout.write(`Nothing differs from ${base}.\n`);
  process.exit(0);
}
process.stdout.write(`Changed since ${base}: ${changed.length} files\n`);

function run(program: readonly string[], ...args: readonly string[]): boolean {
  const path = join(root, 'node_modules', ...program);
  return spawnSync(process.execPath, [path, ...args], { cwd: root, stdio: 'inherit' }).status === 0;
}

const vitest = (...args: readonly string[]): boolean => run(['vitest', 'vitest.mjs'], ...args);
const lint = ['check', '--error-on-warnings', '--no-errors-on-unmatched', '--files-ignore-unknown=true'];
let passed = run(['@biomejs', 'biome', 'bin', 'biome'], ...lint, ...changed);
const sources = changed.filter((path) => /\.(ts|mts|mjs|py)$/.test(path));
if (sources.length > 0) {
  passed = vitest('related', '--run', '--passWithNoTests', '--project', 'unit', ...sources) && passed;
  const system = nearestTests(sources, 'test/system', SYSTEM_FILES);
  if (system.length > 0) {
    await build();
    passed = vitest('run', '--project', 'system', ...system) && passed;
  }
}
process.stdout.write(passed ? '\nThe nearest tests passed. `npm test` runs everything.\n' : '\nFailed.\n');
process.exitCode = passed ? 0 : 1;
