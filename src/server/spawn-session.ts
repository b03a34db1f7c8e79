import { type ChildProcess, spawn } from 'node:child_process';
import { describeSystemError } from '../base/system-error.ts';
import { checkPipes } from '../processes/pipes.ts';
import { programEnvironment } from '../processes/program-environment.ts';
import { asSubreaper } from '../processes/subreaper.ts';
import { RequestFailure } from './failure.ts';

export interface SessionSpawnOptions {
  /** JavaScript heap limit in megabytes. */
  readonly memoryMb: number;
  /** Do not start a browser before a task needs one. */
  readonly browserLater: boolean;
  /** The browser cannot use its sandbox on this machine. */
  readonly withoutSandbox: boolean;
}

/**
 * Starts the process of a session in its folder, as the leader of a process group.
 * @throws RequestFailure `session_died`
 */
export function spawnSession(options: SessionSpawnOptions, folder: string): ChildProcess {
  const program = process.argv[1] ?? '';
  const { program: command, args } = asSubreaper(process.execPath, [
    `--max-old-space-size=${options.memoryMb}`,
    // The size up to which V8 would grow it anyway: avoids repeated copying of what Playwright loads and frames leave
    // behind.
    '--min-semi-space-size=16',
    // For a debugger that is attached during a call: the port is chosen by the system.
    '--inspect-port=127.0.0.1:0',
    program,
    'session',
    ...['--memory', String(options.memoryMb)],
    ...(options.browserLater ? ['--browser-later'] : []),
    ...(options.withoutSandbox ? ['--without-sandbox'] : []),
  ]);
  const child = spawn(command, args, {
    cwd: folder,
    env: {
      ...programEnvironment(),
      TMPDIR: folder,
      TMP: folder,
      TEMP: folder,
      // Folder for crash reports. It identifies the crash handlers of full Chromium, which have it in their
      // arguments.
      BREAKPAD_DUMP_LOCATION: folder,
    },
    // A process group of its own, which includes what user-defined functions start.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  try {
    checkPipes(child);
  } catch (error) {
    const message = `The session's process could not be started: ${describeSystemError(error)}.`;
    throw new RequestFailure('session_died', message, { cause: error });
  }
  return child;
}
