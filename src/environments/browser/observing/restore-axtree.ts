import type { AxNode } from './axtree.ts';
import type { DomNode } from './bids.ts';

const TABLES = new Set(['table', 'grid', 'treegrid']);

/**
 * Restores nodes that Chromium leaves out of the accessibility tree: labels of fields, and plain table bodies.
 * BrowserGym prints them, because Chromium keeps elements with the attributes that BrowserGym adds to the page. Here
 * the page is not changed. `element` returns the DOM node of a label or a table body.
 */
export function restoreLeftOut(
  nodes: readonly AxNode[],
  element: (backendNodeId: number) => DomNode | undefined,
): AxNode[] {
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const replacements = new Map<string, AxNode>();
  const additions: AxNode[] = [];
  for (const node of nodes) {
    if (!node.ignored || node.backendDOMNodeId === undefined) continue;
    const dom = element(node.backendDOMNodeId);
    if (dom?.localName === 'tbody') {
      const parent = byId.get(node.parentId ?? '');
      if (TABLES.has(String(parent?.role?.value ?? '')))
        replacements.set(node.nodeId, makeVisible(node, 'rowgroup', ''));
    } else if (dom?.localName === 'label' && labels(node)) {
      replacements.set(node.nodeId, makeVisible(node, 'LabelText', ''));
      for (const inner of ignoredBelow(node, byId)) {
        const text = textOf(dom, inner.backendDOMNodeId);
        if (text === null || text.trim() === '') continue;
        const box = `${inner.nodeId} text`;
        replacements.set(inner.nodeId, { ...makeVisible(inner, 'StaticText', text), childIds: [box] });
        additions.push({ nodeId: box, role: { value: 'InlineTextBox' }, name: { value: text }, childIds: [] });
      }
    }
  }
  if (replacements.size === 0) return [...nodes];
  return [...nodes.map((node) => replacements.get(node.nodeId) ?? node), ...additions];
}

function makeVisible(node: AxNode, role: string, name: string): AxNode {
  return { ...node, ignored: false, role: { value: role }, name: { value: name } };
}

/** Whether an element is left out because it labels a field. */
function labels(node: AxNode): boolean {
  return (node.ignoredReasons ?? []).some(({ name }) => name === 'labelFor' || name === 'labelContainer');
}

/** The nodes below that are left out with this one. */
function* ignoredBelow(node: AxNode, byId: ReadonlyMap<string, AxNode>): Generator<AxNode> {
  for (const id of node.childIds ?? []) {
    const child = byId.get(id);
    if (!child?.ignored) continue;
    yield child;
    yield* ignoredBelow(child, byId);
  }
}

/** The text of a text node below an element, with white space folded; null for other nodes. */
function textOf(element: DomNode, backendNodeId: number | undefined): string | null {
  for (const child of element.children ?? []) {
    if (child.nodeType === 3) {
      if (child.backendNodeId === backendNodeId) return (child.nodeValue ?? '').replace(/[ \t\r\n\f]+/g, ' ');
    } else {
      const inner = textOf(child, backendNodeId);
      if (inner !== null) return inner;
    }
  }
  return null;
}
