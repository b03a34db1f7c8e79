import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { openStream } from './tunnel.ts';

/** A way to a capability for programs that cannot speak HUD's protocol. */
export interface LocalSocket {
  /** Of the socket file, or of the named pipe on Windows. */
  readonly path: string;
  /** A folder of this user alone, which ends with the socket. */
  readonly folder: string;
  /** Why the environment refused the last connection; null if it did not. */
  refused(): Error | null;
  /** Takes no more connections. Those that are open stay. */
  close(): Promise<void>;
}

/** Leads each connection to a socket file, instead of a port, through the tunnel. */
export async function openLocalSocket(address: string, capability: string): Promise<LocalSocket> {
  const folder = await mkdtemp(join(tmpdir(), 'hud-'));
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${randomBytes(16).toString('hex')}` : join(folder, 's');
  let refused: Error | null = null;
  const server = createServer(async (local) => {
    // The program at its other end notices.
    local.on('error', () => undefined);
    try {
      const stream = await openStream(address, capability);
      pipeline(local, stream, local, () => undefined);
    } catch (error) {
      refused = error as Error;
      local.destroy();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  return {
    path,
    folder,
    refused: () => refused,
    close: async () => {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
