import { el, on } from './dom.ts';

/** An item of a windowed list, identified by `key`. A new object with the same key is rendered again. */
export interface WindowItem {
  readonly key: string;
}

export interface WindowOptions<T extends WindowItem> {
  /** Pixels from one item to the next. */
  readonly pitch: number;
  readonly horizontal?: boolean;
  readonly draw: (item: T) => HTMLElement;
}

/** Number of items rendered before and after the visible ones, so that scrolling shows no gaps. */
const MARGIN = 8;

/**
 * A list of items of equal size that renders only the visible ones and the focusable one, so that scrolling does not lose
 * the keyboard focus.
 */
export class WindowedList<T extends WindowItem> {
  readonly scroller: HTMLElement;
  readonly #spacer: HTMLElement;
  readonly #options: WindowOptions<T>;
  readonly #elements = new Map<string, { item: T; element: HTMLElement }>();
  #items: readonly T[] = [];
  #keptIndex = -1;

  constructor(scroller: HTMLElement, options: WindowOptions<T>) {
    this.scroller = scroller;
    this.#options = options;
    this.#spacer = el('div', { class: 'room', role: 'presentation' });
    scroller.append(this.#spacer);
    on(scroller, 'scroll', () => this.#draw());
    new ResizeObserver(() => this.#draw()).observe(scroller);
  }

  /** `kept`: the position of the item that stays rendered, or -1. */
  show(items: readonly T[], keptIndex: number): void {
    this.#items = items;
    this.#keptIndex = keptIndex;
    this.#spacer.style.setProperty(
      this.#options.horizontal ? 'width' : 'height',
      `${items.length * this.#options.pitch}px`,
    );
    this.#draw();
  }

  /** Scrolls an item and `lead` items before it into view: as little as necessary, or to the center if it is far. */
  reveal(position: number, margin = 0): void {
    const { pitch } = this.#options;
    const { start, size } = this.#viewport();
    const from = Math.max(0, position - margin) * pitch;
    const to = (position + 1) * pitch;
    if (to < start - size || from > start + 2 * size) this.#scrollTo(from - size / 2);
    else if (from < start) this.#scrollTo(from);
    else if (to > start + size) this.#scrollTo(to - size);
    this.#draw();
  }

  elementOf(key: string): HTMLElement | null {
    return this.#elements.get(key)?.element ?? null;
  }

  /** Number of items per page. */
  get page(): number {
    return Math.max(1, Math.floor(this.#viewport().size / this.#options.pitch) - 1);
  }

  /** Where a navigation key moves from position `at`; undefined for other keys. `sideways`: left and right move, too. */
  positionAfter(key: string, at: number, count: number, sideways = false): number | undefined {
    const moves: Partial<Record<string, number>> = {
      ArrowUp: at - 1,
      ArrowDown: at + 1,
      Home: 0,
      End: count - 1,
      PageUp: at - this.page,
      PageDown: at + this.page,
      ...(sideways ? { ArrowLeft: at - 1, ArrowRight: at + 1 } : {}),
    };
    const to = moves[key];
    return to === undefined ? undefined : Math.min(Math.max(to, 0), count - 1);
  }

  #viewport(): { start: number; size: number } {
    const { scroller } = this;
    return this.#options.horizontal
      ? { start: scroller.scrollLeft, size: scroller.clientWidth }
      : { start: scroller.scrollTop, size: scroller.clientHeight };
  }

  #scrollTo(pixels: number): void {
    if (this.#options.horizontal) this.scroller.scrollLeft = pixels;
    else this.scroller.scrollTop = pixels;
  }

  #draw(): void {
    const { pitch, horizontal, draw } = this.#options;
    const { start, size } = this.#viewport();
    const first = Math.max(0, Math.floor(start / pitch) - MARGIN);
    const last = Math.min(this.#items.length - 1, Math.ceil((start + size) / pitch) + MARGIN);
    const positions: number[] = [];
    if (this.#keptIndex >= 0 && this.#keptIndex < first) positions.push(this.#keptIndex);
    for (let position = first; position <= last; position++) positions.push(position);
    if (this.#keptIndex > last && this.#keptIndex < this.#items.length) positions.push(this.#keptIndex);

    // Removing items first keeps the others in order: moving an element would lose its focus.
    const keys = new Set(positions.map((position) => this.#items[position]?.key));
    for (const [key, { element }] of this.#elements) {
      if (keys.has(key)) continue;
      element.remove();
      this.#elements.delete(key);
    }
    let previous: Element | null = null;
    for (const position of positions) {
      const item = this.#items[position];
      if (item === undefined) continue;
      let entry = this.#elements.get(item.key);
      if (entry?.item !== item) {
        const element = draw(item);
        if (entry !== undefined) {
          const focusedKey = entry.element === document.activeElement;
          entry.element.replaceWith(element);
          if (focusedKey) element.focus({ preventScroll: true });
        }
        entry = { item, element };
        this.#elements.set(item.key, entry);
      }
      entry.element.style.setProperty(horizontal ? 'left' : 'top', `${position * pitch}px`);
      const anchor: Element | null = previous === null ? this.#spacer.firstElementChild : previous.nextElementSibling;
      if (anchor !== entry.element) this.#spacer.insertBefore(entry.element, anchor);
      previous = entry.element;
    }
  }
}
