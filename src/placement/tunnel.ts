import { connect, type LookupFunction, type Socket } from 'node:net';
import { TUNNEL_WINDOW } from '../server/protocol.ts';
import type { TunnelEvent } from '../server/results.ts';
import type { EnvironmentServer } from './placement.ts';

/** Both loopback addresses: a site may listen on one of them only. */
const LOOPBACK: LookupFunction = (_host, _options, done) =>
  done(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);

interface OwnerConnection {
  readonly socket: Socket;
  /** Bytes sent that the server has not acknowledged. */
  bytesInTransit: number;
}

/**
 * The local end of the tunnel to sites on this machine. Connects to the given local ports for connections that the
 * server accepts, and to no other ports. Resolves with a function that closes it.
 */
export async function openTunnel(
  server: EnvironmentServer,
  options: { readonly network: 'none' | 'bridge'; readonly ports: readonly number[]; log(text: string): void },
): Promise<() => void> {
  const { network, ports, log } = options;
  const sockets = new Map<number, OwnerConnection>();

  const accept = (connection: number, port: number): void => {
    if (!ports.includes(port)) {
      notify('tunnel.close', { connection, reason: `the task does not name port ${port}` });
      return;
    }
    const socket = connect({ host: 'localhost', port, lookup: LOOPBACK, autoSelectFamily: true, allowHalfOpen: true });
    const owner: OwnerConnection = { socket, bytesInTransit: 0 };
    let reason: string | null = null;
    sockets.set(connection, owner);
    socket.setNoDelay(true);
    socket.on('data', (data) => {
      owner.bytesInTransit += data.byteLength;
      if (owner.bytesInTransit >= TUNNEL_WINDOW) socket.pause();
      server
        .request('tunnel.write', { connection, data: new Uint8Array(data) })
        .then(() => {
          owner.bytesInTransit -= data.byteLength;
          if (owner.bytesInTransit < TUNNEL_WINDOW) socket.resume();
        })
        // The connection has closed on the other side.
        .catch(() => socket.destroy());
    });
    socket.on('end', () => notify('tunnel.end', { connection }));
    socket.on('error', (error) => {
      reason = wordsOf(error, port);
    });
    socket.on('close', () => {
      if (sockets.delete(connection)) notify('tunnel.close', { connection, reason });
    });
  };

  const notify = <M extends 'tunnel.end' | 'tunnel.close' | 'tunnel.taken'>(
    method: M,
    params: Parameters<typeof server.request<M>>[1],
  ): void => {
    // The server may have ended.
    server.request(method, params).catch(() => {});
  };

  const onEvent = (event: TunnelEvent): void => {
    if (event.event === 'tunnel.connected') {
      accept(event.connection, event.port);
      return;
    }
    const owner = sockets.get(event.connection);
    if (owner === undefined) return;
    const { connection } = event;
    if (event.event === 'tunnel.data') {
      const bytes = event.data.byteLength;
      owner.socket.write(event.data, (error) => {
        if (!error) notify('tunnel.taken', { connection, bytes });
      });
    } else if (event.event === 'tunnel.ended') owner.socket.end();
    else {
      sockets.delete(connection);
      if (event.broken) owner.socket.destroy();
      else owner.socket.destroySoon();
    }
  };

  const stop = server.onEvent((event) => {
    if (isTunnelEvent(event)) onEvent(event);
  });
  const close = (): void => {
    stop();
    for (const { socket } of sockets.values()) socket.destroy();
    sockets.clear();
  };
  void server.whenEnded.then(close);
  try {
    const { failed } = await server.request('tunnel.open', { network, ports: [...ports] });
    for (const { port, message } of failed) log(`Port ${port} could not be forwarded to this machine: ${message}`);
  } catch (error) {
    close();
    throw error;
  }
  return close;
}

function isTunnelEvent(event: { readonly event: string }): event is TunnelEvent {
  return event.event.startsWith('tunnel.');
}

/** Why a local site could not be reached. */
function wordsOf(error: NodeJS.ErrnoException, port: number): string {
  return error.code === 'ECONNREFUSED' ? `nothing listens on localhost:${port}` : error.message;
}
