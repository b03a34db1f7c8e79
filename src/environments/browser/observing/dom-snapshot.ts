import type { DomNode } from './bids.ts';

/** The part of CDP's `DOMSnapshot.captureSnapshot` that is used here: tables of numbers, with strings by index. */
export interface DomSnapshot {
  readonly strings: readonly string[];
  readonly documents: readonly {
    readonly frameId: number;
    readonly nodes: {
      readonly parentIndex?: readonly number[];
      readonly nodeType?: readonly number[];
      readonly nodeName?: readonly number[];
      readonly nodeValue?: readonly number[];
      readonly backendNodeId?: readonly number[];
      readonly attributes?: readonly (readonly number[])[];
      /** What is typed into an input and into a text area, and which inputs are checked and options chosen. */
      readonly inputValue?: { readonly index: readonly number[]; readonly value: readonly number[] };
      readonly textValue?: { readonly index: readonly number[]; readonly value: readonly number[] };
      readonly inputChecked?: { readonly index: readonly number[] };
      readonly optionSelected?: { readonly index: readonly number[] };
      readonly shadowRootType?: { readonly index: readonly number[]; readonly value: readonly number[] };
      readonly contentDocumentIndex?: { readonly index: readonly number[]; readonly value: readonly number[] };
    };
  }[];
}

type ShadowRootType = NonNullable<DomNode['shadowRootType']>;

/** A node whose tree is being built. */
interface Node extends DomNode {
  readonly children: Node[];
  readonly shadowRoots: Node[];
  shadowRootType?: ShadowRootType;
  contentDocument?: Node;
  frameId?: string;
}

/**
 * Builds the tree of a snapshot: everything that is drawn, without parts of controls. This is faster than CDP's
 * `DOM.getDocument`, and not limited in depth.
 */
export function documentOf(snapshot: DomSnapshot): DomNode {
  const text = (index: number | undefined): string => snapshot.strings[index ?? -1] ?? '';
  const documents = snapshot.documents.map(({ nodes }) => {
    const all: Node[] = (nodes.backendNodeId ?? []).map((backendNodeId, i) => ({
      nodeType: nodes.nodeType?.[i] ?? 0,
      backendNodeId,
      localName: text(nodes.nodeName?.[i]).toLowerCase(),
      nodeValue: text(nodes.nodeValue?.[i]),
      attributes: (nodes.attributes?.[i] ?? []).map(text),
      children: [],
      shadowRoots: [],
    }));
    nodes.shadowRootType?.index.forEach((i, at) => {
      const node = all[i];
      if (node) node.shadowRootType = text(nodes.shadowRootType?.value[at]) as ShadowRootType;
    });
    all.forEach((node, i) => {
      const parent = all[nodes.parentIndex?.[i] ?? -1];
      if (!parent) return;
      // A node in a shadow root with a parent outside of it is a child of the root.
      if (node.shadowRootType === undefined || node.shadowRootType === parent.shadowRootType)
        parent.children.push(node);
      else {
        const root = parent.shadowRoots.find((one) => one.shadowRootType === node.shadowRootType);
        if (root) root.children.push(node);
        else {
          const own = { nodeType: 11, localName: '', attributes: [], children: [node], shadowRoots: [] };
          parent.shadowRoots.push({ ...node, ...own });
        }
      }
    });
    return all;
  });
  snapshot.documents.forEach(({ nodes }, at) => {
    nodes.contentDocumentIndex?.index.forEach((i, place) => {
      const inner = nodes.contentDocumentIndex?.value[place];
      const host = documents[at]?.[i];
      const root = inner === undefined ? undefined : documents[inner]?.[0];
      if (!host || !root || inner === undefined) return;
      host.contentDocument = root;
      host.frameId = text(snapshot.documents[inner]?.frameId);
    });
  });
  const root = documents[0]?.[0];
  if (!root) throw new Error('the browser gave no document');
  return root;
}
