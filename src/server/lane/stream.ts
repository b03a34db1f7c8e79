import { Duplex } from 'node:stream';
import { KIND, type Kind, type LaneFrame, MAX_PIECE, takenPayload } from './frames.ts';

/** Maximum number of bytes in transit in one direction of a lane. */
export const LANE_WINDOW = 256 * 1024;

/**
 * One side of a lane: the bytes of a control channel, and beside them the log. The stream sends no more than the other side
 * takes, so that the relay, which all lanes share, never holds more than a window of each.
 *
 * Ending the stream sends `end`. It ends when the other side has sent `end`, and is destroyed by whoever owns the connection.
 */
export class LaneStream extends Duplex {
  readonly #send: (kind: Kind, payload?: Uint8Array) => void;
  /** Bytes sent that the other side has not taken. */
  #bytesInTransit = 0;
  /** Bytes received that were not reported as taken. */
  #bytesReceived = 0;
  #waiting: { rest: Buffer; done(): void } | null = null;

  constructor(send: (kind: Kind, payload?: Uint8Array) => void) {
    // `end` of one side is a request to the other, which may have more to say.
    super({ allowHalfOpen: true });
    this.#send = send;
  }

  /** Whether the log has to wait for `window`. */
  get congested(): boolean {
    return this.#bytesInTransit >= LANE_WINDOW;
  }

  /** Sends a part of the log. Emits `window` when the other side has taken something. */
  log(text: Buffer): void {
    for (let at = 0; at < text.byteLength; at += MAX_PIECE)
      this.#sendPiece(KIND.log, text.subarray(at, at + MAX_PIECE));
  }

  /** Receives a frame of the other side. Emits `log` and `farEnd`, with its payload. */
  receive({ kind, payload }: LaneFrame): void {
    if (this.destroyed) return;
    if (kind === KIND.data || kind === KIND.log) {
      this.#bytesReceived += payload.byteLength;
      if (kind === KIND.data) this.push(payload);
      else this.emit('log', payload);
      this.#report();
    } else if (kind === KIND.taken && payload.byteLength === 4) {
      this.#bytesInTransit = Math.max(0, this.#bytesInTransit - payload.readUInt32BE(0));
      this.#flush();
      this.emit('window');
    } else if (kind === KIND.end) {
      this.emit('farEnd', payload);
      this.push(null);
    }
  }

  override _read(): void {
    this.#report();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#waiting = { rest: chunk, done };
    this.#flush();
  }

  override _final(done: () => void): void {
    this.#send(KIND.end);
    done();
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting === null) return;
    while (waiting.rest.byteLength > 0 && !this.congested) {
      this.#sendPiece(KIND.data, waiting.rest.subarray(0, MAX_PIECE));
      waiting.rest = waiting.rest.subarray(MAX_PIECE);
    }
    if (waiting.rest.byteLength > 0) return;
    this.#waiting = null;
    waiting.done();
  }

  #sendPiece(kind: Kind, piece: Buffer): void {
    this.#bytesInTransit += piece.byteLength;
    this.#send(kind, piece);
  }

  /** Reports what was consumed: in parts, so that small messages are not answered one by one. */
  #report(): void {
    const bytes = this.#bytesReceived - this.readableLength;
    if (bytes < LANE_WINDOW / 4) return;
    this.#bytesReceived -= bytes;
    this.#send(KIND.taken, takenPayload(bytes));
  }
}
