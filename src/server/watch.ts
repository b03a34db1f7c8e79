import { Worker } from 'node:worker_threads';
import { END_CHILDREN } from '../environments/descendants.ts';

/** File descriptors of a session's process, beside the three standard ones. */
export const CHANNEL_FD = 3;
export const WATCH_FD = 4;

/** What the watch says to the server before it ends its process for too much memory. */
export const MEMORY_NOTICE = 'memory';

/** What a debugger of JavaScript calls the thread of the watch. */
export const WATCH_NAME = 'Taskwright’s own: ends this process with its server';

/**
 * Runs in a thread of its own, so that it works while the process's main thread is held up for ever: kills the process
 * (and what it started) when the server at the other end of the pipe has gone, or when it takes too much memory.
 */
const watchProgram = `
const { Socket } = require('node:net');
const { workerData } = require('node:worker_threads');
const end = () => {
  ${END_CHILDREN}
  for (const target of process.platform === 'win32' ? [process.pid] : [-process.pid, process.pid]) {
    try { process.kill(target, 'SIGKILL'); } catch {}
  }
};
const owner = new Socket({ fd: workerData.fd, readable: true, writable: true });
owner.on('error', end).on('end', end).on('close', end).resume();
setInterval(() => {
  if (process.memoryUsage.rss() > workerData.memoryBytes) owner.write(workerData.notice, end);
}, 100);
`;

/** Starts the watch. `memoryBytes`: how much the whole process may hold in memory. */
export function watchOwner(memoryBytes: number): void {
  const worker = new Worker(watchProgram, {
    eval: true,
    // Who steps into a function of theirs sees it in the list of threads.
    name: WATCH_NAME,
    workerData: { fd: WATCH_FD, memoryBytes, notice: MEMORY_NOTICE },
    // The limits of the main thread's heap are not this one's.
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  });
  worker.on('error', (error) => {
    // Without the watch this process could outlive its owner.
    process.stderr.write(`The watch of a session failed: ${error.message}\n`);
    process.exit(1);
  });
  worker.unref();
}
