import { parseArgs } from 'node:util';
import { keepCompiled } from './compiled.ts';
import { runServer } from './server.ts';
import { runSession } from './session.ts';

/** Megabytes of JavaScript heap for each session, where nothing else is said. */
const DEFAULT_MEMORY_MB = 1024;

/**
 * `server.js [--folder PATH] [--memory MB] [--browser-later]`: the environment server. With `--browser-later` no browser is
 * started before a task wants one.
 * `server.js session MB`: the process of one of its sessions; started by the server only.
 */
function runProgram(): void {
  const [, , command, memory] = process.argv;
  if (command === 'session') {
    runSession(Number(memory));
    return;
  }
  const { values } = parseArgs({
    options: { folder: { type: 'string' }, memory: { type: 'string' }, 'browser-later': { type: 'boolean' } },
  });
  const memoryMb = values.memory === undefined ? DEFAULT_MEMORY_MB : Number(values.memory);
  if (!Number.isInteger(memoryMb) || memoryMb < 32) {
    process.stderr.write(`--memory wants a number of megabytes, at least 32, not ${values.memory}.\n`);
    process.exit(2);
  }
  runServer({
    memoryMb,
    browserLater: values['browser-later'] === true,
    ...(values.folder === undefined ? {} : { folder: values.folder }),
  }).catch((error: Error) => {
    process.stderr.write(`The environment server could not start: ${error.message}\n`);
    process.exit(1);
  });
}

keepCompiled();
runProgram();
