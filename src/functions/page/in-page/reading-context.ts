/// <reference lib="dom" />
import type { HiddenText, ReadOptions, ShownElement } from '../page-text.ts';
import { plain } from '../plain.ts';
import { type Matrix, scaleOf } from './geometry.ts';
import { FAINT, isDrawing, textAlpha } from './paint.ts';
import type { State } from './state.ts';
import { asGraphics } from './tag.ts';

const MAX_HIDDEN_TEXTS = 4000;
const MAX_SHOWN_ELEMENTS = 3000;

/** The results of a reading so far, and what its parts share. */
export class ReadingContext {
  readonly options: ReadOptions;
  readonly hiddenTexts: HiddenText[] = [];
  readonly shownElements: ShownElement[] = [];
  /** The lists that get each text. */
  lists: readonly string[][];
  /** The state of each document, which applies to its top layer too. */
  readonly documents = new Map<Document, State>();
  /** One per document: each change of a document updates every range in it until that is collected. */
  readonly #ranges = new Map<Document, Range>();

  constructor(options: ReadOptions, lists: readonly string[][]) {
    this.options = options;
    this.lists = lists;
  }

  put(...texts: readonly string[]): void {
    for (const list of this.lists) list.push(...texts);
  }

  /** Records a text that cannot be read. */
  hide(text: string, why: string): void {
    if (!this.options.explain || this.hiddenTexts.length >= MAX_HIDDEN_TEXTS || !/\S/.test(text)) return;
    this.hiddenTexts.push({ text: text.slice(0, 2000), why });
  }

  /** Records an element and its text, to compare a missing text with. */
  note(element: Element, text: string): void {
    if (!this.options.explain || this.shownElements.length >= MAX_SHOWN_ELEMENTS) return;
    const line = text.replace(/\s+/g, ' ').trim();
    if (line === '') return;
    const { localName: tag } = plain(element);
    this.shownElements.push({ role: plain(element).getAttribute('role') ?? '', tag, text: line.slice(0, 300) });
  }

  rangeIn(document: Document): Range {
    const range = this.#ranges.get(document) ?? plain(document).createRange();
    this.#ranges.set(document, range);
    return range;
  }

  /** Why the text of an element cannot be seen, wherever it is; null where it can. */
  whyUnseen(element: Element, state: State, style: CSSStyleDeclaration): string | null {
    if (state.why !== null) return state.why;
    if (state.isOnBack) return 'backface-visibility: hidden';
    if (style.visibility !== 'visible') return `visibility: ${style.visibility}`;
    if (state.behind === null && isTransparent(element, state, style)) return 'its text is transparent';
    const mask = style.getPropertyValue('-webkit-text-security');
    if (mask !== '' && mask !== 'none') return 'its characters are masked';
    return Number.parseFloat(style.fontSize) * this.#scaleIn(element, state.matrix) < 1 ? 'it has no size' : null;
  }

  #scaleIn(element: Element, matrix: Matrix): number {
    const graphics = isDrawing(element) ? asGraphics(element) : null;
    if (graphics === null) return scaleOf(matrix);
    const { a, b, c, d } = graphics.getScreenCTM() ?? { a: 1, b: 0, c: 0, d: 1 };
    // That matrix leaves out the frame around the document.
    const outer = this.documents.get(plain(element).ownerDocument);
    return Math.min(Math.hypot(a, b), Math.hypot(c, d)) * (outer === undefined ? 1 : scaleOf(outer.matrix));
  }
}

export function isTransparent(element: Element, { alpha }: State, style: CSSStyleDeclaration): boolean {
  return textAlpha(element, style) * alpha < FAINT;
}
