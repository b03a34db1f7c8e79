/// <reference lib="dom" />
import type { FrameView, HiddenText, PageText, ReadOptions, ShownElement } from '../page-text.ts';
import { plain } from '../plain.ts';
import { areaSeen, type Clip, EVERYTHING, isInside, isMostlySeen, isSeen, meet, type Rect } from './clip.ts';
import {
  containsPaint,
  contentClip,
  flat,
  isBehindViewer,
  isDeep,
  isTurnedAway,
  type Matrix,
  scaleOf,
  scrollRange,
  skippedClip,
  staysOnBack,
  symbolBox,
  turned,
  zoomed,
} from './geometry.ts';
import { ownClips } from './own-clips.ts';
import { backgroundTextAlpha, FAINT, groupAlpha, isDrawing, isGroup, textAlpha } from './paint.ts';
import { referred } from './referred.ts';

/** What the elements around an element make of it. */
interface State {
  /** Clips for content in the flow, absolutely positioned content, and fixed content. */
  readonly flow: Clip;
  readonly absolute: Clip;
  readonly fixed: Clip;
  readonly alpha: number;
  readonly matrix: Matrix;
  /** The box whose background is painted in the shape of the text in it. */
  readonly behind: Rect | null;
  /** Whether it is on the hidden back of a turned element. */
  readonly isOnBack: boolean;
  /** Whether an element in it that has a transform turns on its own. */
  readonly isDeep: boolean;
  /** Why nothing in it can be seen; null where it can. */
  readonly why: string | null;
}

/** The frame of a document that is not in one. */
const TOP: FrameView = { rect: null, scrolls: true, alpha: 1, scale: 1, isOnBack: false };

/** Elements of a drawing that are only drawn where something refers to them. */
const DEFINITIONS = new Set([
  'defs',
  'symbol',
  'clipPath',
  'mask',
  'pattern',
  'marker',
  'linearGradient',
  'radialGradient',
]);

/**
 * Reads what a user who scrolls can read on a page. `roots` null: the whole document; else the texts of these elements, one
 * each.
 *
 * Text counts where it is rendered: has a box, is not hidden, transparent, clipped to nothing or outside of the area that
 * can be scrolled to. It keeps the case of the source. Values of text fields (no passwords) and chosen options count, open
 * shadow roots and frames of the same origin are walked; frames of other origins are left for the caller in `frames`.
 */
export function readText(roots: readonly Element[] | null, options: ReadOptions): PageText {
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
    if (!isDrawing(element)) return scaleOf(matrix);
    const { a, b, c, d } = (element as SVGGraphicsElement).getScreenCTM() ?? { a: 1, b: 0, c: 0, d: 1 };
    return Math.min(Math.hypot(a, b), Math.hypot(c, d));
  }

  function readNode(node: Node, state: State, style: CSSStyleDeclaration, parent: Element): void {
    const text = node as Text;
    const content = text.data;
    if (!/\S/.test(content)) {
      if (content !== '') put(' ');
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
    const rects = [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
    if (rects.length === 0) {
      hide(content, 'it has no size');
      return;
    }
    const { behind } = state;
    const clip = behind !== null && isTransparent(parent, state, style) ? meet(state.flow, behind) : state.flow;
    if (rects.every((rect) => isInside(rect, clip))) {
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
        visible += areaSeen(rect, clip);
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

  function isNarrow(field: HTMLElement, style: CSSStyleDeclaration): boolean {
    const { clientWidth, clientHeight } = plain(field);
    const across = clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
    const down = clientHeight - Number.parseFloat(style.paddingTop) - Number.parseFloat(style.paddingBottom);
    return Math.min(across, down) < Number.parseFloat(style.fontSize) / 2;
  }

  function readSelect(element: Element, state: State, style: CSSStyleDeclaration): void {
    const select = element as HTMLSelectElement;
    const { defaultView: window } = plain(plain(element).ownerDocument);
    const chosen = select.selectedOptions[0]?.label ?? '';
    const isClipped = !isMostlySeen(textBox(element, style, chosen, state.matrix), state.flow);
    const isOpen = select.multiple || select.size > 1;
    for (const option of select.options) {
      // A closed list shows the chosen one in its own color.
      const from = isOpen ? option : element;
      const own = isOpen && window ? window.getComputedStyle(option) : style;
      const isCut = isOpen ? !isMostlySeen(textBox(option, own, option.label, state.matrix), state.flow) : isClipped;
      const why =
        (own.display === 'none' ? 'display: none' : whyUnseen(from, state, own)) ??
        (isCut ? 'its list is clipped, or outside of what can be scrolled to' : null);
      if (why !== null) hide(option.label, why);
      else if (option.selected || isOpen) {
        put('\n');
        put(option.label);
        put('\n');
        if (option.selected) note(element, option.label);
      } else hide(option.label, 'only as an option that is not chosen');
    }
  }

  /**
   * About where a field has its text: at the side to which it is aligned, with characters that are at most as wide as high,
   * and halfway between its other sides, or at the first of them where it has several lines.
   */
  function textBox(element: Element, style: CSSStyleDeclaration, text: string, [a, b, , d, e]: Matrix): Rect {
    const { left, top, right, bottom, width, height } = plain(element).getBoundingClientRect();
    const { offsetWidth, offsetHeight } = plain(element) as HTMLElement;
    // Turned, it still has a rectangle around it.
    if (offsetWidth * offsetHeight === 0) return { left, top, right: left, bottom: top };
    const isHorizontal = style.writingMode.startsWith('horizontal');
    const isReversed = (style.direction === 'rtl') !== (style.writingMode === 'sideways-lr');
    const isOnSide = Math.abs(a) < Math.abs(b);
    const runsAcross = isHorizontal !== isOnSide;
    /** Where on the screen the sides go that are from left to right, and from top to bottom, in the element. */
    const [toRight, toBottom] = isOnSide ? [b, d] : [a, e];
    const isStartFar = isReversed !== (isHorizontal ? toRight : toBottom) < 0;
    const size = Number.parseFloat(style.fontSize);
    const [acrossSize, downSize] = [
      (size * width) / (isOnSide ? offsetHeight : offsetWidth),
      (size * height) / (isOnSide ? offsetWidth : offsetHeight),
    ];
    const isArea = plain(element).localName === 'textarea';
    const part = (from: number, to: number, length: number, place: number): readonly [number, number] => {
      const rest = Math.max(0, to - from - length);
      return [from + rest * place, to - rest * (1 - place)];
    };
    /** The part of a side along which the text runs, and of the other one. */
    const along = (from: number, to: number, em: number): readonly [number, number] => {
      const place = style.textAlign === 'center' ? 0.5 : isEndAligned(style) !== isStartFar ? 1 : 0;
      return part(from, to, em * (text.length + 1), place);
    };
    const beside = (from: number, to: number, em: number): readonly [number, number] => {
      if (!isArea) return part(from, to, 1.25 * em, 0.5);
      const length = runsAcross ? width / acrossSize : height / downSize;
      const lines = text.split('\n').map((line) => Math.max(1, Math.ceil((line.length + 1) / length)));
      const isFirstFar = isHorizontal ? toBottom < 0 : style.writingMode.endsWith('-rl') !== toRight < 0;
      return part(from, to, lines.reduce((sum, count) => sum + count, 0) * 1.25 * em, isFirstFar ? 1 : 0);
    };
    const [textLeft, textRight] = (runsAcross ? along : beside)(left, right, acrossSize);
    const [textTop, textBottom] = (runsAcross ? beside : along)(top, bottom, downSize);
    return { left: textLeft, top: textTop, right: textRight, bottom: textBottom };
  }

  function isEndAligned({ textAlign, direction }: CSSStyleDeclaration): boolean {
    if (textAlign === 'left' || textAlign === 'right') return (textAlign === 'left') === (direction === 'rtl');
    return textAlign === 'end';
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

  function readElement(element: Element, parent: State): void {
    const { ownerDocument, localName: tag } = plain(element);
    const { defaultView: window, documentElement } = plain(ownerDocument);
    if (!window) return;
    if (tag === 'script' || tag === 'style' || tag === 'template' || tag === 'noscript' || tag === 'head') {
      if (tag === 'head' && options.explain) hide(plain(ownerDocument).title, "only in the page's title");
      return;
    }
    const style = window.getComputedStyle(element);
    const { display, position } = style;
    const outer = isInTopLayer(element, tag) ? topOf(element, parent) : parent;
    if (display === 'none' && (outer.why !== null || !options.explain)) return;
    const isFrame = FRAMES.has(tag) && !(tag === 'object' && showsChildren(element));
    const isBox = !UNBOXED.has(display) || (display === 'inline' && (tag === 'svg' || isFrame || REPLACED.has(tag)));
    const matrix = zoomed(isBox || isDrawing(element) ? turned(outer.matrix, style) : outer.matrix, style);
    const alpha = display === 'contents' ? outer.alpha : outer.alpha * groupAlpha(style);
    const hidesBack = isBox && style.backfaceVisibility === 'hidden';
    const isOnBack = outer.isOnBack
      ? !isBox || staysOnBack(element, style, matrix, outer.isDeep)
      : hidesBack && isTurnedAway(matrix);
    /** Chrome draws it as one picture, and hides that as a whole. */
    const isLeaf = outer.isDeep && display !== 'contents' && !(isBox && isDeep(style));
    let why = outer.why;
    if (why === null) {
      if (display === 'none') why = 'display: none';
      else if (alpha < FAINT) why = Number(style.opacity) < FAINT ? `opacity: ${style.opacity}` : 'it is transparent';
      else if (display === 'table-cell' && isCollapsed(element, window)) why = 'visibility: collapse';
      else if (isBox && isBehindViewer(element, style)) why = 'it is behind whoever looks at it';
      else if (style.getPropertyValue('content-visibility') === 'hidden') why = 'content-visibility: hidden';
      else if (isOnBack && (isGroup(style) || isLeaf)) why = 'backface-visibility: hidden';
      else if (tag === 'svg' && isEmptyDrawing(element as SVGSVGElement, style)) why = 'in a drawing without a size';
      else if (tag === 'textPath' && referred(element, hrefOf(element)) === null) why = 'on a path that does not exist';
      else if (DEFINITIONS.has(tag) && isDrawing(element)) why = 'in a part of a drawing that is not drawn itself';
    }
    let around = position === 'fixed' ? outer.fixed : position === 'absolute' ? outer.absolute : outer.flow;
    let { absolute, fixed } = outer;
    const parts = why === null && display !== 'contents' ? ownClips(element, style, matrix) : [];
    for (const { rect: all, shape, isMask } of parts) {
      const rect = isMask ? meet(around, all) : all;
      // It cuts off all that is in it, fixed content too.
      [around, absolute, fixed] = [around, absolute, fixed].map((clip) => meet(clip, rect, shape)) as [
        Clip,
        Clip,
        Clip,
      ];
      if (around.right - around.left < 2 || around.bottom - around.top < 2) why = whyCut(element, rect);
    }
    const isClipped =
      why === null &&
      isBox &&
      !UNCLIPPED.test(display) &&
      (style.overflowX !== 'visible' || style.overflowY !== 'visible' || containsPaint(style)) &&
      element !== documentElement &&
      !passesToViewport(element, window);
    const flow = !isClipped
      ? around
      : isSkipped(element, style, window)
        ? skippedClip(element, style, around)
        : contentClip(element, style, matrix, around);
    const holdsFixed =
      isBox &&
      (tag === 'foreignObject' ||
        style.transform !== 'none' ||
        style.translate !== 'none' ||
        style.rotate !== 'none' ||
        style.scale !== 'none' ||
        style.filter !== 'none' ||
        style.perspective !== 'none' ||
        style.transformStyle === 'preserve-3d' ||
        /paint|layout|strict|content/.test(style.contain) ||
        style.getPropertyValue('content-visibility') !== 'visible' ||
        /transform|translate|rotate|scale|filter|perspective/.test(style.willChange));
    const state: State = {
      flow,
      absolute: position !== 'static' || holdsFixed ? flow : absolute,
      fixed: holdsFixed ? flow : fixed,
      alpha,
      matrix: isBox && !isDeep(style) ? flat(matrix) : matrix,
      behind: behindText(element, style, alpha, outer.behind),
      isOnBack,
      isDeep: display === 'contents' ? outer.isDeep : isBox && isDeep(style),
      why,
    };
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
    if (tag === 'input' || tag === 'textarea') readField(element, state, style);
    else if (tag === 'select') readSelect(element, state, style);
    else if (tag === 'use' && isDrawing(element)) readUse(element as SVGUseElement, state);
    else if (isFrame) readFrame(element, state, style);
    else {
      if (tag === 'img' && options.explain)
        hide(element.getAttribute('alt') ?? '', 'only as the alternative text of a picture');
      readChildren(element, state, style);
    }
    if (separate) put('\n');
    open = before;
    if (lines && !isAround(tag)) note(element, lines.join(''));
  }

  /** A background is painted in the shape of all text in its box but that of elements which have a transform. */
  function behindText(element: Element, style: CSSStyleDeclaration, alpha: number, outer: Rect | null): Rect | null {
    if (backgroundTextAlpha(style) * alpha >= FAINT) return plain(element).getBoundingClientRect();
    return style.transform === 'none' ? outer : null;
  }

  /** A drawing without a size draws nothing, whatever its overflow is. */
  function isEmptyDrawing({ ownerSVGElement, width, height }: SVGSVGElement, style: CSSStyleDeclaration): boolean {
    if (ownerSVGElement === null) return style.width === '0px' || style.height === '0px';
    return width.baseVal.value === 0 || height.baseVal.value === 0;
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

  /** A cell of a column that is collapsed has no width (in vertical writing, no height), but its text has; of a row, likewise. */
  function isCollapsed(element: Element, window: Window): boolean {
    const { width, height } = plain(element).getBoundingClientRect();
    if (width > 0 && height > 0) return false;
    const row = plain(element).parentElement;
    if (row !== null && window.getComputedStyle(row).visibility === 'collapse') return true;
    const columns = element.closest('table')?.querySelectorAll('col, colgroup') ?? [];
    return [...columns].some((one) => window.getComputedStyle(one).visibility === 'collapse');
  }

  function whyCut(element: Element, rect: Rect): string {
    const box = plain(element).getBoundingClientRect();
    const isEmpty =
      Math.min(rect.right, box.right) - Math.max(rect.left, box.left) < 2 ||
      Math.min(rect.bottom, box.bottom) - Math.max(rect.top, box.top) < 2;
    return isEmpty ? 'it is clipped to nothing' : 'it is clipped, or outside of what can be scrolled to';
  }

  /** The browser lays out the contents of a box with `content-visibility: auto` when it is scrolled near the viewport. */
  function isSkipped(element: Element, style: CSSStyleDeclaration, window: Window): boolean {
    if (style.getPropertyValue('content-visibility') !== 'auto') return false;
    const { left, top, right, bottom } = plain(element).getBoundingClientRect();
    return bottom < 0 || right < 0 || top > window.innerHeight || left > window.innerWidth;
  }

  /** A part of a drawing that is drawn again: its text is where the `use` is. */
  function readUse(element: SVGUseElement, state: State): void {
    const target = referred(element, hrefOf(element));
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

  function hrefOf(element: Element): string {
    return (element as SVGUseElement).href.baseVal;
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

  /** The body's overflow is the viewport's where the root element has none of its own. */
  function passesToViewport(element: Element, window: Window): boolean {
    const { body, documentElement } = plain(plain(element).ownerDocument);
    if (element !== body) return false;
    const [root, own] = [documentElement, body].map((one) => window.getComputedStyle(one));
    return root?.overflowX === 'visible' && root.contain === 'none' && own?.contain === 'none';
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

  function frameView(element: Element, state: State, style: CSSStyleDeclaration, box: DOMRect): FrameView {
    const { clientLeft, clientTop, offsetWidth, offsetHeight } = plain(element) as HTMLElement;
    const [a, b, , d, e] = state.matrix;
    const [scaleX, scaleY] = [box.width / offsetWidth, box.height / offsetHeight];
    const left = box.left + (clientLeft + Number.parseFloat(style.paddingLeft)) * scaleX;
    const top = box.top + (clientTop + Number.parseFloat(style.paddingTop)) * scaleY;
    const isUpright = Math.abs(b) + Math.abs(d) < 1e-6;
    const part = meet(state.flow, box);
    // Mirrored, it is its other side that the distance is from.
    const across = (x: number): number => (a > 0 ? x - left : box.left + box.right - left - x) / scaleX;
    const down = (y: number): number => (e > 0 ? y - top : box.top + box.bottom - top - y) / scaleY;
    return {
      rect: isUpright
        ? {
            left: Math.min(across(part.left), across(part.right)),
            top: Math.min(down(part.top), down(part.bottom)),
            right: Math.max(across(part.left), across(part.right)),
            bottom: Math.max(down(part.top), down(part.bottom)),
          }
        : null,
      scrolls: !/^(?:no|off|noscroll)$/i.test(element.getAttribute('scrolling') ?? ''),
      alpha: state.alpha,
      scale: scaleOf(state.matrix),
      isOnBack: state.isOnBack,
    };
  }

  function readDocument(document: Document, why: string | null, frame: FrameView, matrix: Matrix): void {
    const { documentElement: root, defaultView: window, body, scrollingElement } = plain(document);
    if (!root || !window) return;
    const rootStyle = window.getComputedStyle(root);
    const bodyStyle = body && window.getComputedStyle(body);
    const viewStyle = body && bodyStyle && passesToViewport(body, window) ? bodyStyle : rootStyle;
    const { innerWidth, innerHeight } = window;
    const whole = meet(EVERYTHING, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
    const view = frame.rect === null ? whole : meet(whole, frame.rect);
    const range = scrollRange(
      scrollingElement ?? root,
      bodyStyle && isInitial(rootStyle) ? bodyStyle : rootStyle,
      true,
    );
    const scrolls = (overflow: string): boolean => frame.scrolls && overflow !== 'hidden' && overflow !== 'clip';
    const [x, y] = [scrolls(viewStyle.overflowX), scrolls(viewStyle.overflowY)];
    const flow: Clip = {
      left: view.left - (x ? range.left : 0),
      top: view.top - (y ? range.top : 0),
      right: view.right + (x ? range.right : 0),
      bottom: view.bottom + (y ? range.bottom : 0),
      ...{ shapes: [], turned: [] },
      width: x ? view.right - view.left : Number.POSITIVE_INFINITY,
      height: y ? view.bottom - view.top : Number.POSITIVE_INFINITY,
    };
    const state = {
      ...{ flow, absolute: flow, fixed: view, alpha: frame.alpha, matrix },
      ...{ behind: null, isOnBack: frame.isOnBack, isDeep: false, why },
    };
    tops.set(document, state);
    readElement(root, state);
  }

  /** The body's writing direction is the viewport's where the root element has none of its own. */
  function isInitial({ writingMode, direction }: CSSStyleDeclaration): boolean {
    return writingMode === 'horizontal-tb' && direction === 'ltr';
  }

  const { scale } = frame;
  const matrix: Matrix = [scale, 0, 0, 0, scale, 0, 0, 0, 1];
  const documents = roots ? new Set(roots.map((root) => plain(root).ownerDocument)) : [document];
  for (const one of documents) readDocument(one, null, frame, matrix);
  const elements = frames.map(({ element }) => element);
  if (!roots) Object.defineProperty(globalThis, 'taskwrightFrames', { value: elements, configurable: true });
  return {
    texts: roots ? roots.map((root) => (texts.get(root) ?? []).join('')) : [page.join('')],
    hidden,
    shown,
    frames: frames.map(({ view }) => view),
  };
}

/** How a frame shows its document, given how its own document is shown; null if nothing of it can be seen. */
export function readFrameView(frame: Element, outer: FrameView | null): FrameView | null {
  const { frames } = readText([frame], { explain: false, frame: outer, leavesFrames: true });
  return frames[0] ?? null;
}

/** What has no box, or is a part of a line: neither transforms nor clips apply. */
const UNBOXED = new Set(['contents', 'inline', 'ruby']);
const FRAMES = new Set(['iframe', 'frame', 'object', 'embed']);
/** Boxes although they are in a line. */
const REPLACED = new Set(['img', 'input', 'textarea', 'select', 'button']);
/** Boxes whose `overflow` has no effect. */
const UNCLIPPED = /^table-(?:row|row-group|header-group|footer-group|column|column-group)$|^ruby/;
