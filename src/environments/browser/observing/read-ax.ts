import type { CDPSession } from 'playwright-core';
import type { AxNode } from './axtree.ts';
import type { DomNode } from './bids.ts';

/** The accessibility tree of a document. The first node is the root. */
export interface AxTree {
  readonly nodes: readonly AxNode[];
  /** Whether the document is so large that only its beginning was read. */
  readonly isCut: boolean;
}

/**
 * The tree of a document with more nodes is read in pieces, and only its beginning: the browser needs some 50 µs for a node, and
 * does nothing else meanwhile, such as answering an evaluate call. Counted in nodes, so that the same page gives the same text.
 */
const LARGE = 80_000;
const MAX_NODES = 20_000;
/** Each piece is a request, which costs as much as 10 nodes. */
const MAX_PIECES = 2_000;
const PIECE_NODES = 2_000;
const PIECES_AT_ONCE = 50;

/** Reads the tree of a document. `frameId`: of a frame in the process of its parent. */
export async function readAx(session: CDPSession, document: DomNode, frameId?: string): Promise<AxTree> {
  return isLarge(document) ? readBeginning(session, document) : readWholeAx(session, frameId);
}

/** Reads the whole tree of a document that is known not to be large. */
export async function readWholeAx(session: CDPSession, frameId?: string): Promise<AxTree> {
  const { nodes } = await session.send('Accessibility.getFullAXTree', frameId === undefined ? {} : { frameId });
  return { nodes, isCut: false };
}

async function readBeginning(session: CDPSession, document: DomNode): Promise<AxTree> {
  const nodes = new Map<string, AxNode>();
  let pieces: Promise<AxNode[]>[] = [];
  let count = 0;
  for (const { node, isWhole } of piecesOf(document)) {
    pieces.push(readPiece(session, node, isWhole));
    count += 1;
    if (pieces.length < PIECES_AT_ONCE) continue;
    for (const one of (await Promise.all(pieces)).flat()) nodes.set(one.nodeId, one);
    pieces = [];
    if (nodes.size >= MAX_NODES || count >= MAX_PIECES) return { nodes: [...nodes.values()], isCut: true };
  }
  for (const one of (await Promise.all(pieces)).flat()) nodes.set(one.nodeId, one);
  return { nodes: [...nodes.values()], isCut: false };
}

/** A node that is removed meanwhile has no tree. */
async function readPiece(session: CDPSession, { backendNodeId }: DomNode, isWhole: boolean): Promise<AxNode[]> {
  const answer = isWhole
    ? session.send('Accessibility.queryAXTree', { backendNodeId })
    : session.send('Accessibility.getPartialAXTree', { backendNodeId, fetchRelatives: false });
  return answer.then(
    ({ nodes }) => nodes,
    () => [],
  );
}

/** The pieces of a document in its order: whole nodes, and nodes without their content if that is too large. */
function* piecesOf(document: DomNode): Generator<{ readonly node: DomNode; readonly isWhole: boolean }> {
  const sizes = sizesIn(document);
  const stack = [document];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const isWhole = (sizes.get(node) ?? 0) <= PIECE_NODES;
    // A shadow root is not a node of the tree.
    if (node.nodeType !== 11) yield { node, isWhole };
    if (!isWhole) for (const inner of innerNodes(node).reverse()) stack.push(inner);
  }
}

export function isLarge(document: DomNode): boolean {
  const stack = [document];
  let count = 0;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    count += 1;
    if (count > LARGE) return true;
    for (const inner of node.children ?? []) stack.push(inner);
    for (const inner of node.shadowRoots ?? []) stack.push(inner);
  }
  return false;
}

/** The number of nodes in each node, with itself. */
function sizesIn(document: DomNode): ReadonlyMap<DomNode, number> {
  const order = [document];
  for (const node of order) for (const inner of innerNodes(node)) order.push(inner);
  const sizes = new Map<DomNode, number>();
  for (const node of order.reverse()) {
    sizes.set(
      node,
      innerNodes(node).reduce((sum, inner) => sum + (sizes.get(inner) ?? 0), 1),
    );
  }
  return sizes;
}

/** The children of a node. Comments and the document type are not a part of the tree. */
function innerNodes({ shadowRoots = [], children = [] }: DomNode): DomNode[] {
  return [...shadowRoots, ...children].filter(({ nodeType }) => nodeType === 1 || nodeType === 3 || nodeType === 11);
}
