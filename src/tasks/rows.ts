import type { ReadCall } from './calls.ts';
import { isObject } from './calls.ts';
import type { Change, Fix, Repair, TextEdit } from './change.ts';
import type { RowCursor } from './cursor.ts';
import { eraOf } from './era.ts';
import type { Finding } from './finding.ts';
import type { FileSource, OffsetEdit, RowSource, TextProblem } from './formats/source.ts';
import { yamlWriter } from './formats/yaml-writer.ts';
import type { Lines } from './lines.ts';
import type { Part, Path } from './path.ts';
import type { Problem } from './problem.ts';
import type { Position, Range } from './range.ts';
import type { Reading } from './reading.ts';
import { readRow } from './reading.ts';
import type { Call, Era, Json, Task } from './task.ts';
import type { Writer } from './writer.ts';
import { jsonWriter } from './writer.ts';

export type Format = 'json' | 'jsonl' | 'yaml';

/** A file of tasks as it was read. Rows and findings are worked out when they are asked for. */
export interface TaskFile {
  /** Absolute path. */
  readonly file: string;
  readonly format: Format;
  /** What stands beside the list in a file of the form `{name, tasks: [...]}`; null in a bare list or a single task. */
  readonly set: {
    readonly id: string | null;
    readonly name: string | null;
    readonly description: string | null;
  } | null;
  readonly rows: readonly TaskRow[];
  /** What cannot be read in the file, in the order of the text. What is wrong with the tasks themselves: `diagnose`. */
  readonly findings: readonly Finding[];
  /** Writes values as this file holds them. */
  readonly writer: Writer;
  /** The row that a position stands in, its ends included. */
  rowAt(position: Position): TaskRow | undefined;
  /** What is written at a position; undefined outside the rows. */
  cursor(position: Position): Cursor | undefined;
  /** Edits that put a new row in at the index (the number of rows: at the end); null where the text does not allow it. */
  insertRow(index: number, value: Json): readonly TextEdit[] | null;
  /** Edits that take a row out. */
  removeRow(index: number): readonly TextEdit[] | null;
}

/** One row of a task file, in the order of the file; a row that cannot be read keeps its place. */
export interface TaskRow {
  /** Zero-based. */
  readonly index: number;
  readonly era: Era;
  /** Null where there is none, or an empty one. */
  readonly id: string | null;
  /** The id, or the index as a string. */
  readonly name: string;
  readonly range: Range;
  /** Null where the row cannot be read at all. */
  readonly task: Task | null;
  /** As it stands in the file, undefined where nothing of it can be read. */
  readonly value: unknown;
  /** What cannot be read in it. */
  readonly findings: readonly Finding[];
  /** What the row says and what is odd about it, with paths in place of ranges; null where `task` is. */
  readonly reading: Reading | null;
  /** Where the value at the path stands, or its key; undefined where there is none. */
  rangeOf(path: Path, part?: Part): Range | undefined;
  /** The problem with its place: the nearest value around it where the path itself has none. */
  finding(problem: Problem): Finding;
  /** Edits that make the changes and leave the rest of the file alone; null where the text does not allow it. */
  edit(changes: readonly Change[]): readonly TextEdit[] | null;
  /** What is written at a position in this row. */
  cursor(position: Position): Cursor;
}

/** A place in a task file, and what is written there. */
export interface Cursor extends Omit<RowCursor, 'start' | 'end'> {
  readonly row: TaskRow;
  readonly range: Range;
}

export class SourceFile implements TaskFile {
  readonly file: string;
  readonly format: Format;
  readonly set: TaskFile['set'];
  readonly rows: readonly SourceRow[];
  readonly #source: FileSource;
  readonly #lines: Lines;
  #findings: readonly Finding[] | undefined;

  readonly writer: Writer;

  constructor(file: string, format: Format, source: FileSource, lines: Lines) {
    this.writer = WRITERS[format];
    this.file = file;
    this.format = format;
    this.#source = source;
    this.#lines = lines;
    this.set =
      source.set === null
        ? null
        : { id: text(source.set['id']), name: text(source.set['name']), description: text(source.set['description']) };
    this.rows = source.rows.map((row, index) => new SourceRow(file, index, row, lines));
  }

  get findings(): readonly Finding[] {
    if (this.#findings !== undefined) return this.#findings;
    const findings: Finding[] = [];
    for (const problem of this.#source.problems) findings.push(textFinding(this.file, problem, this.#lines));
    for (const row of this.rows) findings.push(...row.findings);
    this.#findings = findings.sort(byPlace);
    return this.#findings;
  }

  rowAt(position: Position): SourceRow | undefined {
    const offset = this.#lines.offset(position);
    let low = 0;
    let high = this.rows.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const row = this.rows[middle] as SourceRow;
      if (row.contains(offset)) return row;
      if (row.startsAfter(offset)) high = middle - 1;
      else low = middle + 1;
    }
    return undefined;
  }

  cursor(position: Position): Cursor | undefined {
    return this.rowAt(position)?.cursor(position);
  }

  insertRow(index: number, value: Json): readonly TextEdit[] | null {
    return textEdits(this.#source.insert(index, value), this.#lines);
  }

  removeRow(index: number): readonly TextEdit[] | null {
    return textEdits(this.#source.remove(index), this.#lines);
  }
}

const WRITERS: Readonly<Record<Format, Writer>> = { json: jsonWriter, jsonl: jsonWriter, yaml: yamlWriter };

function textEdits(edits: readonly OffsetEdit[] | null, lines: Lines): readonly TextEdit[] | null {
  return edits?.map(({ start, end, text }) => ({ range: lines.range(start, end), text })) ?? null;
}

function textFinding(file: string, problem: TextProblem, lines: Lines, task_id?: string): Finding {
  const { start, end, fix, ...rest } = problem;
  return {
    file,
    range: lines.range(start, end),
    ...rest,
    ...(task_id === undefined ? {} : { task_id }),
    ...(fix === undefined
      ? {}
      : {
          fixes: () => [{ title: fix.title, edits: textEdits(fix.edits, lines) ?? [], safe: fix.safe === true }],
        }),
  };
}

class SourceRow implements TaskRow {
  readonly index: number;
  readonly #file: string;
  readonly #source: RowSource;
  readonly #lines: Lines;
  #content: { readonly value: Json | undefined; readonly readable: boolean } | undefined;
  #findings: readonly Finding[] = [];
  /** The reading of the row that was looked at last: readings weigh more than all else, and are soon made again. */
  static #last: { readonly row: SourceRow; readonly reading: Reading | null } | undefined;
  #era: Era | undefined;
  #task: Task | null | undefined;

  constructor(file: string, index: number, source: RowSource, lines: Lines) {
    this.#file = file;
    this.index = index;
    this.#source = source;
    this.#lines = lines;
  }

  get value(): unknown {
    return this.#read().value;
  }

  get findings(): readonly Finding[] {
    this.#read();
    return this.#findings;
  }

  get era(): Era {
    const { value } = this.#read();
    this.#era ??= isObject(value) ? eraOf(value) : '0.2';
    return this.#era;
  }

  get name(): string {
    return this.id ?? String(this.index);
  }

  get id(): string | null {
    return idOf(this.#read().value);
  }

  get range(): Range {
    return this.#lines.range(this.#source.start, this.#source.end);
  }

  get reading(): Reading | null {
    if (SourceRow.#last?.row === this) return SourceRow.#last.reading;
    const { value, readable } = this.#read();
    const reading = readable && value !== undefined ? readRow(value) : null;
    SourceRow.#last = { row: this, reading };
    return reading;
  }

  get task(): Task | null {
    if (this.#task === undefined) {
      const { reading } = this;
      this.#task = reading === null ? null : this.#build(reading);
    }
    return this.#task;
  }

  rangeOf(path: Path, part: Part = 'value'): Range | undefined {
    if (path.length === 0) return this.range;
    const found = this.#source.locate(path, part);
    return found === undefined ? undefined : this.#lines.range(found.start, found.end);
  }

  finding(problem: Problem): Finding {
    const { path, part, repairs, ...rest } = problem;
    let range = path.length === 0 ? this.#head() : this.rangeOf(path, part);
    for (let length = path.length - 1; range === undefined && length >= 0; length -= 1) {
      range = this.rangeOf(path.slice(0, length));
    }
    return {
      file: this.#file,
      range: range ?? this.range,
      ...rest,
      task_id: this.name,
      ...(repairs === undefined ? {} : { fixes: () => this.#fixes(repairs) }),
    };
  }

  edit(changes: readonly Change[]): readonly TextEdit[] | null {
    return textEdits(this.#source.edit(changes), this.#lines);
  }

  cursor(position: Position): Cursor {
    const { start, end, ...rest } = this.#source.cursor(this.#lines.offset(position));
    return { row: this, range: this.#lines.range(start, end), ...rest };
  }

  contains(offset: number): boolean {
    return this.#source.start <= offset && offset <= this.#source.end;
  }

  startsAfter(offset: number): boolean {
    return this.#source.start > offset;
  }

  #fixes(repairs: readonly Repair[]): Fix[] {
    return repairs.flatMap(({ title, changes, safe }) => {
      const edits = this.edit(changes);
      return edits === null ? [] : [{ title, edits, safe: safe === true }];
    });
  }

  #read(): { readonly value: Json | undefined; readonly readable: boolean } {
    if (this.#content !== undefined) return this.#content;
    const { value, readable, problems } = this.#source.read();
    this.#content = { value, readable };
    const task_id = idOf(value) ?? String(this.index);
    const found: Finding[] = problems.map((problem) => textFinding(this.#file, problem, this.#lines, task_id));
    if (readable && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      const message = `A task is an object; this is ${kindOf(value)}`;
      found.push({ file: this.#file, range: this.range, severity: 'error', code: 'task-not-object', message, task_id });
      this.#content = { value, readable: false };
    }
    this.#findings = found;
    return this.#content;
  }

  /** Where to say what the task lacks: at its id or prompt, so that not all of it is underlined. */
  #head(): Range | undefined {
    return this.rangeOf(['id']) ?? this.rangeOf(['prompt'], 'key') ?? this.rangeOf(['instruction'], 'key');
  }

  #build(reading: Reading): Task {
    const calls = (list: readonly ReadCall[]): Call[] =>
      list.map(({ function: name, args, id, metadata, path }) => ({
        function: name,
        args: [...args],
        ...(id === null ? {} : { id }),
        ...(metadata === null ? {} : { metadata: { ...metadata } }),
        range: this.rangeOf(path) ?? this.range,
      }));
    return {
      file: this.#file,
      index: this.index,
      era: reading.era,
      range: this.range,
      ...reading.fields,
      setup: calls(reading.setup),
      evaluate: calls(reading.evaluate),
    };
  }
}

/** Findings in the order of the text. */
export function byPlace(a: Finding, b: Finding): number {
  return a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
}

/** How a value is called in a message. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' ? `the number ${value}` : 'a text';
}

function idOf(value: unknown): string | null {
  if (!isObject(value)) return null;
  const id = value['id'];
  return typeof id === 'string' && id !== '' ? id : typeof id === 'number' ? String(id) : null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
