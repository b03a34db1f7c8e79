import { parseArgs } from 'node:util';
import { defined } from '../base/defined.ts';
import { BROWSER_THREAD } from './session-names.ts';

/** Default JavaScript heap limit of a session in megabytes. */
const DEFAULT_MEMORY_MB = 1024;

/**
 * `server.js [--folder PATH] [--memory MB] [--browser-later] [--alone]`: the environment server. `--browser-later`:
 * start no browser before a task needs one; `--alone`: prepare none for the next task.
 * `server.js session [--memory MB] [--browser-later] [--without-sandbox]`: a session process; only started by the
 * server.
 * `server.js browser`: the thread of a browser; only started by a session process.
 */
async function runProgram(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      folder: { type: 'string' },
      memory: { type: 'string' },
      'browser-later': { type: 'boolean', default: false },
      alone: { type: 'boolean', default: false },
      'without-sandbox': { type: 'boolean', default: false },
    },
  });
  const memoryMb = values.memory === undefined ? DEFAULT_MEMORY_MB : Number(values.memory);
  if (!Number.isInteger(memoryMb) || memoryMb < 32) {
    process.stderr.write(`--memory must be a number of megabytes, at least 32, not ${values.memory}.\n`);
    process.exit(2);
  }
  const browserLater = values['browser-later'];
  // Each process loads only its own modules.
  if (positionals[0] === 'session') {
    const { runSession } = await import('./session.ts');
    runSession({ memoryMb, browserLater, withoutSandbox: values['without-sandbox'] });
    return;
  }
  if (positionals[0] === BROWSER_THREAD) {
    const { runBrowserThread } = await import('./browser-thread.ts');
    await runBrowserThread();
    return;
  }
  const { runServer } = await import('./server.ts');
  await runServer({ memoryMb, browserLater, alone: values.alone, ...defined({ folder: values.folder }) });
}

runProgram().catch((error: Error) => {
  process.stderr.write(`The environment server could not start: ${error.message}\n`);
  process.exit(1);
});
