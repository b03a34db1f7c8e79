import type { Point } from '../../src/editor/panel/messages.ts';

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The pixel of the page that is shown at a place of the window. `shown`: where the whole picture is drawn, at whatever
 * scale; `page`: the page's size in CSS pixels. A place beside the picture is the nearest pixel of its edge.
 */
export function pagePoint(at: Point, shown: Box, page: { readonly width: number; readonly height: number }): Point {
  return {
    x: pixel(at.x - shown.left, shown.width, page.width),
    y: pixel(at.y - shown.top, shown.height, page.height),
  };
}

function pixel(offset: number, shown: number, whole: number): number {
  if (shown <= 0) return 0;
  // Less than a millionth of a pixel is an error of the division and not the pixel before.
  const exact = Math.floor((offset * whole) / shown + 1e-6);
  return Math.min(Math.max(exact, 0), whole - 1);
}
