import type { ElementHandle, Frame } from 'playwright-core';
import type { Point } from '../../../actions/action.ts';
import { callOn } from '../../../functions/page/page-calls.ts';
import type { Box } from '../../environment.ts';
import { type FrameMap, readFrameMap } from './in-page/frame-map.ts';

const IDENTITY: FrameMap = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0, isTransformed: false };

/** Maps the viewport of a frame to that of the tab; null if this cannot be calculated, as with perspective. */
export async function mapFrame(frame: Frame): Promise<FrameMap | null> {
  const parent = frame.parentFrame();
  if (parent === null) return IDENTITY;
  const element = (await frame.frameElement()) as ElementHandle<Element>;
  try {
    const [outer, inner] = await Promise.all([mapFrame(parent), callOn(element, readFrameMap, null)]);
    if (outer === null || inner === null) return null;
    const { x: e, y: f } = mapPoint(outer, { x: inner.e, y: inner.f });
    return {
      a: outer.a * inner.a + outer.c * inner.b,
      b: outer.b * inner.a + outer.d * inner.b,
      c: outer.a * inner.c + outer.c * inner.d,
      d: outer.b * inner.c + outer.d * inner.d,
      e,
      f,
      isTransformed: outer.isTransformed || inner.isTransformed,
    };
  } finally {
    // It is also released with its page.
    void element.dispose().catch(() => undefined);
  }
}

/** Whether the viewports have the same pixels, and no transform is between them. */
export function isPlain({ a, b, c, d, isTransformed }: FrameMap): boolean {
  return !isTransformed && Math.abs(a - 1) + Math.abs(b) + Math.abs(c) + Math.abs(d - 1) < 1e-4;
}

export function mapPoint({ a, b, c, d, e, f }: FrameMap, { x, y }: Point): Point {
  return { x: a * x + c * y + e, y: b * x + d * y + f };
}

/** The inverse of `mapPoint`. */
export function unmapPoint({ a, b, c, d, e, f }: FrameMap, { x, y }: Point): Point {
  const area = a * d - b * c;
  const [right, down] = [x - e, y - f];
  return { x: (d * right - c * down) / area, y: (a * down - b * right) / area };
}

export function centerOf({ x, y, width, height }: Box): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

/** The rectangle around a box after it is mapped. */
export function mapBox(map: FrameMap, { x, y, width, height }: Box): Box {
  const corners = [
    { x, y },
    { x: x + width, y },
    { x, y: y + height },
    { x: x + width, y: y + height },
  ].map((corner) => mapPoint(map, corner));
  const [xs, ys] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { x: left, y: top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}
