import type { OffsetEdit } from './lines.ts';

/** A part of the new text: a span of the text as it was, or one that is new. */
type Piece = { readonly from: number; readonly to: number } | { readonly text: string };

/** A text that is changed step by step, and what the steps come to as edits of the text as it was. */
export class Draft {
  readonly #original: string;
  #text: string;
  #pieces: readonly Piece[];

  constructor(text: string) {
    this.#original = text;
    this.#text = text;
    this.#pieces = [{ from: 0, to: text.length }];
  }

  /** As it is now. */
  get text(): string {
    return this.#text;
  }

  /** Edits of the text as it was, in its order; they do not touch each other. */
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

  /** Replaces a span of the text as it is now. */
  replace(start: number, end: number, text: string): void {
    if (this.#text.slice(start, end) !== text) this.replaceAll([{ start, end, text }]);
  }

  /** Makes edits of the text as it is now: they stand in its order and do not overlap. */
  replaceAll(edits: readonly OffsetEdit[]): void {
    const pieces: Piece[] = [];
    let index = 0;
    /** Where the piece that is looked at begins in the text as it is now. */
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
