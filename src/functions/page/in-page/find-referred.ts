/// <reference lib="dom" />
import { plain } from '../plain.ts';

/** The reference of an element that draws what it refers to. */
export function hrefOf(element: Element): string {
  return (element as SVGUseElement).href.baseVal;
}

/** The element that `#id` means in the tree of an element; null if there is none. */
export function findReferred(element: Element, reference: string): Element | null {
  if (!reference.startsWith('#')) return null;
  const root = plain(element).getRootNode();
  return 'getElementById' in root ? plain(root as Document | ShadowRoot).getElementById(reference.slice(1)) : null;
}

/** Whether a value such as `url("#id")` refers to the document itself. */
export function isInnerReference(value: string): boolean {
  return /^url\("?#/.test(value);
}

/** The element that `url("#id")` means; null if there is none. */
export function findReferredByUrl(element: Element, value: string): Element | null {
  const reference = /^url\("?[^"#)]*(#[^")]+)"?\)/.exec(value)?.[1];
  return reference === undefined ? null : findReferred(element, reference);
}
