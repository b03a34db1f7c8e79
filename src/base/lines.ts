import type { Position, Range, Span } from './range.ts';
import { firstIndexWhere } from './search.ts';

const LF = 10;
const CR = 13;
/** Characters in a chunk: few enough to copy at each keystroke, and enough to keep the number of chunks small. */
const CHUNK = 32_768;

/** Replaces each lone carriage return, as VS Code and Python do. The length does not change. */
export function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r(?!\n)/g, '\n') : text;
}

/** One replacement in a text, in UTF-16 offsets. */
export interface OffsetEdit extends Span {
  readonly text: string;
}

/**
 * The text of a file. Returns parts of it, converts between offsets and positions, and applies edits without copying
 * the whole text. Lines end at `\n`, `\r\n` or `\r`, as in the Language Server Protocol.
 */
export class Lines {
  /** The concatenated chunks are the text; a chunk never ends between `\r` and `\n`. */
  #chunks: Chunk[];
  #length: number;
  /** Index of the first chunk whose offset and line must be recomputed. */
  #countedChunks = 0;

  constructor(text: string) {
    this.#chunks = [new Chunk(text)];
    this.#length = text.length;
  }

  get length(): number {
    return this.#length;
  }

  /** The whole text as one string. It is built anew after each edit, so do not read it at each keystroke. */
  get text(): string {
    const [only] = this.#chunks;
    if (this.#chunks.length === 1 && only !== undefined) return only.text;
    const text = this.#chunks.map((chunk) => chunk.text).join('');
    this.#chunks = [new Chunk(text)];
    this.#countedChunks = 0;
    return text;
  }

  /** A string that contains a part of the text, and where the part begins. It is faster to search than `slice`. */
  around(start: number, end: number): { readonly text: string; readonly from: number } {
    const chunk = this.#chunks[this.#chunkAt(start)] as Chunk;
    const from = start - chunk.start;
    return end - chunk.start <= chunk.text.length
      ? { text: chunk.text, from }
      : { text: this.slice(start, end), from: 0 };
  }

  slice(start: number, end: number): string {
    let at = this.#chunkAt(start);
    const first = this.#chunks[at] as Chunk;
    if (end <= first.start + first.text.length) return first.text.slice(start - first.start, end - first.start);
    let text = first.text.slice(start - first.start);
    for (at += 1; at < this.#chunks.length; at += 1) {
      const chunk = this.#chunks[at] as Chunk;
      if (chunk.start >= end) break;
      text += chunk.text.slice(0, end - chunk.start);
    }
    return text;
  }

  position(offset: number): Position {
    let at = this.#chunkAt(offset);
    let chunk = this.#chunks[at] as Chunk;
    const inChunk = offset - chunk.start;
    const within = firstIndexWhere(chunk.lineStarts, (start) => start > inChunk);
    const line = chunk.line + within;
    if (within > 0) return { line, character: inChunk - (chunk.lineStarts[within - 1] as number) };
    // The line begins in an earlier chunk.
    while (at > 0) {
      at -= 1;
      chunk = this.#chunks[at] as Chunk;
      const last = chunk.lineStarts.at(-1);
      if (last !== undefined) return { line, character: offset - chunk.start - last };
    }
    return { line, character: offset };
  }

  range(start: number, end: number): Range {
    return { start: this.position(start), end: this.position(end) };
  }

  /** Offset of a position; positions past the end of a line are clamped. */
  offset(position: Position): number {
    const start = this.#lineStart(position.line);
    if (start === undefined) return this.#length;
    return Math.min(start + position.character, this.#lineStart(position.line + 1) ?? this.#length);
  }

  get lineCount(): number {
    this.#count();
    const last = this.#chunks.at(-1) as Chunk;
    return last.line + last.lineStarts.length + 1;
  }

  edit({ start, end, text }: OffsetEdit): void {
    if (this.#chunks.length === 1) this.#chunks = chunksOf((this.#chunks[0] as Chunk).text);
    this.#countedChunks = Math.min(this.#countedChunks, this.#chunks.length);
    let first = this.#chunkAt(start);
    let last = this.#chunkAt(end);
    const before = this.#chunks[first] as Chunk;
    const after = this.#chunks[last] as Chunk;
    let replacement = before.text.slice(0, start - before.start) + text + after.text.slice(end - after.start);
    const previous = this.#chunks[first - 1];
    if (previous !== undefined && previous.text.charCodeAt(previous.text.length - 1) === CR) {
      replacement = previous.text + replacement;
      first -= 1;
    }
    const next = this.#chunks[last + 1];
    if (next !== undefined && (next.text.charCodeAt(0) === LF || replacement.length < CHUNK / 4)) {
      replacement += next.text;
      last += 1;
    }
    this.#chunks.splice(first, last - first + 1, ...chunksOf(replacement));
    this.#length += text.length - (end - start);
    this.#countedChunks = Math.min(this.#countedChunks, first);
  }

  #lineStart(line: number): number | undefined {
    if (line === 0) return 0;
    this.#count();
    const chunk = this.#chunks[firstIndexWhere(this.#chunks, (one) => one.line >= line) - 1] as Chunk;
    const start = chunk.lineStarts[line - chunk.line - 1];
    return start === undefined ? undefined : chunk.start + start;
  }

  /** The last chunk that begins at or before the offset. */
  #chunkAt(offset: number): number {
    this.#count();
    return Math.max(0, firstIndexWhere(this.#chunks, ({ start }) => start > offset) - 1);
  }

  #count(): void {
    if (this.#countedChunks === this.#chunks.length) return;
    const before = this.#chunks[this.#countedChunks - 1];
    let start = before === undefined ? 0 : before.start + before.text.length;
    let line = before === undefined ? 0 : before.line + before.lineStarts.length;
    for (let at = this.#countedChunks; at < this.#chunks.length; at += 1) {
      const chunk = this.#chunks[at] as Chunk;
      chunk.start = start;
      chunk.line = line;
      start += chunk.text.length;
      // Nothing follows the only chunk.
      if (this.#chunks.length > 1) line += chunk.lineStarts.length;
    }
    this.#countedChunks = this.#chunks.length;
  }
}

class Chunk {
  readonly text: string;
  /** Offset in the whole text. */
  start = 0;
  /** Number of lines that end before the chunk. */
  line = 0;
  #lineStarts: readonly number[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Offsets in the chunk after each line break. */
  get lineStarts(): readonly number[] {
    this.#lineStarts ??= lineStartsOf(this.text);
    return this.#lineStarts;
  }
}

function lineStartsOf(text: string): readonly number[] {
  const starts: number[] = [];
  if (!text.includes('\r')) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    return starts;
  }
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) starts.push(at + 1);
  }
  return starts;
}

function chunksOf(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  let from = 0;
  while (text.length - from > CHUNK * 2) {
    let to = from + CHUNK;
    if (text.charCodeAt(to) === LF && text.charCodeAt(to - 1) === CR) to += 1;
    chunks.push(new Chunk(text.slice(from, to)));
    from = to;
  }
  chunks.push(new Chunk(from === 0 ? text : text.slice(from)));
  return chunks;
}
