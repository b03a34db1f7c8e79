import fc from 'fast-check';
import { squareFont } from './square-font.ts';

/** A page with words whose colors say in a screenshot which of them are seen. */
export interface VisiblePage {
  /** The page, and the pages that it frames, by address. */
  readonly documents: Readonly<Record<string, string>>;
  /** Their elements have the attribute `data-word` with the index. */
  readonly words: readonly string[];
}

/** Colors that no mixture with white makes one of the others. */
export const COLORS: readonly (readonly [number, number, number])[] = [
  [220, 0, 0],
  [0, 150, 0],
  [0, 0, 220],
  [200, 0, 200],
  [0, 150, 150],
  [230, 120, 0],
  [110, 0, 210],
  [230, 0, 110],
  [130, 160, 0],
  [0, 110, 220],
];

export const PAGE = 'http://shop.test/';
export const OTHER_SITE = 'http://frames.test/';

export const HEAD = `<style>
  @font-face { font-family: Squares; src: url(${squareFont()}) }
  * { font-family: Squares; outline: none !important }
  html { font-size: 16px; line-height: 1.25; --word: 0 }
  input, textarea, select, button, dialog, [popover] { background: transparent !important; color: #777; font-size: 16px }
  progress, meter { filter: grayscale(1) }
  dialog::backdrop, [popover]::backdrop { background: transparent !important }
  ${COLORS.map((color, index) => `::highlight(word${index}) { color: ${css(color)} }`).join(' ')}
</style>`;

export const SHADOW = '<style>* { font-family: Squares; font-size: 1em }</style>';

/** Runs what elements ask for, and colors the words of texts that hold several. */
export const SCRIPT = `<script>
  for (const one of document.querySelectorAll('[data-run]')) new Function(one.dataset.run).call(one);
  for (const one of document.querySelectorAll('[data-words]')) {
    let from = 0;
    for (const index of one.dataset.words.split(' ')) {
      const range = new Range();
      range.setStart(one.firstChild, from);
      range.setEnd(one.firstChild, from += 4);
      from += 1;
      CSS.highlights.set('word' + index, new Highlight(range));
    }
  }
</script>`;

function css(color: readonly number[]): string {
  return `rgb(${color.join()})`;
}

/** Writes a page, and gives its words texts and colors while there are any left. */
export class Draft {
  readonly words: string[] = [];
  readonly documents: Record<string, string> = {};
  readonly #letters: string;
  #ids = 0;
  /** Whether the place written at is in a turned box: Chrome shows a frame even on the back of one, and draws it in layers. */
  isTurned = false;
  /** Whether the place written at is in a box with a perspective, where a box on its edge still shows a strip. */
  isInPerspective = false;
  /** Whether the place written at is in a page or a box with a `zoom`. */
  isZoomed = false;
  /** Whether the place written at is in a shadow tree, which the document's style sheets do not reach. */
  inShadow = false;

  constructor(letters: string) {
    this.#letters = letters;
  }

  id(): string {
    this.#ids += 1;
    return `id${this.#ids}`;
  }

  /** The next word; null where the page has enough of them. */
  next(): { index: number; text: string; color: string } | null {
    const index = this.words.length;
    const color = COLORS[index];
    if (color === undefined) return null;
    const text = `${this.#letters[index] ?? 'X'}${'KLMN'[index % 4]}${'PQRS'[(index >> 2) % 4]}${'VWYZ'[index % 3]}`;
    this.words.push(text);
    return { index, text, color: css(color) };
  }

  frame(html: string): string {
    const address = `${OTHER_SITE}${Object.keys(this.documents).length}`;
    this.documents[address] = html;
    return address;
  }
}

export type Part = (draft: Draft) => string;
export type Around = (inner: Part) => Part;

export const one = fc.constantFrom;
export const px = (...values: readonly number[]) => one(...values.map((value) => `${value}px`));

/** A style of some of the declarations. */
export function styles(...some: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...some).map((all) => all.filter((text) => text !== '').join(';'));
}

export const boxed = (style: fc.Arbitrary<string>): fc.Arbitrary<Around> =>
  style.map((text) => (inner) => (draft) => `<div style="${text}">${inner(draft)}</div>`);
export const wrapped = (...pairs: readonly (readonly [before: string, after: string])[]): fc.Arbitrary<Around> =>
  one(...pairs).map(
    ([before, after]) =>
      (inner) =>
      (draft) =>
        before + inner(draft) + after,
  );
const ON_EDGE = /rotate[XY]\(90deg\)|rotate:x 90deg/;
export const turning = (style: fc.Arbitrary<string>): fc.Arbitrary<Around> =>
  style.map((text) => (inner) => (draft) => {
    const outside = { isTurned: draft.isTurned, isInPerspective: draft.isInPerspective };
    draft.isTurned = true;
    draft.isInPerspective ||= text.includes('perspective:');
    const content = inner(draft);
    Object.assign(draft, outside);
    const turn = outside.isInPerspective && ON_EDGE.test(text) ? '' : text;
    const style = outside.isTurned ? turn.replace('backface-visibility:hidden', '') : turn;
    return `<div style="${style}">${content}</div>`;
  });
export const declared = (name: string, ...values: readonly string[]): fc.Arbitrary<string> =>
  one(...values).map((value) => `${name}:${value}`);

/** What shows the next word; nothing where there is none. */
export const marked =
  (html: (next: { index: number; text: string; color: string }, draft: Draft) => string): Part =>
  (draft) => {
    const next = draft.next();
    return next === null ? '' : html(next, draft);
  };
