import type { ReadCall } from './calls.ts';
import { isObject } from './calls.ts';
import { eraOf } from './era.ts';
import type { Finding } from './finding.ts';
import type { FileSource, RowSource } from './formats/source.ts';
import type { Lines } from './lines.ts';
import type { Part, Path, Problem } from './problem.ts';
import type { Range } from './range.ts';
import type { Reading } from './reading.ts';
import { readRow } from './reading.ts';
import type { Call, Era, Json, Task } from './task.ts';

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
}

export class SourceFile implements TaskFile {
  readonly file: string;
  readonly format: Format;
  readonly set: TaskFile['set'];
  readonly rows: readonly SourceRow[];
  readonly #source: FileSource;
  readonly #lines: Lines;
  #findings: readonly Finding[] | undefined;

  constructor(file: string, format: Format, source: FileSource, lines: Lines) {
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
    for (const { start, end, ...rest } of this.#source.problems) {
      findings.push({ file: this.file, range: this.#lines.range(start, end), ...rest });
    }
    for (const row of this.rows) findings.push(...row.findings);
    this.#findings = findings.sort(byPlace);
    return this.#findings;
  }
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
    const { path, part, ...rest } = problem;
    let range = path.length === 0 ? this.#head() : this.rangeOf(path, part);
    for (let length = path.length - 1; range === undefined && length >= 0; length -= 1) {
      range = this.rangeOf(path.slice(0, length));
    }
    return { file: this.#file, range: range ?? this.range, ...rest, task_id: this.name };
  }

  #read(): { readonly value: Json | undefined; readonly readable: boolean } {
    if (this.#content !== undefined) return this.#content;
    const { value, readable, problems } = this.#source.read();
    this.#content = { value, readable };
    const task_id = idOf(value) ?? String(this.index);
    const found: Finding[] = problems.map(({ start, end, ...rest }) => {
      return { file: this.#file, range: this.#lines.range(start, end), ...rest, task_id };
    });
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
