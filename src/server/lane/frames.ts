import { FrameError } from '../frames.ts';

/**
 * Frames between the owner of a swarm placement and its lanes, through a relay that gives each connection a number:
 *
 * ```
 * u32 remaining bytes | u32 connection | u8 kind | payload
 * ```
 * All numbers are big-endian. A lane does not know its number and sends 0.
 */
export const KIND = {
  /** From the owner: the secret that lanes must know. From a lane, first: the secret and what it is, as JSON. */
  hello: 1,
  /** Bytes of the control channel. */
  data: 2,
  /** What the environment server wrote to its log. */
  log: 3,
  /** How many bytes of data and log were consumed, as a u32. */
  taken: 4,
  /** Says that the sender is alive. */
  ping: 5,
  /** From a lane: how its server ended, as JSON. From the owner: a request to end the server. */
  end: 6,
  /** From the relay: the connection is closed. From the owner: close it. */
  closed: 7,
} as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

export interface LaneFrame {
  readonly connection: number;
  readonly kind: Kind;
  readonly payload: Buffer;
}

/** Data is sent in pieces of at most this many bytes, so that lanes take turns. */
export const MAX_PIECE = 64 * 1024;
/** More than a piece, for the text of a hello. */
const MAX_PAYLOAD = 2 * MAX_PIECE;
const HEAD = 4 + 1;
const KINDS: ReadonlySet<number> = new Set(Object.values(KIND));

export function encodeLaneFrame(connection: number, kind: Kind, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const frame = Buffer.alloc(4 + HEAD + payload.byteLength);
  frame.writeUInt32BE(HEAD + payload.byteLength, 0);
  frame.writeUInt32BE(connection, 4);
  frame.writeUInt8(kind, 8);
  frame.set(payload, 4 + HEAD);
  return frame;
}

/** A payload of JSON. */
export function jsonPayload(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

/** The payload of `taken`. */
export function takenPayload(bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes, 0);
  return payload;
}

/** Decodes frames from chunks of any size. */
export class LaneFrameDecoder {
  #rest: Buffer = Buffer.alloc(0);

  /** Returns the frames that this chunk completes. Throws `FrameError`; the stream is unusable after that. */
  push(chunk: Uint8Array): LaneFrame[] {
    let rest = this.#rest.byteLength === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk]);
    const frames: LaneFrame[] = [];
    while (rest.byteLength >= 4) {
      const length = rest.readUInt32BE(0);
      if (length < HEAD || length > HEAD + MAX_PAYLOAD) throw malformedFrame(rest);
      if (rest.byteLength < 4 + length) break;
      const kind = rest.readUInt8(8);
      if (!isKind(kind)) throw malformedFrame(rest);
      frames.push({ connection: rest.readUInt32BE(4), kind, payload: rest.subarray(4 + HEAD, 4 + length) });
      rest = rest.subarray(4 + length);
    }
    this.#rest = rest;
    return frames;
  }
}

function isKind(kind: number): kind is Kind {
  return KINDS.has(kind);
}

/** Includes the data, because it may be the text of an error. */
function malformedFrame(rest: Buffer): FrameError {
  const text = rest
    .toString('latin1', 0, 200)
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim();
  return new FrameError('frame_malformed', `Something other than a lane has written: “${text}”`);
}
