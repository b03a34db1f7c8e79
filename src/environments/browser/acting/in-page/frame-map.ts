/// <reference lib="dom" />
import type { Point } from '../../../../actions/action.ts';
import { applyTransform, type Matrix } from '../../../../functions/page/in-page/geometry.ts';
import { plain } from '../../../../functions/page/plain.ts';

/**
 * Maps points from one viewport to another: (x, y) to (a·x + c·y + e, b·x + d·y + f). It includes `zoom`, transforms,
 * borders, and padding of the frame and of everything around it.
 */
export interface FrameMap {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly e: number;
  readonly f: number;
  /** Whether there are transforms, even those that only move. */
  readonly isTransformed: boolean;
}

/** By how many pixels a frame may be larger or smaller than calculated: the browser rounds zoomed boxes. */
const TOLERANCE = 1.5;

/** Runs in the page: how a frame maps its viewport to that of its page; null if it cannot be calculated. */
export function readFrameMap(frame: Element): FrameMap | null {
  const path: Element[] = [];
  for (let one: Element | null = frame; one !== null; one = flatParentOf(one)) path.unshift(one);
  let matrix: Matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  let isTransformed = false;
  for (const one of path) {
    const { transform, translate, rotate, scale } = getComputedStyle(one);
    isTransformed ||= [transform, translate, rotate, scale].some((value) => value !== 'none');
    matrix = applyTransform(matrix, getComputedStyle(one));
  }

  const style = getComputedStyle(frame);
  const sum = (...lengths: readonly string[]): number =>
    lengths.reduce((total, length) => total + (Number.parseFloat(length) || 0), 0);
  const left = sum(style.borderLeftWidth, style.paddingLeft);
  const right = sum(style.borderRightWidth, style.paddingRight);
  const top = sum(style.borderTopWidth, style.paddingTop);
  const bottom = sum(style.borderBottomWidth, style.paddingBottom);
  const isWhole = style.boxSizing === 'border-box';
  const width = sum(style.width) + (isWhole ? 0 : left + right);
  const height = sum(style.height) + (isWhole ? 0 : top + bottom);

  const zoom = (plain(frame) as Element & { readonly currentCSSZoom?: number }).currentCSSZoom ?? 1;
  const [a, b, c, d] = [matrix[0] * zoom, matrix[1] * zoom, matrix[3] * zoom, matrix[4] * zoom];
  const box = plain(frame).getBoundingClientRect();
  const isExpected = (size: number, expected: number): boolean => Math.abs(size - expected) <= TOLERANCE;
  if (!isExpected(box.width, Math.abs(a) * width + Math.abs(c) * height)) return null;
  if (!isExpected(box.height, Math.abs(b) * width + Math.abs(d) * height)) return null;
  // A transform keeps the center of a box in the center of the rectangle around it.
  const [fromMiddleX, fromMiddleY] = [left - width / 2, top - height / 2];
  return {
    a,
    b,
    c,
    d,
    e: box.x + box.width / 2 + a * fromMiddleX + c * fromMiddleY,
    f: box.y + box.height / 2 + b * fromMiddleX + d * fromMiddleY,
    isTransformed,
  };
}

/** The element around another one where both are drawn; null for the root. */
function flatParentOf(element: Element): Element | null {
  const { assignedSlot, parentElement } = plain(element);
  const root = plain(element).getRootNode();
  return assignedSlot ?? parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

/** Runs in the page: the point of a click on an element, in the viewport of its frame; null if it has no box. */
export function findCenter(element: Element): Point | null {
  const box = Array.from(plain(element).getClientRects()).find(({ width, height }) => width * height > 0.99);
  return box === undefined ? null : { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Runs in the page: scrolls an element to an edge or to the center of what is visible. */
export function alignElement(element: Element, side: 'start' | 'center' | 'end'): void {
  plain(element).scrollIntoView({ block: side, inline: side, behavior: 'instant' });
}

/** Runs in the page: whether the mouse is over an element, or over a label of it. */
export function isHovered(element: Element): boolean {
  const own = plain(element);
  const labels = 'labels' in own ? Array.from((own as HTMLInputElement).labels ?? []) : [];
  return own.matches(':hover') || labels.some((label) => plain(label).matches(':hover'));
}

/** Runs in the page: an element's markup without its content. */
export function readOpeningTag(element: Element): string {
  return (plain(element).cloneNode(false) as Element).outerHTML;
}
