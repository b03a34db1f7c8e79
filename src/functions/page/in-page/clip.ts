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
  /** Boxes turned by an angle. They show half of a word if they contain the middle of the rectangle around it. */
  readonly turnedShapes: readonly Shape[];
  /** The size of the part that is visible at the same time, if it scrolls. */
  readonly width: number;
  readonly height: number;
}

export const EVERYTHING: Clip = {
  ...{ left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 },
  ...{ shapes: [], turnedShapes: [], width: Number.POSITIVE_INFINITY, height: Number.POSITIVE_INFINITY },
};
export const NOTHING: Clip = { ...EVERYTHING, left: 0, top: 0, right: 0, bottom: 0 };

export function meet(clip: Clip, { left, top, right, bottom }: Rect, shape?: Shape): Clip {
  return {
    ...clip,
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
  const width = Math.min(part.right - part.left, clip.width);
  const height = Math.min(part.bottom - part.top, clip.height);
  return (
    width > 0 &&
    height > 0 &&
    width >= Math.min(2, rect.right - rect.left) &&
    height >= Math.min(2, rect.bottom - rect.top) &&
    shareInShapes(part) > 0
  );
}

/** Whether half of a box or more is within a clip. */
export function isMostlySeen(rect: Rect, clip: Clip): boolean {
  const area = (rect.right - rect.left) * (rect.bottom - rect.top);
  return area > 0 && areaSeen(rect, clip) >= area / 2;
}

/** Whether a box is completely within a clip. Boxes have whole pixels, texts have fractions. */
export function isInside(rect: Rect, clip: Clip): boolean {
  return (
    clip.shapes.length === 0 &&
    clip.turnedShapes.length === 0 &&
    rect.right - rect.left <= clip.width + 1 &&
    rect.bottom - rect.top <= clip.height + 1 &&
    rect.left >= clip.left - 1 &&
    rect.top >= clip.top - 1 &&
    rect.right <= clip.right + 1 &&
    rect.bottom <= clip.bottom + 1
  );
}

/** The area of a box that is within a clip at the same time. */
export function areaSeen(rect: Rect, clip: Clip): number {
  const middle = [(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2] as const;
  if (!clip.turnedShapes.every((shape) => shape(...middle))) return 0;
  const part = meet(clip, rect);
  const width = Math.max(0, Math.min(part.right - part.left, clip.width));
  const height = Math.max(0, Math.min(part.bottom - part.top, clip.height));
  return width * height * shareInShapes(part);
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
