import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './places.ts';

/** Builds every program into dist/. Rejects where the build fails; its output has been shown by then. */
export function build(...args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'scripts', 'build.mjs'), ...args], {
      cwd: root,
      stdio: 'inherit',
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`The build failed (exit ${code}).`))));
  });
}
