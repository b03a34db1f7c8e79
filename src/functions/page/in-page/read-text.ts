/// <reference lib="dom" />
import type { HiddenText, PageText, ReadOptions, ShownElement } from '../page-text.ts';
import { plain } from '../plain.ts';

/**
 * Reads what a person who scrolls could read on a page. Runs inside of the page, so it stands alone: it refers to nothing
 * outside of itself. `roots` null: the whole document; else the texts of these elements, one each.
 *
 * Text counts where it is rendered: has a box, is not hidden, transparent, clipped to nothing or outside of the area that
 * can be scrolled to. It keeps the case of the source. Values of text fields (no passwords) and chosen options count, open
 * shadow roots and frames of the same origin are walked; frames of other origins are left for the caller in `frames`.
 */
export function readText(roots: readonly Element[] | null, options: ReadOptions): PageText {
  /** Part of the viewport of one document in which something can be seen or scrolled to. */
  interface Clip {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
  }
  interface State {
    /** Clips for what is in the flow, absolutely positioned, fixed. */
    readonly flow: Clip;
    readonly absolute: Clip;
    readonly fixed: Clip;
    readonly opacity: number;
    /** Why nothing below can be seen; null where it can. */
    readonly why: string | null;
  }
  const NOTHING: Clip = { left: 0, top: 0, right: 0, bottom: 0 };
  const FAINT = 0.05;
  const wanted = roots && new Set(roots);
  const texts = new Map<Element, string[]>();
  const page: string[] = [];
  let open: string[][] = roots ? [] : [page];
  const hidden: HiddenText[] = [];
  const shown: ShownElement[] = [];
  const frames: Element[] = [];
  /** One a document: each change of a document looks after every range in it, until that is collected. */
  const ranges = new Map<Document, Range>();

  function put(text: string): void {
    for (const list of open) list.push(text);
  }

  function hide(text: string, why: string): void {
    if (options.explain && hidden.length < 4000 && /\S/.test(text)) hidden.push({ text: text.slice(0, 2000), why });
  }

  function meet(a: Clip, b: Clip): Clip {
    return {
      left: Math.max(a.left, b.left),
      top: Math.max(a.top, b.top),
      right: Math.min(a.right, b.right),
      bottom: Math.min(a.bottom, b.bottom),
    };
  }

  /** A sliver of two pixels shows nothing of a text, unless the text is no larger. */
  function seen(rect: Clip, clip: Clip): boolean {
    const part = meet(rect, clip);
    const width = part.right - part.left;
    const height = part.bottom - part.top;
    return (
      width > 0 &&
      height > 0 &&
      width >= Math.min(2, rect.right - rect.left) &&
      height >= Math.min(2, rect.bottom - rect.top)
    );
  }

  function inside(rect: Clip, clip: Clip): boolean {
    // Boxes are told in whole pixels, texts in fractions.
    return (
      rect.left >= clip.left - 1 &&
      rect.top >= clip.top - 1 &&
      rect.right <= clip.right + 1 &&
      rect.bottom <= clip.bottom + 1
    );
  }

  function alpha(color: string): number {
    if (color === 'transparent') return 0;
    const match = /^rgba\(.*,\s*([\d.]+)\)$|\/\s*([\d.]+)(%?)\s*\)$/.exec(color);
    if (!match) return 1;
    const value = Number(match[1] ?? match[2]);
    return match[3] === '%' ? value / 100 : value;
  }

  function transparent(style: CSSStyleDeclaration): boolean {
    if (alpha(style.webkitTextFillColor || style.color) >= FAINT) return false;
    const stroke = Number.parseFloat(style.webkitTextStrokeWidth) > 0 && alpha(style.webkitTextStrokeColor) >= FAINT;
    return style.textShadow === 'none' && !stroke && style.backgroundClip !== 'text';
  }

  /** The area of a box to which its content is clipped, or that can be brought into view by scrolling it. */
  function clipOf(element: Element, style: CSSStyleDeclaration, outer: Clip): Clip {
    const { clientLeft, clientTop, clientWidth, clientHeight, scrollWidth, scrollLeft, scrollHeight, scrollTop } =
      plain(element);
    const box = plain(element).getBoundingClientRect();
    const left = box.left + clientLeft;
    const top = box.top + clientTop;
    const view: Clip = { left, top, right: left + clientWidth, bottom: top + clientHeight };
    const scrolls = (value: string): boolean => value === 'auto' || value === 'scroll';
    const x = scrolls(style.overflowX);
    const y = scrolls(style.overflowY);
    if ((x || y) && !seen(view, outer)) return NOTHING;
    let clip: { left: number; top: number; right: number; bottom: number } = { ...outer };
    if (x) {
      const least = style.direction === 'rtl' ? clientWidth - scrollWidth : 0;
      clip.left = left - scrollLeft + least;
      clip.right = clip.left + scrollWidth;
    } else if (style.overflowX !== 'visible') {
      clip.left = Math.max(clip.left, view.left);
      clip.right = Math.min(clip.right, view.right);
    }
    if (y) {
      clip.top = top - scrollTop;
      clip.bottom = clip.top + scrollHeight;
    } else if (style.overflowY !== 'visible') {
      clip.top = Math.max(clip.top, view.top);
      clip.bottom = Math.min(clip.bottom, view.bottom);
    }
    if (style.clipPath !== 'none' && !x && !y) clip = meet(clip, box);
    return clip;
  }

  /** `clip-path: inset(…)`, `circle(0)` and the old `clip: rect(…)`, as far as they leave nothing. */
  function cutAway(element: Element, style: CSSStyleDeclaration): boolean {
    if (style.position === 'absolute' || style.position === 'fixed') {
      const sides = /^rect\(([^)]*)\)$/.exec(style.clip)?.[1]?.split(/[\s,]+/);
      if (sides?.length === 4) {
        const [top = 0, right = 0, bottom = 0, left = 0] = sides.map((side) => Number.parseFloat(side));
        if (right - left < 2 || bottom - top < 2) return true;
      }
    }
    const path = /^(inset|circle|ellipse|polygon)\((.*)\)$/.exec(style.clipPath);
    if (!path) return false;
    const [, shape, inner = ''] = path;
    if (shape === 'circle' || shape === 'ellipse') return /^\s*0(?:px|%)?(?=\s|$)/.test(inner);
    if (shape === 'polygon') {
      const points = inner.split(',').map((point) => point.trim());
      return new Set(points.filter((point) => /\d/.test(point))).size < 3;
    }
    const box = plain(element).getBoundingClientRect();
    const sides =
      inner
        .split(/\s*round\s*/)[0]
        ?.trim()
        .split(/\s+/) ?? [];
    const size = (at: number, length: number): number => {
      const side = sides[at] ?? sides[at - 2] ?? sides[0] ?? '0';
      return side.endsWith('%') ? (Number.parseFloat(side) / 100) * length : Number.parseFloat(side);
    };
    const height = box.height - size(0, box.height) - size(2, box.height);
    const width = box.width - size(1, box.width) - size(3, box.width);
    return height < 2 || width < 2;
  }

  function readNode(node: Node, state: State, style: CSSStyleDeclaration, parent: Element): void {
    const text = node as Text;
    const content = text.data;
    if (!/\S/.test(content)) {
      if (content !== '') put(' ');
      return;
    }
    const why =
      state.why ??
      (style.visibility === 'visible' ? null : `visibility: ${style.visibility}`) ??
      (transparent(style) ? 'its text is transparent' : null);
    if (why !== null) {
      hide(content, why);
      return;
    }
    const document = plain(parent).ownerDocument;
    const range = ranges.get(document) ?? plain(document).createRange();
    ranges.set(document, range);
    range.selectNodeContents(text);
    const rects = [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
    if (rects.length === 0) {
      hide(content, 'it has no size');
      return;
    }
    if (rects.every((rect) => inside(rect, state.flow))) {
      put(content);
      return;
    }
    if (!rects.some((rect) => seen(rect, state.flow))) {
      hide(content, 'it is clipped, or outside of what can be scrolled to');
      return;
    }
    // A part of it is cut off: what a person can read is decided word by word.
    for (const match of content.matchAll(/\s+|\S+/g)) {
      const [piece] = match;
      if (!/\S/.test(piece)) {
        put(piece);
        continue;
      }
      range.setStart(text, match.index);
      range.setEnd(text, match.index + piece.length);
      let area = 0;
      let visible = 0;
      for (const rect of range.getClientRects()) {
        const part = meet(rect, state.flow);
        area += rect.width * rect.height;
        visible += Math.max(0, part.right - part.left) * Math.max(0, part.bottom - part.top);
      }
      if (area > 0 && visible >= area / 2) put(piece);
      else hide(piece, 'it is cut off');
    }
  }

  function readField(element: Element, state: State, style: CSSStyleDeclaration): void {
    const field = element as HTMLInputElement;
    const type = element.localName === 'textarea' ? 'text' : field.type;
    if (type === 'password') hide(field.value, 'only in a password field');
    if (field.placeholder && field.value === '') hide(field.placeholder, 'only as the placeholder of a field');
    if (['password', 'hidden', 'checkbox', 'radio', 'file', 'image', 'color', 'range'].includes(type)) return;
    const masked = style.getPropertyValue('-webkit-text-security');
    const why =
      state.why ??
      (style.visibility === 'visible' ? null : `visibility: ${style.visibility}`) ??
      (transparent(style) ? 'its text is transparent' : null) ??
      (masked !== '' && masked !== 'none' ? 'its characters are masked' : null) ??
      (seen(element.getBoundingClientRect(), state.flow)
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
    const why =
      state.why ??
      (style.visibility === 'visible' ? null : `visibility: ${style.visibility}`) ??
      (seen(element.getBoundingClientRect(), state.flow)
        ? null
        : 'its list is clipped, or outside of what can be scrolled to');
    const isOpen = select.multiple || select.size > 1;
    for (const option of select.options) {
      if (why !== null) hide(option.label, why);
      else if (option.selected || isOpen) {
        put('\n');
        put(option.label);
        put('\n');
        if (option.selected) note(element, option.label);
      } else hide(option.label, 'only as an option that is not chosen');
    }
  }

  /** Remembers an element and its text, so that a text that is missing can be compared with what is there. */
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

  function readElement(element: Element, outer: State): void {
    const { ownerDocument, localName: tag } = plain(element);
    const { defaultView: window, documentElement } = plain(ownerDocument);
    if (!window) return;
    if (tag === 'script' || tag === 'style' || tag === 'template' || tag === 'noscript' || tag === 'head') {
      if (tag === 'head' && options.explain) hide(plain(ownerDocument).title, "only in the page's title");
      return;
    }
    const style = window.getComputedStyle(element);
    const { display, position } = style;
    if (display === 'none' && (outer.why !== null || !options.explain)) return;
    let why = outer.why;
    const opacity = outer.opacity * Number(style.opacity);
    if (why === null) {
      if (display === 'none') why = 'display: none';
      else if (opacity < FAINT) why = `opacity: ${style.opacity}`;
      else if (style.getPropertyValue('content-visibility') === 'hidden') why = 'content-visibility: hidden';
      else if (cutAway(element, style)) why = 'it is clipped to nothing';
    }
    const around = position === 'fixed' ? outer.fixed : position === 'absolute' ? outer.absolute : outer.flow;
    const clipped =
      why === null &&
      display !== 'contents' &&
      display !== 'inline' &&
      (style.overflowX !== 'visible' || style.overflowY !== 'visible') &&
      element !== documentElement &&
      !passesToViewport(element, window);
    const flow = clipped ? clipOf(element, style, around) : around;
    const moved =
      style.transform !== 'none' ||
      style.filter !== 'none' ||
      style.perspective !== 'none' ||
      /paint|layout|strict|content/.test(style.contain) ||
      style.willChange === 'transform';
    const state: State = {
      flow,
      absolute: position !== 'static' || moved ? flow : outer.absolute,
      fixed: moved ? flow : outer.fixed,
      opacity,
      why,
    };
    const own: string[] | null = wanted?.has(element) ? [] : null;
    const before = open;
    if (own) {
      texts.set(element, own);
      open = [...open, own];
    }
    const lines: string[] | null = options.explain && !own ? [] : null;
    if (lines) open = [...open, lines];
    const separate = !isInline(display) || tag === 'br';
    if (separate) put('\n');
    if (tag === 'input' || tag === 'textarea') readField(element, state, style);
    else if (tag === 'select') readSelect(element, state, style);
    else if (tag === 'iframe' || tag === 'frame' || tag === 'object' || tag === 'embed')
      readFrame(element, state, style);
    else {
      if (tag === 'img' && options.explain)
        hide(element.getAttribute('alt') ?? '', 'only as the alternative text of a picture');
      readChildren(element, state, style);
    }
    if (separate) put('\n');
    open = before;
    if (lines && !isFrame(tag)) note(element, lines.join(''));
  }

  function isFrame(tag: string): boolean {
    return ['html', 'body', 'main', 'input', 'textarea', 'select', 'iframe', 'frame', 'object'].includes(tag);
  }

  /** The body's overflow is the viewport's where the root element has none of its own. */
  function passesToViewport(element: Element, window: Window): boolean {
    const { body, documentElement } = plain(plain(element).ownerDocument);
    return element === body && window.getComputedStyle(documentElement).overflowX === 'visible';
  }

  function readChildren(element: Element, state: State, style: CSSStyleDeclaration): void {
    const { localName: tag, shadowRoot, ownerDocument, childNodes } = plain(element);
    let children: Iterable<Node> = shadowRoot?.childNodes ?? childNodes;
    if (tag === 'slot' && element.getRootNode() !== ownerDocument) {
      const assigned = (element as HTMLSlotElement).assignedNodes();
      if (assigned.length > 0) children = assigned;
    }
    const closed = tag === 'details' && !(element as HTMLDetailsElement).open;
    let summary = false;
    for (const child of children) {
      const { nodeType } = plain(child);
      if (nodeType !== 1 && nodeType !== 3) continue;
      const isSummary = closed && !summary && plain(child).nodeName === 'SUMMARY';
      if (isSummary) summary = true;
      const inner =
        closed && !isSummary && state.why === null ? { ...state, why: 'inside of a closed <details>' } : state;
      if (nodeType === 3) readNode(child, inner, style, element);
      else readElement(child as Element, inner);
    }
  }

  function readFrame(element: Element, state: State, style: CSSStyleDeclaration): void {
    const why = state.why ?? (style.visibility === 'visible' ? null : `visibility: ${style.visibility}`);
    if (why === null && !seen(element.getBoundingClientRect(), state.flow)) return;
    const inner = (element as HTMLIFrameElement).contentDocument;
    if (inner && plain(inner).documentElement) readDocument(inner, why, state.opacity);
    else if (why === null && frames.length < 100) frames.push(element);
  }

  function readDocument(document: Document, why: string | null, opacity: number): void {
    const { documentElement: root, defaultView: window, body, scrollingElement } = plain(document);
    if (!root || !window) return;
    const rootStyle = window.getComputedStyle(root);
    const viewStyle = rootStyle.overflowX === 'visible' && body ? window.getComputedStyle(body) : rootStyle;
    const view: Clip = { left: 0, top: 0, right: window.innerWidth, bottom: window.innerHeight };
    const scroller = scrollingElement ?? root;
    const least = rootStyle.direction === 'rtl' ? scroller.clientWidth - scroller.scrollWidth : 0;
    const left = -window.scrollX + least;
    const top = -window.scrollY;
    const fixedX = viewStyle.overflowX === 'hidden' || viewStyle.overflowX === 'clip';
    const fixedY = viewStyle.overflowY === 'hidden' || viewStyle.overflowY === 'clip';
    const flow: Clip = {
      left: fixedX ? view.left : left,
      top: fixedY ? view.top : top,
      right: fixedX ? view.right : Math.max(left + scroller.scrollWidth, view.right),
      bottom: fixedY ? view.bottom : Math.max(top + scroller.scrollHeight, view.bottom),
    };
    readElement(root, { flow, absolute: flow, fixed: view, opacity, why });
  }

  if (roots) {
    for (const document of new Set(roots.map((root) => plain(root).ownerDocument))) readDocument(document, null, 1);
  } else readDocument(document, null, 1);
  if (!roots) Object.defineProperty(globalThis, 'taskwrightFrames', { value: frames, configurable: true });
  return {
    texts: roots ? roots.map((root) => (texts.get(root) ?? []).join('')) : [page.join('')],
    hidden,
    shown,
    frames: frames.length,
  };
}
