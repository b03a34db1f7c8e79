import type { Readable, Writable } from 'node:stream';
import { encodeLaneFrame, KIND, type LaneFrame, LaneFrameDecoder } from '../../server/lane/frames.ts';
import { Heartbeat } from '../../server/lane/heartbeat.ts';
import { type Hello, helloSchema, type LaneEnd, laneEndSchema } from '../../server/lane/hello.ts';
import { LaneStream } from '../../server/lane/stream.ts';

/** How a lane ended: its server ended, the connection was closed, or the other side was silent. */
export type LaneOutcome = { readonly server: LaneEnd } | 'closed' | 'silent';

/** A connection to an environment server in a lane. */
export interface Lane {
  readonly hello: Hello;
  /** The control channel. Emits `log` with a `Buffer`. */
  readonly stream: LaneStream;
  readonly whenEnded: Promise<LaneOutcome>;
  /** Ends the connection without waiting for the server. */
  drop(): void;
}

interface Joined extends Lane {
  receive(frame: LaneFrame): void;
  /** The relay has closed the connection. */
  closed(): void;
  end(outcome: LaneOutcome): void;
}

interface LaneHubOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly secret: string;
  onLane(lane: Lane): void;
  /** Called once when the connection to the relay ends, with the reason. */
  onEnd(reason: string): void;
}

/** The owner's end of all lanes: what the relay writes and reads. */
export class LaneHub {
  readonly #options: LaneHubOptions;
  readonly #lanes = new Map<number, Joined>();
  readonly #heartbeat: Heartbeat;
  #ended = false;

  constructor(options: LaneHubOptions) {
    const { input, output, secret } = options;
    this.#options = options;
    const end = (reason: string): void => this.#end(reason);
    this.#heartbeat = new Heartbeat({
      ping: () => this.#tell(0, KIND.ping),
      lost: () => end('it does not respond'),
    });
    const decoder = new LaneFrameDecoder();
    input.on('data', (chunk: Buffer) => {
      this.#heartbeat.reset();
      if (this.#ended) return;
      try {
        for (const frame of decoder.push(chunk)) this.#receive(frame);
      } catch (error) {
        end((error as Error).message);
      }
    });
    for (const stream of [input, output]) {
      stream.on('error', (error: Error) => end(error.message));
      stream.on('close', () => end('the connection was closed'));
    }
    input.on('end', () => end('the connection was closed'));
    this.#tell(0, KIND.hello, Buffer.from(secret, 'utf8'));
  }

  /** Ends all lanes. */
  close(): void {
    this.#end('the placement has ended');
  }

  #receive(frame: LaneFrame): void {
    const { connection, kind, payload } = frame;
    // A ping of the relay itself.
    if (connection === 0) return;
    if (kind === KIND.hello) {
      if (!this.#lanes.has(connection)) this.#join(connection, helloSchema.parse(JSON.parse(payload.toString('utf8'))));
      return;
    }
    // A lane that was given up may still be writing.
    const lane = this.#lanes.get(connection);
    if (kind === KIND.closed) lane?.closed();
    else lane?.receive(frame);
  }

  #join(connection: number, hello: Hello): void {
    const stream = new LaneStream((kind, payload) => this.#tell(connection, kind, payload));
    const { promise, resolve } = Promise.withResolvers<LaneOutcome>();
    const heartbeat = new Heartbeat({
      ping: () => this.#tell(connection, KIND.ping),
      lost: () => lane.end('silent'),
    });
    let server: LaneEnd | null = null;
    const lane: Joined = {
      hello,
      stream,
      whenEnded: promise,
      drop: () => lane.end('closed'),
      receive: (frame) => {
        heartbeat.reset();
        stream.receive(frame);
      },
      closed: () => {
        if (server === null) lane.end('closed');
      },
      end: (outcome) => {
        if (!this.#lanes.delete(connection)) return;
        heartbeat.stop();
        this.#tell(connection, KIND.closed);
        resolve(server === null ? outcome : { server });
        stream.destroy();
      },
    };
    this.#lanes.set(connection, lane);
    // Of a broken stream, only the outcome is reported.
    stream.on('error', () => {});
    stream.once('farEnd', (payload: Buffer) => {
      const end = readEnd(payload);
      server = end;
      // Data that was sent before it is read first.
      stream.once('end', () => lane.end({ server: end }));
    });
    this.#options.onLane(lane);
  }

  #end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#heartbeat.stop();
    for (const lane of [...this.#lanes.values()]) lane.end('closed');
    this.#options.onEnd(reason);
  }

  #tell(connection: number, kind: LaneFrame['kind'], payload?: Uint8Array): void {
    const { output } = this.#options;
    if (!output.destroyed && output.writable) output.write(encodeLaneFrame(connection, kind, payload));
  }
}

function readEnd(payload: Buffer): LaneEnd {
  try {
    return laneEndSchema.parse(JSON.parse(payload.toString('utf8')));
  } catch {
    // It ended, but reports that in an unknown form.
    return { code: null, signal: null };
  }
}
