import type { OffsetEdit } from './source.ts';

/** A text that is changed step by step, and what the steps come to as edits of the text as it was. */
export class Draft {
  #text: string;
  /** In the order of the text, apart from each other; offsets of the text as it was. */
  #edits: OffsetEdit[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** As it is now. */
  get text(): string {
    return this.#text;
  }

  /** Edits of the text as it was; they do not touch each other. */
  get edits(): readonly OffsetEdit[] {
    return this.#edits;
  }

  /** Replaces a span of the text as it is now. */
  replace(start: number, end: number, text: string): void {
    if (this.#text.slice(start, end) === text) return;
    this.#text = this.#text.slice(0, start) + text + this.#text.slice(end);
    const before: OffsetEdit[] = [];
    const after: OffsetEdit[] = [];
    let merged: OffsetEdit | undefined;
    /** How much longer the text is now, up to the edit that is looked at. */
    let shift = 0;
    let shiftBefore = 0;
    for (const edit of this.#edits) {
      const from = edit.start + shift;
      const to = from + edit.text.length;
      shift += edit.text.length - (edit.end - edit.start);
      if (to < start) {
        before.push(edit);
        shiftBefore = shift;
      } else if (from > end) after.push(edit);
      else {
        const head = edit.text.slice(0, Math.max(0, start - from));
        const tail = edit.text.slice(Math.max(0, end - from));
        merged = {
          start: merged?.start ?? (from <= start ? edit.start : start - shiftBefore),
          end: to >= end ? edit.end : end - shift,
          text: (merged === undefined ? head + text : merged.text) + tail,
        };
      }
    }
    merged ??= { start: start - shiftBefore, end: end - shiftBefore, text };
    this.#edits = [...before, merged, ...after];
  }
}
