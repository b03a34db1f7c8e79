import { createCipheriv } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ByteReader } from './byte-reader.ts';

/** Encodings that are understood, the preferred first; then changes of the size of the screen. */
const RAW = 0;
const COPY_RECTANGLE = 1;
const DESKTOP_SIZE = -223;
const ENCODINGS = [COPY_RECTANGLE, RAW, DESKTOP_SIZE];
/** Types of security. */
const NONE = 1;
const PASSWORD = 2;
/** Messages of a server. */
const UPDATE = 0;
const COLOURS = 1;
const BELL = 2;
const CUT_TEXT = 3;
/** One byte each for blue, green, red, and padding, as the pixels of an X server. */
const PIXEL_FORMAT = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0]);
const PIXEL_BYTES = 4;
/** The largest screen, and the longest text, that are taken from a server. In pixels of a side, and bytes. */
const MAX_SIDE = 16_384;
const MAX_TEXT = 16 * 1024 * 1024;

/** What a server tells after the handshake. */
export interface RfbListener {
  /** A response to a request arrived. `isChanged`: whether some pixels changed. */
  onUpdate(isChanged: boolean): void;
  /** The connection has ended; nothing follows. */
  onEnd(error: Error): void;
}

/** A client of a VNC server: the protocol RFB 3.3 to 3.8 (RFC 6143). */
export class RfbClient {
  width = 0;
  height = 0;
  /** All pixels of the screen. */
  pixels = Buffer.alloc(0);
  readonly #stream: Duplex;
  readonly #reader: ByteReader;

  private constructor(stream: Duplex) {
    this.#stream = stream;
    this.#reader = new ByteReader(stream);
  }

  /** Rejects with the reason of the server. `password`: null if there is none. */
  static async open(stream: Duplex, password: string | null): Promise<RfbClient> {
    const client = new RfbClient(stream);
    try {
      await client.#shakeHands(password);
    } catch (error) {
      stream.destroy();
      throw error;
    }
    return client;
  }

  /** Receives updates until the connection ends. */
  listen(listener: RfbListener): void {
    this.requestAll();
    this.#receive(listener).catch((error: Error) => {
      this.#stream.destroy();
      listener.onEnd(error);
    });
  }

  /** Asks for the whole screen, whether it has changed or not. */
  requestAll(): void {
    this.#request(false, this.width, this.height);
  }

  /** Asks for a part that the server answers at once, with all changes so far. */
  requestNow(): void {
    this.#request(false, 1, 1);
  }

  /** `buttons`: a bit for each pressed button, with the left one first, then middle, right, and the wheel. */
  point(x: number, y: number, buttons: number): void {
    const message = Buffer.alloc(6);
    message.writeUInt8(5);
    message.writeUInt8(buttons, 1);
    message.writeUInt16BE(x, 2);
    message.writeUInt16BE(y, 4);
    this.#stream.write(message);
  }

  key(keysym: number, down: boolean): void {
    const message = Buffer.alloc(8);
    message.writeUInt8(4);
    message.writeUInt8(down ? 1 : 0, 1);
    message.writeUInt32BE(keysym, 4);
    this.#stream.write(message);
  }

  close(): void {
    this.#stream.destroy();
  }

  async #shakeHands(password: string | null): Promise<void> {
    const greeting = (await this.#reader.take(12)).toString('latin1');
    const [, major, minor] = /^RFB (\d{3})\.(\d{3})\n$/.exec(greeting) ?? [];
    if (major === undefined) throw new Error('it is no VNC server');
    const version = Number(minor) >= 8 || Number(major) > 3 ? 8 : Number(minor) === 7 ? 7 : 3;
    this.#stream.write(`RFB 003.00${version}\n`);
    const security = await this.#chooseSecurity(version, password);
    if (security === PASSWORD) this.#stream.write(answerTo(await this.#reader.take(16), password ?? ''));
    if (security === PASSWORD || version === 8) await this.#checkResult(version);
    // Other clients stay connected.
    this.#stream.write(Buffer.from([1]));
    this.#resize(await this.#reader.u16(), await this.#reader.u16());
    await this.#reader.take(PIXEL_FORMAT.length);
    await this.#reader.take(await this.#lengthOfText());
    this.#stream.write(Buffer.concat([Buffer.alloc(4), PIXEL_FORMAT]));
    const encodings = Buffer.alloc(4 + ENCODINGS.length * 4);
    encodings.writeUInt8(2);
    encodings.writeUInt16BE(ENCODINGS.length, 2);
    for (const [index, encoding] of ENCODINGS.entries()) encodings.writeInt32BE(encoding, 4 + index * 4);
    this.#stream.write(encodings);
  }

  async #chooseSecurity(version: number, password: string | null): Promise<number> {
    const types = version === 3 ? [await this.#reader.u32()] : [...(await this.#reader.take(await this.#reader.u8()))];
    if (types.length === 0 || types[0] === 0) throw new Error(await this.#reason());
    const security = types.includes(NONE) ? NONE : types.includes(PASSWORD) ? PASSWORD : null;
    if (security === null) throw new Error(`it has no way of authentication that is known here (${types.join(', ')})`);
    if (security === PASSWORD && password === null)
      throw new Error('it needs a password, which the environment does not give');
    if (version !== 3) this.#stream.write(Buffer.from([security]));
    return security;
  }

  async #checkResult(version: number): Promise<void> {
    if ((await this.#reader.u32()) === 0) return;
    throw new Error(version === 8 ? await this.#reason() : 'it refused the password');
  }

  async #reason(): Promise<string> {
    return `it refused: ${(await this.#reader.take(await this.#lengthOfText())).toString('utf8')}`;
  }

  async #lengthOfText(): Promise<number> {
    const length = await this.#reader.u32();
    if (length > MAX_TEXT) throw new Error(`it sent a text of ${length} bytes`);
    return length;
  }

  async #receive(listener: RfbListener): Promise<never> {
    for (;;) {
      const type = await this.#reader.u8();
      if (type === UPDATE) {
        listener.onUpdate(await this.#update());
        this.#request(true, this.width, this.height);
      } else if (type === COLOURS) {
        await this.#reader.take(3);
        await this.#reader.take((await this.#reader.u16()) * 6);
      } else if (type === CUT_TEXT) {
        await this.#reader.take(3);
        await this.#reader.take(await this.#lengthOfText());
      } else if (type !== BELL) throw new Error(`it sent a message of an unknown type (${type})`);
    }
  }

  async #update(): Promise<boolean> {
    await this.#reader.take(1);
    let isChanged = false;
    for (let left = await this.#reader.u16(); left > 0; left--) {
      const rectangle = await this.#reader.take(12);
      const [x, y] = [rectangle.readUInt16BE(0), rectangle.readUInt16BE(2)];
      const [width, height] = [rectangle.readUInt16BE(4), rectangle.readUInt16BE(6)];
      const encoding = rectangle.readInt32BE(8);
      if (encoding === DESKTOP_SIZE) {
        this.#resize(width, height);
        this.requestAll();
        isChanged = true;
        continue;
      }
      if (x + width > this.width || y + height > this.height) throw new Error('it sent pixels outside of its screen');
      if (encoding === RAW) isChanged = (await this.#readRows(x, y, width, height)) || isChanged;
      else if (encoding === COPY_RECTANGLE) {
        this.#copyRows(await this.#reader.u16(), await this.#reader.u16(), x, y, width, height);
        isChanged = true;
      } else throw new Error(`it sent pixels in an unknown encoding (${encoding})`);
    }
    return isChanged;
  }

  /** Whether they are others than before. */
  async #readRows(x: number, y: number, width: number, height: number): Promise<boolean> {
    let isChanged = false;
    for (let row = 0; row < height; row++) {
      const pixels = await this.#reader.take(width * PIXEL_BYTES);
      const at = ((y + row) * this.width + x) * PIXEL_BYTES;
      isChanged ||= pixels.compare(this.pixels, at, at + pixels.length) !== 0;
      pixels.copy(this.pixels, at);
    }
    return isChanged;
  }

  #copyRows(fromX: number, fromY: number, x: number, y: number, width: number, height: number): void {
    if (fromX + width > this.width || fromY + height > this.height)
      throw new Error('it copied pixels from outside of its screen');
    const at = (column: number, row: number): number => (row * this.width + column) * PIXEL_BYTES;
    for (let index = 0; index < height; index++) {
      // In the order in which no row is overwritten before it is copied.
      const row = fromY < y ? height - 1 - index : index;
      this.pixels.copy(this.pixels, at(x, y + row), at(fromX, fromY + row), at(fromX + width, fromY + row));
    }
  }

  #resize(width: number, height: number): void {
    if (width === 0 || height === 0 || width > MAX_SIDE || height > MAX_SIDE) {
      throw new Error(`it has a screen of ${width}x${height}`);
    }
    this.width = width;
    this.height = height;
    this.pixels = Buffer.alloc(width * height * PIXEL_BYTES);
  }

  #request(incremental: boolean, width: number, height: number): void {
    const message = Buffer.alloc(10);
    message.writeUInt8(3);
    message.writeUInt8(incremental ? 1 : 0, 1);
    message.writeUInt16BE(width, 6);
    message.writeUInt16BE(height, 8);
    this.#stream.write(message);
  }
}

/** The answer to a challenge: DES with the password as its key, whose bits count backwards (RFC 6143, 7.2.2). */
function answerTo(challenge: Buffer, password: string): Buffer {
  const key = Buffer.alloc(8);
  Buffer.from(password, 'latin1').copy(key, 0, 0, 8);
  for (const [index, byte] of key.entries())
    key[index] = Number.parseInt(byte.toString(2).padStart(8, '0').split('').reverse().join(''), 2);
  // Three times the same key is DES, which is no longer offered by itself.
  const cipher = createCipheriv('des-ede3', Buffer.concat([key, key, key]), null).setAutoPadding(false);
  return Buffer.concat([cipher.update(challenge), cipher.final()]);
}
