/// <reference lib="dom" />

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

/** What a page says of its words, and how it is scrolled. */
export type Looking = {
  /** Also leaves the text or element of each word in `globalThis.lookedAt`, over the document and its frames of the same site. */
  measure(): WordFacts[][];
  /** Where the middle of a word, of what uses it, or of the beginning of its field is then; `isLate`: something around it is laid out when it comes into sight. */
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
export function looking(): Looking {
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

  /**
   * The middle of one of the words of an element, or of the element where that has no box. `isAtStart`: of the beginning of a
   * field instead, which can be much longer than its text.
   */
  function middleOf(element: Element, word: number, isAtStart: boolean): { x: number; y: number } {
    const box = textOf(element) === null ? element : rangeOf(element, word);
    const { left, right, top, bottom } = (box.getClientRects().length > 0 ? box : element).getBoundingClientRect();
    const middle = { x: (left + right) / 2, y: (top + bottom) / 2 };
    if (!isAtStart || element.localName !== 'input') return middle;
    const half = 32;
    return bottom - top > right - left ? { ...middle, y: top + half } : { ...middle, x: left + half };
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
      const middle = (): { x: number; y: number } => middleOf(target, word, !isUsed);
      hasMoved = reveal(target, middle, place) || hasMoved;
      let point = middle();
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
