import { timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { patient } from '../../base/patience.ts';
import { encodeLaneFrame, jsonPayload, KIND, type LaneFrame, LaneFrameDecoder } from './frames.ts';
import { Heartbeat } from './heartbeat.ts';
import { introductionSchema } from './hello.ts';

/** Time limit for a connection to identify itself, in ms, and the maximum number of unidentified connections. */
const HELLO_LIMIT = patient(10_000);
const MAX_STRANGERS = 256;

/**
 * Joins the connections of lanes to the streams of the owner. Everything is passed on unchanged, except for the number of the
 * connection; the first frame of a connection must hold the secret that the owner has sent first.
 */
export class Relay {
  readonly #output: Writable;
  readonly #sockets = new Map<number, Socket>();
  readonly #strangers = new Set<Socket>();
  readonly #server: Server;
  readonly #heartbeat: Heartbeat;
  readonly #log: (text: string) => void;
  #secret: Buffer | null = null;
  #nextConnection = 1;

  constructor(options: {
    readonly input: Readable;
    readonly output: Writable;
    readonly port: number;
    log(text: string): void;
    /** Called once, when the owner has gone. */
    ended(): void;
  }) {
    const { input, output, port } = options;
    this.#output = output;
    this.#log = options.log;
    const end = (): void => {
      this.#heartbeat.stop();
      this.#server.close();
      for (const socket of [...this.#sockets.values(), ...this.#strangers]) socket.destroy();
      options.ended();
    };
    this.#heartbeat = new Heartbeat({ ping: () => this.#tell(0, KIND.ping), lost: end });
    this.#server = createServer((socket) => this.#accept(socket)).listen(port);
    const decoder = new LaneFrameDecoder();
    input.on('data', (chunk: Buffer) => {
      this.#heartbeat.reset();
      try {
        for (const frame of decoder.push(chunk)) this.#fromOwner(frame);
      } catch (error) {
        this.#log((error as Error).message);
        end();
      }
    });
    input.once('end', end);
    for (const stream of [input, output]) stream.once('error', end);
  }

  /** The port it listens on; resolves when it does. */
  listening(): Promise<number> {
    return new Promise((resolve, reject) => {
      const answer = (): void => resolve((this.#server.address() as { port: number }).port);
      if (this.#server.listening) answer();
      else this.#server.once('listening', answer).once('error', reject);
    });
  }

  #fromOwner({ connection, kind, payload }: LaneFrame): void {
    if (connection === 0) {
      if (kind === KIND.hello) this.#secret = Buffer.from(payload);
      return;
    }
    // The connection may have closed meanwhile.
    const socket = this.#sockets.get(connection);
    if (kind === KIND.closed) socket?.destroy();
    else socket?.write(encodeLaneFrame(0, kind, payload));
  }

  #accept(socket: Socket): void {
    if (this.#strangers.size >= MAX_STRANGERS) {
      socket.destroy();
      return;
    }
    this.#strangers.add(socket);
    socket.setNoDelay(true);
    // A broken connection is closed next.
    socket.on('error', () => {});
    const late = setTimeout(() => socket.destroy(), HELLO_LIMIT);
    const decoder = new LaneFrameDecoder();
    let connection: number | null = null;
    socket.on('data', (chunk) => {
      try {
        for (const frame of decoder.push(chunk)) {
          if (connection !== null) this.#tell(connection, frame.kind, frame.payload);
          else {
            connection = this.#welcome(socket, frame);
            clearTimeout(late);
          }
        }
      } catch (error) {
        this.#log(`A connection was refused: ${(error as Error).message}`);
        socket.destroy();
      }
    });
    socket.on('close', () => {
      clearTimeout(late);
      this.#strangers.delete(socket);
      if (connection !== null && this.#sockets.delete(connection)) this.#tell(connection, KIND.closed);
    });
  }

  /** The number of a connection whose first frame holds the secret. Throws otherwise. */
  #welcome(socket: Socket, { kind, payload }: LaneFrame): number {
    if (kind !== KIND.hello) throw new Error('it did not say who it is');
    const { secret, ...hello } = introductionSchema.parse(JSON.parse(payload.toString('utf8')));
    const actualSecret = Buffer.from(secret, 'utf8');
    const expectedSecret = this.#secret;
    if (
      expectedSecret === null ||
      actualSecret.byteLength !== expectedSecret.byteLength ||
      !timingSafeEqual(actualSecret, expectedSecret)
    ) {
      throw new Error('it does not know the secret');
    }
    const connection = this.#nextConnection++;
    this.#strangers.delete(socket);
    this.#sockets.set(connection, socket);
    this.#tell(connection, KIND.hello, jsonPayload(hello));
    return connection;
  }

  #tell(connection: number, kind: LaneFrame['kind'], payload?: Uint8Array): void {
    if (this.#output.writable) this.#output.write(encodeLaneFrame(connection, kind, payload));
  }
}
