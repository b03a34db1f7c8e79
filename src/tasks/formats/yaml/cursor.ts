import type { Path } from '../../../base/path.ts';
import { emptyAt, type Place } from '../../cursor.ts';
import { endOfLine, lineEndOf } from '../layout.ts';
import { decode, flowCursor, quotedEnd } from './flow-cursor.ts';

/** A block mapping or list that contains an offset. */
interface Level {
  readonly kind: 'map' | 'seq';
  /** Column of its keys or dashes. */
  readonly indent: number;
  step: string | number;
  /** The key or the item has no text yet. */
  open: boolean;
}

/**
 * Returns what is at an offset of a YAML text, based on the lines before it, even if the syntax is broken.
 * @param at offset of the row in the text
 */
export function yamlCursor(text: string, at: Path, offset: number): Place {
  const within = Math.min(Math.max(offset, 0), text.length);
  // Between the two characters of a line end, the line is already complete.
  const isInLineEnd = text[within - 1] === '\r' && text[within] === '\n';
  const place = new BlockScanner(text, isInLineEnd ? within - 1 : within).find();
  const { path, ...rest } = place;
  const isInside = at.every((step, index) => path[index] === step);
  // In place of the task itself, the first of its keys is being typed.
  if (isInside && place.at === 'value' && path.length === at.length) {
    const column = place.start - text.lastIndexOf('\n', place.start - 1) - 1;
    return { ...rest, at: 'key', path: [], followed: false, between: newLine(text, column) };
  }
  return { ...rest, at: isInside ? place.at : 'between', path: isInside ? path.slice(at.length) : [] };
}

/** The separator of members of a mapping whose keys are at a column. */
function newLine(text: string, column: number): string {
  return lineEndOf(text) + ' '.repeat(column);
}

const KEY =
  /(?:"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\r\n]|'')*'|(?:[^\s#"'[\]{},&*!|>%@`:-]|[:?-](?=[^\s]))(?:[^\s:#]|:(?=[^\s])|(?<=\S)#|[ \t](?=[^\s#:]))*)[ \t]*:(?=[\s]|$)/y;

class BlockScanner {
  readonly #text: string;
  readonly #offset: number;
  readonly #levels: Level[] = [];
  /** End of the current line. */
  #line = 0;

  constructor(text: string, offset: number) {
    this.#text = text;
    this.#offset = offset;
  }

  find(): Place {
    const text = this.#text;
    for (let next = 0; next <= text.length; ) {
      this.#line = next;
      const end = this.#lineEnd(next);
      let first = next;
      while (text[first] === ' ') first += 1;
      const isHere = this.#offset <= end;
      if (first >= end || text[first] === '#' || text.slice(first, end).trim() === '') {
        if (isHere)
          return this.#offset <= Math.max(first, end) && text[first] !== '#' ? this.#onBlank() : this.#between();
        next = this.#after(end);
        continue;
      }
      if (isHere && this.#offset < first) return this.#between();
      const place = this.#content(first);
      if (typeof place !== 'number') return place;
      if (this.#offset <= this.#lineEnd(place)) return this.#between();
      next = this.#after(this.#lineEnd(place));
    }
    return this.#between();
  }

  /** Reads the content of a line. Returns the offset up to which it was read if the position is not in it. */
  #content(first: number): Place | number {
    const text = this.#text;
    let at = first;
    while (text[at] === '-' && isSpace(text[at + 1])) {
      this.#item(at - this.#line);
      if (this.#offset <= at || (this.#offset === at + 1 && text[at + 1] !== ' ')) return this.#between();
      at += 1;
      while (text[at] === ' ') at += 1;
      if (at >= this.#lineEnd(at) || text[at] === '#') return this.#nothing(at);
      if (this.#offset < at) return this.#between();
    }
    KEY.lastIndex = at;
    const key = KEY.exec(text)?.[0];
    const column = at - this.#line;
    if (key === undefined) return this.#lone(at, column);
    this.#leave(column);
    const end = at + key.replace(/[ \t]*:$/, '').length;
    const colon = at + key.length;
    const name = decode(text.slice(at, end));
    const top = this.#levels.at(-1);
    if (top?.kind === 'map' && top.indent === column) {
      top.step = name;
      top.open = true;
    } else this.#levels.push({ kind: 'map', indent: column, step: name, open: true });
    const path = this.#path().slice(0, -1);
    if (this.#offset <= end) return this.#token('key', path, at, end, true);
    if (this.#offset < colon) return this.#between();
    if (this.#offset === colon) {
      // The space after the colon is missing; a completed key adds it.
      if (this.#lineEnd(colon) > colon) return this.#between();
      return { ...this.#token('key', path, at, end, false), end: colon };
    }
    let value = colon;
    while (text[value] === ' ' || text[value] === '\t') value += 1;
    if (value >= this.#lineEnd(value) || text[value] === '#') return this.#nothing(value);
    if (this.#offset < value) return this.#between();
    return this.#value(value, column);
  }

  /** A text that is not a key: an item, a key without its colon, or a value on a line of its own. */
  #lone(at: number, column: number): Place | number {
    const deepest = this.#levels.at(-1);
    if (deepest?.open && deepest.indent < column) return this.#value(at, deepest.indent);
    // The text continues from the previous line.
    if (deepest !== undefined && deepest.indent < column) return this.#plain(at, this.#path());
    this.#leave(column);
    const top = this.#levels.at(-1);
    const path = top?.kind === 'map' && top.indent === column ? this.#path().slice(0, -1) : this.#path();
    if ('[{"\'|>'.includes(this.#text[at] ?? '')) return this.#value(at, column - 1);
    const end = this.#plainEnd(at);
    const isKey = top === undefined || top.kind === 'map';
    return this.#offset <= end ? this.#token(isKey ? 'key' : 'value', path, at, end, false) : end;
  }

  /** @param parent the lines of the value are indented further than this column */
  #value(start: number, parent: number): Place | number {
    const text = this.#text;
    const top = this.#levels.at(-1);
    let at = start;
    for (;;) {
      const property = /^(?:[&!][^\s,[\]{}]*)[ \t]+/.exec(text.slice(at, this.#lineEnd(at)))?.[0];
      if (property === undefined) break;
      at += property.length;
      if (this.#offset < at) return this.#between();
    }
    if (at >= this.#lineEnd(at)) return this.#nothing(at);
    if (top !== undefined) top.open = false;
    const sign = text[at];
    if (sign === '|' || sign === '>') return this.#blockText(at, parent);
    if (sign === '[' || sign === '{') {
      return flowCursor(text, at, parent, this.#path(), this.#offset);
    }
    if (sign === '"' || sign === "'") {
      const end = quotedEnd(text, at, parent);
      return this.#offset <= end ? this.#token('value', this.#path(), at, end, true) : end;
    }
    return this.#plain(at, this.#path());
  }

  #plain(at: number, path: Path): Place | number {
    const end = this.#plainEnd(at);
    const last = this.#lineEnd(at);
    if (this.#offset <= end) return this.#token('value', path, at, end, true);
    // The text can continue after the space that was just typed.
    const isSpaceOnly = this.#text.slice(end, last).trim() === '';
    return this.#offset <= last && isSpaceOnly ? this.#token('value', path, at, this.#offset, true) : end;
  }

  #plainEnd(at: number): number {
    const line = this.#text.slice(at, this.#lineEnd(at));
    const comment = line.search(/[ \t]#/);
    return at + (comment === -1 ? line : line.slice(0, comment)).trimEnd().length;
  }

  /** A block scalar (`|` or `>`). */
  #blockText(start: number, parent: number): Place | number {
    const text = this.#text;
    const header = this.#lineEnd(start);
    let end = header;
    let indent = -1;
    for (let line = this.#after(header); line <= text.length; line = this.#after(this.#lineEnd(line))) {
      let first = line;
      while (text[first] === ' ') first += 1;
      const lineEnd = this.#lineEnd(line);
      const isBlank = text.slice(first, lineEnd).trim() === '';
      if (!isBlank && first - line <= parent) break;
      if (!isBlank) {
        if (indent === -1) indent = first - line;
        end = lineEnd;
      } else if (line <= this.#offset && this.#offset <= lineEnd) {
        if (this.#offset - line <= parent) {
          this.#line = line;
          return this.#onBlank();
        }
        end = lineEnd;
      }
    }
    if (this.#offset > end) return end;
    const body = text.slice(Math.min(this.#after(header), this.#offset), this.#offset);
    const before = body.replace(new RegExp(`^ {0,${Math.max(indent, 0)}}`, 'gm'), '').replaceAll('\r', '');
    return { ...this.#token('value', this.#path(), start, end, true), before, after: '' };
  }

  /** A position after a key or a dash whose line has no other text. */
  #nothing(at: number): Place | number {
    const end = this.#lineEnd(at);
    if (this.#offset > end) return end;
    if (this.#offset > at && this.#text[at] === '#') return this.#between();
    const isList = this.#levels.at(-1)?.kind === 'seq';
    return this.#empty('value', this.#path(), isList);
  }

  /** A position on a blank line: its column determines what it belongs to. */
  #onBlank(): Place {
    const column = this.#offset - this.#line;
    const deepest = this.#levels.at(-1);
    if (deepest?.open && deepest.indent < column) {
      return this.#empty('value', this.#path(), deepest.kind === 'seq');
    }
    this.#leave(column);
    const top = this.#levels.at(-1);
    if (top === undefined)
      return column === 0 || deepest === undefined ? this.#empty('key', [], false) : this.#between();
    if (top.kind === 'map' && top.indent === column) return this.#empty('key', this.#path().slice(0, -1), false);
    return this.#between();
  }

  #item(column: number): void {
    let top = this.#levels.at(-1);
    while (top !== undefined && top.indent > column) {
      this.#levels.pop();
      top = this.#levels.at(-1);
    }
    if (top?.kind === 'seq' && top.indent === column) {
      top.step = (top.step as number) + 1;
      top.open = true;
      return;
    }
    if (top !== undefined) top.open = false;
    this.#levels.push({ kind: 'seq', indent: column, step: 0, open: true });
  }

  /** Closes the collections that a key at the column is not part of. */
  #leave(column: number): void {
    for (let top = this.#levels.at(-1); top !== undefined; top = this.#levels.at(-1)) {
      if (top.indent < column || (top.indent === column && top.kind === 'map')) {
        if (top.indent < column) top.open = false;
        return;
      }
      this.#levels.pop();
    }
  }

  #path(): Path {
    return this.#levels.map(({ step }) => step);
  }

  #token(at: 'key' | 'value', path: Path, start: number, end: number, isFollowed: boolean): Place {
    const text = this.#text.slice(start, end);
    const from = Math.max(0, this.#offset - start);
    const isQuoted = text[0] === '"' || text[0] === "'";
    const rest = text.slice(from);
    return {
      at,
      path,
      start,
      end,
      before: decode(text.slice(0, from)),
      after: isQuoted ? rest.replace(/["']$/, '') : rest,
      quoted: isQuoted,
      followed: isFollowed,
      ...(at === 'key' ? { between: newLine(this.#text, start - this.#line) } : this.#separator(path)),
    };
  }

  #empty(at: 'key' | 'value', path: Path, isItem: boolean): Place {
    const place = { at, path, ...emptyAt(this.#offset) };
    if (at === 'key') return { ...place, followed: false, between: newLine(this.#text, this.#offset - this.#line) };
    return { ...place, followed: true, ...(isItem ? this.#separator(path) : {}) };
  }

  #separator(path: Path): { readonly between?: string } {
    const top = this.#levels.at(-1);
    if (top === undefined || path.length !== this.#levels.length) return {};
    return { between: `${newLine(this.#text, top.indent)}${top.kind === 'seq' ? '- ' : ''}` };
  }

  #between(): Place {
    return { at: 'between', path: this.#path(), ...emptyAt(this.#offset), followed: false };
  }

  #lineEnd(at: number): number {
    return endOfLine(this.#text, at);
  }

  /** Start of the line after the one that ends here. */
  #after(end: number): number {
    const newline = this.#text.indexOf('\n', end);
    return newline === -1 ? this.#text.length + 1 : newline + 1;
  }
}

function isSpace(sign: string | undefined): boolean {
  return sign === undefined || sign === ' ' || sign === '\n' || sign === '\r' || sign === '\t';
}
