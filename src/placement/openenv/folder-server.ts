import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { basename, delimiter } from 'node:path';
import { locatePython } from '../../functions/user/python/locate.ts';
import { debuggedServer } from '../debugged-server.ts';
import { type AttachPython, ServerError } from '../placement.ts';
import { PythonServer } from '../python-server.ts';
import type { StartedServer } from '../shared-servers.ts';
import { untilHealthy } from './health.ts';
import { readManifest } from './manifest.ts';
import { SERVER_PROGRAM, USER } from './server-program.ts';

export interface FolderServerOptions {
  /** Absolute path of the folder with `openenv.yaml`. */
  readonly folder: string;
  /** Absolute path of the interpreter; null for the one that belongs to the folder. */
  readonly python: string | null;
  /** Attaches a debugger before its code runs. There is no time limit then. */
  readonly attachPython?: AttachPython;
  /** Ends a server that is being debugged. */
  readonly signal?: AbortSignal;
  log(text: string): void;
}

/**
 * Starts the server of the environment in a folder on a free port of the loopback interface, and waits until it is ready.
 * It ends with this process, however that ends. Rejects with `ServerError`.
 */
export async function startFolderServer(options: FolderServerOptions): Promise<StartedServer> {
  const { folder, python, attachPython, signal, log } = options;
  const { name, app } = await readManifest(folder);
  const program = python ?? (await locatePython(folder).catch(noPython));
  const debugging = attachPython === undefined ? null : await debuggedServer(program);
  const port = await freePort();
  const secret = randomBytes(32).toString('hex');
  const path = process.env['PYTHONPATH'];
  const server = new PythonServer({
    name: name || basename(folder),
    what: 'server of the OpenEnv environment',
    program,
    args: ['-c', SERVER_PROGRAM, app, String(port)],
    command: `${program} -m uvicorn ${app} --host 127.0.0.1 --port ${port}`,
    secret,
    folder,
    env: { PYTHONPATH: path ? `${folder}${delimiter}${path}` : folder, ...debugging?.env },
    log,
    onLine: (line) => debugging?.onLine(line),
    hint: {
      line: /No module named '?(?:uvicorn|openenv)/,
      advice: 'Install OpenEnv for this interpreter: pip install openenv',
    },
  });
  server.address = `http://${USER}:${secret}@127.0.0.1:${port}`;
  const { address, exit } = server;
  if (debugging === null) await server.until(untilHealthy(address, exit));
  else {
    void attachPython?.(debugging.open);
    await server.until(untilHealthy(address, exit, signal, Infinity)).finally(() => debugging.close());
  }
  return server;
}

function noPython(error: Error): never {
  throw new ServerError('start_failed', error.message, { cause: error });
}

/** A free port. If another program takes it meanwhile, the server ends with an error. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
