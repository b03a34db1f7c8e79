/// <reference lib="dom" />
import { plain } from '../plain.ts';
import { type Clip, meet, type Rect } from './clip.ts';
import { findReferred, hrefOf } from './find-referred.ts';
import {
  applyTransform,
  applyZoom,
  containsPaint,
  contentClip,
  flat,
  isBehindViewer,
  isDeep,
  isTurnedAway,
  type Matrix,
  skippedClip,
  staysOnBack,
} from './geometry.ts';
import { ownClips } from './own-clips.ts';
import { backgroundTextAlpha, FAINT, groupAlpha, isDrawing, isGroup } from './paint.ts';
import { svgTag } from './tag.ts';
import { passesToViewport } from './viewport.ts';

/** How the surrounding elements affect an element. */
export interface State {
  /** Clips for content in the flow, absolutely positioned content, and fixed content. */
  readonly flow: Clip;
  readonly absolute: Clip;
  readonly fixed: Clip;
  readonly alpha: number;
  readonly matrix: Matrix;
  /** The box whose background is painted in the shape of the text in it. */
  readonly behind: Rect | null;
  /** Whether it is on the hidden back of a turned element. */
  readonly isOnBack: boolean;
  /** Whether an element in it that has a transform turns on its own. */
  readonly isDeep: boolean;
  /** Why nothing in it can be seen; null where it can. */
  readonly why: string | null;
}

/** What has no box, or is a part of a line: neither transforms nor clips apply. */
const UNBOXED = new Set(['contents', 'inline', 'ruby']);
/** Boxes although they are in a line. */
const REPLACED = new Set(['img', 'input', 'textarea', 'select', 'button']);
/** Boxes whose `overflow` has no effect. */
const UNCLIPPED = /^table-(?:row|row-group|header-group|footer-group|column|column-group)$|^ruby/;
/** Elements of a drawing that are only drawn where something refers to them. */
const DEFINITIONS = new Set([
  'defs',
  'symbol',
  'clipPath',
  'mask',
  'pattern',
  'marker',
  'linearGradient',
  'radialGradient',
]);

/** How an element affects its content. `outer`: how the surrounding elements affect it. */
export function stateOf(
  element: Element,
  style: CSSStyleDeclaration,
  window: Window,
  isFrame: boolean,
  outer: State,
): State {
  const { ownerDocument, localName: tag } = plain(element);
  const { documentElement } = plain(ownerDocument);
  const { display, position } = style;
  const svg = svgTag(element);
  const isBox = !UNBOXED.has(display) || (display === 'inline' && (tag === 'svg' || isFrame || REPLACED.has(tag)));
  const matrix = applyZoom(isBox || isDrawing(element) ? applyTransform(outer.matrix, style) : outer.matrix, style);
  const alpha = display === 'contents' ? outer.alpha : outer.alpha * groupAlpha(style);
  const hidesBack = isBox && style.backfaceVisibility === 'hidden';
  const isOnBack = outer.isOnBack
    ? !isBox || staysOnBack(element, style, matrix, outer.isDeep)
    : hidesBack && isTurnedAway(matrix);
  /** Chrome draws it as one picture, and hides that as a whole. */
  const isLeaf = outer.isDeep && display !== 'contents' && !(isBox && isDeep(style));
  let why = outer.why;
  if (why === null) {
    if (display === 'none') why = 'display: none';
    else if (alpha < FAINT) why = Number(style.opacity) < FAINT ? `opacity: ${style.opacity}` : 'it is transparent';
    else if (display === 'table-cell' && isCollapsed(element, window)) why = 'visibility: collapse';
    else if (isBox && isBehindViewer(element, style)) why = 'it is behind the viewer';
    else if (style.getPropertyValue('content-visibility') === 'hidden') why = 'content-visibility: hidden';
    else if (isOnBack && (isGroup(style) || isLeaf)) why = 'backface-visibility: hidden';
    else if (svg === 'svg' && isEmptyDrawing(element as SVGSVGElement, style)) why = 'in a drawing without a size';
    else if (svg === 'textPath' && findReferred(element, hrefOf(element)) === null)
      why = 'on a path that does not exist';
    else if (DEFINITIONS.has(svg)) why = 'in a part of a drawing that is not drawn itself';
  }
  let around = position === 'fixed' ? outer.fixed : position === 'absolute' ? outer.absolute : outer.flow;
  let { absolute, fixed } = outer;
  const parts = why === null && display !== 'contents' ? ownClips(element, style, matrix) : [];
  for (const { rect: all, shape, isMask } of parts) {
    const rect = isMask ? meet(around, all) : all;
    // It cuts off all that is in it, fixed content too.
    [around, absolute, fixed] = [around, absolute, fixed].map((clip) => meet(clip, rect, shape)) as [Clip, Clip, Clip];
    if (around.right - around.left < 2 || around.bottom - around.top < 2) why = whyCut(element, rect);
  }
  const isClipped =
    why === null &&
    isBox &&
    !UNCLIPPED.test(display) &&
    (style.overflowX !== 'visible' || style.overflowY !== 'visible' || containsPaint(style)) &&
    element !== documentElement &&
    !passesToViewport(element, window);
  const flow = !isClipped
    ? around
    : isSkipped(element, style, window)
      ? skippedClip(element, style, around)
      : contentClip(element, style, matrix, around);
  const holdsFixed =
    isBox &&
    (tag === 'foreignObject' ||
      style.transform !== 'none' ||
      style.translate !== 'none' ||
      style.rotate !== 'none' ||
      style.scale !== 'none' ||
      style.filter !== 'none' ||
      style.perspective !== 'none' ||
      style.transformStyle === 'preserve-3d' ||
      /paint|layout|strict|content/.test(style.contain) ||
      style.getPropertyValue('content-visibility') !== 'visible' ||
      /transform|translate|rotate|scale|filter|perspective/.test(style.willChange));
  return {
    flow,
    absolute: position !== 'static' || holdsFixed ? flow : absolute,
    fixed: holdsFixed ? flow : fixed,
    alpha,
    matrix: isBox && !isDeep(style) ? flat(matrix) : matrix,
    behind: behindText(element, style, alpha, outer.behind),
    isOnBack,
    isDeep: display === 'contents' ? outer.isDeep : isBox && isDeep(style),
    why,
  };
}

/** A background is painted in the shape of all text in its box but that of elements which have a transform. */
function behindText(element: Element, style: CSSStyleDeclaration, alpha: number, outer: Rect | null): Rect | null {
  if (backgroundTextAlpha(style) * alpha >= FAINT) return plain(element).getBoundingClientRect();
  return style.transform === 'none' ? outer : null;
}

/** A drawing without a size draws nothing, whatever its overflow is. */
function isEmptyDrawing({ ownerSVGElement, width, height }: SVGSVGElement, style: CSSStyleDeclaration): boolean {
  if (ownerSVGElement === null) return style.width === '0px' || style.height === '0px';
  return width.baseVal.value === 0 || height.baseVal.value === 0;
}

/** A cell of a column that is collapsed has no width (in vertical writing, no height), but its text has; of a row, likewise. */
function isCollapsed(element: Element, window: Window): boolean {
  const { width, height } = plain(element).getBoundingClientRect();
  if (width > 0 && height > 0) return false;
  const row = plain(element).parentElement;
  if (row !== null && window.getComputedStyle(row).visibility === 'collapse') return true;
  const columns = element.closest('table')?.querySelectorAll('col, colgroup') ?? [];
  return [...columns].some((one) => window.getComputedStyle(one).visibility === 'collapse');
}

function whyCut(element: Element, rect: Rect): string {
  const box = plain(element).getBoundingClientRect();
  const isEmpty =
    Math.min(rect.right, box.right) - Math.max(rect.left, box.left) < 2 ||
    Math.min(rect.bottom, box.bottom) - Math.max(rect.top, box.top) < 2;
  return isEmpty ? 'it is clipped to nothing' : 'it is clipped, or outside of what can be scrolled to';
}

/**
 * The browser lays out the contents of a box with `content-visibility: auto` in the frame after the box has come near the
 * window. Elements in it tell whether that has happened; for text alone, it is assumed if the box is in the viewport.
 */
function isSkipped(element: Element, style: CSSStyleDeclaration, window: Window): boolean {
  if (style.getPropertyValue('content-visibility') !== 'auto') return false;
  // Their rectangles come first: Chrome gives none of texts after `checkVisibility` alone.
  const renderedChildren = [...plain(element).children].filter((child) => plain(child).getClientRects().length > 0);
  if (renderedChildren.length > 0) {
    return renderedChildren.some((child) => !plain(child).checkVisibility({ contentVisibilityAuto: true }));
  }
  const { left, top, right, bottom } = plain(element).getBoundingClientRect();
  return bottom < 0 || right < 0 || top > window.innerHeight || left > window.innerWidth;
}
