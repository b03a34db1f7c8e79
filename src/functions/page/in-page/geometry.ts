/// <reference lib="dom" />
import type { Point } from '../../../actions/action.ts';
import { plain } from '../plain.ts';
import { type Clip, EVERYTHING, isSeen, meet, NOTHING, type Rect, type Shape } from './clip.ts';
import { isGroup } from './paint.ts';
import { asGraphics, svgTag } from './tag.ts';

/** How an element is rotated and scaled on the screen: the linear part of a transform, in column order. */
export type Matrix = readonly [number, number, number, number, number, number, number, number, number];

/** The matrix of what is in an element with a `zoom`. */
export function applyZoom(matrix: Matrix, { zoom }: CSSStyleDeclaration): Matrix {
  const factor = Number(zoom);
  return factor === 1 || Number.isNaN(factor) ? matrix : multiply(matrix, [factor, 0, 0, 0, factor, 0, 0, 0, 1]);
}

/** The matrix of an element, given that of its parent. */
export function applyTransform(outer: Matrix, style: CSSStyleDeclaration): Matrix {
  const { transform, rotate, scale } = style;
  if (transform === 'none' && rotate === 'none' && scale === 'none') return outer;
  const matrix = new DOMMatrix(
    [rotateFunction(rotate), scaleFunction(scale), transform].filter((one) => one !== 'none').join(' '),
  );
  const { m11, m12, m13, m21, m22, m23, m31, m32, m33 } = matrix;
  return multiply(outer, [m11, m12, m13, m21, m22, m23, m31, m32, m33]);
}

/** Whether a transform in perspective moves an element behind the viewer. */
export function isBehindViewer(element: Element, { transform, translate }: CSSStyleDeclaration): boolean {
  if (!/matrix3d/.test(transform) && translate.split(' ').length < 3) return false;
  const { m43, m44 } = new DOMMatrix(transform === 'none' ? '' : transform);
  if (m44 <= 0) return true;
  const parent = plain(element).parentElement;
  const window = plain(plain(element).ownerDocument).defaultView;
  const perspective = parent && window ? Number.parseFloat(window.getComputedStyle(parent).perspective) : Number.NaN;
  return m43 / m44 + Number.parseFloat(translate.split(' ')[2] ?? '0') >= perspective;
}

/** `y 90deg`, `45deg`, `1 1 0 30deg` */
function rotateFunction(rotate: string): string {
  if (rotate === 'none') return 'none';
  const [angle = '0deg', ...axis] = rotate.split(/\s+/).reverse();
  const [first] = axis;
  if (first === undefined) return `rotate(${angle})`;
  if (axis.length === 3) return `rotate3d(${axis.reverse().join()}, ${angle})`;
  return `rotate${first.toUpperCase()}(${angle})`;
}

function scaleFunction(scale: string): string {
  if (scale === 'none') return 'none';
  const [x = '1', y = x, z = '1'] = scale.split(/\s+/);
  return `scale3d(${x}, ${y}, ${z})`;
}

function multiply(a: Matrix, b: Matrix): Matrix {
  const cell = (row: 0 | 1 | 2, column: 0 | 3 | 6): number =>
    a[row] * b[column] + (a[row + 3] ?? 0) * (b[column + 1] ?? 0) + (a[row + 6] ?? 0) * (b[column + 2] ?? 0);
  const column = (from: 0 | 3 | 6) => [cell(0, from), cell(1, from), cell(2, from)] as const;
  return [...column(0), ...column(3), ...column(6)];
}

/** Whether an element faces away from the user. */
export function isTurnedAway([a, b, c, d, e, f, g, h, i]: Matrix): boolean {
  const front = a * e - b * d;
  const volume = i * front - h * (a * f - c * d) + g * (b * f - c * e);
  return volume !== 0 && front / volume < 0;
}

/** Whether the children of an element turn in the same space as it does. Most elements draw them in their own plane. */
export function isDeep(style: CSSStyleDeclaration): boolean {
  return (
    style.transformStyle === 'preserve-3d' &&
    style.overflowX === 'visible' &&
    style.overflowY === 'visible' &&
    style.clipPath === 'none' &&
    style.isolation === 'auto' &&
    !isGroup(style)
  );
}

/** The part of a matrix that stays in the plane. */
export function flat([a, b, , d, e]: Matrix): Matrix {
  return [a, b, 0, d, e, 0, 0, 0, 1];
}

/** Whether an element in one that is on a hidden back is also on a hidden back: Chrome judges what turns on its own by itself. */
export function staysOnBack(element: Element, style: CSSStyleDeclaration, matrix: Matrix, isInSpace: boolean): boolean {
  const isPrepared = /(?:^|, )transform(?:,|$)/.test(style.willChange);
  const isApart = isInSpace || hasDepth(element, style);
  if (style.backfaceVisibility === 'hidden') return !(isApart || isPrepared) || isTurnedAway(matrix);
  return !isDeep(style) && !(isApart && (isPrepared || style.transform !== 'none'));
}

/** Whether an element has a transform for three dimensions, whatever its values are. */
function hasDepth(element: Element, { transform, translate, rotate, scale }: CSSStyleDeclaration): boolean {
  const parts = (value: string): number => value.split(' ').length;
  if (parts(translate) > 2 || parts(rotate) > 1 || parts(scale) > 2) return true;
  if (transform === 'none') return false;
  // No `instanceof`: a document in a frame has classes of its own.
  const value = plain(element).computedStyleMap().get('transform') as CSSTransformValue;
  return value.is2D === false;
}

/** The number of screen pixels per pixel of the element, in the direction where it is smaller. */
export function scaleOf([a, b, , d, e]: Matrix): number {
  return Math.min(Math.hypot(a, b), Math.hypot(d, e));
}

/** The bounding rectangle in the viewport of a box that is relative to the border box of an element. */
export function placeBox(element: Element, matrix: Matrix, local: Rect): Rect {
  const box = plain(element).getBoundingClientRect();
  const { offsetWidth: width = box.width, offsetHeight: height = box.height } = plain(element) as HTMLElement;
  const [a, b, , d, e] = matrix;
  const [moreX, moreY] = correction(box, width, height, matrix);
  const [middleX, middleY] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  return cornerBounds(
    [local.left - width / 2, local.right - width / 2],
    [local.top - height / 2, local.bottom - height / 2],
    (x, y) => ({
      x: middleX + moreX * (a * x + d * y),
      y: middleY + moreY * (b * x + e * y),
    }),
  );
}

/** Where a point of the viewport is in a box, in pixels from its left and top border edges. The inverse of `placeBox`. */
export function pointIn(element: Element, matrix: Matrix): (x: number, y: number) => readonly [x: number, y: number] {
  const box = plain(element).getBoundingClientRect();
  const [width, height] = outerSize(element, box);
  const [moreX, moreY] = correction(box, width, height, matrix);
  const [a, b, , d, e] = matrix;
  const area = a * e - b * d;
  return (x, y) => {
    const across = (x - (box.left + box.right) / 2) / moreX;
    const down = (y - (box.top + box.bottom) / 2) / moreY;
    return [width / 2 + (e * across - d * down) / area, height / 2 + (a * down - b * across) / area];
  };
}

/** Width and height with the borders, before it is turned. */
function outerSize(element: Element, box: DOMRect): readonly [width: number, height: number] {
  const { offsetWidth, offsetHeight, clientWidth, clientHeight, clientLeft, clientTop } = plain(element) as HTMLElement;
  if (offsetWidth !== undefined) return [offsetWidth, offsetHeight];
  // Parts of a drawing have no sizes of a box, but the drawing has some.
  return clientWidth > 0 ? [clientWidth + 2 * clientLeft, clientHeight + 2 * clientTop] : [box.width, box.height];
}

/** Whether a matrix turns by an angle at which a box is no longer upright. */
function isTilted([a, b, , d, e]: Matrix): boolean {
  return Math.abs(b) + Math.abs(d) > 1e-6 && Math.abs(a) + Math.abs(e) > 1e-6;
}

/** Corrects for what the matrix does not include, such as `perspective`. */
function correction(box: DOMRect, width: number, height: number, [a, b, , d, e]: Matrix): readonly [number, number] {
  const across = Math.abs(a) * width + Math.abs(d) * height;
  const down = Math.abs(b) * width + Math.abs(e) * height;
  return [across > 0 ? box.width / across : 1, down > 0 ? box.height / down : 1];
}

/** The remaining scroll distance in each direction, in pixels. For a viewport, `style` is that of the root element. */
export function scrollRange(scroller: Element, style: CSSStyleDeclaration, isViewport = false): Rect {
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = plain(scroller);
  const wide = Math.max(0, scrollWidth - clientWidth);
  const high = Math.max(0, scrollHeight - clientHeight);
  const [fromRight, fromBottom] = startsReversed(style, isViewport);
  return {
    left: fromRight || scrollLeft < 0 ? wide + scrollLeft : scrollLeft,
    right: fromRight || scrollLeft < 0 ? -scrollLeft : wide - scrollLeft,
    top: fromBottom || scrollTop < 0 ? high + scrollTop : scrollTop,
    bottom: fromBottom || scrollTop < 0 ? -scrollTop : high - scrollTop,
  };
}

/** Whether content overflows to the left and to the top instead of to the right and to the bottom. */
function startsReversed(style: CSSStyleDeclaration, isViewport: boolean): readonly [left: boolean, top: boolean] {
  const isHorizontal = style.writingMode.startsWith('horizontal');
  const isRightToLeft = style.direction === 'rtl';
  const isFlex = !isViewport && style.display.endsWith('flex');
  const isColumn = style.flexDirection.startsWith('column');
  const isReversed = isFlex && style.flexDirection.endsWith('reverse');
  const isWrapped = isFlex && style.flexWrap === 'wrap-reverse';
  const inline = (isColumn ? isWrapped : isReversed) !== isRightToLeft;
  const reversedColumn = isColumn ? isReversed : isWrapped;
  const isFlipped = style.writingMode === 'vertical-rl' || style.writingMode === 'sideways-rl';
  const block = isFlipped !== reversedColumn;
  const isUpwards = style.writingMode === 'sideways-lr' ? !inline : inline;
  return isHorizontal ? [inline, reversedColumn] : [block, isUpwards];
}

/** The clip for the content of a box that clips or scrolls it. */
export function contentClip(element: Element, style: CSSStyleDeclaration, matrix: Matrix, outer: Clip): Clip {
  const { clientLeft, clientTop } = plain(element);
  const [clientWidth, clientHeight] = innerSize(element, style);
  const isContained = containsPaint(style);
  // In Chrome, a box that clips in one direction only has no margin.
  const hasMargin = style.overflow === 'clip' || style.overflow === 'visible';
  const margin = hasMargin
    ? Number.parseFloat(/([\d.]+)px/.exec(style.getPropertyValue('overflow-clip-margin'))?.[1] ?? '0')
    : 0;
  const [marginX, marginY] = [style.overflowX, style.overflowY].map((overflow) =>
    overflow === 'clip' || isContained ? margin : 0,
  ) as [number, number];
  const local = {
    left: clientLeft - marginX,
    top: clientTop - marginY,
    right: clientLeft + clientWidth + marginX,
    bottom: clientTop + clientHeight + marginY,
  };
  // An element of a drawing has no client size on the screen.
  const isHtml = 'offsetWidth' in plain(element);
  const view = isHtml ? placeBox(element, matrix, local) : drawingBox(element, style, matrix);
  // A drawing does not scroll.
  const scrolls = (value: string): boolean => isHtml && (value === 'auto' || value === 'scroll');
  const [x, y] = [scrolls(style.overflowX), scrolls(style.overflowY)];
  const clips = (overflow: string): boolean => isContained || overflow !== 'visible';
  const [clipsX, clipsY] = [clips(style.overflowX), clips(style.overflowY)];
  /** Turned to its side, a box clips and scrolls from left to right what it has from top to bottom. */
  const isOnSide = Math.abs(matrix[0]) < Math.abs(matrix[1]);
  const [cutsAcross, cutsDown] = isOnSide ? [clipsY, clipsX] : [clipsX, clipsY];
  const visiblePart = meet(outer, {
    left: cutsAcross ? view.left : outer.left,
    right: cutsAcross ? view.right : outer.right,
    top: cutsDown ? view.top : outer.top,
    bottom: cutsDown ? view.bottom : outer.bottom,
  });
  if (!x && !y) {
    const isBox = isHtml || (svgTag(element) === 'svg' && !isInDrawing(element));
    if (!isBox) return visiblePart;
    const roundedShape = clipsX && clipsY ? roundedBox(element, style) : null;
    if (roundedShape === null && !isTilted(matrix)) return visiblePart;
    const toBox = pointIn(element, matrix);
    const shapes =
      roundedShape === null
        ? visiblePart.shapes
        : [...visiblePart.shapes, (x: number, y: number) => roundedShape(...toBox(x, y))];
    if (!isTilted(matrix)) return { ...visiblePart, shapes };
    const holds: Shape = (atX, atY) => {
      const [across, down] = toBox(atX, atY);
      const { left, top, right, bottom } = local;
      return (!clipsX || (across >= left && across <= right)) && (!clipsY || (down >= top && down <= bottom));
    };
    return { ...visiblePart, shapes, turnedShapes: [...visiblePart.turnedShapes, holds] };
  }
  // The rectangle around a tilted box is wider than the box.
  const isThin = isTilted(matrix) && Math.min(clientWidth, clientHeight) < 2;
  if (isThin || !isSeen(view, outer)) return NOTHING;
  const range = scrollRange(element, style);
  const reach = placeBox(element, matrix, {
    left: local.left - (x ? range.left : 0),
    right: local.right + (x ? range.right : 0),
    top: local.top - (y ? range.top : 0),
    bottom: local.bottom + (y ? range.bottom : 0),
  });
  return {
    left: visiblePart.left - (view.left - reach.left),
    right: visiblePart.right + (reach.right - view.right),
    top: visiblePart.top - (view.top - reach.top),
    bottom: visiblePart.bottom + (reach.bottom - view.bottom),
    // Scrolling moves content past a shape.
    ...{ shapes: [], turnedShapes: [] },
    width: Math.min(
      visiblePart.width,
      (isOnSide ? y : x) ? visiblePart.right - visiblePart.left : Number.POSITIVE_INFINITY,
    ),
    height: Math.min(
      visiblePart.height,
      (isOnSide ? x : y) ? visiblePart.bottom - visiblePart.top : Number.POSITIVE_INFINITY,
    ),
  };
}

/** Smaller corners cut off no text that begins at a usual distance from them. */
const LARGE_CORNER = 16;

/** The shape of a box with large round corners, in pixels from its left and top border edges; null for other boxes. */
function roundedBox(element: Element, style: CSSStyleDeclaration): Shape | null {
  const [width, height] = outerSize(element, plain(element).getBoundingClientRect());
  const radii = [
    style.borderTopLeftRadius,
    style.borderTopRightRadius,
    style.borderBottomRightRadius,
    style.borderBottomLeftRadius,
  ].map((corner) => {
    const [x = '0', y = x] = corner.split(' ');
    const pixels = (radius: string, side: number): number =>
      (radius.endsWith('%') ? side / 100 : 1) * (Number.parseFloat(radius) || 0);
    return { x: pixels(x, width), y: pixels(y, height) };
  });
  if (!radii.some(({ x, y }) => x > LARGE_CORNER && y > LARGE_CORNER)) return null;
  const [a, b, c, d] = radii as [Point, Point, Point, Point];
  // Corners that would meet are made smaller together.
  const factor = Math.min(
    1,
    ...[width / (a.x + b.x), width / (c.x + d.x), height / (a.y + d.y), height / (b.y + c.y)].filter(Number.isFinite),
  );
  return (x, y) => {
    const radius = y < height / 2 ? (x < width / 2 ? a : b) : x < width / 2 ? d : c;
    const [radiusX, radiusY] = [radius.x * factor, radius.y * factor];
    const across = radiusX - Math.min(x, width - x);
    const down = radiusY - Math.min(y, height - y);
    return across <= 0 || down <= 0 || (across / radiusX) ** 2 + (down / radiusY) ** 2 <= 1;
  };
}

/** The box of a drawing, which does not reach into its borders and its padding. */
function drawingBox(element: Element, style: CSSStyleDeclaration, matrix: Matrix): Rect {
  if (isInDrawing(element)) return innerDrawingBox(element as SVGSVGElement);
  const { left, top, right, bottom } = plain(element).getBoundingClientRect();
  if (Math.abs(matrix[1]) + Math.abs(matrix[3]) > 1e-6) return { left, top, right, bottom };
  const side = (...parts: readonly string[]): number =>
    parts.reduce((sum, part) => sum + (Number.parseFloat(part) || 0), 0) * scaleOf(matrix);
  return {
    left: left + side(style.paddingLeft, style.borderLeftWidth),
    top: top + side(style.paddingTop, style.borderTopWidth),
    right: right - side(style.paddingRight, style.borderRightWidth),
    bottom: bottom - side(style.paddingBottom, style.borderBottomWidth),
  };
}

function isInDrawing(element: Element): boolean {
  return svgTag(element) === 'svg' && (element as SVGElement).ownerSVGElement !== null;
}

/** The box of a drawing in a drawing. Its rectangle in the viewport would be the one around what is drawn in it. */
function innerDrawingBox({ x, y, width, height, parentElement }: SVGSVGElement): Rect {
  const of = parentElement && asGraphics(parentElement);
  return boxIn(of, [x.baseVal.value, y.baseVal.value], [width.baseVal.value, height.baseVal.value]);
}

/** The box in which a symbol is drawn that a `use` refers to; everything for other elements, and without clipping. */
export function symbolBox(use: SVGUseElement, symbol: Element, { overflowX, overflowY }: CSSStyleDeclaration): Rect {
  if (symbol.localName !== 'symbol' || (overflowX === 'visible' && overflowY === 'visible')) return EVERYTHING;
  const around = use.viewportElement as SVGSVGElement | null;
  const size = (side: 'width' | 'height'): number => {
    const whole = around === null ? 0 : around.viewBox.baseVal?.[side] || around[side].baseVal.value;
    return use.hasAttribute(side) ? use[side].baseVal.value : whole;
  };
  return boxIn(use, [use.x.baseVal.value, use.y.baseVal.value], [size('width'), size('height')]);
}

/** The rectangle on the screen around a box that is given in the units of an element. */
function boxIn(
  of: SVGGraphicsElement | null,
  [left, top]: readonly [number, number],
  [width, height]: readonly [number, number],
): Rect {
  const toScreen = of?.getScreenCTM() ?? new DOMMatrix();
  return cornerBounds([left, left + width], [top, top + height], (x, y) =>
    new DOMPoint(x, y).matrixTransform(toScreen),
  );
}

/** The bounding rectangle of the corners of a box after a transform. */
function cornerBounds(
  [left, right]: readonly [number, number],
  [top, bottom]: readonly [number, number],
  transform: (x: number, y: number) => Point,
): Rect {
  const corners = [transform(left, top), transform(right, top), transform(left, bottom), transform(right, bottom)];
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

/** Width and height within the borders. In quirks mode the client size of the body is the window's. */
function innerSize(element: Element, style: CSSStyleDeclaration): readonly [width: number, height: number] {
  const { clientWidth, clientHeight, offsetWidth, offsetHeight } = plain(element) as HTMLElement;
  if (plain(element).localName !== 'body') return [clientWidth, clientHeight];
  const border = (...sides: readonly string[]): number => sides.reduce((sum, side) => sum + Number.parseFloat(side), 0);
  return [
    offsetWidth - border(style.borderLeftWidth, style.borderRightWidth),
    offsetHeight - border(style.borderTopWidth, style.borderBottomWidth),
  ];
}

/** The clip for what a box holds that the browser has not laid out: it grows in the direction of its blocks. */
export function skippedClip(element: Element, style: CSSStyleDeclaration, outer: Clip): Clip {
  const { left, top, right, bottom } = plain(element).getBoundingClientRect();
  // It may have no size yet, and stand at the very end of what can be scrolled to.
  const { left: from, top: above, right: to, bottom: below } = outer;
  if (left > to + 1 || right < from - 1 || top > below + 1 || bottom < above - 1) return NOTHING;
  const { clientHeight } = plain(element);
  const own = clientHeight - Number.parseFloat(style.paddingTop) - Number.parseFloat(style.paddingBottom);
  const intrinsicHeight = Number.parseFloat(
    /([\d.]+)px$/.exec(style.getPropertyValue('contain-intrinsic-height'))?.[1] ?? '0',
  );
  // Its height is given.
  if (Math.abs(own - intrinsicHeight) > 1) return meet(outer, { left, top, right, bottom });
  return style.writingMode.startsWith('horizontal')
    ? { ...EVERYTHING, left: Math.max(left, outer.left), right: Math.min(right, outer.right) }
    : { ...EVERYTHING, top: Math.max(top, outer.top), bottom: Math.min(bottom, outer.bottom) };
}

/** Whether a box clips its content, whatever its `overflow` is. */
export function containsPaint(style: CSSStyleDeclaration): boolean {
  return /paint|strict|content/.test(style.contain) || style.getPropertyValue('content-visibility') === 'auto';
}
