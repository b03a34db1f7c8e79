import { scanValue, skipComment, skipSpace } from '../../../base/json-scan.ts';
import type { Lines } from '../../../base/lines.ts';
import type { Work } from '../../../base/slices.ts';
import type { RuleCode } from '../../rules/rules.ts';
import { shiftProblem, type TextProblem, textError } from '../source.ts';
import { commentProblem, trailingCommaProblem } from './problems.ts';
import { type Extent, JsonRow } from './row.ts';

/** Where the reading of a list ended. */
export interface ListEnd {
  /** Offset after the text that was read. */
  readonly at: number;
  readonly why: 'closed' | 'text ended' | 'stopped';
}

/** A part of a text, and what is known about the rest of it. */
export interface TextPart {
  readonly text: string;
  /** Offset of the part in the file. */
  readonly base: number;
  /**
   * Whether brackets that are open at the end of the part are closed in the rest of the file; null if only a reading of
   * the whole text can tell. Absent if the part extends to the end of the file.
   */
  readonly closedLater?: ((open: readonly number[]) => boolean | null) | undefined;
}

const ROWS_BETWEEN_PAUSES = 64;

/** Reads the rows of a list from a text or a part of it, and reports problems between them. */
export class JsonListReader {
  readonly rows: JsonRow[] = [];
  readonly problems: TextProblem[] = [];
  /** The result depends on text outside the part and must not be used. */
  short = false;
  readonly #lines: Lines;
  readonly #text: string;
  readonly #base: number;
  readonly #closedLater: TextPart['closedLater'];

  constructor(lines: Lines, { text, base, closedLater }: TextPart) {
    this.#lines = lines;
    this.#text = text;
    this.#base = base;
    this.#closedLater = closedLater;
  }

  problem(start: number, end: number, code: RuleCode, message: string): void {
    this.#report(textError({ start, end }, code, message));
  }

  trailingComma(at: number): void {
    this.#report(trailingCommaProblem(at));
  }

  /** @param problem in offsets of the text that is read */
  #report(problem: TextProblem): void {
    this.problems.push(shiftProblem(problem, this.#base));
  }

  /** Skips white space and comments, and reports the comments. */
  space(from: number): number {
    let at = from;
    for (;;) {
      at = skipSpace(this.#text, at, this.#text.length);
      const end = skipComment(this.#text, at, this.#text.length);
      if (end === at) return at;
      this.#report(commentProblem(this.#text, { start: at, end }));
      at = end;
    }
  }

  /**
   * Reads rows up to the end of the list.
   * @param from start of a row, or of the white space before the first one
   * @param stop called before each row but the first: whether to stop there
   */
  *list(from: number, stop: (at: number) => boolean = () => false): Work<ListEnd> {
    const text = this.#text;
    let at = from;
    let comma = -1;
    for (;;) {
      at = this.space(at);
      if (at >= text.length) {
        this.#partEnds();
        return { at, why: 'text ended' };
      }
      if (text[at] === ']') {
        if (comma !== -1) this.trailingComma(comma);
        return { at: at + 1, why: 'closed' };
      }
      if (text[at] === ',') {
        this.problem(at, at + 1, 'syntax', 'Expected a value');
        at += 1;
        continue;
      }
      if (text[at] === '}') {
        this.problem(at, at + 1, 'syntax', 'This brace has no opening brace');
        at += 1;
        continue;
      }
      if (this.rows.length > 0 && comma === -1) {
        this.problem(at, at + 1, 'syntax', 'Expected a comma before this value');
      }
      if (stop(at)) return { at, why: 'stopped' };
      at = this.#row(at);
      at = this.space(at);
      comma = text[at] === ',' ? at : -1;
      if (comma !== -1) at += 1;
      if (this.rows.length % ROWS_BETWEEN_PAUSES === 0) yield;
    }
  }

  #partEnds(): void {
    if (this.#closedLater !== undefined) this.short = true;
  }

  #row(start: number): number {
    const text = this.#text;
    const scan = scanValue(text, start, text.length);
    const { end, balanced, ranOut } = scan;
    if (balanced && end > start) {
      if (ranOut) this.#partEnds();
      if (!this.#swallowsAll(start, end)) {
        this.#add(start, trimEnd(text, end), 'sure');
        return end;
      }
    }
    if (ranOut && this.#closedLater !== undefined) {
      const isClosed = scan.open === undefined ? null : this.#closedLater(scan.open);
      if (isClosed !== false) this.short = true;
    }
    // The brackets do not match: the next task begins at the next line that looks like the beginning of this one.
    const next = this.#nextRow(start);
    const isGuess = next === null;
    if (isGuess) this.#partEnds();
    const last = trimEnd(text, next ?? this.#nextOnLine(start) ?? lastBracket(text, start));
    const withoutComma = text[last - 1] === ',' ? trimEnd(text, last - 1) : last;
    const near = !ranOut && !balanced && end < withoutComma;
    this.#add(start, withoutComma, isGuess ? 'guess' : near ? 'near' : 'open');
    return withoutComma;
  }

  #add(start: number, end: number, extent: Extent): void {
    this.rows.push(new JsonRow(this.#lines, this.#base + start, this.#base + end, extent));
  }

  /** With a missing bracket, the list's own end closes this row, and all following rows appear to be inside it. */
  #swallowsAll(start: number, end: number): boolean {
    const rest = skipSpace(this.#text, end, this.#text.length);
    if (rest < this.#text.length || this.#closedLater !== undefined) return false;
    const next = this.#nextRow(start);
    return next !== null && next < end;
  }

  /** Start of the task after a broken one, or the end of the list; null if no line looks like either. */
  #nextRow(start: number): number | null {
    const text = this.#text;
    const lineStart = text.lastIndexOf('\n', start) + 1;
    if (lineStart === 0 && this.#base > 0) this.short = true;
    const indent = skipSpace(text, lineStart, start) - lineStart;
    const column = start - lineStart;
    const starts = new RegExp(
      `^(?:[ \\t]{${column}}(?=\\{)|[ \\t]{${indent}}\\}[ \\t]*,?[ \\t]*(?=\\{)|[ \\t]{0,${Math.max(0, indent - 1)}}(?=\\]))`,
      'gm',
    );
    const lineEnd = text.indexOf('\n', start);
    starts.lastIndex = lineEnd + 1;
    const match = lineEnd === -1 ? null : starts.exec(text);
    return match === null ? null : match.index + match[0].length;
  }

  /** The first offset on the line from which the rest of the list can be read to its end. */
  #nextOnLine(start: number): number | null {
    const text = this.#text;
    const newline = text.indexOf('\n', start);
    const lineEnd = newline === -1 ? text.length : newline;
    const between = /\}\s*,\s*(?=\{)/g;
    between.lastIndex = start;
    for (let tries = 0; tries < 200; tries += 1) {
      const match = between.exec(text);
      if (match === null || match.index > lineEnd) return null;
      const from = match.index + match[0].length;
      let at = from;
      while (text[at] === '{') {
        const scan = scanValue(text, at, text.length);
        if (!scan.balanced) break;
        at = skipSpace(text, scan.end, text.length);
        if (text[at] === ',') at = skipSpace(text, at + 1, text.length);
      }
      if (text[at] === ']' && /^\s*\}?\s*$/.test(text.slice(at + 1))) return from;
    }
    return null;
  }
}

function lastBracket(text: string, start: number): number {
  const last = text.lastIndexOf(']');
  return last > start && text.slice(last + 1).trim() === '' ? last : text.length;
}

/** The offset after the last character before `end` that is not white space. */
export function trimEnd(text: string, end: number): number {
  let at = end;
  while (at > 0 && isSpace(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 13 || code === 10;
}
