import type { ChildProcess } from 'node:child_process';
import { describeSystemError } from '../base/system-error.ts';

/** Resolves when a process has ended, with how, as the end of a sentence: `ended (exit code 1)`. */
export function untilExit(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${describeSystemError(error)}`));
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `ended (exit code ${code})` : `was ended by ${signal}`),
    );
  });
}
