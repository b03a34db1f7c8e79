import { crc32, deflate } from 'node:zlib';

/** Quick and small enough: three times as quick as the usual level. */
const LEVEL = 3;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG of pixels as an X server of depth 24 gives them: blue, green, red and a byte of nothing each, row by row. */
export async function encodePng(pixels: Uint8Array, width: number, height: number): Promise<Buffer> {
  const rows = Buffer.allocUnsafe(height * (width * 3 + 1));
  const words = wordsOf(pixels);
  let [from, to] = [0, 0];
  for (let y = 0; y < height; y++) {
    // Each row begins with its filter: none.
    rows[to++] = 0;
    for (let x = 0; x < width; x++, to += 3) {
      const pixel = words[from++] as number;
      rows[to] = pixel >> 16;
      rows[to + 1] = pixel >> 8;
      rows[to + 2] = pixel;
    }
  }
  const packed = await new Promise<Buffer>((resolve, reject) => {
    deflate(rows, { level: LEVEL }, (error, result) => (error === null ? resolve(result) : reject(error)));
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a channel, three channels.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', packed), chunk('IEND', Buffer.alloc(0))]);
}

/** Four bytes read at once are three times as quick as each alone. */
function wordsOf(pixels: Uint8Array): Uint32Array {
  const aligned = pixels.byteOffset % 4 === 0 ? pixels : pixels.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

function chunk(type: string, data: Buffer): Buffer {
  const whole = Buffer.alloc(data.length + 12);
  whole.writeUInt32BE(data.length, 0);
  whole.write(type, 4, 'latin1');
  data.copy(whole, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, 8 + data.length)), 8 + data.length);
  return whole;
}
