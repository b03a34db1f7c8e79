import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PngEncoder } from '../../../src/environments/png.ts';
import { pixelRows } from '../../../src/serving/pixels.ts';

async function rowsOf(data: Buffer): Promise<number[][][]> {
  const [width, height] = [data.readUInt32BE(16), data.readUInt32BE(20)];
  return JSON.parse(String(await pixelRows({ type: 'png', data, width, height })));
}

it('A screenshot of a desktop is told pixel by pixel', async () => {
  // Blue, green, red, and padding.
  const pixels = new Uint8Array([3, 2, 1, 0, 6, 5, 4, 0, 255, 0, 9, 0, 0, 10, 100, 0]);
  const png = await new PngEncoder(2, 2).encode(pixels);
  expect(await rowsOf(png)).toEqual([
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
    [
      [9, 0, 255],
      [100, 10, 0],
    ],
  ]);
});

it('A row like the one above is told again', async () => {
  const row = [3, 20, 100, 0, 6, 5, 4, 0];
  const png = await new PngEncoder(2, 4).encode(
    new Uint8Array([...row, ...row, ...row.map((byte) => byte / 2), ...row]),
  );
  const told = [
    [100, 20, 3],
    [4, 5, 6],
  ];
  const half = told.map((pixel) => pixel.map((byte) => byte >> 1));
  expect(await rowsOf(png)).toEqual([told, told, half, told]);
});

it('Pixels like the one before are told again', async () => {
  const few = fc.constantFrom([255, 255, 255], [0, 7, 42], [0, 7, 43]);
  await fc.assert(
    fc.asyncProperty(fc.array(few, { minLength: 1, maxLength: 40 }), async (row) => {
      const png = await new PngEncoder(row.length, 1).encode(
        Uint8Array.from(row.flatMap(([red = 0, green = 0, blue = 0]) => [blue, green, red, 0])),
      );
      expect(await rowsOf(png)).toEqual([row]);
    }),
  );
});

/** Filters rows as encoders do: each with a type of its own. */
function filtered(rows: readonly Buffer[], types: readonly number[], step: number): Buffer {
  return Buffer.concat(
    rows.flatMap((row, y) => {
      const type = types[y] ?? 0;
      const line = Buffer.alloc(row.length);
      for (let x = 0; x < row.length; x++) {
        const left = x < step ? 0 : (row[x - step] ?? 0);
        const up = rows[y - 1]?.[x] ?? 0;
        const corner = x < step ? 0 : (rows[y - 1]?.[x - step] ?? 0);
        const guess = left + up - corner;
        const nearest = [left, up, corner].toSorted((a, b) => Math.abs(guess - a) - Math.abs(guess - b))[0] ?? 0;
        const prediction = [0, left, up, (left + up) >> 1, nearest][type] ?? 0;
        line[x] = (row[x] ?? 0) - prediction;
      }
      return [Buffer.from([type]), line];
    }),
  );
}

function chunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, data, Buffer.alloc(4)]);
}

it('Every filter of PNG is undone, with transparency and without', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(3, 4),
      fc.array(fc.tuple(fc.constantFrom(0, 1, 2, 3, 4), fc.uint8Array({ minLength: 20, maxLength: 20 })), {
        minLength: 1,
        maxLength: 5,
      }),
      async (width, channels, lines) => {
        const rows = lines.map(([, bytes]) => Buffer.from(bytes.subarray(0, width * channels)));
        const header = Buffer.alloc(13);
        header.writeUInt32BE(width, 0);
        header.writeUInt32BE(rows.length, 4);
        header.set([8, channels === 4 ? 6 : 2, 0, 0, 0], 8);
        const packed = deflateSync(
          filtered(
            rows,
            lines.map(([type]) => type),
            channels,
          ),
        );
        const half = Math.ceil(packed.length / 2);
        const png = Buffer.concat([
          Buffer.alloc(8),
          chunk('IHDR', header),
          chunk('IDAT', packed.subarray(0, half)),
          chunk('IDAT', packed.subarray(half)),
          chunk('IEND', Buffer.alloc(0)),
        ]);
        const expected = rows.map((row) =>
          Array.from({ length: width }, (_, x) => [...row.subarray(x * channels, x * channels + 3)]),
        );
        expect(await rowsOf(png)).toEqual(expected);
      },
    ),
  );
});
