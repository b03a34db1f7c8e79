import type { Json } from '../task.ts';
import { insertIntoList, insertIntoNothing, insertLine, removeFromList, removeLine } from './json-edit.ts';
import { JsonRow } from './json-row.ts';
import { commentSpan, scanValue, skipComment, skipSpace, skipString } from './json-scan.ts';
import type { FileSource, RowSource, TextProblem } from './source.ts';
import { uneditable } from './source.ts';

const TASKS_KEY = /"tasks"\s*:\s*\[/;

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
  return {
    set: null,
    rows,
    problems: [],
    insert: (index, value) => insertLine(text, rows, index, value),
    remove: (index) => removeLine(text, rows, index),
  };
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 13;
}

/** What mends a problem by being taken out. */
interface Removal {
  readonly title: string;
  readonly start: number;
  readonly end: number;
}

class JsonFile {
  readonly #text: string;
  readonly #problems: TextProblem[] = [];
  readonly #rows: RowSource[] = [];
  /** Of the list of rows, brackets included; null where there is none, or no end of it. */
  #listed: { readonly start: number; readonly end: number } | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  read(): FileSource {
    const text = this.#text;
    const start = this.#space(0, true);
    if (start === text.length) {
      this.#problem(0, 0, 'empty-file', 'This file is empty: a task, a list of tasks or {"tasks": [...]} is expected');
      const insert: FileSource['insert'] = (index, value) => insertIntoNothing(text, index, value);
      return { set: null, rows: [], problems: this.#problems, insert, remove: () => null };
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
    return { set, rows: this.#rows, problems: this.#problems, ...this.#editable() };
  }

  #editable(): Pick<FileSource, 'insert' | 'remove'> {
    if (this.#listed === null) return uneditable;
    const list = { span: this.#listed, rows: this.#rows };
    return {
      insert: (index, value) => insertIntoList(this.#text, list, index, value),
      remove: (index) => removeFromList(this.#text, list, index),
    };
  }

  #problem(start: number, end: number, code: string, message: string, removal?: Removal): void {
    this.#problems.push({
      start,
      end,
      severity: 'error',
      code,
      message,
      ...(removal === undefined
        ? {}
        : { fix: { title: removal.title, edits: [{ start: removal.start, end: removal.end, text: '' }], safe: true } }),
    });
  }

  #trailingComma(at: number): void {
    const message = 'JSON holds no comma after the last item; remove this one';
    this.#problem(at, at + 1, 'trailing-comma', message, { title: 'Remove the comma', start: at, end: at + 1 });
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
        this.#problem(at, end, 'comment', message, {
          title: 'Remove the comment',
          ...commentSpan(this.#text, at, end),
        });
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
        if (comma !== -1) this.#trailingComma(comma);
        this.#listed = { start: open, end: at + 1 };
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
    starts.lastIndex = lineEnd + 1;
    const match = lineEnd === -1 ? null : starts.exec(text);
    if (match !== null) return match.index + match[0].length;
    return this.#nextOnLine(start, lineEnd === -1 ? text.length : lineEnd) ?? lastBracket(text, start);
  }

  /** The first place on the line from which the rest of the list can be read to its end. */
  #nextOnLine(start: number, lineEnd: number): number | null {
    const text = this.#text;
    const between = /\}\s*,\s*(?=\{)/g;
    between.lastIndex = start;
    for (let tries = 0; tries < 200; tries += 1) {
      const match = between.exec(text);
      if (match === null || match.index > lineEnd) return null;
      const from = match.index + match[0].length;
      let at = from;
      while (text[at] === '{') {
        const scanned = scanValue(text, at, text.length);
        if (!scanned.balanced) break;
        at = skipSpace(text, scanned.end, text.length);
        if (text[at] === ',') at = skipSpace(text, at + 1, text.length);
      }
      if (text[at] === ']' && /^\s*\}?\s*$/.test(text.slice(at + 1))) return from;
    }
    return null;
  }

  /** Reads an object that has a list under `tasks`; null, with nothing said, where it has none. */
  #members(open: number): { set: Record<string, Json>; end: number } | null {
    if (!TASKS_KEY.test(this.#text)) return null;
    const found = this.#head(open);
    if (found === null) {
      this.#problems.length = 0;
      this.#rows.length = 0;
      this.#listed = null;
      this.#space(0, true);
    }
    return found;
  }

  #head(open: number): { set: Record<string, Json>; end: number } | null {
    const text = this.#text;
    const head: [string, Json][] = [];
    let hasList = false;
    let comma: number | null = null;
    let afterValue = false;
    let at = open + 1;
    for (;;) {
      at = this.#space(at, true);
      const next = text[at];
      if (next === undefined) {
        this.#problem(open, open + 1, 'syntax', 'This object does not end: a closing brace is missing');
        break;
      }
      if (next === '}') {
        if (comma !== null) this.#trailingComma(comma);
        at += 1;
        break;
      }
      if (next === ',') {
        if (!afterValue) this.#problem(at, at + 1, 'syntax', 'A key in double quotes is expected here');
        comma = at;
        afterValue = false;
        at += 1;
        continue;
      }
      const keyEnd = next === '"' ? skipString(text, at, text.length) : -1;
      const colon = keyEnd === -1 ? -1 : this.#space(keyEnd, true);
      if (text[colon] !== ':') return null;
      if (afterValue) this.#problem(at, keyEnd, 'syntax', 'A comma is expected before this key');
      const key = text.slice(at, keyEnd);
      const from = this.#space(colon + 1, true);
      afterValue = true;
      comma = null;
      if (key === '"tasks"' && text[from] === '[') {
        hasList = true;
        at = this.#list(from);
        continue;
      }
      const scanned = scanValue(text, from, text.length);
      const valueEnd = trimmed(text, Math.max(scanned.end, from + 1));
      const later = scanned.balanced ? -1 : text.slice(from).search(TASKS_KEY);
      try {
        head.push([JSON.parse(key) as string, JSON.parse(text.slice(from, valueEnd)) as Json]);
      } catch {
        this.#problem(from, later === -1 ? valueEnd : from + 1, 'syntax', 'This value cannot be read as JSON');
      }
      if (!scanned.balanced && later === -1 && !hasList) return null;
      afterValue = later === -1;
      at = later === -1 ? Math.max(scanned.end, from + 1) : from + later;
    }
    return hasList ? { set: Object.fromEntries(head), end: at } : null;
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
