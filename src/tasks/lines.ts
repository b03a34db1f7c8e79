import type { Position, Range } from './range.ts';

const LF = 10;
const CR = 13;

/** Turns offsets of a text into positions; lines end at `\n`, `\r\n` or `\r`, as in the Language Server Protocol. */
export class Lines {
  readonly text: string;
  #starts: number[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  position(offset: number): Position {
    const starts = this.#lineStarts();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: offset - (starts[low] ?? 0) };
  }

  range(start: number, end: number): Range {
    return { start: this.position(start), end: this.position(end) };
  }

  /** The offset of a position; past the end of a line counts as its end. */
  offset(position: Position): number {
    const starts = this.#lineStarts();
    const start = starts[position.line];
    if (start === undefined) return this.text.length;
    return Math.min(start + position.character, starts[position.line + 1] ?? this.text.length);
  }

  #lineStarts(): number[] {
    if (this.#starts !== undefined) return this.#starts;
    const starts = [0];
    const text = this.text;
    const hasCarriageReturns = text.includes('\r');
    if (!hasCarriageReturns) {
      for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    } else {
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) starts.push(at + 1);
      }
    }
    this.#starts = starts;
    return starts;
  }
}
