import { createServer, type Server, type Socket } from 'node:net';
import { RequestFailure } from './failure.ts';
import { type Params, TUNNEL_WINDOW } from './protocol.ts';
import type { Results, TunnelEvent } from './results.ts';

/** The addresses of `localhost`, in the order that a browser tries them. */
const LOOPBACK = ['127.0.0.1', '::1'];

interface Connection {
  readonly socket: Socket;
  readonly port: number;
  /** Bytes sent that the owner has not acknowledged. */
  bytesInTransit: number;
}

/**
 * The server side of the tunnel to sites on the machine of its owner. Listens on the loopback interface at the ports
 * that the task names, and forwards data over the control channel. A server with a tunnel has one task at a time.
 */
export class Tunnel {
  readonly #emit: (event: TunnelEvent) => void;
  readonly #listeners: Server[] = [];
  readonly #connections = new Map<number, Connection>();
  /** Ports that could not be reached last time, with the error. */
  readonly #failures = new Map<number, string>();
  #open: Params<'tunnel.open'> | null = null;
  #next = 1;

  constructor(emit: (event: TunnelEvent) => void) {
    this.#emit = emit;
  }

  async open(params: Params<'tunnel.open'>): Promise<Results['tunnel.open']> {
    this.close();
    this.#open = params;
    const failures: { port: number; message: string }[] = [];
    if (params.network === 'bridge') {
      await Promise.all(
        params.ports.map(async (port) => {
          const errors = await Promise.all(LOOPBACK.map((host) => this.#listen(host, port)));
          // Only one address family may be available.
          const [first] = errors;
          if (first !== undefined && errors.every((error) => error !== undefined))
            failures.push({ port, message: first.message });
          for (const error of errors) if (error !== undefined) this.#failures.set(port, error.message);
          if (errors.some((error) => error === undefined)) this.#failures.delete(port);
        }),
      );
    }
    return { failed: failures };
  }

  async write({ connection, data }: Params<'tunnel.write'>): Promise<void> {
    const { socket } = this.#get(connection);
    await new Promise<void>((resolve, reject) => {
      socket.write(data, (error) => {
        if (error) reject(unknownConnection(connection));
        else resolve();
      });
    });
  }

  acknowledge({ connection, bytes }: Params<'tunnel.taken'>): void {
    const entry = this.#connections.get(connection);
    if (entry === undefined) return;
    entry.bytesInTransit -= bytes;
    if (entry.bytesInTransit < TUNNEL_WINDOW) entry.socket.resume();
  }

  end({ connection }: Params<'tunnel.end'>): void {
    this.#connections.get(connection)?.socket.end();
  }

  drop({ connection, reason }: Params<'tunnel.close'>): void {
    const entry = this.#connections.get(connection);
    if (entry === undefined) return;
    if (reason === null) entry.socket.destroySoon();
    else {
      this.#failures.set(entry.port, reason);
      // A reset, as without a tunnel, not an empty response.
      entry.socket.resetAndDestroy();
    }
  }

  /** Why a page could not be opened, if the network configuration is the reason. */
  whyUnreached(url: string): string | null {
    if (this.#open === null || !URL.canParse(url)) return null;
    const { network, ports } = this.#open;
    const { hostname, port: portText, protocol } = new URL(url);
    const port = portText === '' ? (protocol === 'https:' ? 443 : 80) : Number(portText);
    if (network === 'none') {
      return 'the container has no network (`network: none`). Set the network to `bridge`, or run the task on this machine (`--placement local`)';
    }
    if (!/^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname)) return null;
    if (!ports.includes(port)) {
      return `a container can only reach the local ports that the task names, and ${port} is not one of them. Name \`http://localhost:${port}\` in the task, or run it on this machine (\`--placement local\`)`;
    }
    const reason = this.#failures.get(port);
    return reason === undefined
      ? null
      : `port ${port} of your machine could not be reached from the container (${reason}). Start the site, or run the task on this machine (\`--placement local\`)`;
  }

  /** Closes all connections and stops listening. */
  close(): void {
    for (const listener of this.#listeners.splice(0)) listener.close();
    for (const { socket } of this.#connections.values()) socket.destroy();
    this.#connections.clear();
    this.#failures.clear();
    this.#open = null;
  }

  /** Resolves with the error if it cannot listen. */
  #listen(host: string, port: number): Promise<Error | undefined> {
    return new Promise((resolve) => {
      const listener = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket, port));
      listener.once('error', resolve);
      listener.listen({ host, port }, () => {
        listener.off('error', resolve);
        // A connection that cannot be accepted fails for its own side.
        listener.on('error', () => {});
        this.#listeners.push(listener);
        resolve(undefined);
      });
    });
  }

  #accept(socket: Socket, port: number): void {
    const connection = this.#next++;
    const entry: Connection = { socket, port, bytesInTransit: 0 };
    this.#connections.set(connection, entry);
    let isBroken = false;
    this.#failures.delete(port);
    socket.setNoDelay(true);
    this.#emit({ event: 'tunnel.connected', connection, port });
    socket.on('data', (data) => {
      entry.bytesInTransit += data.byteLength;
      if (entry.bytesInTransit >= TUNNEL_WINDOW) socket.pause();
      this.#emit({ event: 'tunnel.data', connection, data });
    });
    socket.on('end', () => this.#emit({ event: 'tunnel.ended', connection }));
    socket.on('error', () => {
      isBroken = true;
    });
    socket.on('close', () => {
      if (this.#connections.delete(connection)) this.#emit({ event: 'tunnel.closed', connection, broken: isBroken });
    });
  }

  #get(connection: number): Connection {
    const entry = this.#connections.get(connection);
    if (entry === undefined) throw unknownConnection(connection);
    return entry;
  }
}

function unknownConnection(connection: number): RequestFailure {
  return new RequestFailure('connection_gone', `The connection ${connection} of the tunnel is closed.`);
}
