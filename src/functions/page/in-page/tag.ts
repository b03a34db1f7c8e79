/// <reference lib="dom" />
import { plain } from '../plain.ts';

const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';

/** The name of an HTML element; empty for others, which may have the same name, but not the same interface. */
export function htmlTag(element: Element): string {
  const { namespaceURI, localName } = plain(element);
  return namespaceURI === HTML ? localName : '';
}

/** The name of an SVG element; empty for others. */
export function svgTag(element: Element): string {
  const { namespaceURI, localName } = plain(element);
  return namespaceURI === SVG ? localName : '';
}

/**
 * An element that SVG draws; null for others. In SVG not all elements are drawn: titles, descriptions, metadata, gradients,
 * and unknown elements have no geometry. Does not use `SVGGraphicsElement`, because each frame has its own.
 */
export function asGraphics(element: Element): SVGGraphicsElement | null {
  return svgTag(element) !== '' && 'getScreenCTM' in element ? (element as SVGGraphicsElement) : null;
}
