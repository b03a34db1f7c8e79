import { CodedError } from '../base/coded-error.ts';

/**
 * Frames of the control channel: a length, a JSON header, binary parts.
 *
 * ```
 * u32 remaining bytes | u32 header bytes | header (UTF-8 JSON) | parts, concatenated
 * ```
 * All numbers are big-endian. The header is `{value, parts: [[path, length], ...]}`. Each Uint8Array in the value is
 * replaced with `null`; `path` (keys and indexes) is its position in the value.
 */

/** Maximum frame size in bytes: large enough for the files of a task folder. */
export const MAX_FRAME_BYTES = 256 * 1024 * 1024;
/** Maximum header size in bytes. */
export const MAX_HEADER_BYTES = 64 * 1024 * 1024;
const MAX_PARTS = 100_000;

type Path = readonly (string | number)[];

/** A frame that cannot be sent or decoded. The channel cannot continue after a decoding error. */
export class FrameError extends CodedError<'frame_too_large' | 'frame_malformed'> {
  override readonly name = 'FrameError';
}

/** Encodes a frame as chunks to be written in order. */
export function encodeFrame(value: unknown): Uint8Array[] {
  const places: [Path, number][] = [];
  const parts: Uint8Array[] = [];
  const valueWithoutParts = takeOut(value, [], (path, part) => {
    places.push([path, part.byteLength]);
    parts.push(part);
  });
  const json = JSON.stringify({ value: valueWithoutParts, parts: places });
  const header = Buffer.from(json, 'utf8');
  let length = 4 + header.byteLength;
  for (const part of parts) length += part.byteLength;
  if (header.byteLength > MAX_HEADER_BYTES || length > MAX_FRAME_BYTES || parts.length > MAX_PARTS) {
    throw new FrameError('frame_too_large', `A message of ${length} bytes is too large to send.`);
  }
  const head = Buffer.alloc(8);
  head.writeUInt32BE(length, 0);
  head.writeUInt32BE(header.byteLength, 4);
  return [head, header, ...parts];
}

/** Decodes frames from chunks of any size. */
export class FrameDecoder {
  #chunks: Uint8Array[] = [];
  #size = 0;
  /** Number of bytes to wait for: the length field, then the frame. */
  #bytesNeeded = 4;

  /** Returns the values that this chunk completes. Throws `FrameError`; the stream is unusable after that. */
  push(chunk: Uint8Array): unknown[] {
    this.#chunks.push(chunk);
    this.#size += chunk.byteLength;
    const values: unknown[] = [];
    while (this.#size >= this.#bytesNeeded) {
      const bytes = this.#join();
      if (this.#bytesNeeded === 4) {
        const length = bytes.readUInt32BE(0);
        if (length > MAX_FRAME_BYTES) {
          throw new FrameError('frame_too_large', `A message of ${length} bytes is too large to read.`);
        }
        if (length < 4) throw new FrameError('frame_malformed', 'A message is shorter than its own header.');
        this.#bytesNeeded = 4 + length;
        continue;
      }
      values.push(decodeBody(bytes.subarray(4, this.#bytesNeeded)));
      this.#chunks = bytes.byteLength > this.#bytesNeeded ? [bytes.subarray(this.#bytesNeeded)] : [];
      this.#size -= this.#bytesNeeded;
      this.#bytesNeeded = 4;
    }
    return values;
  }

  #join(): Buffer {
    const [first] = this.#chunks;
    const bytes =
      this.#chunks.length === 1 && first !== undefined
        ? Buffer.from(first.buffer, first.byteOffset, first.byteLength)
        : Buffer.concat(this.#chunks, this.#size);
    this.#chunks = [bytes];
    return bytes;
  }
}

function decodeBody(body: Buffer): unknown {
  const headerLength = body.readUInt32BE(0);
  if (headerLength > MAX_HEADER_BYTES || 4 + headerLength > body.byteLength) {
    throw new FrameError('frame_malformed', 'The header of a message is longer than the message.');
  }
  let header: unknown;
  try {
    header = JSON.parse(body.toString('utf8', 4, 4 + headerLength));
  } catch (error) {
    throw new FrameError('frame_malformed', 'The header of a message is not JSON.', { cause: error });
  }
  if (!isHeader(header)) throw new FrameError('frame_malformed', 'The header of a message is invalid.');
  let value: unknown = header.value;
  let offset = 4 + headerLength;
  for (const [path, length] of header.parts) {
    if (offset + length > body.byteLength) throw new FrameError('frame_malformed', 'A message is missing a part.');
    // A copy, so that it can be transferred (`postMessage`) without the rest of the frame.
    const part = new Uint8Array(body.subarray(offset, offset + length));
    value = setAt(value, path, part);
    offset += length;
  }
  if (offset !== body.byteLength) throw new FrameError('frame_malformed', 'A message is longer than its parts.');
  return value;
}

function isHeader(header: unknown): header is { value: unknown; parts: [Path, number][] } {
  if (typeof header !== 'object' || header === null || !('parts' in header) || !Array.isArray(header.parts))
    return false;
  return (
    header.parts.length <= MAX_PARTS &&
    header.parts.every(
      (entry: unknown) =>
        Array.isArray(entry) &&
        entry.length === 2 &&
        Array.isArray(entry[0]) &&
        entry[0].every((key: unknown) => typeof key === 'string' || typeof key === 'number') &&
        Number.isInteger(entry[1]) &&
        entry[1] >= 0,
    )
  );
}

/** The value with `null` for each Uint8Array. Objects without any are not copied. */
function takeOut(value: unknown, path: Path, onPart: (path: Path, part: Uint8Array) => void): unknown {
  if (value instanceof Uint8Array) {
    onPart(path, value);
    return null;
  }
  if (typeof value !== 'object' || value === null) return value;
  let copy: object | undefined;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== 'object' || item === null) continue;
    const itemCopy = takeOut(item, [...path, Array.isArray(value) ? Number(key) : key], onPart);
    if (itemCopy === item) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    define(copy, key, itemCopy);
  }
  return copy ?? value;
}

function setAt(value: unknown, path: Path, part: Uint8Array): unknown {
  const last = path.at(-1);
  if (last === undefined) return part;
  let parent: unknown = value;
  for (const key of path.slice(0, -1)) parent = ownValue(parent, key);
  if (ownValue(parent, last) !== null)
    throw new FrameError('frame_malformed', 'A part of a message has an invalid path.');
  define(parent as object, last, part);
  return value;
}

function ownValue(parent: unknown, key: string | number): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) {
    throw new FrameError('frame_malformed', 'A part of a message has an invalid path.');
  }
  return (parent as Record<string | number, unknown>)[key];
}

/** Defines an own property of any name; assigning to `__proto__` would change the prototype. */
function define(parent: object, key: string | number, value: unknown): void {
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}
