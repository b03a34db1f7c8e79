/// <reference lib="dom" />
import { plain } from '../plain.ts';
import { type Clip, isSeen, meet, NOTHING, type Rect, type Shape } from './clip.ts';

/** How an element is rotated and scaled on the screen: the linear part of a transform, in column order. */
export type Matrix = readonly [number, number, number, number, number, number, number, number, number];

/** The matrix of an element, given that of its parent. */
export function turned(outer: Matrix, style: CSSStyleDeclaration): Matrix {
  const { transform, rotate, scale } = style;
  if (transform === 'none' && rotate === 'none' && scale === 'none') return outer;
  const matrix = new DOMMatrix(
    [rotateFunction(rotate), scaleFunction(scale), transform].filter((one) => one !== 'none').join(' '),
  );
  const { m11, m12, m13, m21, m22, m23, m31, m32, m33 } = matrix;
  return multiply(outer, [m11, m12, m13, m21, m22, m23, m31, m32, m33]);
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

/** The matrix for the children of an element. Most elements draw their children in their own plane. */
export function forChildren(matrix: Matrix, style: CSSStyleDeclaration): Matrix {
  const isDeep =
    style.transformStyle === 'preserve-3d' &&
    style.overflowX === 'visible' &&
    style.overflowY === 'visible' &&
    Number(style.opacity) === 1 &&
    style.filter === 'none' &&
    style.clipPath === 'none' &&
    style.maskImage === 'none' &&
    style.isolation === 'auto' &&
    style.mixBlendMode === 'normal' &&
    !/paint|strict|content/.test(style.contain);
  if (isDeep) return matrix;
  const [a, b, , d, e] = matrix;
  return [a, b, 0, d, e, 0, 0, 0, 1];
}

/** The number of screen pixels per pixel of the element, in the direction where it is smaller. */
export function scaleOf([a, b, , d, e]: Matrix): number {
  return Math.min(Math.hypot(a, b), Math.hypot(d, e));
}

/** The bounding rectangle in the viewport of a box that is relative to the border box of an element. */
function placed(element: Element, matrix: Matrix, local: Rect): Rect {
  const box = plain(element).getBoundingClientRect();
  const { offsetWidth: width = box.width, offsetHeight: height = box.height } = plain(element) as HTMLElement;
  const [a, b, , d, e] = matrix;
  // Corrects for what the matrix does not include, such as `perspective` and `zoom`.
  const across = Math.abs(a) * width + Math.abs(d) * height;
  const down = Math.abs(b) * width + Math.abs(e) * height;
  const [moreX, moreY] = [across > 0 ? box.width / across : 1, down > 0 ? box.height / down : 1];
  const xs: number[] = [];
  const ys: number[] = [];
  for (const x of [local.left - width / 2, local.right - width / 2]) {
    for (const y of [local.top - height / 2, local.bottom - height / 2]) {
      xs.push((box.left + box.right) / 2 + moreX * (a * x + d * y));
      ys.push((box.top + box.bottom) / 2 + moreY * (b * x + e * y));
    }
  }
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

/** The remaining scroll distance in each direction, in pixels, of an element or a viewport's scrolling element. */
interface Range {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The scroll range. For a viewport, `style` is that of the root element. */
export function scrollRange(scroller: Element, style: CSSStyleDeclaration): Range {
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = plain(scroller);
  const wide = Math.max(0, scrollWidth - clientWidth);
  const high = Math.max(0, scrollHeight - clientHeight);
  const [fromRight, fromBottom] = startsReversed(style);
  return {
    left: fromRight || scrollLeft < 0 ? wide + scrollLeft : scrollLeft,
    right: fromRight || scrollLeft < 0 ? -scrollLeft : wide - scrollLeft,
    top: fromBottom || scrollTop < 0 ? high + scrollTop : scrollTop,
    bottom: fromBottom || scrollTop < 0 ? -scrollTop : high - scrollTop,
  };
}

/** Whether content overflows to the left and to the top instead of to the right and to the bottom. */
function startsReversed(style: CSSStyleDeclaration): readonly [left: boolean, top: boolean] {
  const isHorizontal = style.writingMode.startsWith('horizontal');
  const isRightToLeft = style.direction === 'rtl';
  const isFlex = style.display.endsWith('flex');
  const reversedRow = isFlex && style.flexDirection === 'row-reverse';
  const reversedColumn = isFlex && style.flexDirection === 'column-reverse';
  const inline = reversedRow ? !isRightToLeft : isRightToLeft;
  const isFlipped = style.writingMode === 'vertical-rl' || style.writingMode === 'sideways-rl';
  const block = isFlipped !== reversedColumn;
  const isUpwards = style.writingMode === 'sideways-lr' ? !inline : inline;
  return isHorizontal ? [inline, reversedColumn] : [block, isUpwards];
}

/** The clip for the content of a box that clips or scrolls it. */
export function contentClip(element: Element, style: CSSStyleDeclaration, matrix: Matrix, outer: Clip): Clip {
  const { clientLeft, clientTop, clientWidth, clientHeight } = plain(element);
  const local = { left: clientLeft, top: clientTop, right: clientLeft + clientWidth, bottom: clientTop + clientHeight };
  const view = placed(element, matrix, local);
  const scrolls = (value: string): boolean => value === 'auto' || value === 'scroll';
  const [x, y] = [scrolls(style.overflowX), scrolls(style.overflowY)];
  const isContained = containsPaint(style);
  const seen = meet(outer, {
    left: isContained || style.overflowX !== 'visible' ? view.left : outer.left,
    right: isContained || style.overflowX !== 'visible' ? view.right : outer.right,
    top: isContained || style.overflowY !== 'visible' ? view.top : outer.top,
    bottom: isContained || style.overflowY !== 'visible' ? view.bottom : outer.bottom,
  });
  if (!x && !y) return seen;
  if (!isSeen(view, outer)) return NOTHING;
  const range = scrollRange(element, style);
  const reach = placed(element, matrix, {
    left: local.left - (x ? range.left : 0),
    right: local.right + (x ? range.right : 0),
    top: local.top - (y ? range.top : 0),
    bottom: local.bottom + (y ? range.bottom : 0),
  });
  return {
    left: seen.left - (view.left - reach.left),
    right: seen.right + (reach.right - view.right),
    top: seen.top - (view.top - reach.top),
    bottom: seen.bottom + (reach.bottom - view.bottom),
    // Scrolling moves content past a shape.
    shapes: [],
  };
}

/** Whether a box clips its content, whatever its `overflow` is. */
export function containsPaint(style: CSSStyleDeclaration): boolean {
  return /paint|strict|content/.test(style.contain) || style.getPropertyValue('content-visibility') === 'auto';
}

/** The part of an element that `clip-path` and `clip` leave visible; null for all of it. */
export function ownClip(
  element: Element,
  style: CSSStyleDeclaration,
  matrix: Matrix,
): { rect: Rect; shape?: Shape } | null {
  if (style.clip !== 'auto' && (style.position === 'absolute' || style.position === 'fixed')) {
    const sides = /^rect\(([^)]*)\)$/.exec(style.clip)?.[1]?.split(/[\s,]+/) ?? [];
    const { offsetWidth, offsetHeight } = plain(element) as HTMLElement;
    const all = [0, offsetWidth, offsetHeight, 0];
    const [top = 0, right = 0, bottom = 0, left = 0] = all.map((side, index) =>
      sides[index] === undefined || sides[index] === 'auto' ? side : Number.parseFloat(sides[index]),
    );
    return { rect: placed(element, matrix, { left, top, right, bottom }) };
  }
  if (style.clipPath === 'none') return null;
  const reference = /\b(?:margin|border|padding|content|fill|stroke|view)-box$/.exec(style.clipPath)?.[0];
  const shape = reference === undefined ? style.clipPath : style.clipPath.slice(0, -reference.length).trim();
  return clipPath(element, shape, matrix);
}

function clipPath(element: Element, value: string, matrix: Matrix): { rect: Rect; shape?: Shape } | null {
  const box = plain(element).getBoundingClientRect();
  const { offsetWidth: width = box.width, offsetHeight: height = box.height } = plain(element) as HTMLElement;
  const [, kind, inner = ''] = /^([a-z]+)\((.*)\)$/s.exec(value) ?? [];
  const [size = '', position = ''] = inner.split(/\s*\bat\b\s*/);
  const list =
    size
      .split(/\s+round\s+/)[0]
      ?.trim()
      .split(/\s+/) ?? [];
  const local = (rect: Rect) => ({ rect: placed(element, matrix, rect) });
  /** A shape in coordinates of the border box, for elements that are not rotated. */
  const shaped = (within: Shape) => ({
    rect: box,
    shape: (x: number, y: number): boolean =>
      within(((x - box.left) / box.width) * width, ((y - box.top) / box.height) * height),
  });
  switch (kind) {
    case 'inset': {
      const side = (at: number, length: number): number => pixels(list[at] ?? list[at - 2] ?? list[0] ?? '0', length);
      return local({
        left: side(3, width),
        top: side(0, height),
        right: width - side(1, width),
        bottom: height - side(2, height),
      });
    }
    case 'rect': {
      const side = (at: number, length: number, auto: number): number =>
        list[at] === 'auto' ? auto : pixels(list[at] ?? '0', length);
      return local({
        left: side(3, width, 0),
        top: side(0, height, 0),
        right: side(1, width, width),
        bottom: side(2, height, height),
      });
    }
    case 'xywh': {
      const [left, top] = [pixels(list[0] ?? '0', width), pixels(list[1] ?? '0', height)];
      return local({
        left,
        top,
        right: left + pixels(list[2] ?? '0', width),
        bottom: top + pixels(list[3] ?? '0', height),
      });
    }
    case 'circle':
    case 'ellipse': {
      const [atX = '50%', atY = '50%'] = position === '' ? [] : position.split(/\s+/);
      const [x, y] = [pixels(atX, width), pixels(atY, height)];
      const radius = (text: string | undefined, length: number, near: number, far: number): number =>
        text === undefined || text === '' || text === 'closest-side'
          ? near
          : text === 'farthest-side'
            ? far
            : pixels(text, length);
      const [sidesX, sidesY] = [[x, width - x].map(Math.abs), [y, height - y].map(Math.abs)];
      const sides = [...sidesX, ...sidesY];
      const round = kind === 'circle';
      const across = round
        ? radius(list[0], Math.hypot(width, height) / Math.SQRT2, Math.min(...sides), Math.max(...sides))
        : radius(list[0], width, Math.min(...sidesX), Math.max(...sidesX));
      const down = round ? across : radius(list[1], height, Math.min(...sidesY), Math.max(...sidesY));
      if (across < 1 || down < 1) return { rect: NOTHING };
      return shaped((px, py) => ((px - x) / across) ** 2 + ((py - y) / down) ** 2 <= 1);
    }
    case 'polygon': {
      const points = inner.split(',').flatMap((point) => {
        const [x, y] = point.trim().split(/\s+/);
        return x === undefined || y === undefined ? [] : [[pixels(x, width), pixels(y, height)] as const];
      });
      return areaOf(points) < 4 ? { rect: NOTHING } : shaped((px, py) => isInPolygon(points, px, py));
    }
    case 'path': {
      const [, data = ''] = /["'](.*)["']/s.exec(inner) ?? [];
      const path = new Path2D(data);
      const canvas = new OffscreenCanvas(1, 1).getContext('2d');
      return shaped((px, py) => canvas?.isPointInPath(path, px, py) ?? true);
    }
    case 'url': {
      const id = /#([^"')]+)/.exec(inner)?.[1] ?? '';
      const target = plain(plain(element).ownerDocument).getElementById(id);
      if (target === null) return null;
      return plain(target).querySelector('rect, circle, ellipse, path, polygon, polyline, line, text, use') === null
        ? { rect: NOTHING }
        : null;
    }
    default:
      return null;
  }
}

function pixels(length: string, whole: number): number {
  const percent = /calc\(/.test(length) ? null : /^(-?[\d.e-]+)%$/.exec(length)?.[1];
  return percent === null || percent === undefined ? Number.parseFloat(length) || 0 : (Number(percent) / 100) * whole;
}

function areaOf(points: readonly (readonly [number, number])[]): number {
  const [lastX, lastY] = points.at(-1) ?? [0, 0];
  const turns = points.map(([x, y], index) => {
    const [fromX, fromY] = points[index - 1] ?? [lastX, lastY];
    return fromX * y - x * fromY;
  });
  return Math.abs(turns.reduce((sum, turn) => sum + turn, 0)) / 2;
}

/** Uses the rule `evenodd`, which equals `nonzero` for polygons that do not intersect themselves. */
function isInPolygon(points: readonly (readonly [number, number])[], x: number, y: number): boolean {
  let within = false;
  let [fromX, fromY] = points.at(-1) ?? [0, 0];
  for (const [toX, toY] of points) {
    if (fromY > y !== toY > y && x < fromX + ((y - fromY) / (toY - fromY)) * (toX - fromX)) within = !within;
    [fromX, fromY] = [toX, toY];
  }
  return within;
}
