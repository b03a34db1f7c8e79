import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HudSession } from '../../environments/hud/session.ts';
import { locatePython } from '../../functions/user/python/locate.ts';
import { ServerError } from '../placement.ts';
import { PythonServer } from '../python-server.ts';
import type { StartedServer } from '../shared-servers.ts';
import { findTraceback } from './traceback.ts';

/** What the server prints when it is ready. */
const ANNOUNCED = /^HUD_SERVE_PORT=(\d+)\s*$/;

export interface EnvServerOptions {
  /** Absolute path of a Python file, or of a folder of them. */
  readonly hud: string;
  /** The name of the environment in it. */
  readonly name: string;
  /** Time limit for the start in ms. */
  readonly startMs: number;
  log(text: string): void;
}

/**
 * Serves a HUD environment of Python code on a free port of the loopback interface, and waits until it is ready. It ends
 * with this process, however that ends. Rejects with `ServerError`.
 */
export async function startEnvServer({ hud, name, startMs, log }: EnvServerOptions): Promise<StartedServer> {
  const folder = (await stat(hud)).isDirectory() ? hud : dirname(hud);
  const program = await locatePython(folder).catch((error: Error) => {
    throw new ServerError('start_failed', error.message, { cause: error });
  });
  const port = Promise.withResolvers<string>();
  const server = new PythonServer({
    name,
    what: 'HUD environment',
    program,
    args: ['-m', 'hud.environment.server', hud, '--port', '0', '--env', name],
    folder,
    // Without these HUD sends what runs here to its makers.
    env: { HUD_TELEMETRY_ENABLED: 'false', HUD_CLI_ANALYTICS_ENABLED: 'false' },
    log,
    onLine: (line) => {
      const [, announced] = ANNOUNCED.exec(line) ?? [];
      if (announced !== undefined) port.resolve(announced);
    },
    hint: (lines) => {
      const missing = lines.some((line) => /No module named '?hud\b/.test(line));
      return missing
        ? 'Install HUD 0.6 for this interpreter, which must be Python 3.11 or 3.12: pip install hud'
        : null;
    },
  });
  const limit = setTimeout(() => port.reject(new Error(`was not ready within ${startMs / 1000} s`)), startMs);
  void server.exited.then((how) => port.reject(new Error(how)));
  server.address = `tcp://127.0.0.1:${await server.until(port.promise).finally(() => clearTimeout(limit))}`;
  return Object.assign(server, {
    exclusive: await server.until(holdsOneTask(server.address)),
    explain: (message: string) => findTraceback(server.logLines, message),
  });
}

async function holdsOneTask(address: string): Promise<boolean> {
  const session = await HudSession.open(address);
  await session.close();
  return session.holdsOneTask;
}
