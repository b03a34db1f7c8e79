/// <reference lib="dom" />
import { inflateSync } from 'node:zlib';
import type { CDPSession, Frame, Page } from 'playwright-core';
import { COLORS, OTHER_SITE } from './draft.ts';

/** What a screenshot says of a word: seen, unseen, or cut off so far that the contract leaves it open. */
export type Sight = 'seen' | 'unseen' | 'open';

/** Shares of a word's squares from which on it is seen, and up to which it is not. */
const SEEN = 0.75;
const UNSEEN = 0.2;
/** A square has to have so many pixels of the screen to be a character that counts, and fewer not to count. */
const LARGE = 3;
const SMALL = 0.8;
/** Of the difference between white and a color, so much is seen. */
const FAINT = 0.05;

/** A word's squares on the screen. */
interface Squares {
  /** Pixels that they take where nothing cuts them off. */
  readonly area: number;
  /** Pixels of the shorter side of its line. */
  readonly height: number;
  readonly isMasked: boolean;
}

/** Looks at a page as a person does who scrolls it. */
export class Screen {
  readonly #page: Page;
  readonly #cdp: CDPSession;
  readonly #count: number;
  /** The largest share of each word that was seen. */
  readonly #shares: number[];
  readonly #squares: (Squares | null)[];

  constructor(page: Page, cdp: CDPSession, count: number) {
    this.#page = page;
    this.#cdp = cdp;
    this.#count = count;
    this.#shares = Array(count).fill(0);
    this.#squares = Array(count).fill(null);
  }

  /** Looks at each word where it is, and scrolls to those that are not seen there. */
  async look(): Promise<readonly Sight[]> {
    for (const frame of this.#sites()) {
      if (frame.parentFrame() === null) continue;
      // A document does not know this of a frame of another site.
      const element = await frame.frameElement();
      await frame.evaluate(`globalThis.cannotScroll = ${(await element.getAttribute('scrolling')) === 'no'}`);
      await element.dispose();
    }
    await this.#shoot();
    for (let index = 0; index < this.#count; index += 1) {
      for (const place of [0.5, 0, 1]) {
        const share = this.#shares[index] ?? 0;
        if (share >= SEEN || (share === 0 && place !== 0.5)) break;
        if (await this.#scrollTo(index, place)) await this.#shoot();
      }
    }
    return Array.from({ length: this.#count }, (_, index) => this.#sight(index));
  }

  /** Looks at one word again, with all others made transparent, wherever all that scrolls can be scrolled to. */
  async lookAlone(index: number): Promise<Sight> {
    this.#shares[index] = 0;
    for (const frame of this.#sites()) await this.#call(frame, 'hideOthers', index);
    for (const isUsed of [true, false]) {
      for (const place of [0.5, 0, 1]) {
        await this.#scrollTo(index, place, isUsed);
        await this.#shoot();
      }
    }
    for (let step = 0; step < 40 && (this.#shares[index] ?? 0) < SEEN; step += 1) {
      for (const frame of this.#sites()) await this.#call(frame, 'scrollAnywhere', step);
      await this.#shoot();
    }
    return this.#sight(index);
  }

  /** What was seen of a word, for a person. */
  share(index: number): string {
    return `${Math.round((this.#shares[index] ?? 0) * 100)} % of ${Math.round(this.#squares[index]?.area ?? 0)} px`;
  }

  #sight(index: number): Sight {
    const squares = this.#squares[index] ?? null;
    const share = this.#shares[index] ?? 0;
    if (squares?.isMasked) return 'unseen';
    // How much of it a few pixels are is not known: it has no box.
    if (squares === null && share > 0 && share < SEEN) return 'open';
    const side = squares === null ? LARGE : Math.min(Math.sqrt(squares.area / 4), squares.height);
    if (side < SMALL || share <= UNSEEN) return 'unseen';
    return side >= LARGE && share >= SEEN ? 'seen' : 'open';
  }

  /** The page, and its frames of other sites. */
  #sites(): Frame[] {
    return this.#page.frames().filter((frame) => frame.parentFrame() === null || frame.url().startsWith(OTHER_SITE));
  }

  async #call<Name extends keyof Looking, Result = ReturnType<Looking[Name]>>(
    frame: Frame,
    name: Name,
    ...args: Parameters<Looking[Name]>
  ): Promise<Result> {
    const expression = `(globalThis.looking ??= (${looking})()).${name}(${args.map((one) => JSON.stringify(one)).join()})`;
    if (frame.parentFrame() !== null) return frame.evaluate<Result>(expression);
    const { result, exceptionDetails } = await this.#cdp.send('Runtime.evaluate', { expression, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as Result;
  }

  async #shoot(): Promise<void> {
    await this.#measure();
    const { data } = await this.#cdp.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
    const counts = countColors(Buffer.from(data, 'base64'));
    for (let index = 0; index < this.#count; index += 1) {
      const area = this.#squares[index]?.area ?? 4 * 16 * 16;
      this.#shares[index] = Math.max(this.#shares[index] ?? 0, (counts[index] ?? 0) / Math.max(area, 4));
    }
  }

  /** Asks the browser how large the words are on the screen. */
  async #measure(): Promise<void> {
    const [top, ...others] = this.#sites();
    const facts = await this.#call(top as Frame, 'measure');
    const { result } = await this.#cdp.send('Runtime.evaluate', { expression: 'lookedAt' });
    const { result: properties } = await this.#cdp.send('Runtime.getProperties', {
      objectId: result.objectId ?? '',
      ownProperties: true,
    });
    const measured = properties.map(async ({ name, value }) => {
      const found = facts[Number(name)];
      if (value?.objectId === undefined || found === undefined) return;
      const { area, height } = await this.#sizeOf(value.objectId);
      for (const { index, part, zoom, isMasked } of found) {
        if (area > 0 || isMasked)
          this.#squares[index] = { area: area * part * zoom ** 2, height: height * zoom, isMasked };
      }
    });
    await Promise.all(measured);
    for (const frame of others) {
      const element = await frame.frameElement();
      // How large a pixel of the frame is on the screen.
      const pixel = await element.evaluate((node) => {
        const one = node as HTMLElement;
        const { width, height } = one.getBoundingClientRect();
        const { a, b, c, d } = new DOMMatrix(getComputedStyle(one).transform);
        // The rectangle around a turned frame is larger than the frame.
        if (b !== 0) return Math.abs(a * d - b * c);
        return (width * height) / Math.max(1, one.offsetWidth * one.offsetHeight);
      });
      await element.dispose();
      for (const { index, area, height, part, isMasked } of (await this.#call(frame, 'measure')).flat()) {
        if (area > 0 || isMasked)
          this.#squares[index] = { area: area * part * pixel, height: height * Math.sqrt(pixel), isMasked };
      }
    }
  }

  async #sizeOf(objectId: string): Promise<{ area: number; height: number }> {
    try {
      const { quads } = await this.#cdp.send('DOM.getContentQuads', { objectId });
      return {
        area: quads.reduce((sum, quad) => sum + quadArea(quad), 0),
        height: Math.max(...quads.map(quadHeight)),
      };
    } catch {
      return { area: 0, height: 0 }; // It has no box.
    }
  }

  /** Scrolls what a person can scroll so that a word is at a place of each box; false where nothing has moved. */
  async #scrollTo(index: number, place: number, isUsed = true): Promise<boolean> {
    let hasMoved = false;
    for (const frame of this.#sites()) {
      const found = await this.#call(frame, 'scrollToWord', index, place, isUsed);
      if (found === null) continue;
      hasMoved ||= found.hasMoved;
      if (frame.parentFrame() !== null) {
        const element = await frame.frameElement();
        const expression = `(globalThis.looking ??= (${looking})())`;
        await (frame.parentFrame() as Frame).evaluate(expression);
        hasMoved =
          (await element.evaluate(
            (one, { x, y, at }) =>
              (globalThis as unknown as { looking: Looking }).looking.scrollToFrame(one as Element, x, y, at),
            { ...found, at: place },
          )) || hasMoved;
        await element.dispose();
      }
      if (!found.isLate) continue;
      // What has come into sight is laid out only now.
      await this.#page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await this.#call(frame, 'scrollToWord', index, place, isUsed);
      hasMoved = true;
    }
    return hasMoved;
  }
}

interface WordFacts {
  readonly index: number;
  /** Pixels of the node, and of the shorter side of a line of it, as far as rectangles say it. */
  readonly area: number;
  readonly height: number;
  /** The share of it that the word's squares take. */
  readonly part: number;
  /** Of the frames around it. The browser gives pixels of the frame. */
  readonly zoom: number;
  readonly isMasked: boolean;
}

type Looking = {
  /** Also leaves the text or element of each word in `globalThis.lookedAt`, over the document and its frames of the same site. */
  measure(): WordFacts[][];
  /** Where the middle of a word, or of what uses it, is then; `isLate`: something around it is laid out when it comes into sight. */
  scrollToWord(
    index: number,
    place: number,
    isUsed: boolean,
  ): { x: number; y: number; hasMoved: boolean; isLate: boolean } | null;
  scrollToFrame(frame: Element, x: number, y: number, place: number): boolean;
  scrollAnywhere(step: number): void;
  hideOthers(index: number): void;
};

/** Runs in the page, and stands alone. */
function looking(): Looking {
  type Of = 'x' | 'y';
  type Sides = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>;
  const MARKED = '[data-word], [data-words], [data-also]';

  function documents(): Document[] {
    const found = [document];
    for (const one of found) {
      for (const frame of everything(one).filter((element) => /^(?:iframe|object)$/.test(element.localName))) {
        try {
          const inner = (frame as HTMLIFrameElement).contentDocument;
          if (inner?.defaultView) found.push(inner);
        } catch {
          // Of another site.
        }
      }
    }
    return found;
  }

  function everything(root: Document | ShadowRoot): HTMLElement[] {
    return [...root.querySelectorAll<HTMLElement>('*')].flatMap((one) =>
      one.shadowRoot ? [one, ...everything(one.shadowRoot)] : [one],
    );
  }

  function marked(): HTMLElement[] {
    return documents()
      .flatMap(everything)
      .filter((one) => one.matches(MARKED));
  }

  function styleOf(element: Element): CSSStyleDeclaration {
    return (element.ownerDocument.defaultView as Window).getComputedStyle(element);
  }

  function indexesOf({ dataset }: HTMLElement): number[] {
    return (dataset['word'] ?? dataset['words'] ?? dataset['also'] ?? '').split(' ').map(Number);
  }

  function around(one: Element): Element | null {
    return (
      one.assignedSlot ?? one.parentElement ?? ((one.getRootNode() as ShadowRoot).host as Element | undefined) ?? null
    );
  }

  const scrolls = (value: string): boolean => value === 'auto' || value === 'scroll';
  const opens = (value: string): boolean => value !== 'hidden' && value !== 'clip';

  /** The element that scrolls a document, and in which directions a person can scroll it. */
  function viewOf({ documentElement: root, body, scrollingElement, defaultView }: Document) {
    const rootStyle = styleOf(root);
    const isPassed = rootStyle.overflowX === 'visible' && rootStyle.overflowY === 'visible';
    const style = isPassed && body ? styleOf(body) : rootStyle;
    const isFixed =
      defaultView?.frameElement?.getAttribute('scrolling') === 'no' ||
      (globalThis as { cannotScroll?: boolean }).cannotScroll === true;
    return {
      element: scrollingElement ?? root,
      x: !isFixed && opens(style.overflowX),
      y: !isFixed && opens(style.overflowY),
      isOwn: (one: Element): boolean => one === root || (one === body && isPassed),
    };
  }

  /** Scrolls everything around an element in its document, from the inside out, to have a point at a place of it. */
  function reveal(target: Element, point: () => { x: number; y: number }, place: number): boolean {
    let hasMoved = false;
    const aim = (scroller: Element, side: Of, sides: () => Sides): void => {
      const axis = side === 'x' ? 'scrollLeft' : 'scrollTop';
      const before = scroller[axis];
      const pointAt = (at: number): { x: number; y: number } => {
        scroller[axis] = at;
        return point();
      };
      const atLow = pointAt(-100_000);
      const low = scroller[axis];
      const atHigh = pointAt(100_000);
      const high = scroller[axis];
      if (low === high) return;
      // In a box that is turned, it moves down what is scrolled to the right.
      const of = Math.abs(atHigh.x - atLow.x) > Math.abs(atHigh.y - atLow.y) ? 'x' : 'y';
      const { left, top, right, bottom } = sides();
      const [from, to] = of === 'x' ? [left, right] : [top, bottom];
      const margin = Math.min(24, (to - from) / 2);
      const aimed = place === 0.5 ? (from + to) / 2 : place === 0 ? from + margin : to - margin;
      // A point moves evenly with what is scrolled.
      if (atLow[of] === atHigh[of]) scroller[axis] = before;
      else {
        const share = (aimed - atLow[of]) / (atHigh[of] - atLow[of]);
        scroller[axis] = Math.min(high, Math.max(low, low + (high - low) * share));
      }
      hasMoved ||= scroller[axis] !== before;
    };
    const view = viewOf(target.ownerDocument);
    const { innerWidth: right, innerHeight: bottom } = target.ownerDocument.defaultView as Window;
    const window = { left: 0, top: 0, right, bottom };
    // What is around a box can cut off a part of it, but only once that is scrolled is it known which.
    for (const part of [(box: Element): Sides => box.getBoundingClientRect(), partInSight]) {
      for (let one = around(target); one !== null; one = around(one)) {
        if (view.isOwn(one)) continue;
        const box = one;
        const { overflowX, overflowY } = styleOf(one);
        if (scrolls(overflowX)) aim(one, 'x', () => part(box));
        if (scrolls(overflowY)) aim(one, 'y', () => part(box));
      }
      if (view.x) aim(view.element, 'x', () => window);
      if (view.y) aim(view.element, 'y', () => window);
    }
    return hasMoved;
  }

  /** The part of a box that nothing around it cuts off; all of it where nothing is left. */
  function partInSight(box: Element): Sides {
    const all = box.getBoundingClientRect();
    let { left, top, right, bottom } = all;
    for (let one = around(box); one !== null; one = around(one)) {
      const { overflowX, overflowY } = styleOf(one);
      const outer = one.getBoundingClientRect();
      if (overflowX !== 'visible') [left, right] = [Math.max(left, outer.left), Math.min(right, outer.right)];
      if (overflowY !== 'visible') [top, bottom] = [Math.max(top, outer.top), Math.min(bottom, outer.bottom)];
    }
    return left < right && top < bottom ? { left, top, right, bottom } : all;
  }

  function zoomAround({ ownerDocument }: Element): number {
    const frame = ownerDocument.defaultView?.frameElement ?? null;
    return frame === null ? 1 : (frame as unknown as { currentCSSZoom: number }).currentCSSZoom * zoomAround(frame);
  }

  /** The text of an element in front of all other elements in it. A field's text has no box. */
  function textOf({ firstChild, localName }: Element): Text | null {
    return firstChild?.nodeType === 3 && localName !== 'textarea' ? (firstChild as Text) : null;
  }

  /** One of the words of an element, which have four letters each. */
  function rangeOf(element: Element, word: number): Range {
    const range = element.ownerDocument.createRange();
    range.setStart(element.firstChild as Text, word * 5);
    range.setEnd(element.firstChild as Text, word * 5 + 4);
    return range;
  }

  /** The middle of one of the words of an element, or of the element where that has no box. */
  function middleOf(element: Element, word: number): { x: number; y: number } {
    const box = textOf(element) === null ? element : rangeOf(element, word);
    const { left, right, top, bottom } = (box.getClientRects().length > 0 ? box : element).getBoundingClientRect();
    return { x: (left + right) / 2, y: (top + bottom) / 2 };
  }

  /** Where a point of a frame's document is outside of it. */
  function outside(frame: Element, { x, y }: { x: number; y: number }): { x: number; y: number } {
    const { left, top, width, height } = frame.getBoundingClientRect();
    const { offsetWidth, offsetHeight, clientLeft, clientTop } = frame as HTMLElement;
    const { paddingLeft, paddingTop, transform } = styleOf(frame);
    const { a, b, c, d } = new DOMMatrix(transform);
    // From the middle, around which it is turned.
    const across = clientLeft + Number.parseFloat(paddingLeft) + x - offsetWidth / 2;
    const down = clientTop + Number.parseFloat(paddingTop) + y - offsetHeight / 2;
    const [middleX, middleY] = [left + width / 2, top + height / 2];
    if (b !== 0) return { x: middleX + a * across + c * down, y: middleY + b * across + d * down };
    return {
      x: middleX + (Math.sign(a) * across * width) / Math.max(1, offsetWidth),
      y: middleY + (Math.sign(d) * down * height) / Math.max(1, offsetHeight),
    };
  }

  const self: Looking = {
    measure() {
      const elements = marked();
      const nodes = elements.map((one) => {
        return textOf(one) ?? one;
      });
      Object.assign(globalThis, { lookedAt: nodes });
      return elements.map((element) => {
        const style = styleOf(element);
        const security = style.getPropertyValue('-webkit-text-security');
        const isMasked = security !== '' && security !== 'none';
        const size = Number.parseFloat(style.fontSize);
        const indexes = indexesOf(element);
        const isField = /^(?:input|select|textarea)$/.test(element.localName);
        const part = isField
          ? (4 * size * size) / Math.max(1, element.offsetWidth * element.offsetHeight)
          : 4 / (5 * indexes.length - 1);
        const range = element.ownerDocument.createRange();
        // The text, or what stands in its place: a block is as wide as what is around it.
        const text = textOf(element);
        if (text === null) range.selectNode(element);
        else range.selectNodeContents(text);
        const rects = isField ? element.getClientRects() : range.getClientRects();
        const area = [...rects].reduce((sum, { width, height }) => sum + width * height, 0);
        const height = Math.max(0, ...[...rects].map((rect) => Math.min(rect.width, rect.height)));
        const zoom = zoomAround(element);
        return indexes.map((index) => ({ index, area, height, part, zoom, isMasked }));
      });
    },
    scrollToWord(index, place, isUsed) {
      const all = marked().filter((one) => indexesOf(one).includes(index));
      // What a drawing uses is seen where that is, and perhaps where it stands itself.
      const element = all.find((one) => one.hasAttribute('data-also') === isUsed) ?? all[0];
      if (element === undefined) return null;
      const target = element.closest('select') ?? element;
      let hasMoved = false;
      if (target !== element || target.localName === 'textarea') {
        const { scrollLeft: beforeX, scrollTop: beforeY } = target;
        target.scrollTo(styleOf(target).writingMode.endsWith('-rl') ? -99_999 : 99_999, 99_999);
        hasMoved = target.scrollLeft !== beforeX || target.scrollTop !== beforeY;
      }
      let isLate = false;
      for (let one: Element | null = target; one !== null; one = around(one)) {
        isLate ||= styleOf(one).getPropertyValue('content-visibility') === 'auto';
      }
      const word = indexesOf(element).indexOf(index);
      hasMoved = reveal(target, () => middleOf(target, word), place) || hasMoved;
      let point = middleOf(target, word);
      let window = target.ownerDocument.defaultView as Window;
      while (window !== globalThis.window) {
        const frame = window.frameElement as Element;
        hasMoved = self.scrollToFrame(frame, point.x, point.y, place) || hasMoved;
        point = outside(frame, point);
        window = frame.ownerDocument.defaultView as Window;
      }
      return { ...point, hasMoved, isLate };
    },
    scrollToFrame(frame, x, y, place) {
      return reveal(frame, () => outside(frame, { x, y }), place);
    },
    scrollAnywhere(step) {
      let state = step * 7919 + 17;
      const next = (): number => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        return state / 2_147_483_648;
      };
      const move = (one: Element, x: boolean, y: boolean): void => {
        const at = (range: number): number => (range + 20) * (next() * 2 - 1);
        if (x) one.scrollLeft = at(one.scrollWidth - one.clientWidth);
        if (y) one.scrollTop = at(one.scrollHeight - one.clientHeight);
      };
      for (const one of documents()) {
        const view = viewOf(one);
        for (const element of everything(one)) {
          const { overflowX, overflowY } = styleOf(element);
          if (!view.isOwn(element)) move(element, scrolls(overflowX), scrolls(overflowY));
        }
        move(view.element, view.x, view.y);
      }
    },
    hideOthers(index) {
      for (const one of marked()) {
        const indexes = indexesOf(one);
        // Another word may have been looked at alone before.
        one.dataset['style'] ??= one.getAttribute('style') ?? '';
        one.setAttribute('style', one.dataset['style']);
        if (one.hasAttribute('data-words')) {
          const { CSS: css, Highlight: Colored } = one.ownerDocument.defaultView as Window & typeof globalThis;
          for (const [at, other] of indexes.entries()) {
            css.highlights.delete(`word${other}`);
            if (other === index) css.highlights.set(`word${other}`, new Colored(rangeOf(one, at)));
          }
          one.style.setProperty('color', 'transparent', 'important');
          continue;
        }
        if (indexes.includes(index)) continue;
        for (const name of ['color', '-webkit-text-fill-color', 'fill', 'stroke', '-webkit-text-stroke-color']) {
          one.style.setProperty(name, 'transparent', 'important');
        }
        one.style.setProperty('text-shadow', 'none', 'important');
        if (styleOf(one).backgroundClip === 'text') one.style.setProperty('background', 'none', 'important');
      }
    },
  };
  return self;
}

// ————— Pictures

function quadArea(quad: readonly number[]): number {
  let twice = 0;
  for (let at = 0; at < 8; at += 2) {
    twice += (quad[at] ?? 0) * (quad[(at + 3) % 8] ?? 0) - (quad[(at + 2) % 8] ?? 0) * (quad[at + 1] ?? 0);
  }
  return Math.abs(twice) / 2;
}

/** The shorter side. */
function quadHeight([x0 = 0, y0 = 0, x1 = 0, y1 = 0, , , x3 = 0, y3 = 0]: readonly number[]): number {
  return Math.min(Math.hypot(x1 - x0, y1 - y0), Math.hypot(x3 - x0, y3 - y0));
}

/** How far each color is from white, as a direction. */
const DIRECTIONS = COLORS.map((color) => {
  const [r, g, b] = color.map((part) => 255 - part) as [number, number, number];
  const length = Math.hypot(r, g, b);
  return { r: r / length, g: g / length, b: b / length, length };
});

/** How many pixels of a picture have each color, be it mixed with white. */
export function countColors(png: Buffer): readonly number[] {
  const { pixels, width, height, bytes } = decode(png);
  const counts: number[] = COLORS.map(() => 0);
  for (let at = 0; at < width * height * bytes; at += bytes) {
    const r = 255 - (pixels[at] ?? 0);
    const g = 255 - (pixels[at + 1] ?? 0);
    const b = 255 - (pixels[at + 2] ?? 0);
    if (r + g + b < 12) continue;
    const length = Math.hypot(r, g, b);
    for (let index = 0; index < DIRECTIONS.length; index += 1) {
      const way = DIRECTIONS[index] as (typeof DIRECTIONS)[number];
      if (length < way.length * FAINT || (r * way.r + g * way.g + b * way.b) / length < 0.985) continue;
      counts[index] = (counts[index] ?? 0) + 1;
      break;
    }
  }
  return counts;
}

/** The pixels of a PNG of 8 bits a channel, in rows without gaps. */
function decode(png: Buffer): { pixels: Buffer; width: number; height: number; bytes: number } {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const bytes = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const packed = inflateSync(Buffer.concat(parts));
  const row = width * bytes;
  const pixels = Buffer.alloc(row * height);
  for (let y = 0; y < height; y += 1) {
    const filter = packed[y * (row + 1)];
    for (let x = 0; x < row; x += 1) {
      const left = x >= bytes ? (pixels[y * row + x - bytes] ?? 0) : 0;
      const up = y > 0 ? (pixels[(y - 1) * row + x] ?? 0) : 0;
      const corner = x >= bytes && y > 0 ? (pixels[(y - 1) * row + x - bytes] ?? 0) : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      pixels[y * row + x] = ((packed[y * (row + 1) + 1 + x] ?? 0) + guess) & 255;
    }
  }
  return { pixels, width, height, bytes };
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
