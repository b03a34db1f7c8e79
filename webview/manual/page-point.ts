import type { Point } from '../../src/presentation/runs/messages.ts';

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The pixel of the page at a position in the window. `box`: the box of the live view; `page`: the size of the page in
 * CSS pixels. A position outside the box maps to the nearest edge pixel.
 */
export function pagePoint(at: Point, box: Box, page: { readonly width: number; readonly height: number }): Point {
  return {
    x: pixel(at.x - box.left, box.width, page.width),
    y: pixel(at.y - box.top, box.height, page.height),
  };
}

function pixel(offset: number, shownSize: number, pageSize: number): number {
  if (shownSize <= 0) return 0;
  // The tolerance compensates for rounding errors of the division.
  const exact = Math.floor((offset * pageSize) / shownSize + 1e-6);
  return Math.min(Math.max(exact, 0), pageSize - 1);
}
