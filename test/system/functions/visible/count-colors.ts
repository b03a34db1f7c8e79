import { inflateSync } from 'node:zlib';
import { COLORS } from './draft.ts';

/** Of the difference between white and a color, so much is seen. */
const FAINT = 0.05;

/** How far each color is from white, as a direction. */
const DIRECTIONS = COLORS.map((color) => {
  const [r, g, b] = color.map((part) => 255 - part) as [number, number, number];
  const length = Math.hypot(r, g, b);
  return { r: r / length, g: g / length, b: b / length, length };
});

/** How many pixels of a picture have each color, be it mixed with white. */
export function countColors(png: Buffer): readonly number[] {
  const { pixels, width, height, bytes } = decode(png);
  const counts: number[] = COLORS.map(() => 0);
  for (let at = 0; at < width * height * bytes; at += bytes) {
    const r = 255 - (pixels[at] ?? 0);
    const g = 255 - (pixels[at + 1] ?? 0);
    const b = 255 - (pixels[at + 2] ?? 0);
    if (r + g + b < 12) continue;
    const length = Math.hypot(r, g, b);
    for (let index = 0; index < DIRECTIONS.length; index += 1) {
      const way = DIRECTIONS[index] as (typeof DIRECTIONS)[number];
      if (length < way.length * FAINT || (r * way.r + g * way.g + b * way.b) / length < 0.985) continue;
      counts[index] = (counts[index] ?? 0) + 1;
      break;
    }
  }
  return counts;
}

/** The pixels of a PNG of 8 bits a channel, in rows without gaps. */
function decode(png: Buffer): { pixels: Buffer; width: number; height: number; bytes: number } {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const bytes = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const packed = inflateSync(Buffer.concat(parts));
  const row = width * bytes;
  const pixels = Buffer.alloc(row * height);
  for (let y = 0; y < height; y += 1) {
    const filter = packed[y * (row + 1)];
    for (let x = 0; x < row; x += 1) {
      const left = x >= bytes ? (pixels[y * row + x - bytes] ?? 0) : 0;
      const up = y > 0 ? (pixels[(y - 1) * row + x] ?? 0) : 0;
      const corner = x >= bytes && y > 0 ? (pixels[(y - 1) * row + x - bytes] ?? 0) : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      pixels[y * row + x] = ((packed[y * (row + 1) + 1 + x] ?? 0) + guess) & 255;
    }
  }
  return { pixels, width, height, bytes };
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
