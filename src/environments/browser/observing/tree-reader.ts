import type { CDPSession, Frame } from 'playwright-core';
import { runsScript } from '../pages/running-script.ts';
import type { Tab } from '../pages/tab.ts';
import { type AxNode, printTree } from './axtree.ts';
import type { DocumentRoot, DomNode, NumberedFrame } from './bids.ts';
import { documentOf } from './dom-snapshot.ts';
import { prunedHtml } from './pruned-html.ts';
import { isLarge, readAx, readWholeAx } from './read-ax.ts';
import { restoreLeftOut } from './restore-axtree.ts';

/** Roles of parts of browser-drawn controls that are meaningless to agents. */
const MEANINGLESS = new Set(['generic', 'none', 'StaticText', 'InlineTextBox', 'LineBreak', 'LabelText']);

/** Reads a tab's documents and accessibility trees over its CDP session and those of frames in other processes. */
export class TreeReader {
  readonly #tab: Tab;
  readonly #remote = new Map<Frame, { readonly session: CDPSession; readonly frameId: string }>();

  #plain = false;
  /** Whether the page has a closed shadow root, when it was last read or, during a reading, as soon as that is known. */
  hidesShadow: Promise<boolean> = Promise.resolve(false);
  /** The id of the element that had the focus when the page was last read; the body's if no other had it. */
  focusedBid = '';
  /** The number of the tab's document that was not large when it was last read. */
  #smallDocument: number | null = null;

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  /** Whether the page, when last read, was a single document without frames and open shadow roots. */
  get plain(): boolean {
    return this.#plain && this.#tab.page.frames().length <= 1;
  }

  /** Reads the text and the title of the page, and numbers its elements. */
  async read(): Promise<{ readonly text: string; readonly title: string }> {
    const { page, cdp, frameId, numbers } = this.#tab;
    this.#plain = false;
    if (page.frames().length <= 1) {
      const { documents } = this.#tab;
      // The tree is requested together with the document, unless it may be too large.
      const [document, whole] = await Promise.all([
        this.#lookForShadow(readDocument(cdp), (read) => [read]),
        this.#smallDocument === documents ? readWholeAx(cdp) : null,
      ]);
      this.#smallDocument = isLarge(document) ? null : documents;
      const { nodes, isCut } = whole ?? (await readAx(cdp, document));
      this.#plain = !hasShadow(document);
      numbers.update([{ target: frameId, frameId, document }]);
      const markedNodes = this.#mark(nodes, frameId);
      this.focusedBid = this.#focusedIn(markedNodes, document);
      return { text: textOf(markedNodes, isCut), title: titleOf(nodes) };
    }
    const others = page.frames().slice(1);
    const reading = Promise.all([readDocument(cdp), ...others.map((frame) => this.#readRemote(frame))]);
    const [document, ...remote] = await this.#lookForShadow(reading, ([top, ...inner]) => [
      top,
      ...inner.flatMap((root) => root?.document ?? []),
    ]);
    const roots = [{ target: frameId, frameId, document }, ...remote.filter((root) => root !== null)];
    const trees = await Promise.all(numbers.update(roots).map((frame) => this.#readFrame(frame)));
    const mergedNodes = merge(trees);
    this.focusedBid = this.#focusedIn(mergedNodes, document);
    const isCut = trees.some((tree) => tree.isCut);
    return { text: textOf(mergedNodes, isCut), title: titleOf(trees[0]?.nodes ?? []) };
  }

  /** Lets `hidesShadow` be known as soon as the documents are read. */
  #lookForShadow<T>(reading: Promise<T>, documentsIn: (read: T) => DomNode[]): Promise<T> {
    this.hidesShadow = reading.then(
      (read) => documentsIn(read).some((document) => hasShadow(document, 'closed')),
      () => false,
    );
    return reading;
  }

  /** A focused element in a frame comes after the frame, which has the focus, too. */
  #focusedIn(nodes: readonly AxNode[], document: DomNode): string {
    const focusedBid = nodes.findLast((node) => node.browsergym_id !== undefined && hasFocus(node))?.browsergym_id;
    const body = findInRoot(document, 'body');
    return focusedBid ?? (body && this.#tab.numbers.bidOf(this.#tab.frameId, body.backendNodeId, true)) ?? '';
  }

  /**
   * The HTML of the page as `browsergym_env` prints it. `passwords`: in plain text. `numbered`: the `read` that gives elements
   * their ids. The page is requested together with it, so that both show the same.
   */
  async readHtml(passwords: boolean, numbering: Promise<unknown>): Promise<string> {
    const { cdp, frameId, numbers } = this.#tab;
    const snapshot = cdp.send('DOMSnapshot.captureSnapshot', { computedStyles: [] });
    const [page] = await Promise.all([snapshot, numbering]);
    return prunedHtml(page, { bidOf: (id) => numbers.bidOf(frameId, id, true), passwords });
  }

  /** Whether scripts of the page, or of one of its frames when last read, are running and do not end. */
  async runsScript(): Promise<boolean> {
    const sessions = [this.#tab.cdp, ...[...this.#remote.values()].map(({ session }) => session)];
    return (await Promise.all(sessions.map(runsScript))).includes(true);
  }

  /** The CDP session of a target. */
  session(target: string): CDPSession | undefined {
    if (target === this.#tab.frameId) return this.#tab.cdp;
    return [...this.#remote.values()].find((remote) => remote.frameId === target)?.session;
  }

  async #readFrame(frame: NumberedFrame): Promise<FrameTree> {
    const session = this.session(frame.target);
    try {
      const { nodes, isCut } = session
        ? await readAx(session, frame.document, frame.frameId)
        : { nodes: [], isCut: false };
      return { frame, nodes: this.#mark(nodes, frame.target), isCut };
    } catch (error) {
      if (frame.host === null) throw error;
      // The frame was replaced while it was read. The next observation includes it.
      return { frame, nodes: [], isCut: false };
    }
  }

  #mark(nodes: readonly AxNode[], target: string): AxNode[] {
    const { numbers } = this.#tab;
    return restoreLeftOut(nodes, (id) => numbers.leftOut(target, id)).map((node) => {
      if (node.backendDOMNodeId === undefined) return node;
      const own = MEANINGLESS.has(String(node.role?.value ?? ''));
      const bid = numbers.bidOf(target, node.backendDOMNodeId, own);
      return bid === undefined ? node : { ...node, browsergym_id: bid };
    });
  }

  /** The document of a frame with its own process (of another site); null for other frames. */
  async #readRemote(frame: Frame): Promise<DocumentRoot | null> {
    let remote = this.#remote.get(frame);
    try {
      if (!remote) {
        const session = await this.#tab.page.context().newCDPSession(frame);
        const [{ frameTree }] = await Promise.all([
          session.send('Page.getFrameTree'),
          // The page does not show scroll bars either.
          session.send('Emulation.setScrollbarsHidden', { hidden: true }),
          session.send('Performance.enable'),
        ]);
        remote = { session, frameId: frameTree.frame.id };
        this.#remote.set(frame, remote);
      }
      return { target: remote.frameId, frameId: remote.frameId, document: await readDocument(remote.session) };
    } catch {
      // The frame is in its parent's process, was removed, or moved to another process.
      this.#remote.delete(frame);
      return null;
    }
  }
}

function hasShadow(document: DomNode, type?: 'closed'): boolean {
  const left = [document];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    for (const root of node.shadowRoots ?? []) {
      if (root.shadowRootType === 'user-agent') continue;
      if (type === undefined || root.shadowRootType === type) return true;
      left.push(root);
    }
    left.push(...(node.children ?? []));
  }
  return false;
}

function hasFocus({ properties = [] }: AxNode): boolean {
  return properties.some(({ name, value }) => name === 'focused' && value?.value === true);
}

/** The first child of the root of a document with a name. */
function findInRoot(document: DomNode, name: string): DomNode | undefined {
  const root = document.children?.find(({ localName }) => localName === 'html');
  return root?.children?.find(({ localName }) => localName === name);
}

/** The title of the page, which is the name of the root node. */
function titleOf(nodes: readonly AxNode[]): string {
  return String(nodes[0]?.name?.value ?? '');
}

interface FrameTree {
  readonly frame: NumberedFrame;
  readonly nodes: readonly AxNode[];
  /** Only the beginning of the document was read. */
  readonly isCut: boolean;
}

function textOf(nodes: readonly AxNode[], isCut: boolean): string {
  const text = printTree(nodes);
  return isCut ? `${text}\n… (the page is too large: the rest of it is not shown)` : text;
}

/** Merges the trees of all frames: each frame's tree becomes a child of its frame element. */
function merge(trees: readonly FrameTree[]): AxNode[] {
  const roots = new Map<string, string>();
  trees.forEach(({ frame, nodes }, index) => {
    if (frame.host && nodes[0]) {
      roots.set(`${frame.host.target} ${frame.host.backendNodeId}`, `${index} ${nodes[0].nodeId}`);
    }
  });
  // Node ids are unique only within a tree.
  return trees.flatMap(({ frame, nodes }, index) =>
    nodes.map((node) => {
      const children = (node.childIds ?? []).map((id) => `${index} ${id}`);
      const inner = roots.get(`${frame.target} ${node.backendDOMNodeId}`);
      if (inner !== undefined && node.role?.value === 'Iframe') children.push(inner);
      return { ...node, nodeId: `${index} ${node.nodeId}`, childIds: children };
    }),
  );
}

/** Reads the whole document with open shadow roots and frames. This enables the DOM agent, which is disabled again. */
async function readDocument(session: CDPSession): Promise<DomNode> {
  try {
    const [{ root }] = await Promise.all([
      session.send('DOM.getDocument', { depth: -1, pierce: true }),
      session.send('DOM.disable'),
    ]);
    return root as DomNode;
  } catch (error) {
    // The protocol cannot transfer deeply nested objects. The flat form lists slotted elements elsewhere.
    if (!/stack limit/i.test(String(error))) throw error;
    return documentOf(await session.send('DOMSnapshot.captureSnapshot', { computedStyles: [] }));
  }
}
