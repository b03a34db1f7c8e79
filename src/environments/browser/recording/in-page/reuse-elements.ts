/// <reference lib="dom" />
import { plain } from '../../../../functions/page/plain.ts';
import type { RecordedDocument, RecordedElement, RecordedNode } from '../../../recorded.ts';

/** Elements of the previous page that are part of the next one. */
export interface ReusedElements {
  /** By their recorded nodes. */
  readonly byNode: ReadonlyMap<RecordedNode, Element>;
  readonly links: readonly HTMLLinkElement[];
}

/**
 * Removes the previous page but for what the recorded one can reuse: linked style sheets in the head, which would be requested
 * again, and with them the head and the root, which are like new without attributes and other children. `sheets`: the URLs of
 * style sheets that are the same in both.
 */
export function clearPage(recordedDocument: RecordedDocument, sheets: readonly string[]): ReusedElements {
  const page = plain(document);
  const { documentElement: oldRoot, head: oldHead } = page;
  const root = recordedDocument.children.find(isElement('html'));
  const head = root?.[2].find(isElement('head'));
  const hasBase = (): boolean => page.querySelector('base') !== null || head?.[2].some(isElement('base')) === true;
  const canReuse = sheets.length > 0 && oldHead?.parentNode === oldRoot && !hasBase();
  const links = head && canReuse ? findLinks(head, oldHead, sheets) : new Map<RecordedNode, HTMLLinkElement>();
  if (root === undefined || head === undefined || links.size === 0) {
    page.replaceChildren();
    return { byNode: new Map(), links: [] };
  }
  removeChildren(document, [oldRoot]);
  removeChildren(oldRoot, [oldHead]);
  removeChildren(oldHead, [...links.values()]);
  for (const element of [oldRoot, oldHead]) {
    for (const { name } of [...element.attributes]) element.removeAttribute(name);
  }
  const byNode = new Map<RecordedNode, Element>([...links, [root, oldRoot], [head, oldHead]]);
  return { byNode, links: [...links.values()] };
}

/** The links of the previous page that are the same in the head of the recorded one, in the same order. */
function findLinks(
  [, , nodes]: RecordedElement,
  oldHead: HTMLHeadElement,
  sheets: readonly string[],
): Map<RecordedNode, HTMLLinkElement> {
  const { taskwrightLinks = [] } = globalThis as { taskwrightLinks?: readonly HTMLLinkElement[] };
  let candidates = taskwrightLinks.filter(
    (link) => link.parentNode === oldHead && link.sheet?.href === link.href && sheets.includes(link.href),
  );
  const links = new Map<RecordedNode, HTMLLinkElement>();
  for (const node of nodes.filter(isElement('link'))) {
    const at = node.length > 3 ? -1 : candidates.findIndex((link) => hasAttributes(link, node[1]));
    const link = candidates[at];
    if (link === undefined) continue;
    links.set(node, link);
    candidates = candidates.slice(at + 1);
  }
  return links;
}

function removeChildren(parent: Node, except: readonly Node[]): void {
  for (const child of [...plain(parent).childNodes]) if (!except.includes(child)) child.remove();
}

function isElement(tag: string): (node: RecordedNode) => node is RecordedElement {
  return (node): node is RecordedElement =>
    typeof node !== 'string' && !('comment' in node) && node[0] === tag && node[3]?.ns === undefined;
}

function hasAttributes(element: Element, attributes: readonly string[]): boolean {
  const own = [...element.attributes].flatMap(({ name, value }) => [name, value]);
  return own.length === attributes.length && own.every((text, index) => text === attributes[index]);
}
