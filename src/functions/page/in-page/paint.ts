/// <reference lib="dom" />
import { plain } from '../plain.ts';
import { findReferredByUrl } from './find-referred.ts';

/** Text with a lower opacity cannot be read. */
export const FAINT = 0.05;

/** Whether an element is part of an SVG image. Does not use `SVGElement`, because each frame has its own. */
export function isDrawing(element: Element): boolean {
  const { namespaceURI, localName } = plain(element);
  return namespaceURI === 'http://www.w3.org/2000/svg' && localName !== 'svg' && localName !== 'foreignObject';
}

/** The opacity of a computed color. */
function alphaOf(color: string): number {
  if (color === 'transparent' || color === 'none') return 0;
  const match = /^rgba\(.*,\s*([\d.e-]+)\)$|\/\s*([\d.e-]+)(%?)\s*\)$/.exec(color);
  if (!match) return 1;
  const value = Number(match[1] ?? match[2]);
  return match[3] === '%' ? value / 100 : value;
}

/** The opacity of an element's own text, from 0 to 1: the maximum of everything that paints its glyphs. */
export function textAlpha(element: Element, style: CSSStyleDeclaration): number {
  if (isDrawing(element)) return svgTextAlpha(element, style);
  const stroke = Number.parseFloat(style.webkitTextStrokeWidth) > 0 ? alphaOf(style.webkitTextStrokeColor) : 0;
  return Math.max(alphaOf(style.webkitTextFillColor || style.color), stroke, shadowAlpha(style.textShadow));
}

/** The opacity of a background that is painted in the shape of the text in its box; 0 of any other. */
export function backgroundTextAlpha({ backgroundClip, backgroundImage, backgroundColor }: CSSStyleDeclaration): number {
  if (!backgroundClip.includes('text')) return 0;
  return backgroundImage === 'none' ? alphaOf(backgroundColor) : gradientAlpha(backgroundImage);
}

/** Text in SVG is painted by `fill` and `stroke`. */
function svgTextAlpha(element: Element, style: CSSStyleDeclaration): number {
  const paintAlpha = (paint: string): number => {
    const fallback = /^url\([^)]*\)\s*(.*)$/.exec(paint)?.[1];
    if (fallback === undefined) return alphaOf(paint);
    const target = findReferredByUrl(element, paint);
    return target === null ? alphaOf(fallback || 'none') : stopsAlpha(target);
  };
  const stroke = Number.parseFloat(style.strokeWidth) > 0 ? paintAlpha(style.stroke) * Number(style.strokeOpacity) : 0;
  return Math.max(paintAlpha(style.fill) * Number(style.fillOpacity), stroke, shadowAlpha(style.textShadow));
}

/** The opacity of the most opaque stop of a gradient; 1 for other elements, and for a gradient that takes its stops from another. */
function stopsAlpha(target: Element): number {
  const window = plain(plain(target).ownerDocument).defaultView;
  const stops = [...plain(target).querySelectorAll('stop')];
  if (window === null || !target.localName.endsWith('Gradient') || target.hasAttribute('href')) return 1;
  const alphas = stops.map((stop) => {
    const { stopColor, stopOpacity } = window.getComputedStyle(stop);
    return alphaOf(stopColor) * Number(stopOpacity);
  });
  return Math.max(0, ...alphas);
}

function shadowAlpha(shadow: string): number {
  if (shadow === 'none') return 0;
  return Math.max(...colorsIn(shadow).map(alphaOf));
}

/** The opacity, or another measure, of the color of a gradient that has the most of it; 1 for other images. */
function gradientAlpha(image: string, measure = alphaOf): number {
  const colors = /gradient\(/.test(image) && !/url\(/.test(image) ? colorsIn(image) : [];
  return colors.length === 0 ? 1 : Math.max(...colors.map(measure));
}

function colorsIn(value: string): string[] {
  return value.match(/(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]*\)|transparent/g) ?? [];
}

/** How bright a shape is in a mask, from 0 to 1. */
export function brightness(style: CSSStyleDeclaration): number {
  if (/^url\(/.test(style.fill)) return 1;
  return lightOf(style.fill) * Number(style.fillOpacity) * Number(style.opacity);
}

/** How much a color lets through as a luminance mask. */
function lightOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = (/^rgba?\(([^)]*)\)/.exec(color)?.[1] ?? '').split(',').map(Number);
  return ((0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255) * alphaOf(color);
}

/** Whether an element is drawn as one picture with all that is in it. */
export function isGroup({ opacity, filter, maskImage, mixBlendMode }: CSSStyleDeclaration): boolean {
  return Number(opacity) !== 1 || filter !== 'none' || maskImage !== 'none' || mixBlendMode !== 'normal';
}

/** The opacity that an element applies to its content by `opacity`, `filter`, and `mask`. */
export function groupAlpha(style: CSSStyleDeclaration): number {
  let alpha = Number(style.opacity);
  for (const [, value = '1', percent] of style.filter.matchAll(/\bopacity\(([\d.e-]+)(%?)\)/g)) {
    alpha *= Math.min(1, percent === '%' ? Number(value) / 100 : Number(value));
  }
  const mask = style.maskImage;
  if (mask !== 'none' && mask !== '') {
    alpha *= gradientAlpha(mask, style.maskMode === 'luminance' ? lightOf : alphaOf);
  }
  return alpha;
}
