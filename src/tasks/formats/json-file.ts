import type { Json } from '../task.ts';
import { JsonRow } from './json-row.ts';
import { scanValue, skipComment, skipSpace, skipString } from './json-scan.ts';
import type { FileSource, RowSource, TextProblem } from './source.ts';

/** A JSON file: one task, a list of tasks, or an object that holds them under `tasks`. */
export function readJsonFile(text: string): FileSource {
  const reader = new JsonFile(text);
  return reader.read();
}

/** JSON lines: an object on each line that is not blank. */
export function readJsonLines(text: string): FileSource {
  const rows: RowSource[] = [];
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from);
    let to = newline === -1 ? text.length : newline;
    const next = to + 1;
    const start = skipSpace(text, from, to);
    while (to > start && isSpace(text.charCodeAt(to - 1))) to -= 1;
    if (start < to) {
      const scanned = scanValue(text, start, to);
      rows.push(new JsonRow(text, start, to, { ...scanned, balanced: scanned.balanced && scanned.end === to }));
    }
    from = next;
  }
  return { set: null, rows, problems: [] };
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 13;
}

class JsonFile {
  readonly #text: string;
  readonly #problems: TextProblem[] = [];
  readonly #rows: RowSource[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): FileSource {
    const text = this.#text;
    const start = this.#space(0, true);
    if (start === text.length) {
      this.#problem(0, 0, 'empty-file', 'This file is empty: a task, a list of tasks or {"tasks": [...]} is expected');
      return { set: null, rows: [], problems: this.#problems };
    }
    let set: Record<string, Json> | null = null;
    let end: number;
    if (text[start] === '[') {
      end = this.#list(start);
    } else {
      const found = text[start] === '{' ? this.#members(start) : null;
      if (found === null) {
        const scanned = scanValue(text, start, text.length);
        end = scanned.balanced && scanned.end > start ? scanned.end : text.length;
        this.#rows.push(new JsonRow(text, start, trimmed(text, end), scanned));
      } else {
        set = found.set;
        end = found.end;
      }
    }
    const rest = this.#space(end, true);
    if (rest < text.length) {
      this.#problem(
        rest,
        trimmed(text, text.length),
        'syntax',
        'Nothing more is expected after the end of the JSON value',
      );
    }
    return { set, rows: this.#rows, problems: this.#problems };
  }

  #problem(start: number, end: number, code: string, message: string, replacement?: string): void {
    this.#problems.push({
      start,
      end,
      severity: 'error',
      code,
      message,
      ...(replacement === undefined ? {} : { replacement }),
    });
  }

  /** Skips space and comments; `say` reports the comments. */
  #space(from: number, say: boolean): number {
    let at = from;
    for (;;) {
      at = skipSpace(this.#text, at, this.#text.length);
      const end = skipComment(this.#text, at, this.#text.length);
      if (end === at) return at;
      if (say) {
        const message = 'JSON holds no comments; remove this one, or write the file in YAML';
        this.#problem(at, end, 'comment', message, '');
      }
      at = end;
    }
  }

  /** Reads the rows of the list that begins at `open`; gives the offset after it. */
  #list(open: number): number {
    const text = this.#text;
    let at = open + 1;
    let comma = -1;
    for (;;) {
      at = this.#space(at, true);
      if (at >= text.length) {
        this.#problem(open, open + 1, 'syntax', 'This list does not end: a closing bracket is missing');
        return at;
      }
      if (text[at] === ']') {
        if (comma !== -1) {
          const message = 'JSON holds no comma after the last item; remove this one';
          this.#problem(comma, comma + 1, 'trailing-comma', message, '');
        }
        return at + 1;
      }
      if (text[at] === ',') {
        this.#problem(at, at + 1, 'syntax', 'A value is expected here');
        at += 1;
        continue;
      }
      if (text[at] === '}') {
        this.#problem(at, at + 1, 'syntax', 'This brace closes nothing');
        at += 1;
        continue;
      }
      if (this.#rows.length > 0 && comma === -1) {
        this.#problem(at, at + 1, 'syntax', 'A comma is expected before this value');
      }
      at = this.#row(at);
      at = this.#space(at, true);
      comma = text[at] === ',' ? at : -1;
      if (comma !== -1) at += 1;
    }
  }

  #row(start: number): number {
    const text = this.#text;
    const scanned = scanValue(text, start, text.length);
    if (scanned.balanced && scanned.end > start) {
      this.#rows.push(new JsonRow(text, start, trimmed(text, scanned.end), scanned));
      return scanned.end;
    }
    // The brackets do not match: the next task is taken to begin where a line looks like the beginning of this one.
    const end = this.#nextRow(start);
    const last = trimmed(text, end);
    const withoutComma = text[last - 1] === ',' ? trimmed(text, last - 1) : last;
    this.#rows.push(new JsonRow(text, start, withoutComma, { ...scanned, balanced: false }));
    return withoutComma;
  }

  /** Where the task after a broken one begins, or where the list's end stands, or the end of the text. */
  #nextRow(start: number): number {
    const text = this.#text;
    const lineStart = text.lastIndexOf('\n', start) + 1;
    const indent = skipSpace(text, lineStart, start) - lineStart;
    const column = start - lineStart;
    const starts = new RegExp(
      `^(?:[ \\t]{${column}}(?=\\{)|[ \\t]{${indent}}\\}[ \\t]*,?[ \\t]*(?=\\{)|[ \\t]{0,${Math.max(0, indent - 1)}}(?=\\]))`,
      'gm',
    );
    const lineEnd = text.indexOf('\n', start);
    if (lineEnd === -1) return lastBracket(text, start);
    starts.lastIndex = lineEnd + 1;
    const match = starts.exec(text);
    return match === null ? lastBracket(text, start) : match.index + match[0].length;
  }

  /** Reads an object that has a list under `tasks`; null where it has none. */
  #members(open: number): { set: Record<string, Json>; end: number } | null {
    const text = this.#text;
    const head: [string, Json][] = [];
    let list = -1;
    let end = text.length;
    let at = open + 1;
    const problems: (() => void)[] = [];
    for (;;) {
      at = this.#space(at, false);
      if (at >= text.length) break;
      if (text[at] === '}') {
        end = at + 1;
        break;
      }
      if (text[at] === ',') {
        at += 1;
        continue;
      }
      const keyEnd = text[at] === '"' ? skipString(text, at, text.length) : -1;
      if (keyEnd === -1) return null;
      const key = text.slice(at, keyEnd);
      const colon = this.#space(keyEnd, false);
      if (text[colon] !== ':') return null;
      const from = this.#space(colon + 1, false);
      if (key === '"tasks"' && text[from] === '[') {
        list = from;
        const before = this.#problems.length;
        at = this.#list(from);
        if (before < this.#problems.length) problems.length = 0;
        continue;
      }
      const scanned = scanValue(text, from, text.length);
      if (!scanned.balanced && list === -1) {
        const later = text.slice(from).search(/"tasks"\s*:\s*\[/);
        if (later === -1) return null;
        this.#problem(from, from + 1, 'syntax', 'This value cannot be read as JSON');
        at = from + later;
        continue;
      }
      const valueEnd = trimmed(text, Math.max(scanned.end, from + 1));
      try {
        head.push([JSON.parse(key) as string, JSON.parse(text.slice(from, valueEnd)) as Json]);
      } catch {
        problems.push(() => this.#problem(from, valueEnd, 'syntax', 'This value cannot be read as JSON'));
      }
      at = Math.max(scanned.end, from + 1);
    }
    if (list === -1) return null;
    for (const say of problems) say();
    return { set: Object.fromEntries(head), end };
  }
}

function lastBracket(text: string, start: number): number {
  const last = text.lastIndexOf(']');
  return last > start && text.slice(last + 1).trim() === '' ? last : text.length;
}

/** The offset after the last character before `end` that is not space. */
function trimmed(text: string, end: number): number {
  let at = end;
  while (at > 0 && (isSpace(text.charCodeAt(at - 1)) || text.charCodeAt(at - 1) === 10)) at -= 1;
  return at;
}
