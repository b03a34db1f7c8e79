import { inflate } from 'node:zlib';
import type { Picture } from '../environments/environment.ts';

/** Each byte as its decimal number and a comma, in the four bytes of an integer, of which the last is sometimes unused. */
const NUMBERS = Uint32Array.from({ length: 256 }, (_, byte) => Buffer.from(`${byte},  `).readUInt32LE());
/** Number of used bytes of the four. */
const LENGTHS = Uint8Array.from({ length: 256 }, (_, byte) => `${byte},`.length);

/** The filter of PNG that predicts each byte by the one above. */
const UP = 2;

/** The minimum `chunkSize` of `inflate`. */
const MIN_CHUNK = 64;

/**
 * A screenshot as OpenEnv's environments send it: rows of pixels, each the list of its red, green, and blue, as JSON. The
 * JSON of a page is several megabytes long, so repetitions are copied: rows like the one above, and pixels like the one before.
 */
export async function pixelRows(picture: Picture): Promise<Buffer> {
  const { width, height, channels, rows } = await readPng(Buffer.from(picture.data));
  const stride = width * channels + 1;
  // Three numbers of up to three digits with commas and brackets for each pixel; two brackets and a comma for each row; what the
  // last number writes beyond its end.
  const text = Buffer.allocUnsafe(width * height * 14 + height * 3 + 6);
  const numbers = new DataView(text.buffer, text.byteOffset, text.length);
  let to = 0;
  let above = 0;
  text[to++] = 0x5b;
  for (let y = 0; y < height; y++) {
    const start = y * stride + 1;
    if (y > 0) text[to++] = 0x2c;
    const begin = to;
    if (y > 0 && rows.compare(rows, start, start + stride - 1, start - stride, start - 1) === 0) {
      to += text.copy(text, to, above, begin - 1);
      above = begin;
      continue;
    }
    above = begin;
    text[to++] = 0x5b;
    for (let x = 0; x < width; ) {
      const from = start + x * channels;
      const pixel = to;
      text[to++] = 0x5b;
      for (let channel = 0; channel < 3; channel++) {
        const byte = rows[from + channel] as number;
        numbers.setUint32(to, NUMBERS[byte] as number, true);
        to += LENGTHS[byte] as number;
      }
      // The comma after the last number.
      text[to - 1] = 0x5d;
      text[to++] = 0x2c;
      const count = runLength(rows, from, channels, width - x);
      to = repeat(text, pixel, to, count);
      x += count;
    }
    // The comma after the last pixel.
    text[to - 1] = 0x5d;
  }
  text[to++] = 0x5d;
  return text.subarray(0, to);
}

/** How many of the next `most` pixels have the colour of the one at `from`, itself included. */
function runLength(rows: Buffer, from: number, channels: number, most: number): number {
  let count = 1;
  for (let at = from + channels; count < most; count++, at += channels) {
    if (rows[at] !== rows[from] || rows[at + 1] !== rows[from + 1] || rows[at + 2] !== rows[from + 2]) break;
  }
  return count;
}

/** Repeats the text from `begin` to `end` until it occurs `times` times. Returns the new end. */
function repeat(text: Buffer, begin: number, end: number, times: number): number {
  const last = begin + (end - begin) * times;
  for (let to = end; to < last; ) {
    const length = Math.min(to - begin, last - to);
    text.copyWithin(to, begin, begin + length);
    to += length;
  }
  return last;
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Three or four, of which the first are red, green, and blue. */
  readonly channels: number;
  /** Each row is an unused byte, then the channels of each pixel. */
  readonly rows: Buffer;
}

/** Reads a PNG as browsers and desktops make them: eight bits a channel, with or without transparency, not interlaced. */
async function readPng(png: Buffer): Promise<Pixels> {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const [depth, colours, interlacing] = [png[24], png[25], png[28]];
  if (depth !== 8 || (colours !== 2 && colours !== 6) || interlacing !== 0) {
    throw new Error(`The screenshot is a PNG of an unexpected kind (${depth}, ${colours}, ${interlacing}).`);
  }
  const dataChunks: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') dataChunks.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const channels = colours === 6 ? 4 : 3;
  const size = height * (width * channels + 1);
  const rows = await new Promise<Buffer>((resolve, reject) => {
    // In one piece.
    inflate(Buffer.concat(dataChunks), { chunkSize: Math.max(size, MIN_CHUNK) }, (error, result) =>
      error === null ? resolve(result) : reject(error),
    );
  });
  unfilter(rows, width * channels, height, channels);
  return { width, height, channels, rows };
}

/** Undoes the filters of PNG in place. Each row begins with the type of its filter. */
function unfilter(rows: Buffer, length: number, height: number, step: number): void {
  for (let y = 0; y < height; y++) {
    const start = y * (length + 1) + 1;
    const filter = rows[start - 1] as number;
    if (filter === 0) continue;
    const above = start - length - 1;
    // Chromium uses it for fast screenshots, so this loop has no conditions per byte.
    if (filter === UP && y > 0) {
      for (let x = 0; x < length; x++) rows[start + x] = (rows[start + x] as number) + (rows[above + x] as number);
      continue;
    }
    for (let x = 0; x < length; x++) {
      const left = x < step ? 0 : (rows[start + x - step] as number);
      const up = y === 0 ? 0 : (rows[above + x] as number);
      const corner = x < step || y === 0 ? 0 : (rows[above + x - step] as number);
      rows[start + x] = (rows[start + x] as number) + predictByte(filter, left, up, corner);
    }
  }
}

function predictByte(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === UP) return up;
  if (filter === 3) return (left + up) >> 1;
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
