// The tests that are nearest to what was changed since a commit (`HEAD` by default): lint of the changed files, the unit
// tests that import them, and as many system tests as a few seconds allow. `npm test` runs everything.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changedFiles, nearestTests, withinSeconds } from './changed-files.ts';
import type { Count } from './count.ts';
import { outFolder, root } from './places.ts';

/** How long the system tests may take, by the times of the last run of the suite, in which other suites ran beside it. */
const SYSTEM_SECONDS = 15;

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

const sources = changed.filter((path) => /\.(ts|mts|mjs|py)$/.test(path));
const lint = ['--error-on-warnings', '--no-errors-on-unmatched', '--files-ignore-unknown=true'];
const results = await Promise.all([run(biome('check', ...lint, ...changed)), runUnitTests(), runSystemTests()]);
const passed = results.every(Boolean);
process.stdout.write(passed ? '\nThe nearest tests passed. `npm test` runs everything.\n' : '\nFailed.\n');
process.exitCode = passed ? 0 : 1;

async function runUnitTests(): Promise<boolean> {
  if (sources.length === 0) return true;
  return run(vitest('related', '--run', '--passWithNoTests', '--project', 'unit', ...sources));
}

async function runSystemTests(): Promise<boolean> {
  const files = withinSeconds(nearestTests(sources, 'test/system'), SYSTEM_SECONDS, lastSeconds());
  if (files.length === 0) return true;
  if (!(await run([join(root, 'scripts', 'build.mjs')]))) return false;
  return run(vitest('run', '--project', 'system', ...files));
}

/** How long each file of the system tests took when they last ran. */
function lastSeconds(): (file: string) => number | undefined {
  const path = join(outFolder, 'tests', 'system.json');
  if (!existsSync(path)) return () => undefined;
  const { files } = JSON.parse(readFileSync(path, 'utf8')) as Count;
  const seconds = new Map(files.map((one) => [one.file, one.seconds]));
  return (file) => seconds.get(file);
}

function biome(...args: readonly string[]): readonly string[] {
  return [join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome'), ...args];
}

function vitest(...args: readonly string[]): readonly string[] {
  return [join(root, 'node_modules', 'vitest', 'vitest.mjs'), ...args];
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
