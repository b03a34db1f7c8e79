/** Whether a point of the viewport is within a shape. */
export type Shape = (x: number, y: number) => boolean;

export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The part of a document's viewport, in pixels, in which content is shown or can be scrolled into view. */
export interface Clip extends Rect {
  /** Shapes that clip it further. */
  readonly shapes: readonly Shape[];
}

export const NOTHING: Clip = { left: 0, top: 0, right: 0, bottom: 0, shapes: [] };
export const EVERYTHING: Clip = { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9, shapes: [] };

export function meet(clip: Clip, { left, top, right, bottom }: Rect, shape?: Shape): Clip {
  return {
    left: Math.max(clip.left, left),
    top: Math.max(clip.top, top),
    right: Math.min(clip.right, right),
    bottom: Math.min(clip.bottom, bottom),
    shapes: shape === undefined ? clip.shapes : [...clip.shapes, shape],
  };
}

/**
 * Whether a part of a box is within a clip. Less than two pixels do not show text, unless the box itself is as small.
 */
export function isSeen(rect: Rect, clip: Clip): boolean {
  const part = meet(clip, rect);
  const width = part.right - part.left;
  const height = part.bottom - part.top;
  return (
    width > 0 &&
    height > 0 &&
    width >= Math.min(2, rect.right - rect.left) &&
    height >= Math.min(2, rect.bottom - rect.top) &&
    shareInShapes(part) > 0
  );
}

/** Whether a box is completely within a clip. Boxes have whole pixels, texts have fractions. */
export function isInside(rect: Rect, clip: Clip): boolean {
  return (
    clip.shapes.length === 0 &&
    rect.left >= clip.left - 1 &&
    rect.top >= clip.top - 1 &&
    rect.right <= clip.right + 1 &&
    rect.bottom <= clip.bottom + 1
  );
}

/** The area of a box that is within a clip. */
export function areaSeen(rect: Rect, clip: Clip): number {
  const part = meet(clip, rect);
  return Math.max(0, part.right - part.left) * Math.max(0, part.bottom - part.top) * shareInShapes(part);
}

/** The share of a box that its shapes leave visible, sampled at 25 points. */
function shareInShapes({ left, top, right, bottom, shapes }: Clip): number {
  if (shapes.length === 0) return 1;
  let within = 0;
  for (let row = 0.5; row < 5; row += 1) {
    for (let column = 0.5; column < 5; column += 1) {
      const x = left + ((right - left) * column) / 5;
      const y = top + ((bottom - top) * row) / 5;
      if (shapes.every((shape) => shape(x, y))) within += 1;
    }
  }
  return within / 25;
}
