import type { OffsetEdit } from '../base/lines.ts';

/** A part of the new text: a span of the original text, or inserted text. */
type Piece = { readonly from: number; readonly to: number } | { readonly text: string };

/** Applies edits to a text step by step, and returns them as edits of the original text. */
export class Draft {
  readonly #original: string;
  #text: string;
  #pieces: readonly Piece[];

  constructor(text: string) {
    this.#original = text;
    this.#text = text;
    this.#pieces = [{ from: 0, to: text.length }];
  }

  /** The current text. */
  get text(): string {
    return this.#text;
  }

  /** Edits of the original text, in document order, not adjacent to each other. */
  get edits(): readonly OffsetEdit[] {
    const edits: OffsetEdit[] = [];
    let start = 0;
    let text = '';
    const close = (end: number): void => {
      if (end > start || text !== '') edits.push({ start, end, text });
      text = '';
    };
    for (const piece of this.#pieces) {
      if ('text' in piece) text += piece.text;
      else {
        close(piece.from);
        start = piece.to;
      }
    }
    close(this.#original.length);
    return edits;
  }

  /** Replaces a span of the current text. */
  replace(start: number, end: number, text: string): void {
    if (this.#text.slice(start, end) !== text) this.replaceAll([{ start, end, text }]);
  }

  /** Applies edits of the current text, which are in document order and do not overlap. */
  replaceAll(edits: readonly OffsetEdit[]): void {
    const pieces: Piece[] = [];
    let index = 0;
    /** Offset of the current piece in the current text. */
    let at = 0;
    const keep = (end: number, from: number): void => {
      let start = from;
      for (; index < this.#pieces.length; index += 1) {
        const piece = this.#pieces[index] as Piece;
        const length = 'text' in piece ? piece.text.length : piece.to - piece.from;
        const head = Math.max(start - at, 0);
        const tail = Math.min(end - at, length);
        if (tail > head) {
          pieces.push(
            'text' in piece
              ? { text: piece.text.slice(head, tail) }
              : { from: piece.from + head, to: piece.from + tail },
          );
        }
        if (at + length > end) return;
        at += length;
        start = Math.max(start, at);
      }
    };
    let last = 0;
    for (const { start, end, text } of edits) {
      keep(start, last);
      if (text !== '') pieces.push({ text });
      last = end;
    }
    keep(this.#text.length, last);
    this.#pieces = pieces;
    this.#text = pieces
      .map((piece) => ('text' in piece ? piece.text : this.#original.slice(piece.from, piece.to)))
      .join('');
  }
}
