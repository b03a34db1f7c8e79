import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { openStream } from './tunnel.ts';

/** A socket that leads to a capability, for programs that do not support HUD's protocol. */
export interface LocalSocket {
  /** Of the socket file, or of the named pipe on Windows. */
  readonly path: string;
  /** A folder that only this user can access. It is removed with the socket. */
  readonly folder: string;
  /** Why the environment refused the last connection; null if it did not. */
  refusal(): Error | null;
  /** Accepts no more connections. Open connections stay open. */
  close(): Promise<void>;
}

/** Passes each connection to a socket file, instead of a port, through the tunnel. */
export async function openLocalSocket(address: string, capability: string): Promise<LocalSocket> {
  const folder = await mkdtemp(join(tmpdir(), 'hud-'));
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${randomBytes(16).toString('hex')}` : join(folder, 's');
  let refusal: Error | null = null;
  const server = createServer(async (local) => {
    // The program at the other end notices it.
    local.on('error', () => undefined);
    try {
      const stream = await openStream(address, capability);
      pipeline(local, stream, local, () => undefined);
    } catch (error) {
      refusal = error as Error;
      local.destroy();
    }
  });
  await once(server.listen(path), 'listening');
  return {
    path,
    folder,
    refusal: () => refusal,
    close: async () => {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
