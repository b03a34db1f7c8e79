import { connect, createServer, type Server, type Socket } from 'node:net';
import { type ControlAddress, partsOf } from './address.ts';

/** How much an answer to `tunnel.open` may have, in bytes. */
const ANSWER_LIMIT = 64 * 1024;

/**
 * A port of the loopback interface that leads to a capability of an environment: each connection is one through the
 * environment's own port, which HUD turns into a stream of bytes.
 */
export class Tunnel {
  /** Why the last connection was refused; null if it was not. */
  refused: string | null = null;
  readonly #address: ControlAddress;
  readonly #capability: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(address: ControlAddress, capability: string) {
    this.#address = address;
    this.#capability = capability;
    this.#server = createServer((socket) => this.#forward(socket));
  }

  static async open(address: string, capability: string): Promise<Tunnel> {
    const tunnel = new Tunnel(partsOf(address), capability);
    await new Promise<void>((resolve, reject) => {
      tunnel.#server.once('error', reject);
      tunnel.#server.listen(0, '127.0.0.1', resolve);
    });
    return tunnel;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #forward(near: Socket): void {
    const { hostname: host, port } = this.#address;
    const far = connect({ host, port });
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.on('error', (error) => {
        this.refused ??= socket === far ? error.message : null;
      });
    }
    near.pause();
    const params = { capability: this.#capability };
    far.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tunnel.open', params })}\n`);
    let answer = Buffer.alloc(0);
    const receive = (chunk: Buffer): void => {
      answer = Buffer.concat([answer, chunk]);
      const end = answer.indexOf(10);
      if (end === -1 && answer.length < ANSWER_LIMIT) return;
      far.off('data', receive);
      this.refused = whyRefused(answer.subarray(0, Math.max(0, end)).toString('utf8'));
      if (this.refused !== null) {
        far.destroy();
        return;
      }
      near.write(answer.subarray(end + 1));
      near.pipe(far).pipe(near);
    };
    far.on('data', receive);
  }
}

/** Why the answer to `tunnel.open` is not a stream; null if it is. */
function whyRefused(line: string): string | null {
  try {
    const { result, error } = JSON.parse(line) as { result?: unknown; error?: { message?: string } };
    if (result !== undefined) return null;
    return error?.message ?? 'the environment refused the connection without a reason';
  } catch {
    return 'the environment did not answer with HUD’s protocol';
  }
}
