import type { CDPSession } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { DomNode } from '../../../src/environments/browser/observing/bids.ts';
import { readAx } from '../../../src/environments/browser/observing/read-ax.ts';

let id = 0;

/** A document whose body has so many paragraphs, each with a text. */
function documentOf(paragraphs: number): DomNode {
  const node = (nodeType: number, localName: string, children: readonly DomNode[] = []): DomNode => ({
    nodeType,
    backendNodeId: ++id,
    localName,
    children,
  });
  const body = node(1, 'body', [node(8, ''), ...Array.from({ length: paragraphs }, () => node(1, 'p', [node(3, '')]))]);
  return node(9, '', [node(10, ''), node(1, 'html', [body])]);
}

interface Request {
  readonly method: string;
  readonly backendNodeId: number | undefined;
}

/** A session that answers with one node for a single element, with 8 for a whole one, and with `all` for a document. */
function sessionOf(requests: Request[]): CDPSession {
  const send = async (method: string, params: { backendNodeId?: number } = {}) => {
    const { backendNodeId } = params;
    requests.push({ method, backendNodeId });
    if (method === 'Accessibility.getFullAXTree') return { nodes: [{ nodeId: 'all' }] };
    const count = method === 'Accessibility.queryAXTree' ? 8 : 1;
    return { nodes: Array.from({ length: count }, (_, index) => ({ nodeId: `${backendNodeId}.${index}` })) };
  };
  return { send } as unknown as CDPSession;
}

describe('the accessibility tree', () => {
  it('of most documents is read at once', async () => {
    const requests: Request[] = [];
    const tree = await readAx(sessionOf(requests), documentOf(1_000));
    expect(tree).toEqual({ nodes: [{ nodeId: 'all' }], isCut: false });
    expect(requests).toHaveLength(1);
  });

  it('of a huge document is read in pieces in its order, only its beginning, the same each time', async () => {
    const document = documentOf(50_000);
    const requests: Request[] = [];
    const tree = await readAx(sessionOf(requests), document);
    expect(tree.isCut).toBe(true);
    expect(tree.nodes[0]?.nodeId).toBe(`${document.backendNodeId}.0`);
    expect(tree.nodes.length).toBeLessThan(30_000);
    expect(requests.length).toBeLessThan(5_000);
    // Document, root, and body alone, then whole paragraphs.
    expect(requests.slice(0, 5).map(({ method }) => method)).toEqual([
      ...Array<string>(3).fill('Accessibility.getPartialAXTree'),
      ...Array<string>(2).fill('Accessibility.queryAXTree'),
    ]);
    const paragraphs = requests.slice(3).map(({ backendNodeId = 0 }) => backendNodeId);
    expect(paragraphs).toEqual(paragraphs.toSorted((a, b) => a - b));
    expect(await readAx(sessionOf([]), document)).toEqual(tree);
  });

  it('of a large document is complete if its pieces have few nodes in the tree', async () => {
    const document = documentOf(500);
    const hosts = Array.from({ length: 100 }, () => documentOf(500).children?.[1] as DomNode);
    const tree = await readAx(sessionOf([]), { ...document, children: hosts });
    expect(tree.isCut).toBe(false);
    expect(tree.nodes).toHaveLength(1 + 100 * 8);
  });
});
