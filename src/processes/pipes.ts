import type { ChildProcess } from 'node:child_process';

/**
 * Throws if a process could not be started because it got no pipes. Node.js reports too many open files only
 * afterwards.
 */
export function checkPipes(child: ChildProcess): void {
  // The types promise null or a stream.
  if ((child.stdout as unknown) !== undefined) return;
  child.once('error', () => {});
  throw Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE', syscall: 'spawn' });
}
