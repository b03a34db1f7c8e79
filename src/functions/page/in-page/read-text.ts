/// <reference lib="dom" />
import type { FrameView, HiddenText, PageText, ReadOptions, ShownElement } from '../page-text.ts';
import { plain } from '../plain.ts';
import { areaSeen, isInside, isMostlySeen, isSeen, meet } from './clip.ts';
import { isNarrow, textBox } from './field-text.ts';
import { findReferred, hrefOf } from './find-referred.ts';
import { frameView } from './frame-view.ts';
import { type Matrix, scaleOf, symbolBox } from './geometry.ts';
import { FAINT, groupAlpha, isDrawing, textAlpha } from './paint.ts';
import { type State, stateOf } from './state.ts';
import { asGraphics, htmlTag, svgTag } from './tag.ts';
import { viewportClips } from './viewport.ts';

/** The frame of a document that is not in one. */
const TOP: FrameView = { rect: null, scrolls: true, alpha: 1, scale: 1, isOnBack: false };

type Labelled = HTMLOptionElement | HTMLOptGroupElement;

const FRAMES = new Set(['iframe', 'frame', 'object', 'embed']);

/** A reading of a page, in pieces. */
export interface TextReading {
  /** Reads on for about so many milliseconds. Returns the texts once everything is read, else null. */
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
 * can be scrolled to. It keeps the case of the source. Values of text fields (no passwords) and chosen options count, open
 * shadow roots and frames of the same origin are walked; frames of other origins are left for the caller in `frames`.
 * Whatever a page contains, the rest of it is read: an element that cannot be judged is judged as the elements around it.
 */
export function beginReading(roots: readonly Element[] | null, options: ReadOptions): TextReading {
  const frame = options.frame ?? TOP;
  const wanted = roots && new Set(roots);
  const texts = new Map<Element, string[]>();
  const page: string[] = [];
  let open: string[][] = roots ? [] : [page];
  const hidden: HiddenText[] = [];
  const shown: ShownElement[] = [];
  const frames: { readonly element: Element; readonly view: FrameView }[] = [];
  /** The state of each document, which applies to its top layer too. */
  const tops = new Map<Document, State>();
  /** One per document: each change of a document updates every range in it until that is collected. */
  const ranges = new Map<Document, Range>();
  /** What is left to do, the next one last: no recursion, as the depth of a page has no limit. */
  const pending: (() => void)[] = [];

  function put(text: string): void {
    for (const list of open) list.push(text);
  }

  function hide(text: string, why: string): void {
    if (options.explain && hidden.length < 4000 && /\S/.test(text)) hidden.push({ text: text.slice(0, 2000), why });
  }

  /** Why the text of an element cannot be seen, wherever it is; null where it can. */
  function whyUnseen(element: Element, state: State, style: CSSStyleDeclaration): string | null {
    if (state.why !== null) return state.why;
    if (state.isOnBack) return 'backface-visibility: hidden';
    if (style.visibility !== 'visible') return `visibility: ${style.visibility}`;
    if (state.behind === null && isTransparent(element, state, style)) return 'its text is transparent';
    const masked = style.getPropertyValue('-webkit-text-security');
    if (masked !== '' && masked !== 'none') return 'its characters are masked';
    return Number.parseFloat(style.fontSize) * scaleIn(element, state.matrix) < 1 ? 'it has no size' : null;
  }

  function isTransparent(element: Element, { alpha }: State, style: CSSStyleDeclaration): boolean {
    return textAlpha(element, style) * alpha < FAINT;
  }

  function scaleIn(element: Element, matrix: Matrix): number {
    const graphics = isDrawing(element) ? asGraphics(element) : null;
    if (graphics === null) return scaleOf(matrix);
    const { a, b, c, d } = graphics.getScreenCTM() ?? { a: 1, b: 0, c: 0, d: 1 };
    // It tells of the document alone, and not of the frame around it.
    const around = tops.get(plain(element).ownerDocument);
    return Math.min(Math.hypot(a, b), Math.hypot(c, d)) * (around === undefined ? 1 : scaleOf(around.matrix));
  }

  function readNode(node: Node, state: State, style: CSSStyleDeclaration, parent: Element): void {
    const text = node as Text;
    const content = text.data;
    if (!/\S/.test(content)) {
      // White space for a regular expression, but not for who reads it: U+FEFF.
      if (/[^\ufeff]/.test(content)) put(' ');
      return;
    }
    const why = whyUnseen(parent, state, style);
    if (why !== null) {
      hide(content, why);
      return;
    }
    const document = plain(parent).ownerDocument;
    const range = ranges.get(document) ?? plain(document).createRange();
    ranges.set(document, range);
    range.selectNodeContents(text);
    const all = [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
    const isBeyond = beyondPath(parent);
    const rects = all.filter((rect) => !isBeyond(rect));
    if (rects.length === 0) {
      hide(content, all.length === 0 ? 'it has no size' : 'it is beyond the end of its path');
      return;
    }
    const { behind } = state;
    const clip = behind !== null && isTransparent(parent, state, style) ? meet(state.flow, behind) : state.flow;
    if (rects.length === all.length && rects.every((rect) => isInside(rect, clip))) {
      put(content);
      return;
    }
    if (!rects.some((rect) => isSeen(rect, clip))) {
      hide(content, 'it is clipped, or outside of what can be scrolled to');
      return;
    }
    // A part of it is cut off: each word is judged by itself.
    const pieces = [...content.matchAll(/\s+|\S+/g)].map(({ 0: piece, index }) => {
      if (!/\S/.test(piece)) return { piece, isShown: true };
      range.setStart(text, index);
      range.setEnd(text, index + piece.length);
      let area = 0;
      let visible = 0;
      for (const rect of range.getClientRects()) {
        area += rect.width * rect.height;
        if (!isBeyond(rect)) visible += areaSeen(rect, clip);
      }
      return { piece, isShown: area > 0 && visible >= area / 2 };
    });
    if (!pieces.some(({ piece, isShown }) => isShown && /\S/.test(piece))) {
      hide(content, 'it is cut off');
      return;
    }
    for (const { piece, isShown } of pieces) {
      if (isShown) put(piece);
      else hide(piece, 'it is cut off');
    }
  }

  /** Which characters of an element are not drawn because its path is too short: the browser says they are at the origin. */
  function beyondPath(element: Element): (rect: DOMRect) => boolean {
    const origin = svgTag(element) === 'textPath' ? (asGraphics(element)?.getScreenCTM() ?? null) : null;
    if (origin === null) return () => false;
    return ({ left, top, right, bottom }) =>
      Math.abs((left + right) / 2 - origin.e) < 0.1 && top <= origin.f && bottom >= origin.f;
  }

  function readField(element: Element, state: State, style: CSSStyleDeclaration): void {
    const field = element as HTMLInputElement;
    const type = element.localName === 'textarea' ? 'text' : field.type;
    if (type === 'password') hide(field.value, 'only in a password field');
    if (field.placeholder && field.value === '') hide(field.placeholder, 'only as the placeholder of a field');
    if (['password', 'hidden', 'checkbox', 'radio', 'file', 'image', 'color', 'range'].includes(type)) return;
    const { offsetWidth } = plain(field);
    const why =
      whyUnseen(element, state, style) ??
      (Math.abs(Number.parseFloat(style.textIndent)) >= offsetWidth ? 'it is indented out of its field' : null) ??
      (isNarrow(field, style) ? 'its field is smaller than half a character' : null) ??
      (isMostlySeen(textBox(element, style, field.value, state.matrix), state.flow)
        ? null
        : 'its field is clipped, or outside of what can be scrolled to');
    if (why !== null) hide(field.value, why);
    else if (field.value !== '') {
      put('\n');
      put(field.value);
      put('\n');
      note(element, field.value);
    }
  }

  function readSelect(element: Element, state: State, style: CSSStyleDeclaration): void {
    const select = element as HTMLSelectElement;
    const { defaultView: window } = plain(plain(element).ownerDocument);
    const chosen = select.selectedOptions[0]?.label ?? '';
    const isClipped = !isMostlySeen(textBox(element, style, chosen, state.matrix), state.flow);
    const isOpen = select.multiple || select.size > 1;
    for (const option of isOpen ? select.querySelectorAll<Labelled>('optgroup, option') : select.options) {
      // A closed list shows the chosen one in its own color.
      const from = isOpen ? option : element;
      const own = isOpen && window ? window.getComputedStyle(option) : style;
      const isCut = isOpen ? !isMostlySeen(textBox(option, own, option.label, state.matrix), state.flow) : isClipped;
      const why =
        (own.display === 'none' ? 'display: none' : whyUnseen(from, state, own)) ??
        (isCut ? 'its list is clipped, or outside of what can be scrolled to' : null);
      if (why !== null) hide(option.label, why);
      else if (isOpen || (option as HTMLOptionElement).selected) {
        put('\n');
        put(option.label);
        put('\n');
        if ((option as HTMLOptionElement).selected) note(element, option.label);
      } else hide(option.label, 'only as an option that is not chosen');
    }
  }

  /** Records an element and its text, to compare a missing text with. */
  function note(element: Element, text: string): void {
    if (!options.explain || shown.length >= 3000) return;
    const line = text.replace(/\s+/g, ' ').trim();
    if (line !== '') {
      const { localName: tag } = plain(element);
      shown.push({ role: plain(element).getAttribute('role') ?? '', tag, text: line.slice(0, 300) });
    }
  }

  function isInline(display: string): boolean {
    return display.startsWith('inline') || display === 'contents' || display.startsWith('ruby');
  }

  /**
   * Does a part of the reading of an element. What fails, because a page has what we did not think of, leaves the rest of
   * the page to be read. Returns the reason; null if nothing failed.
   */
  function attempt(read: () => void): string | null {
    try {
      read();
      return null;
    } catch (error) {
      return `it could not be read (${error})`;
    }
  }

  function readElement(element: Element, parent: State): void {
    const { ownerDocument } = plain(element);
    const { defaultView: window } = plain(ownerDocument);
    if (!window) return;
    const tag = htmlTag(element);
    const isStyle = svgTag(element) === 'style' || svgTag(element) === 'script';
    if (isStyle || tag === 'script' || tag === 'style' || tag === 'template' || tag === 'noscript' || tag === 'head') {
      if (tag === 'head' && options.explain) hide(plain(ownerDocument).title, "only in the page's title");
      return;
    }
    const style = window.getComputedStyle(element);
    const { display } = style;
    // The browser shows something else in its place, or a script has removed it since its parent was read.
    if (display === '') {
      hide(element.textContent ?? '', 'it is not rendered');
      return;
    }
    const outer = isInTopLayer(element, tag) ? topOf(element, parent) : parent;
    if (display === 'none' && (outer.why !== null || !options.explain)) return;
    const isFrame = FRAMES.has(tag) && !(tag === 'object' && showsChildren(element));
    let state = outer;
    attempt(() => {
      state = stateOf(element, style, window, isFrame, outer);
    });
    const asked: string[] | null = wanted?.has(element) ? [] : null;
    const before = open;
    if (asked) {
      texts.set(element, asked);
      open = [...open, asked];
    }
    const lines: string[] | null = options.explain && !asked ? [] : null;
    if (lines) open = [...open, lines];
    const separate = !isInline(display) || tag === 'br';
    if (separate) put('\n');
    pending.push(() => {
      if (separate) put('\n');
      open = before;
      if (lines && !isAround(tag)) note(element, lines.join(''));
    });
    if (tag === 'input' || tag === 'textarea') readField(element, state, style);
    else if (tag === 'select') readSelect(element, state, style);
    else if (svgTag(element) === 'use') readUse(element as SVGUseElement, state);
    else if (isFrame) readFrame(element, state, style);
    else {
      if (tag === 'img' && options.explain)
        hide(element.getAttribute('alt') ?? '', 'only as the alternative text of a picture');
      readChildren(element, state, style, tag);
    }
  }

  /** Whether an element is shown above the page: an open popover or a modal dialog. */
  function isInTopLayer(element: Element, tag: string): boolean {
    return (
      (tag === 'dialog' || plain(element).hasAttribute('popover')) && plain(element).matches(':modal, :popover-open')
    );
  }

  /** Of the elements around it, only one that is not rendered affects an element in the top layer. */
  function topOf(element: Element, parent: State): State {
    const top = tops.get(plain(element).ownerDocument);
    return top === undefined || !plain(element).checkVisibility() ? parent : top;
  }

  /** A part of a drawing that is drawn again: its text is where the `use` is. */
  function readUse(element: SVGUseElement, state: State): void {
    const target = findReferred(element, hrefOf(element));
    const { defaultView: window } = plain(plain(element).ownerDocument);
    if (target === null || window === null || state.why !== null) return;
    // What is drawn inherits from the `use`.
    if (window.getComputedStyle(element).visibility !== 'visible') return;
    const clip = meet(state.flow, symbolBox(element, target, window.getComputedStyle(target)));
    if (!isMostlySeen(element.getBoundingClientRect(), clip)) return;
    for (const text of [target, ...target.querySelectorAll('text')]) {
      if (text.localName !== 'text') continue;
      put('\n');
      for (const one of [text, ...text.querySelectorAll('*')]) {
        // Such as its title.
        if (asGraphics(one) === null) continue;
        let { alpha } = state;
        let isShown = true;
        for (let outer: Element | null = one; outer !== null && target.contains(outer); outer = outer.parentElement) {
          const own = window.getComputedStyle(outer);
          alpha *= groupAlpha(own);
          isShown &&= own.display !== 'none' || outer === target;
        }
        const why = !isShown ? 'display: none' : whyUnseen(one, { ...state, alpha }, window.getComputedStyle(one));
        for (const { nodeType, nodeValue } of one.childNodes) {
          if (nodeType !== 3) continue;
          if (why === null) put(nodeValue ?? '');
          else hide(nodeValue ?? '', why);
        }
      }
      put('\n');
    }
  }

  /** An object that cannot be shown shows its contents. */
  function showsChildren(element: Element): boolean {
    if ((element as HTMLObjectElement).contentDocument !== null) return false;
    const range = plain(plain(element).ownerDocument).createRange();
    range.selectNodeContents(element);
    return range.getClientRects().length > 0;
  }

  function isAround(tag: string): boolean {
    return ['html', 'body', 'main', 'input', 'textarea', 'select', 'iframe', 'frame', 'object'].includes(tag);
  }

  function readChildren(element: Element, state: State, style: CSSStyleDeclaration, tag: string): void {
    const { shadowRoot, ownerDocument, childNodes } = plain(element);
    let children: ArrayLike<Node> = shadowRoot?.childNodes ?? childNodes;
    if (tag === 'slot' && element.getRootNode() !== ownerDocument) {
      const assigned = (element as HTMLSlotElement).assignedNodes();
      if (assigned.length > 0) children = assigned;
    }
    const isClosed = tag === 'details' && !(element as HTMLDetailsElement).open;
    const inner = isClosed && state.why === null ? { ...state, why: 'inside of a closed <details>' } : state;
    const nodes = Array.from(children);
    const summary = isClosed ? nodes.find((child) => plain(child).nodeName === 'SUMMARY') : undefined;
    for (const child of nodes.reverse()) {
      const { nodeType } = plain(child);
      if (nodeType !== 1 && nodeType !== 3) continue;
      const around = child === summary ? state : inner;
      pending.push(() => {
        const failure = attempt(() => {
          if (nodeType === 3) readNode(child, around, style, element);
          else readElement(child as Element, around);
        });
        if (failure !== null) hide(plain(child).textContent ?? '', failure);
      });
    }
  }

  function readFrame(element: Element, state: State, style: CSSStyleDeclaration): void {
    // Another process draws a document of another site, as one picture.
    const isOneLayer = (element as HTMLIFrameElement).contentDocument === null;
    const whyBack = state.isOnBack && isOneLayer ? 'backface-visibility: hidden' : null;
    const why = state.why ?? whyBack ?? (style.visibility === 'visible' ? null : `visibility: ${style.visibility}`);
    const box = element.getBoundingClientRect();
    const isUpright = Math.abs(state.matrix[1]) + Math.abs(state.matrix[3]) < 1e-6;
    if (why === null && !(isUpright ? isSeen : isMostlySeen)(box, state.flow)) return;
    const inner = options.leavesFrames && wanted?.has(element) ? null : (element as HTMLIFrameElement).contentDocument;
    const view = frameView(element, state, style, box);
    if (inner && plain(inner).documentElement) readDocument(inner, why, view, state.matrix);
    else if (why === null && frames.length < 100) frames.push({ element, view });
  }

  function readDocument(document: Document, why: string | null, frame: FrameView, matrix: Matrix): void {
    const { documentElement: root, defaultView: window } = plain(document);
    if (!root || !window) return;
    const { flow, fixed } = viewportClips(document, root, window, frame);
    const state = {
      ...{ flow, absolute: flow, fixed, alpha: frame.alpha, matrix },
      ...{ behind: null, isOnBack: frame.isOnBack, isDeep: false, why },
    };
    tops.set(document, state);
    readElement(root, state);
  }

  const { scale } = frame;
  const matrix: Matrix = [scale, 0, 0, 0, scale, 0, 0, 0, 1];
  const documents = roots ? new Set(roots.map((root) => plain(root).ownerDocument)) : [document];
  for (const one of [...documents].reverse()) pending.push(() => readDocument(one, null, frame, matrix));

  function advance(ms: number): PageText | null {
    const end = performance.now() + ms;
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      next();
      if (performance.now() > end && pending.length > 0) return null;
    }
    const elements = frames.map(({ element }) => element);
    if (!roots) Object.defineProperty(globalThis, 'taskwrightFrames', { value: elements, configurable: true });
    return {
      texts: roots ? roots.map((root) => (texts.get(root) ?? []).join('')) : [page.join('')],
      hiddenTexts: hidden,
      shownElements: shown,
      frames: frames.map(({ view }) => view),
    };
  }
  return { advance };
}

/** How a frame shows its document, given how its own document is shown; null if nothing of it can be seen. */
export function readFrameView(frame: Element, outer: FrameView | null): FrameView | null {
  const { frames } = readText([frame], { explain: false, frame: outer, leavesFrames: true });
  return frames[0] ?? null;
}
