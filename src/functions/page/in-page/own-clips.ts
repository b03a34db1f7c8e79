/// <reference lib="dom" />
import { plain } from '../plain.ts';
import { EVERYTHING, NOTHING, type Rect, type Shape } from './clip.ts';
import { findReferred, findReferredByUrl, hrefOf, isInnerReference } from './find-referred.ts';
import { type Matrix, placeBox, pointIn } from './geometry.ts';
import { brightness, FAINT, isDrawing } from './paint.ts';
import { asGraphics, svgTag } from './tag.ts';

/** The part of an element and its content that a clip leaves visible. */
export interface Part {
  readonly rect: Rect;
  readonly shape?: Shape;
  /** A mask is painted: what cuts off its element cuts off the mask, and so all that is in the element. */
  readonly isMask?: true;
}

/** The parts of an element that `clip-path`, `clip`, and `mask` leave visible, one for each. */
export function ownClips(element: Element, style: CSSStyleDeclaration, matrix: Matrix): readonly Part[] {
  const parts: Part[] = [];
  if (style.clip !== 'auto' && (style.position === 'absolute' || style.position === 'fixed')) {
    const sides = /^rect\(([^)]*)\)$/.exec(style.clip)?.[1]?.split(/[\s,]+/) ?? [];
    const { offsetWidth, offsetHeight } = plain(element) as HTMLElement;
    const all = [0, offsetWidth, offsetHeight, 0];
    const [top = 0, right = 0, bottom = 0, left = 0] = all.map((side, index) =>
      sides[index] === undefined || sides[index] === 'auto' ? side : Number.parseFloat(sides[index]),
    );
    parts.push({ rect: placedPart(element, matrix, { left, top, right, bottom }) });
  }
  if (style.clipPath !== 'none') {
    const reference = /\b(?:margin|border|padding|content|fill|stroke|view)-box$/.exec(style.clipPath)?.[0];
    const shape = reference === undefined ? style.clipPath : style.clipPath.slice(0, -reference.length).trim();
    // A reference box alone is a shape, too.
    const part = clipPath(element, shape === '' ? 'inset(0)' : shape, matrix);
    if (part !== null) parts.push(part);
  }
  const mask = style.maskImage === 'none' || style.maskImage === '' ? null : maskPart(element, style, matrix);
  if (mask !== null) parts.push({ ...mask, isMask: true });
  return parts;
}

/** A mask leaves nothing outside of the border box, and nothing where its image is not. */
function maskPart(element: Element, style: CSSStyleDeclaration, matrix: Matrix): Part | null {
  const target = findReferredByUrl(element, style.maskImage);
  if (target !== null && svgTag(target) === 'mask') return drawnPart(element, target, matrix);
  // A box, unlike a part of a drawing, is not drawn where its mask does not exist.
  if (isInnerReference(style.maskImage)) return isDrawing(element) ? null : { rect: NOTHING };
  if (style.maskImage.startsWith('url(') || isDrawing(element) || style.maskClip === 'no-clip') return null;
  const { offsetWidth: width, offsetHeight: height } = plain(element) as HTMLElement;
  const whole = { left: 0, top: 0, right: width, bottom: height };
  const [sizeX, sizeY = 'auto'] = style.maskSize.split(' ');
  if (style.maskRepeat !== 'no-repeat' || sizeX === undefined || /auto|cover|contain|,/.test(style.maskSize))
    return { rect: placeBox(element, matrix, whole) };
  const [x = '0', y = '0'] = style.maskPosition.split(' ');
  const [wide, high] = [pixels(sizeX, width), pixels(sizeY, height)];
  const [left, top] = [pixels(x, width - wide), pixels(y, height - high)];
  const image = { left, top, right: left + wide, bottom: top + high };
  const rect = {
    left: Math.max(0, image.left),
    top: Math.max(0, image.top),
    right: Math.min(width, image.right),
    bottom: Math.min(height, image.bottom),
  };
  return { rect: placedPart(element, matrix, rect) };
}

/** Nothing where the sides of a part have passed each other: `placeBox` would take them for those of a mirrored one. */
function placedPart(element: Element, matrix: Matrix, local: Rect): Rect {
  return local.left < local.right && local.top < local.bottom ? placeBox(element, matrix, local) : NOTHING;
}

/** The part of an element that the shapes in a `<clipPath>`, or the bright ones in a `<mask>`, leave. */
function drawnPart(element: Element, target: Element, matrix: Matrix): Part {
  const view = plain(plain(element).ownerDocument).defaultView as Window & typeof globalThis;
  const isMask = target.localName === 'mask';
  const units = plain(target).getAttribute(isMask ? 'maskContentUnits' : 'clipPathUnits');
  const candidates = isMask ? plain(target).querySelectorAll('*') : plain(target).children;
  const shapes = [...candidates].filter((shape) => {
    const style = view.getComputedStyle(shape);
    if (style.display === 'none' || style.visibility !== 'visible' || !(shape instanceof view.SVGGraphicsElement))
      return false;
    return isMask ? !GROUPS.has(svgTag(shape)) && brightness(style) >= FAINT : isClipShape(shape);
  }) as SVGGraphicsElement[];
  if (shapes.length === 0 && !isMask) return { rect: NOTHING };
  const box = plain(element).getBoundingClientRect();
  const { offsetWidth: width = box.width, offsetHeight: height = box.height } = plain(element) as HTMLElement;
  const drawing = isDrawing(element) ? asGraphics(element) : null;
  const toScreen = drawing?.getScreenCTM() ?? null;
  const own = drawing?.getBBox() ?? { x: 0, y: 0, width, height };
  // Without a size an element is not masked at all.
  if (isMask && own.width * own.height === 0) return { rect: EVERYTHING };
  const isRelative = units === 'objectBoundingBox';
  if (
    (isRelative && own.width * own.height === 0) ||
    (toScreen !== null && toScreen.a * toScreen.d === toScreen.b * toScreen.c)
  )
    return { rect: NOTHING };
  const toOwn = toScreen?.inverse() ?? null;
  const toBox = pointIn(element, matrix);
  const inners = shapes.map((one) => one.transform.baseVal.consolidate()?.matrix ?? null);
  return {
    rect:
      drawing !== null
        ? EVERYTHING
        : placeBox(element, matrix, isMask ? maskRegion(target, own) : aroundShapes(shapes, isRelative ? own : null)),
    shape(x, y) {
      // In pixels of the element, then in the units of the shapes.
      let point = toOwn === null ? new DOMPoint(...toBox(x, y)) : new DOMPoint(x, y).matrixTransform(toOwn);
      if (isRelative) point = new DOMPoint((point.x - own.x) / own.width, (point.y - own.y) / own.height);
      return shapes.some((one, index) => {
        const inner = inners[index];
        if (!(one instanceof view.SVGGeometryElement)) return true;
        // Unlike that of an SVGMatrix, the inverse of a DOMMatrix that has none is no error.
        return one.isPointInFill(inner ? point.matrixTransform(DOMMatrix.fromMatrix(inner).inverse()) : point);
      });
    },
  };
}

/** Elements that draw nothing themselves. */
const GROUPS = new Set(['g', 'a', 'switch', 'svg']);

/** Whether an element in a `<clipPath>` clips: a shape, a text, or a `use` of one of them. */
function isClipShape(element: Element): boolean {
  const tag = svgTag(element);
  if (tag !== 'use') return 'isPointInFill' in element || tag === 'text';
  const target = findReferred(element, hrefOf(element));
  return target !== null && svgTag(target) !== 'use' && isClipShape(target);
}

/** The part of an element that a `<mask>` leaves at most, in pixels of the element. */
function maskRegion(mask: Element, { width, height }: { width: number; height: number }): Rect {
  if (plain(mask).getAttribute('maskUnits') === 'userSpaceOnUse') return EVERYTHING;
  const [left, top, across, down] = (['x', 'y', 'width', 'height'] as const).map((name) => {
    const { unitType, valueInSpecifiedUnits, SVG_LENGTHTYPE_PERCENTAGE } = (mask as SVGMaskElement)[name].baseVal;
    return valueInSpecifiedUnits / (unitType === SVG_LENGTHTYPE_PERCENTAGE ? 100 : 1);
  }) as [number, number, number, number];
  return { left: left * width, top: top * height, right: (left + across) * width, bottom: (top + down) * height };
}

/** The rectangle around shapes, in pixels of an element; everything where one of them is turned or scaled. */
function aroundShapes(shapes: readonly SVGGraphicsElement[], units: { width: number; height: number } | null): Rect {
  const [across, down] = units === null ? [1, 1] : [units.width, units.height];
  if (shapes.some((shape) => shape.transform.baseVal.length > 0)) return EVERYTHING;
  const boxes = shapes.map((shape) => shape.getBBox());
  return {
    left: Math.min(...boxes.map(({ x }) => x * across)),
    top: Math.min(...boxes.map(({ y }) => y * down)),
    right: Math.max(...boxes.map(({ x, width }) => (x + width) * across)),
    bottom: Math.max(...boxes.map(({ y, height }) => (y + height) * down)),
  };
}

function clipPath(element: Element, value: string, matrix: Matrix): Part | null {
  const box = plain(element).getBoundingClientRect();
  const { offsetWidth: width = box.width, offsetHeight: height = box.height } = plain(element) as HTMLElement;
  const [, kind, inner = ''] = /^([a-z]+)\((.*)\)$/s.exec(value) ?? [];
  const [size = '', position = ''] = inner.split(/\s*\bat\b\s*/);
  const list =
    size
      .split(/\s+round\s+/)[0]
      ?.trim()
      .split(/\s+/) ?? [];
  const local = (rect: Rect) => ({ rect: placedPart(element, matrix, rect) });
  /** A shape in coordinates of the border box; it may reach out of the box. */
  const clipByShape = (within: Shape) => {
    const toBox = pointIn(element, matrix);
    return { rect: EVERYTHING, shape: (x: number, y: number): boolean => within(...toBox(x, y)) };
  };
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
      return clipByShape((px, py) => ((px - x) / across) ** 2 + ((py - y) / down) ** 2 <= 1);
    }
    case 'polygon': {
      const points = inner.split(',').flatMap((point) => {
        const [x, y] = point.trim().split(/\s+/);
        return x === undefined || y === undefined ? [] : [[pixels(x, width), pixels(y, height)] as const];
      });
      return areaOf(points) < 4 ? { rect: NOTHING } : clipByShape((px, py) => isInPolygon(points, px, py));
    }
    case 'path': {
      const [, data = ''] = /["'](.*)["']/s.exec(inner) ?? [];
      const path = new Path2D(data);
      const canvas = new OffscreenCanvas(1, 1).getContext('2d');
      return clipByShape((px, py) => canvas?.isPointInPath(path, px, py) ?? true);
    }
    case 'url': {
      const target = findReferredByUrl(element, value);
      return target !== null && svgTag(target) === 'clipPath' ? drawnPart(element, target, matrix) : null;
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
