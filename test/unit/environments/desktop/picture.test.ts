import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { drawCursor } from '../../../../src/environments/desktop/cursor.ts';
import { wayTo } from '../../../../src/environments/desktop/pointer.ts';
import { windowsText } from '../../../../src/environments/desktop/windows.ts';
import { PngEncoder } from '../../../../src/environments/png.ts';

describe('a PNG', () => {
  // Red, green; blue, white: blue, green, red and nothing each.
  const pixels = [0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0];

  it.each([0, 1])('of an X server’s pixels contains them row by row at any memory offset (%d)', async (at) => {
    const memory = new Uint8Array(at + pixels.length);
    memory.set(pixels, at);
    const png = await new PngEncoder(2, 2).encode(memory.subarray(at));

    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]]).toEqual([2, 2, 8, 2]);
    const length = png.readUInt32BE(33);
    expect(png.subarray(37, 41).toString()).toBe('IDAT');
    const rows = inflateSync(png.subarray(41, 41 + length));
    expect([...rows]).toEqual([0, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255, 255, 255, 255]);
    expect(png.subarray(-8, -4).toString()).toBe('IEND');
  });

  it('shows the current pixels, regardless of rows that were compressed before', async () => {
    const [width, height] = [7, 70];
    const encoder = new PngEncoder(width, height);
    const screen = Buffer.alloc(width * height * 4, 200);
    // Nothing, one row at an edge of what is packed together, all, the last row; white is the largest of sums.
    for (const [from, to, value] of [
      [0, 0, 0],
      [31, 33, 9],
      [0, 70, 255],
      [69, 70, 1],
    ] as const) {
      screen.fill(value, from * width * 4, to * width * 4);
      // The caller may go on with its pixels at once.
      const given = Buffer.from(screen);
      const encoding = encoder.encode(given);
      given.fill(7);
      const png = await encoding;

      const rows = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)));
      const expected = Array.from({ length: height }, (_, y) => [
        0,
        ...Array.from({ length: width * 3 }, (__, x) => screen[(y * width + Math.floor(x / 3)) * 4] ?? 0),
      ]);
      expect([...rows]).toEqual(expected.flat());
    }
  });
});

describe('the mouse pointer', () => {
  const cursor = (x: number, y: number) => ({
    ...{ x, y, width: 2, height: 2, xhot: 1, yhot: 0, cursorSerial: 1 },
    // Opaque white, nothing; black and half as opaque, opaque blue.
    cursorImage: Buffer.from([255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 128, 200, 0, 0, 255]),
  });
  const drawAt = (x: number, y: number): number[] => {
    const pixels = Buffer.alloc(3 * 2 * 4, 100);
    const takeAway = drawCursor(pixels, 3, 2, cursor(x, y));
    const shown = [...pixels].filter((_, index) => index % 4 === 0);
    takeAway();
    expect(pixels.equals(Buffer.alloc(3 * 2 * 4, 100))).toBe(true);
    return shown;
  };

  it('covers the screen, with its hot spot at its position', () => {
    expect(drawAt(1, 0)).toEqual([255, 100, 100, 50, 200, 100]);
    expect(drawAt(2, 0)).toEqual([100, 255, 100, 100, 50, 200]);
  });

  it.each([
    [0, 0, [100, 100, 100, 200, 100, 100]],
    [3, 0, [100, 100, 255, 100, 100, 50]],
    [1, 1, [100, 100, 100, 255, 100, 100]],
    [1, -1, [50, 200, 100, 100, 100, 100]],
    [9, 9, [100, 100, 100, 100, 100, 100]],
  ])('is cut off at the edges of the screen: %d, %d', (x, y, expected) => {
    expect(drawAt(x, y)).toEqual(expected);
  });
});

describe('the way of a drag', () => {
  it('has close points, and ends at its target', () => {
    const way = wayTo({ x: 10, y: 10 }, { x: 110, y: 10 });
    expect(way.length).toBeGreaterThan(7);
    expect(way.at(-1)).toEqual({ x: 110, y: 10 });
  });

  it('of no distance is the point itself', () => {
    expect(wayTo({ x: 3, y: 4 }, { x: 3, y: 4 })).toEqual([{ x: 3, y: 4 }]);
  });
});

describe('the windows as an agent reads them', () => {
  it('are listed from the topmost, with the one that has the focus', () => {
    const box = { x: 5, y: 6, width: 300, height: 200 };
    const windows = [
      { title: 'a "note"', app: 'L3afpad', active: true, box },
      { title: 'xterm', app: 'XTerm', active: false, box },
    ];
    expect(windowsText(windows).split('\n')).toEqual([
      'Windows, the topmost first:',
      '- "a \\"note\\"" (L3afpad), 300x200 at (5, 6), active',
      '- "xterm" (XTerm), 300x200 at (5, 6)',
    ]);
    expect(windowsText([])).toBe('No window is open.');
  });
});
