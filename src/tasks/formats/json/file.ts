import type { Json } from '../../../base/json.ts';
import { scanValue, skipString } from '../../../base/json-scan.ts';
import type { Lines } from '../../../base/lines.ts';
import type { Span } from '../../../base/range.ts';
import type { Work } from '../../../base/slices.ts';
import { type FileSource, NOT_EDITABLE, unreadable } from '../source.ts';
import { insertIntoNothing } from './edit.ts';
import { JsonListReader, trimEnd } from './list.ts';
import { JsonRow } from './row.ts';
import { JsonListSource } from './source.ts';

const TASKS_KEY = /"tasks"\s*:\s*\[/;

/** A JSON file: one task, a list of tasks, or an object with a list under `tasks`. */
export function readJsonFile(lines: Lines): Work<FileSource> {
  return new JsonFile(lines).read();
}

/** The members beside the list of tasks, and the offset after the object. */
interface Head {
  readonly set: Record<string, Json>;
  readonly end: number;
}

class JsonFile {
  readonly #lines: Lines;
  readonly #text: string;
  #reader: JsonListReader;
  /** The terminated lists of rows, brackets included. */
  #lists: Span[] = [];

  constructor(lines: Lines) {
    this.#lines = lines;
    this.#text = lines.text;
    this.#reader = this.#newReader();
  }

  *read(): Work<FileSource> {
    const text = this.#text;
    const start = this.#reader.space(0);
    if (start === text.length) {
      const message = 'This file is empty. Expected a task, a list of tasks, or {"tasks": [...]}';
      this.#reader.problem(0, 0, 'empty-file', message);
      const insert: FileSource['insert'] = (index, value) => insertIntoNothing(text, index, value);
      return { ...unreadable(...this.#reader.problems), insert };
    }
    let set: Record<string, Json> | null = null;
    let end: number;
    if (text[start] === '[') {
      end = yield* this.#list(start);
    } else {
      const head = text[start] === '{' && TASKS_KEY.test(text) ? yield* this.#head(start) : null;
      if (head === null) {
        end = this.#only(start);
      } else {
        set = head.set;
        end = head.end;
      }
    }
    const rest = this.#reader.space(end);
    if (rest < text.length) {
      const message = 'Unexpected text after the end of the JSON value';
      this.#reader.problem(rest, trimEnd(text, text.length), 'syntax', message);
    }
    const { rows, problems } = this.#reader;
    const [list, another] = this.#lists;
    return list === undefined || another !== undefined
      ? { set, rows, problems, ...NOT_EDITABLE }
      : new JsonListSource(this.#lines, { set, list, rows, problems });
  }

  #newReader(): JsonListReader {
    return new JsonListReader(this.#lines, { text: this.#text, base: 0 });
  }

  /** Reads the file as one task and returns the offset after it. Discards other results. */
  #only(start: number): number {
    const text = this.#text;
    this.#reader = this.#newReader();
    this.#lists = [];
    this.#reader.space(0);
    const scan = scanValue(text, start, text.length);
    const end = scan.balanced && scan.end > start ? scan.end : text.length;
    const row = new JsonRow(this.#lines, start, trimEnd(text, end), scan.balanced ? 'sure' : 'guess');
    this.#reader.rows.push(row);
    return end;
  }

  /** Reads the rows of the list that begins at `open` and returns the offset after it. */
  *#list(open: number): Work<number> {
    const { at, why } = yield* this.#reader.list(open + 1);
    if (why === 'closed') this.#lists.push({ start: open, end: at });
    else {
      const message = 'Closing bracket missing: this list is not terminated';
      this.#reader.problem(open, open + 1, 'syntax', message);
    }
    return at;
  }

  /** Reads an object that has a list under `tasks`; null if it has none. */
  *#head(open: number): Work<Head | null> {
    const text = this.#text;
    const head: [string, Json][] = [];
    let hasList = false;
    let comma: number | null = null;
    let afterValue = false;
    let at = open + 1;
    for (;;) {
      at = this.#reader.space(at);
      const next = text[at];
      if (next === undefined) {
        this.#reader.problem(open, open + 1, 'syntax', 'Closing brace missing: this object is not terminated');
        break;
      }
      if (next === '}') {
        if (comma !== null) this.#reader.trailingComma(comma);
        at += 1;
        break;
      }
      if (next === ',') {
        if (!afterValue) this.#reader.problem(at, at + 1, 'syntax', 'Expected a key in double quotes');
        comma = at;
        afterValue = false;
        at += 1;
        continue;
      }
      const keyEnd = next === '"' ? skipString(text, at, text.length) : -1;
      const colon = keyEnd === -1 ? -1 : this.#reader.space(keyEnd);
      if (text[colon] !== ':') return null;
      if (afterValue) this.#reader.problem(at, keyEnd, 'syntax', 'Expected a comma before this key');
      const key = text.slice(at, keyEnd);
      const from = this.#reader.space(colon + 1);
      afterValue = true;
      comma = null;
      if (key === '"tasks"' && text[from] === '[') {
        hasList = true;
        at = yield* this.#list(from);
        continue;
      }
      const scan = scanValue(text, from, text.length);
      const valueEnd = trimEnd(text, Math.max(scan.end, from + 1));
      const later = scan.balanced ? -1 : text.slice(from).search(TASKS_KEY);
      try {
        head.push([JSON.parse(key) as string, JSON.parse(text.slice(from, valueEnd)) as Json]);
      } catch {
        this.#reader.problem(from, later === -1 ? valueEnd : from + 1, 'syntax', 'Invalid JSON value');
      }
      if (!scan.balanced && later === -1 && !hasList) return null;
      afterValue = later === -1;
      at = later === -1 ? Math.max(scan.end, from + 1) : from + later;
    }
    return hasList ? { set: Object.fromEntries(head), end: at } : null;
  }
}
