import { describe, expect, it } from 'vitest';
import type { XCursorImage, XEvent } from 'x11';
import type { Connection } from '../../../../src/environments/desktop/connection.ts';
import { Screen } from '../../../../src/environments/desktop/screen.ts';
import { PngEncoder } from '../../../../src/environments/png.ts';

const [WIDTH, HEIGHT] = [8, 100];
/** Of one pixel that is seen through. */
const NO_POINTER: XCursorImage = {
  ...{ x: 0, y: 0, width: 1, height: 1, xhot: 0, yhot: 0, cursorSerial: 1 },
  cursorImage: Buffer.alloc(4),
};

/** An X server's screen, as far as a `Screen` asks for it. */
function server() {
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 4, 7);
  let tell: (event: XEvent) => void = () => {};
  let fails = false;
  const requests: (readonly [top: number, height: number])[] = [];
  const connection = {
    ...{ root: 1, width: WIDTH, height: HEIGHT },
    x: { AllocID: () => 2 },
    fixes: { CursorNotifyMask: { DisplayCursor: 1 }, SelectCursorInput: () => {} },
    damage: { ReportLevel: { NonEmpty: 3, BoundingBox: 2 }, Create: () => {}, Subtract: () => {} },
    listen: (listener: typeof tell) => {
      tell = listener;
      return () => {};
    },
    sync: async () => {},
    cursor: async () => NO_POINTER,
    pixels: async (top: number, height: number) => {
      requests.push([top, height]);
      if (fails) throw new Error('the X server does not answer');
      return Buffer.from(pixels.subarray(top * WIDTH * 4, (top + height) * WIDTH * 4));
    },
  };
  return {
    requests,
    screen: new Screen(connection as unknown as Connection),
    /** Something draws these rows. */
    draw: (top: number, height: number, value: number) => {
      const row = (at: number) => Math.min(HEIGHT, Math.max(0, at)) * WIDTH * 4;
      pixels.fill(value, row(top), row(top + height));
      tell({ name: 'DamageNotify', area: { x: 0, y: top, w: WIDTH, h: height } });
    },
    fail: (now: boolean) => {
      fails = now;
    },
    whole: () => new PngEncoder(WIDTH, HEIGHT).encode(pixels),
  };
}

describe('the picture of a desktop', () => {
  it('is of the whole screen, of which only the rows are asked for that have changed', async () => {
    const { screen, requests, draw, whole } = server();
    expect((await screen.picture()).data).toEqual(await whole());
    draw(40, 2, 1);
    draw(50, 3, 2);
    expect((await screen.picture()).data).toEqual(await whole());
    draw(-5, 10, 3);
    expect((await screen.picture()).data).toEqual(await whole());
    draw(95, 20, 4);
    expect((await screen.picture()).data).toEqual(await whole());
    expect(await screen.picture()).toBe(await screen.picture());
    expect(requests).toEqual([
      [0, 100],
      [40, 13],
      [0, 5],
      [95, 5],
    ]);
  });

  it('that is asked for while another is made has its rows too', async () => {
    const { screen, draw, whole } = server();
    const first = screen.picture();
    draw(10, 1, 1);
    const second = screen.picture();
    await first;
    expect((await second).data).toEqual(await whole());
  });

  it('that could not be had is asked for again, with all that has changed since', async () => {
    const { screen, requests, draw, fail, whole } = server();
    await screen.picture();
    draw(10, 1, 1);
    fail(true);
    await expect(screen.picture()).rejects.toThrow('does not answer');
    fail(false);
    draw(12, 1, 2);
    expect((await screen.picture()).data).toEqual(await whole());
    expect(requests.slice(1)).toEqual([
      [10, 1],
      [10, 3],
    ]);
  });
});
