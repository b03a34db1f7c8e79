/// <reference lib="dom" />
import { plain } from '../../../../functions/page/plain.ts';
import type { ChainLink, ChainQuestion, PathStep, PlainElement } from '../element-chain.ts';

/** Runs in an empty page: restores the element of a chain, and returns whether a selector matches it. */
export function matchesChain({ chain, selector, attribute }: ChainQuestion): boolean {
  const page = document.implementation.createHTMLDocument('');
  page.documentElement.remove();
  const build = (plain: PlainElement): Element => {
    const element = page.createElement(/^[a-z][^\s/>]*$/i.test(plain.tag) ? plain.tag : 'unknown');
    for (const [name, value] of plain.attributes) {
      try {
        element.setAttribute(name, value);
      } catch {
        // Scripts cannot set names such as `@click`, and no selector uses them.
      }
    }
    if (plain.states) element.setAttribute(attribute, plain.states.join(' '));
    return element;
  };
  const bare = (tag: string): Element => build({ tag, attributes: [] });
  let parent: Element | null = null;
  let target: Element | null = null;
  for (const link of [...chain].reverse()) {
    const element = build(link);
    const { before = [], after = [] } = link.far ?? {};
    const siblings = [
      ...before.map(bare),
      ...link.before.map(build),
      element,
      ...link.after.map(build),
      ...after.map(bare),
    ];
    // Elements in a form can shadow its methods.
    if (parent) Element.prototype.append.apply(parent, siblings);
    else page.append(element);
    parent = element;
    target = element;
  }
  return target !== null && Element.prototype.matches.call(target, selector);
}

/** Runs in a restored page: the element at the end of a path from the document; null if there is none. */
export function findOnPath(path: readonly PathStep[]): Element | null {
  let element: Element | null = plain(document).documentElement;
  for (const { at, shadow } of path.slice(1)) {
    if (element === null) return null;
    const parent: ParentNode | null = shadow ? plain(element).shadowRoot : plain(element);
    element = parent?.children[at] ?? null;
  }
  return element;
}

/** Runs in a restored page: whether an element has the tag and the attributes of a link in a chain. */
export function isLike(element: Element, link: ChainLink): boolean {
  if (link.tag !== plain(element).localName) return false;
  return link.attributes.every(([name, value]) => plain(element).getAttribute(name)?.slice(0, 1000) === value);
}

/** Runs in a restored page: whether a CSS selector matches an element. */
export function matchesSelector(element: Element, selector: string): boolean {
  return plain(element).matches(selector);
}
