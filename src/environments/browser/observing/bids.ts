import { getOrCreate } from '../../../base/get-or-create.ts';

/** The part of a DOM node from CDP's `DOM.getDocument` with `pierce` that is used here. */
export interface DomNode {
  readonly nodeType: number;
  readonly backendNodeId: number;
  readonly localName: string;
  readonly nodeValue?: string;
  readonly attributes?: readonly string[];
  readonly children?: readonly DomNode[];
  readonly shadowRoots?: readonly DomNode[];
  readonly shadowRootType?: 'user-agent' | 'open' | 'closed';
  readonly contentDocument?: DomNode;
  readonly frameId?: string;
}

/** The document of a page, or of a frame in another process. `target`: the CDP target that it was read from. */
export interface DocumentRoot {
  readonly target: string;
  readonly frameId: string;
  readonly document: DomNode;
}

/** A frame that was found while numbering. `host` is its frame element, null for the page itself. */
export interface NumberedFrame extends DocumentRoot {
  readonly host: { readonly target: string; readonly backendNodeId: number } | null;
}

/** The tags of elements that get an id: the standard HTML tags, as in BrowserGym 0.14. */
const HTML_TAGS = new Set(
  `a abbr acronym address applet area article aside audio b base basefont bdi bdo big blockquote body br button
  canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed
  fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i
  iframe img input ins kbd label legend li link main map mark menu meta meter nav noframes noscript object
  ol optgroup option output p param picture pre progress q rp rt ruby s samp script search section select
  small source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead
  time title tr track tt u ul var video wbr`.split(/\s+/),
);

const LEFT_OUT = new Set(['label', 'tbody']);

interface DocumentNumbers {
  next: number;
  nextFrame: number;
  readonly bids: Map<number, string>;
}

/**
 * Assigns the ids of a page's elements as BrowserGym 0.14 does: numbers in document order from 0 in each document,
 * elements of an open shadow root after their host and before its children, letters for frames. An element keeps its id
 * as long as its document exists, and a new element gets the next number. Elements are identified by their backend node
 * id.
 */
export class ElementNumbers {
  readonly #documents = new Map<string, DocumentNumbers>();
  #byBid = new Map<string, { backendNodeId: number; target: string }>();
  #byNode = new Map<string, { bid: string; own: boolean }>();
  #left = new Map<string, DomNode>();

  /** Numbers the elements of a page, whose main document comes first. Returns all frames, for reading their trees. */
  update(roots: readonly DocumentRoot[]): readonly NumberedFrame[] {
    this.#byBid = new Map();
    this.#byNode = new Map();
    this.#left = new Map();
    const remote = new Map(roots.slice(1).map((root) => [root.frameId, root]));
    const frames: NumberedFrame[] = [];
    const live = new Set<string>();
    const pending: (DocumentRoot & { host: NumberedFrame['host']; prefix: string | null })[] = [];
    if (roots[0]) pending.push({ ...roots[0], host: null, prefix: '' });
    for (let next = pending.shift(); next; next = pending.shift()) {
      const { target, frameId, document, prefix } = next;
      frames.push({ target, frameId, host: next.host, document });
      const key = `${target} ${document.backendNodeId} ${prefix}`;
      live.add(key);
      for (const { node, bid } of this.#number(key, target, document, prefix)) {
        const host = { target, backendNodeId: node.backendNodeId };
        const inner = prefix === null || withoutScripts(node) ? null : bid;
        const away = node.frameId === undefined ? undefined : remote.get(node.frameId);
        if (node.contentDocument) {
          pending.push({ target, frameId: node.frameId ?? '', document: node.contentDocument, host, prefix: inner });
        } else if (away) pending.push({ ...away, host, prefix: inner });
      }
    }
    for (const key of this.#documents.keys()) if (!live.has(key)) this.#documents.delete(key);
    return frames;
  }

  /** Numbers the elements of one document (none if `prefix` is null) and returns its frame elements. */
  #number(key: string, target: string, document: DomNode, prefix: string | null): { node: DomNode; bid: string }[] {
    const numbers = getOrCreate(this.#documents, key, () => ({ next: 0, nextFrame: 0, bids: new Map() }));
    const frames: { node: DomNode; bid: string }[] = [];
    for (const node of elementsOf(document)) {
      if (!HTML_TAGS.has(node.localName)) continue;
      const frame = node.localName === 'iframe' || node.localName === 'frame';
      if (prefix === null) {
        if (frame) frames.push({ node, bid: '' });
        continue;
      }
      const createBid = (): string => prefix + (frame ? frameLetters(numbers.nextFrame++) : String(numbers.next++));
      const bid = getOrCreate(numbers.bids, node.backendNodeId, createBid);
      this.#byBid.set(bid, { backendNodeId: node.backendNodeId, target });
      this.#byNode.set(`${target} ${node.backendNodeId}`, { bid, own: true });
      if (frame) frames.push({ node, bid });
      if (LEFT_OUT.has(node.localName)) this.#left.set(`${target} ${node.backendNodeId}`, node);
      if (node.localName !== 'input') continue;
      for (const root of node.shadowRoots ?? []) {
        if (root.shadowRootType === 'user-agent') this.#inherit(target, root, bid);
      }
    }
    return frames;
  }

  /** The id of a node. `own`: without the id that a part of a browser-drawn control inherits from its host. */
  bidOf(target: string, backendNodeId: number, own = false): string | undefined {
    const entry = this.#byNode.get(`${target} ${backendNodeId}`);
    return entry && (entry.own || !own) ? entry.bid : undefined;
  }

  /** The DOM node of an element that Chromium may leave out of its tree: a label, a table's body. */
  leftOut(target: string, backendNodeId: number): DomNode | undefined {
    return this.#left.get(`${target} ${backendNodeId}`);
  }

  /** The node that had this id when the page was last numbered. */
  find(bid: string): { readonly backendNodeId: number; readonly target: string } | undefined {
    return this.#byBid.get(bid);
  }

  /** Parts of an input that the browser draws (the fields of a date, a button) inherit the input's id. */
  #inherit(target: string, root: DomNode, bid: string): void {
    const stack: DomNode[] = [root];
    for (let node = stack.pop(); node; node = stack.pop()) {
      if (node.nodeType === 1) this.#byNode.set(`${target} ${node.backendNodeId}`, { bid, own: false });
      stack.push(...(node.children ?? []), ...(node.shadowRoots ?? []));
    }
  }
}

/** The elements of one document: an open shadow root's after their host, before the host's children. */
function* elementsOf(document: DomNode): Generator<DomNode> {
  const stack: DomNode[] = [...(document.children ?? [])].reverse();
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.nodeType === 1) yield node;
    const open = (node.shadowRoots ?? []).filter((root) => root.shadowRootType === 'open');
    for (const child of [...(node.children ?? [])].reverse()) stack.push(child);
    for (const root of open.reverse()) stack.push(...[...(root.children ?? [])].reverse());
  }
}

/** Whether scripts are disabled in a frame. As in BrowserGym, such frames get no ids. */
function withoutScripts(frame: DomNode): boolean {
  const attributes = frame.attributes ?? [];
  for (let i = 0; i + 1 < attributes.length; i += 2) {
    if (attributes[i] === 'sandbox') return !(attributes[i + 1] ?? '').split(/\s+/).includes('allow-scripts');
  }
  return false;
}

/** `a` ... `z`, `aA`, `aB`, ...: all letters but the first are uppercase. */
export function frameLetters(index: number): string {
  let letters = '';
  let rest = index;
  while (rest >= 26) {
    letters = String.fromCharCode(65 + (rest % 26)) + letters;
    rest = Math.floor(rest / 26) - 1;
  }
  return String.fromCharCode(97 + rest) + letters;
}
