/// <reference lib="dom" />
import { plain } from '../../../../functions/page/plain.ts';
import type { RecordedDocument, RecordedElement, RecordedMore, RecordedNode } from '../../../recorded.ts';
import { type Capture, StyleSheets } from './capture-styles.ts';

/** The result of `captureDocument`, besides the document itself. */
export interface Captured {
  readonly title: string;
  readonly gaps: readonly string[];
  /** Style sheets that were not returned before, by name. */
  readonly styles: Readonly<Record<string, string>>;
  /** The number of frames of other sites, which are read separately. `taskwrightFrames` has their elements. */
  readonly frames: number;
}

const HTML = 'http://www.w3.org/1999/xhtml';
const NAMESPACES: Readonly<Record<string, string>> = {
  'http://www.w3.org/2000/svg': 'svg',
  'http://www.w3.org/1998/Math/MathML': 'math',
};
const MAX_PIXELS = 4_000_000;

/**
 * Runs in our isolated world, once per document, and returns a function that records the document. That function
 * returns the document and additional facts, both as JSON. `prefix`: the prefix for names of its style sheets, which is
 * unique among the documents of a task.
 */
export function captureDocument(prefix: string): () => readonly [document: string, rest: string] {
  const sheets = new StyleSheets(prefix);
  const scrolling = new ScrolledElements();
  return () => {
    const recorder = new TreeRecorder(sheets, scrolling);
    const recordedDocument = recorder.recordDocument(document);
    const { gaps, styles, frames } = recorder;
    Object.assign(globalThis, { taskwrightFrames: frames });
    const facts: Captured = { title: plain(document).title, gaps: [...gaps], styles, frames: frames.length };
    return [JSON.stringify(recordedDocument), JSON.stringify(facts)];
  };
}

/** The scrolled elements of documents and shadow roots, tracked by events, because checking every element is slow. */
class ScrolledElements {
  readonly #roots = new WeakSet<Node>();
  readonly #elements = new WeakSet<Node>();

  watch(root: Document | ShadowRoot): void {
    if (this.#roots.has(root)) return;
    this.#roots.add(root);
    const onScroll = ({ target }: Event): unknown => this.#elements.add(target as Node);
    plain(root).addEventListener('scroll', onScroll, { capture: true, passive: true });
    for (const element of plain(root).querySelectorAll('*')) {
      const { scrollTop, scrollLeft } = plain(element);
      if (scrollTop !== 0 || scrollLeft !== 0) this.#elements.add(element);
    }
  }

  has(element: Element): boolean {
    return this.#elements.has(element);
  }
}

/** Records a document with its frames of the same site. */
class TreeRecorder implements Capture {
  readonly gaps = new Set<string>();
  readonly styles: Record<string, string> = {};
  readonly frames: Element[] = [];
  readonly #sheets: StyleSheets;
  readonly #scrolling: ScrolledElements;

  constructor(sheets: StyleSheets, scrolling: ScrolledElements) {
    this.#sheets = sheets;
    this.#scrolling = scrolling;
  }

  recordDocument(root: Document): RecordedDocument {
    this.#scrolling.watch(root);
    const sheetNames: Record<string, string> = {};
    const { URL: url, doctype, compatMode, scrollingElement, defaultView } = plain(root);
    const children = this.#recordNodes(root, sheetNames);
    const names = this.#sheets.adoptedNames(plain(root), sheetNames, this);
    const storage = defaultView === null ? undefined : storageOf(defaultView);
    const { scrollLeft = 0, scrollTop = 0 } = scrollingElement ?? {};
    return {
      url,
      doctype: doctype && [doctype.name, doctype.publicId, doctype.systemId],
      quirks: compatMode !== 'CSS1Compat',
      children,
      ...(scrollLeft !== 0 || scrollTop !== 0 ? { scroll: [scrollLeft, scrollTop] } : {}),
      ...(names.length > 0 ? { sheets: names } : {}),
      ...(Object.keys(sheetNames).length > 0 ? { linked: sheetNames } : {}),
      ...(storage === undefined ? {} : { storage }),
    };
  }

  #recordNodes(parent: ParentNode, sheetNames: Record<string, string>): RecordedNode[] {
    const nodes: RecordedNode[] = [];
    for (let node = plain(parent).firstChild; node; node = plain(node).nextSibling) {
      const { nodeType } = plain(node);
      if (nodeType === Node.ELEMENT_NODE) nodes.push(this.#recordElement(node as Element, sheetNames));
      else if (nodeType === Node.COMMENT_NODE) nodes.push({ comment: node.nodeValue ?? '' });
      else if (nodeType !== Node.DOCUMENT_TYPE_NODE) nodes.push(node.nodeValue ?? '');
    }
    return nodes;
  }

  #recordElement(node: Element, sheetNames: Record<string, string>): RecordedElement {
    const element = plain(node);
    const isHtml = element.namespaceURI === HTML;
    const more: RecordedMore = isHtml
      ? this.#stateOf(element, sheetNames)
      : { ns: NAMESPACES[element.namespaceURI ?? ''] ?? element.namespaceURI ?? '' };
    if (element.shadowRoot) more.shadow = this.#recordShadow(element.shadowRoot, sheetNames);
    if (isHtml && element.hasAttribute('popover') && element.matches(':popover-open')) more.popover = true;
    if (this.#scrolling.has(node) && (element.scrollTop !== 0 || element.scrollLeft !== 0)) {
      more.scroll = [element.scrollLeft, element.scrollTop];
    }
    const { activeElement } = plain(element.getRootNode() as Document | ShadowRoot);
    if (activeElement === node && node !== plain(element.ownerDocument).body) more.focus = true;
    const attributes = Array.from(element.attributes).flatMap(({ name, value }) => [name, value]);
    const children = this.#recordNodes(node, sheetNames);
    const hasMore = Object.keys(more).length > 0;
    return hasMore ? [element.localName, attributes, children, more] : [element.localName, attributes, children];
  }

  #recordShadow(root: ShadowRoot, sheetNames: Record<string, string>): NonNullable<RecordedMore['shadow']> {
    this.#scrolling.watch(root);
    const names = this.#sheets.adoptedNames(root, sheetNames, this);
    return {
      children: this.#recordNodes(root, sheetNames),
      ...(names.length > 0 ? { sheets: names } : {}),
      ...(root.delegatesFocus ? { delegatesFocus: true } : {}),
      ...(root.slotAssignment === 'manual' ? { manual: true } : {}),
    };
  }

  /** The state of an HTML element that its markup does not express. */
  #stateOf(element: Element, sheetNames: Record<string, string>): RecordedMore {
    switch (element.localName) {
      case 'input':
        return stateOfInput(element as HTMLInputElement);
      case 'textarea': {
        const { value, defaultValue } = element as HTMLTextAreaElement;
        return value === defaultValue ? {} : { value };
      }
      case 'select':
        return { selected: Array.from((element as HTMLSelectElement).selectedOptions, ({ index }) => index) };
      case 'style':
      case 'link':
        return this.#sheets.stateOf(element as HTMLStyleElement | HTMLLinkElement, sheetNames, this);
      case 'canvas':
        return this.#stateOfCanvas(element as HTMLCanvasElement);
      case 'img': {
        const { naturalWidth, naturalHeight, currentSrc } = element as HTMLImageElement;
        return naturalWidth === 0 || currentSrc.startsWith('data:') ? {} : { image: [naturalWidth, naturalHeight] };
      }
      case 'iframe':
      case 'frame':
        return this.#stateOfFrame(element as HTMLIFrameElement);
      case 'template':
        return { template: this.#recordNodes((element as HTMLTemplateElement).content, sheetNames) };
      case 'dialog':
        return element.matches(':modal') ? { modal: true } : {};
      case 'video':
      case 'audio':
      case 'object':
      case 'embed':
        this.gaps.add(`what <${element.localName}> shows`);
        return {};
      default:
        return {};
    }
  }

  #stateOfCanvas(canvas: HTMLCanvasElement): RecordedMore {
    const pixels = canvas.width * canvas.height;
    if (pixels === 0) return {};
    try {
      if (pixels <= MAX_PIXELS) return { canvas: canvas.toDataURL() };
      this.gaps.add('the picture of a large canvas');
    } catch {
      this.gaps.add('a canvas with pictures of another site');
    }
    return {};
  }

  #stateOfFrame(frame: HTMLIFrameElement): RecordedMore {
    // Null for a document of another site.
    const { contentDocument } = frame;
    if (contentDocument && plain(contentDocument).documentElement) {
      return { frame: this.recordDocument(contentDocument) };
    }
    this.frames.push(frame);
    return { remote: this.frames.length - 1 };
  }
}

function stateOfInput(input: HTMLInputElement): RecordedMore {
  const more: RecordedMore = {};
  if (input.type === 'file') {
    if (input.files && input.files.length > 0) more.files = Array.from(input.files, (file) => file.name);
  } else if (input.type === 'checkbox' || input.type === 'radio') {
    if (input.checked !== input.defaultChecked) more.checked = input.checked;
    if (input.indeterminate) more.indeterminate = true;
  } else if (input.value !== input.defaultValue) more.value = input.value;
  return more;
}

function storageOf(window: Window): RecordedDocument['storage'] {
  try {
    const { localStorage, sessionStorage } = window;
    return localStorage.length + sessionStorage.length === 0
      ? undefined
      : { local: { ...localStorage }, session: { ...sessionStorage } };
  } catch {
    return undefined; // A page without an origin has none.
  }
}
