import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { add, type Count, countFailure, NOTHING, PASSED } from './count.ts';
import { root } from './places.ts';

const bin = (...path: string[]): string => join(root, 'node_modules', ...path);

/** Linters of the sources. Each counts as one test. */
const LINTERS: readonly (readonly [string, string, ...string[]])[] = [
  ['lint and format', bin('@biomejs', 'biome', 'bin', 'biome'), 'ci', '--colors=off', '--error-on-warnings', '.'],
  // Each project once: those that import `src` read its declarations, which the build of the projects writes.
  ['types', bin('typescript', 'bin', 'tsc'), '--build'],
  ['imports', join(root, 'scripts', 'check-imports.ts')],
  ['unused code', bin('knip', 'bin', 'knip.js')],
];

/** Runs every linter and reports the output of those that fail. */
export async function runLint(say: (text: string) => void): Promise<Count> {
  let count = NOTHING;
  for (const [name, program, ...args] of LINTERS) {
    const began = performance.now();
    const { code, output } = await run(program, args);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    say(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n`);
    if (code !== 0) say(`${output.trim()}\n`);
    count = add(count, code === 0 ? PASSED : countFailure(name, output));
  }
  return count;
}

function run(program: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const node = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', program, ...args];
    const child = spawn(process.execPath, node, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
    });
    child.stderr.on('data', (data: Buffer) => {
      output += data.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
