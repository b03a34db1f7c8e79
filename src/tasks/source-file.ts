import type { Json } from '../base/json.ts';
import type { Lines } from '../base/lines.ts';
import type { Position } from '../base/range.ts';
import { firstIndexWhere } from '../base/search.ts';
import type { Work } from '../base/slices.ts';
import { commonEnds, splice } from '../base/splice.ts';
import type { TextEdit } from './change.ts';
import type { Finding } from './finding.ts';
import { jsonWriter } from './formats/json/print.ts';
import { pythonWriter } from './formats/python/writer.ts';
import type { FileReader, FileSource, OffsetEdit, RowSource } from './formats/source.ts';
import { yamlWriter } from './formats/yaml/writer.ts';
import { byPosition, type Cursor, type Format, type TaskFile } from './rows.ts';
import { type FileText, SourceRow, textEdits, textFinding } from './source-row.ts';
import type { Writer } from './writer.ts';

/** A task file, based on the source that its format created from the text. */
export class SourceFile implements TaskFile, FileText {
  readonly file: string;
  readonly format: Format;
  readonly writer: Writer;
  readonly lines: Lines;
  readonly #reader: FileReader;
  #source: FileSource;
  #rows: readonly SourceRow[];
  /** The row sources, one for each row. */
  #rowSources: readonly RowSource[];

  constructor(file: string, format: Format, source: FileSource, lines: Lines, reader: FileReader) {
    this.writer = WRITERS[format];
    this.file = file;
    this.format = format;
    this.#source = source;
    this.lines = lines;
    this.#reader = reader;
    this.#rowSources = source.rows;
    this.#rows = source.rows.map((row, index) => new SourceRow(this, index, row));
  }

  get rows(): readonly SourceRow[] {
    return this.#rows;
  }

  get set(): TaskFile['set'] {
    const { set } = this.#source;
    return set === null
      ? null
      : { id: text(set['id']), name: text(set['name']), description: text(set['description']) };
  }

  get findings(): readonly Finding[] {
    return [...this.outside, ...this.#rows.flatMap((row) => row.findings)].sort(byPosition);
  }

  get outside(): readonly Finding[] {
    return this.#source.problems.map((problem) => textFinding(this.file, problem, this.lines));
  }

  *isText(parts: Iterable<string>): Work<boolean> {
    let at = 0;
    for (const part of parts) {
      if (this.lines.slice(at, at + part.length) !== part) return false;
      at += part.length;
      yield;
    }
    return at === this.lines.length;
  }

  get dependsOn(): ReadonlySet<string> {
    return this.#source.dependsOn ?? NOTHING;
  }

  rowAt(position: Position): SourceRow | undefined {
    const offset = this.lines.offset(position);
    const row = this.#rows[firstIndexWhere(this.#rows, (one) => one.startsAfter(offset)) - 1];
    return row?.contains(offset) ? row : undefined;
  }

  cursor(position: Position): Cursor | undefined {
    return this.rowAt(position)?.cursor(position);
  }

  insertRow(index: number, value: Json): readonly TextEdit[] | null {
    return textEdits(this.#source.insert(index, value), this.lines);
  }

  removeRow(index: number): readonly TextEdit[] | null {
    return textEdits(this.#source.remove(index), this.lines);
  }

  *change(changes: readonly OffsetEdit[]): Work<void> {
    let whole = false;
    for (const change of changes) {
      this.lines.edit(change);
      const source = whole ? null : (this.#source.reread?.(change, this.lines) ?? null);
      if (source === null) whole = true;
      else this.#source = source;
    }
    if (whole) this.#source = yield* this.#reader(this.lines, this.file);
    this.#adopt();
  }

  /** Wraps the rows of the source. Unchanged rows at the beginning and the end keep their objects. */
  #adopt(): void {
    const sources = this.#source.rows;
    const before = this.#rows;
    const { first, last } = commonEnds(this.#rowSources, sources);
    const read = sources
      .slice(first, sources.length - last)
      .map((row, index) => new SourceRow(this, first + index, row));
    const rows = splice(before, first, before.length - last - first, read);
    if (sources.length !== before.length) {
      for (let index = first + read.length; index < rows.length; index += 1) (rows[index] as SourceRow).index = index;
    }
    this.#rowSources = sources;
    this.#rows = rows;
    SourceRow.forget();
  }
}

const NOTHING: ReadonlySet<string> = new Set();

const WRITERS: Readonly<Record<Format, Writer>> = {
  json: jsonWriter,
  jsonl: jsonWriter,
  yaml: yamlWriter,
  python: pythonWriter,
};

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
