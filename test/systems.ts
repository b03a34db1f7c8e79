import { spawnSync } from 'node:child_process';
import { inCi } from '../scripts/in-ci.ts';

/** Whether tests that need a POSIX system are skipped here, which a line then says. */
export function needsPosix(tests: string): boolean {
  return skipped(tests, process.platform !== 'win32', 'a POSIX system');
}

/** As `needsPosix`, for tests that need Linux. */
export function needsLinux(tests: string): boolean {
  return skipped(tests, process.platform === 'linux', 'Linux');
}

/** As `needsPosix`, for tests that need a program that is started as `PROGRAM --version`. */
export function needsProgram(program: string, tests: string): boolean {
  const { status } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  return skipped(tests, status === 0 || inCi, program);
}

function skipped(tests: string, possible: boolean, need: string): boolean {
  if (!possible) process.stdout.write(`Skipped, because it needs ${need}: ${tests}\n`);
  return !possible;
}
