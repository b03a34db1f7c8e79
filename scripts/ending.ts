type Cleanup = () => Promise<void> | void;

const cleanups: Cleanup[] = [];
let ending = false;

/** Registers a cleanup, such as stopping a server. `end` calls the cleanups in reverse order. */
export function beforeEnding(cleanup: Cleanup): void {
  cleanups.push(cleanup);
}

/** Calls all cleanups, then exits. A second call does nothing. */
export async function end(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  for (const cleanup of cleanups.reverse()) {
    try {
      await cleanup();
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  process.exit(code);
}

process.on('SIGINT', () => void end(130));
process.on('SIGTERM', () => void end(143));
process.on('SIGHUP', () => void end(129));
// The parent process has ended.
process.on('disconnect', () => void end(1));
process.channel?.unref();
