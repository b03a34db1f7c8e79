import { Worker } from 'node:worker_threads';
import { END_CHILDREN } from '../processes/children.ts';
import { WATCH_NAME } from './session-names.ts';

/** File descriptors of a session process, in addition to the standard ones. */
export const CHANNEL_FD = 3;
export const WATCH_FD = 4;

/** Sent to the server before the watchdog ends its process for exceeding the memory limit. */
export const MEMORY_NOTICE = 'memory';

/**
 * Runs in a thread, so that it works while the main thread is blocked. Kills the process and its descendants when the
 * server has ended, or when the process exceeds its memory limit.
 */
const watchProgram = `
const { Socket } = require('node:net');
const { workerData } = require('node:worker_threads');
const end = () => {
  ${END_CHILDREN}
  for (const target of process.platform === 'win32' ? [process.pid] : [-process.pid, process.pid]) {
    try { process.kill(target, 'SIGKILL'); } catch { /* It has ended, or leads no group. */ }
  }
};
const owner = new Socket({ fd: workerData.fd, readable: true, writable: true });
owner.on('error', end).on('end', end).on('close', end).resume();
setInterval(() => {
  if (process.memoryUsage.rss() > workerData.memoryBytes) owner.write(workerData.notice, end);
}, 100);
`;

/** Starts the watchdog. `memoryBytes`: memory limit of the process. */
export function watchOwner(memoryBytes: number): void {
  const worker = new Worker(watchProgram, {
    eval: true,
    name: WATCH_NAME,
    workerData: { fd: WATCH_FD, memoryBytes, notice: MEMORY_NOTICE },
    // Independent of the heap limit of the main thread.
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  });
  worker.on('error', (error) => {
    // Without the watchdog this process could outlive its server.
    process.stderr.write(`The watchdog of a session failed: ${error.message}\n`);
    process.exit(1);
  });
  worker.unref();
}
