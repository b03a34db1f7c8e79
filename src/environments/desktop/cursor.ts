import type { XCursorImage } from 'x11';

/**
 * Draws the mouse pointer into a screen's pixels (one byte each for blue, green, red, and padding), because X servers
 * leave it out. Its pixels are premultiplied by their opacity (XFIXES, GetCursorImage). Returns a function that removes
 * it.
 */
export function drawCursor(pixels: Buffer, width: number, height: number, cursor: XCursorImage): () => void {
  const { cursorImage, xhot, yhot } = cursor;
  const background: (readonly [at: number, value: number])[] = [];
  const [left, top] = [cursor.x - xhot, cursor.y - yhot];
  for (let row = Math.max(0, -top); row < cursor.height && top + row < height; row++) {
    for (let column = Math.max(0, -left); column < cursor.width && left + column < width; column++) {
      const from = (row * cursor.width + column) * 4;
      const to = ((top + row) * width + left + column) * 4;
      const rest = 255 - (cursorImage[from + 3] ?? 0);
      for (let channel = 0; channel < 3; channel++) {
        const below = pixels[to + channel] ?? 0;
        background.push([to + channel, below]);
        pixels[to + channel] = Math.min(255, (cursorImage[from + channel] ?? 0) + Math.round((below * rest) / 255));
      }
    }
  }
  return () => {
    for (const [at, value] of background) pixels[at] = value;
  };
}
