import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { locatePython } from '../../functions/user/python/locate.ts';
import { debuggedServer } from '../debugged-server.ts';
import { type AttachPython, ServerError } from '../placement.ts';
import { PythonServer } from '../python-server.ts';
import type { StartedServer } from '../shared-servers.ts';
import { announcedPort, explainer, holdsOneTask, NO_TELEMETRY } from './image-service.ts';
import { SERVER_PROGRAM, TAKES_SECRET } from './server-program.ts';

/** For a release of HUD that opens its port in a way that the program does not know. */
const UNPROTECTED =
  'Other programs on this machine can use the port of this environment: its release of HUD takes no secret.';

export interface EnvServerOptions {
  /** Absolute path of a Python file, or of a folder of them. */
  readonly hud: string;
  /** The name of the environment in it. */
  readonly name: string;
  /** Time limit for the start in ms. */
  readonly startMs: number;
  /** Attaches a debugger before its code runs. There is no time limit then. */
  readonly attachPython?: AttachPython;
  /** Ends a server that is being debugged. */
  readonly signal?: AbortSignal;
  log(text: string): void;
}

/**
 * Serves a HUD environment of Python code on a free port of the loopback interface, and waits until it is ready. It ends
 * with this process, however that ends. Rejects with `ServerError`.
 */
export async function startEnvServer(options: EnvServerOptions): Promise<StartedServer> {
  const { hud, name, startMs, attachPython, signal, log } = options;
  const folder = (await stat(hud)).isDirectory() ? hud : dirname(hud);
  const program = await locatePython(folder).catch((error: Error) => {
    throw new ServerError('start_failed', error.message, { cause: error });
  });
  const debugging = attachPython === undefined ? null : await debuggedServer(program);
  const secret = randomBytes(32).toString('hex');
  const address = Promise.withResolvers<string>();
  let takesSecret = false;
  const serverArgs = [hud, '--port', '0', '--env', name];
  const server = new PythonServer({
    name,
    what: 'HUD environment',
    program,
    args: ['-c', SERVER_PROGRAM, ...serverArgs],
    command: [program, '-m', 'hud.environment.server', ...serverArgs].join(' '),
    secret,
    folder,
    env: { ...NO_TELEMETRY, ...debugging?.env },
    log,
    onLine: (line) => {
      debugging?.onLine(line);
      const port = announcedPort(line);
      if (line === TAKES_SECRET) takesSecret = true;
      if (port === null) return;
      if (!takesSecret) log(UNPROTECTED);
      address.resolve(`tcp://${takesSecret ? `:${secret}@` : ''}127.0.0.1:${port}`);
    },
    hint: {
      line: /No module named '?hud\b/,
      advice: 'Install HUD 0.6 for this interpreter, which must be Python 3.11 or 3.12: pip install hud',
    },
  });
  const late = (): void => address.reject(new Error(`was not ready within ${startMs / 1000} s`));
  const limit = debugging === null ? setTimeout(late, startMs) : undefined;
  void server.exit.then((how) => address.reject(new Error(how)));
  const abort = (): void => address.reject(new Error('was ended'));
  if (debugging !== null) {
    signal?.addEventListener('abort', abort, { once: true });
    void attachPython?.(debugging.open);
  }
  server.address = await server.until(address.promise).finally(() => {
    clearTimeout(limit);
    signal?.removeEventListener('abort', abort);
    debugging?.close();
  });
  return Object.assign(server, {
    exclusive: await server.until(holdsOneTask(server.address)),
    explain: explainer(server.logLines, () => server.lastWords()),
  });
}
