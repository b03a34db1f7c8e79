import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodePng } from '../../../../src/environments/desktop/png.ts';
import { wayTo } from '../../../../src/environments/desktop/pointer.ts';
import { windowsText } from '../../../../src/environments/desktop/windows.ts';

describe('a PNG', () => {
  // Red, green; blue, white: blue, green, red and nothing each.
  const pixels = [0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0];

  it.each([0, 1])(
    'of an X server’s pixels holds them row by row, wherever they stand in memory (offset %d)',
    async (at) => {
      const memory = new Uint8Array(at + pixels.length);
      memory.set(pixels, at);
      const png = await encodePng(memory.subarray(at), 2, 2);

      expect(png.subarray(1, 4).toString()).toBe('PNG');
      expect([png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]]).toEqual([2, 2, 8, 2]);
      const length = png.readUInt32BE(33);
      expect(png.subarray(37, 41).toString()).toBe('IDAT');
      const rows = inflateSync(png.subarray(41, 41 + length));
      expect([...rows]).toEqual([0, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255, 255, 255, 255]);
      expect(png.subarray(-8, -4).toString()).toBe('IEND');
    },
  );
});

describe('the way of a drag', () => {
  it('has points close to each other, and ends where it is to end', () => {
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
