/// <reference lib="dom" />
import type { FrameView, PageText, ReadOptions } from '../page-text.ts';
import { plain } from '../plain.ts';
import { isMostlySeen, isSeen } from './clip.ts';
import { frameView } from './frame-view.ts';
import type { Matrix } from './geometry.ts';
import { readField, readSelect } from './read-fields.ts';
import { readTextNode } from './read-text-node.ts';
import { readUse } from './read-use.ts';
import { ReadingContext } from './reading-context.ts';
import { type State, stateOf } from './state.ts';
import { htmlTag, svgTag } from './tag.ts';
import { viewportClips } from './viewport.ts';

/** The frame of a document that is not in one. */
const TOP: FrameView = { rect: null, scrolls: true, alpha: 1, scale: 1, isOnBack: false };

const FRAMES = new Set(['iframe', 'frame', 'object', 'embed']);
const UNREAD = new Set(['script', 'style', 'template', 'noscript', 'head']);
/** Elements whose texts are noted with the elements in them, or not as lines. */
const AROUND = new Set(['html', 'body', 'main', 'input', 'textarea', 'select', 'iframe', 'frame', 'object']);

/** A reading of a page, in pieces. */
export interface TextReading {
  /** Continues for about so many milliseconds. Returns the texts once everything is read, else null. */
  advance(ms: number): PageText | null;
}

/** Reads a page in one piece; see `beginReading`. */
export function readText(roots: readonly Element[] | null, options: ReadOptions): PageText {
  return beginReading(roots, options).advance(Number.POSITIVE_INFINITY) as PageText;
}

/**
 * Begins to read what a user who scrolls can read on a page. `roots` null: the whole document; else the texts of these
 * elements, one each.
 *
 * Text counts where it is rendered: has a box, is not hidden, transparent, clipped to nothing or outside of the area that
 * can be scrolled to. It keeps the case of the source. Values of text fields (no passwords) and selected options count, open
 * shadow roots and frames of the same origin are walked; frames of other origins are left for the caller in `frames`.
 * Whatever a page contains, the rest of it is read: an element that cannot be judged is judged as the elements around it.
 */
export function beginReading(roots: readonly Element[] | null, options: ReadOptions): TextReading {
  return new TextReader(roots, options);
}

class TextReader implements TextReading {
  readonly #roots: readonly Element[] | null;
  readonly #rootSet: ReadonlySet<Element>;
  readonly #options: ReadOptions;
  readonly #context: ReadingContext;
  /** The texts of the whole document, and of each root. */
  readonly #page: string[] = [];
  readonly #texts = new Map<Element, string[]>();
  readonly #frames: { readonly element: Element; readonly view: FrameView }[] = [];
  /** What is left to do, the next one last: no recursion, as the depth of a page has no limit. */
  readonly #pending: (() => void)[] = [];

  constructor(roots: readonly Element[] | null, options: ReadOptions) {
    this.#roots = roots;
    this.#rootSet = new Set(roots);
    this.#options = options;
    this.#context = new ReadingContext(options, roots ? [] : [this.#page]);
    const frame = options.frame ?? TOP;
    const { scale } = frame;
    const matrix: Matrix = [scale, 0, 0, 0, scale, 0, 0, 0, 1];
    const documents = roots ? [...new Set(roots.map((root) => plain(root).ownerDocument))] : [document];
    for (const one of documents.reverse()) this.#pending.push(() => this.#readDocument(one, null, frame, matrix));
  }

  advance(ms: number): PageText | null {
    const end = performance.now() + ms;
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
      next();
      if (performance.now() > end && this.#pending.length > 0) return null;
    }
    const elements = this.#frames.map(({ element }) => element);
    const roots = this.#roots;
    if (!roots) Object.defineProperty(globalThis, 'taskwrightFrames', { value: elements, configurable: true });
    const { hiddenTexts, shownElements } = this.#context;
    return {
      texts: roots ? roots.map((root) => (this.#texts.get(root) ?? []).join('')) : [this.#page.join('')],
      hiddenTexts,
      shownElements,
      frames: this.#frames.map(({ view }) => view),
    };
  }

  #readDocument(document: Document, why: string | null, frame: FrameView, matrix: Matrix): void {
    const { documentElement: root, defaultView: window } = plain(document);
    if (!root || !window) return;
    const { flow, fixed } = viewportClips(document, root, window, frame);
    const state = {
      ...{ flow, absolute: flow, fixed, alpha: frame.alpha, matrix },
      ...{ behind: null, isOnBack: frame.isOnBack, isDeep: false, why },
    };
    this.#context.documents.set(document, state);
    this.#readElement(root, state);
  }

  #readElement(element: Element, parent: State): void {
    const context = this.#context;
    const { ownerDocument } = plain(element);
    const { defaultView: window } = plain(ownerDocument);
    if (!window) return;
    const tag = htmlTag(element);
    const drawingTag = svgTag(element);
    if (UNREAD.has(tag) || drawingTag === 'style' || drawingTag === 'script') {
      if (tag === 'head') context.hide(plain(ownerDocument).title, "only in the page's title");
      return;
    }
    const style = window.getComputedStyle(element);
    const { display } = style;
    // The browser shows something else in its place, or a script has removed it since its parent was read.
    if (display === '') {
      context.hide(element.textContent ?? '', 'it is not rendered');
      return;
    }
    const outer = isInTopLayer(element, tag) ? this.#topOf(element, parent) : parent;
    if (display === 'none' && (outer.why !== null || !this.#options.explain)) return;
    const isFrame = FRAMES.has(tag) && !(tag === 'object' && showsChildren(element));
    let state = outer;
    attempt(() => {
      state = stateOf(element, style, window, isFrame, outer);
    });
    this.#beginElement(element, tag, display);
    if (tag === 'input' || tag === 'textarea') readField(element, state, style, context);
    else if (tag === 'select') readSelect(element, state, style, context);
    else if (drawingTag === 'use') readUse(element as SVGUseElement, state, context);
    else if (isFrame) this.#readFrame(element, state, style);
    else {
      if (tag === 'img') context.hide(element.getAttribute('alt') ?? '', 'only as the alternative text of a picture');
      this.#readChildren(element, state, style, tag);
    }
  }

  /** Collects the text of an element until all that is in it has been read. */
  #beginElement(element: Element, tag: string, display: string): void {
    const context = this.#context;
    const { lists } = context;
    const own: string[] = [];
    const isRoot = this.#rootSet.has(element);
    if (isRoot) this.#texts.set(element, own);
    if (isRoot || this.#options.explain) context.lists = [...lists, own];
    const isSeparate = tag === 'br' || !(display === 'contents' || /^(?:inline|ruby)/.test(display));
    if (isSeparate) context.put('\n');
    this.#pending.push(() => {
      if (isSeparate) context.put('\n');
      context.lists = lists;
      if (!isRoot && !AROUND.has(tag)) context.note(element, own.join(''));
    });
  }

  /** Of the elements around it, only one that is not rendered affects an element in the top layer. */
  #topOf(element: Element, parent: State): State {
    const top = this.#context.documents.get(plain(element).ownerDocument);
    return top === undefined || !plain(element).checkVisibility() ? parent : top;
  }

  #readChildren(element: Element, state: State, style: CSSStyleDeclaration, tag: string): void {
    const { shadowRoot, ownerDocument, childNodes } = plain(element);
    let children: ArrayLike<Node> = shadowRoot?.childNodes ?? childNodes;
    if (tag === 'slot' && element.getRootNode() !== ownerDocument) {
      const assignedNodes = (element as HTMLSlotElement).assignedNodes();
      if (assignedNodes.length > 0) children = assignedNodes;
    }
    const isClosed = tag === 'details' && !(element as HTMLDetailsElement).open;
    const inner = isClosed && state.why === null ? { ...state, why: 'inside of a closed <details>' } : state;
    const nodes = Array.from(children);
    const summary = isClosed ? nodes.find((child) => plain(child).nodeName === 'SUMMARY') : undefined;
    for (const child of nodes.reverse()) {
      const { nodeType } = plain(child);
      if (nodeType !== Node.ELEMENT_NODE && nodeType !== Node.TEXT_NODE) continue;
      const around = child === summary ? state : inner;
      this.#pending.push(() => {
        const failure = attempt(() => {
          if (nodeType === Node.TEXT_NODE) readTextNode(child as Text, around, style, element, this.#context);
          else this.#readElement(child as Element, around);
        });
        if (failure !== null) this.#context.hide(plain(child).textContent ?? '', failure);
      });
    }
  }

  #readFrame(element: Element, state: State, style: CSSStyleDeclaration): void {
    const { contentDocument } = element as HTMLIFrameElement;
    // Another process draws a document of another site, as one picture.
    const whyBack = state.isOnBack && contentDocument === null ? 'backface-visibility: hidden' : null;
    const why = state.why ?? whyBack ?? (style.visibility === 'visible' ? null : `visibility: ${style.visibility}`);
    const box = element.getBoundingClientRect();
    const isUpright = Math.abs(state.matrix[1]) + Math.abs(state.matrix[3]) < 1e-6;
    if (why === null && !(isUpright ? isSeen : isMostlySeen)(box, state.flow)) return;
    const inner = this.#options.leavesFrames && this.#rootSet.has(element) ? null : contentDocument;
    const view = frameView(element, state, style, box);
    if (inner && plain(inner).documentElement) this.#readDocument(inner, why, view, state.matrix);
    else if (why === null && this.#frames.length < 100) this.#frames.push({ element, view });
  }
}

/**
 * Does a part of the reading of an element. If that fails, because a page contains something unforeseen, the rest of the page
 * is read. Returns the reason; null if nothing failed.
 */
function attempt(read: () => void): string | null {
  try {
    read();
    return null;
  } catch (error) {
    return `it could not be read (${error})`;
  }
}

/** Whether an element is shown above the page: an open popover or a modal dialog. */
function isInTopLayer(element: Element, tag: string): boolean {
  const canBe = tag === 'dialog' || plain(element).hasAttribute('popover');
  return canBe && plain(element).matches(':modal, :popover-open');
}

/** An object that cannot be shown shows its contents. */
function showsChildren(element: Element): boolean {
  if ((element as HTMLObjectElement).contentDocument !== null) return false;
  const range = plain(plain(element).ownerDocument).createRange();
  range.selectNodeContents(element);
  return range.getClientRects().length > 0;
}

/** How a frame shows its document, given how its own document is shown; null if nothing of it can be seen. */
export function readFrameView(frame: Element, outer: FrameView | null): FrameView | null {
  const { frames } = readText([frame], { explain: false, frame: outer, leavesFrames: true });
  return frames[0] ?? null;
}
