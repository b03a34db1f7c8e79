import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** The time of `taskwright` as a user starts it, from start to exit, in ms. Rejects if its exit code is not the expected one. */
export function timeOfCommand(args: readonly string[], cwd: string, exitCode = 0): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const program = join(import.meta.dirname, '..', 'dist', 'cli.js');
    const child = spawn(process.execPath, [program, ...args], { cwd, stdio: ['ignore', 'ignore', 'ignore'] });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === exitCode) resolve(performance.now() - start);
      else reject(new Error(`taskwright ${args[0]} ended with ${code}.`));
    });
  });
}
