import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type Docker from 'dockerode';

/** Connects its standard streams to a port on the loopback interface of the container. */
const PROGRAM = `
const socket = require('node:net').connect(Number(process.argv[1]), '127.0.0.1');
socket.on('error', () => process.exit(1)).on('close', () => process.exit(0));
process.stdin.pipe(socket).pipe(process.stdout);
`;

export interface Bridge {
  /** On the loopback interface of this machine. */
  readonly port: number;
  close(): void;
}

/**
 * Forwards a local port to a port in a container. Each connection is a process in the container, started as `user`
 * through the daemon, so no port is published and no network is needed.
 */
export async function bridgeTo(container: Docker.Container, user: string, port: number): Promise<Bridge> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => open.delete(socket));
    // A broken connection is closed next.
    socket.on('error', () => {});
    // The debugger sees a closed connection; the run reports why the container has ended.
    join(container, user, port, socket).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

async function join(container: Docker.Container, user: string, port: number, socket: Socket): Promise<void> {
  const exec = await container.exec({
    Cmd: ['node', '-e', PROGRAM, String(port)],
    User: user,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({ hijack: true, stdin: true });
  container.modem.demuxStream(stream, socket, { write: () => true } as never);
  stream.on('error', () => socket.destroy());
  stream.on('close', () => socket.destroy());
  stream.on('end', () => socket.end());
  socket.on('close', () => stream.destroy());
  socket.pipe(stream);
}
