import type { Json, JsonObject } from '../../../base/json.ts';
import { scanValue, skipSpace } from '../../../base/json-scan.ts';
import type { Lines, OffsetEdit } from '../../../base/lines.ts';
import type { Span } from '../../../base/range.ts';
import { firstIndexWhere } from '../../../base/search.ts';
import { runToEnd } from '../../../base/slices.ts';
import { type FileSource, shiftProblem, type TextProblem } from '../source.ts';
import { insertIntoList, removeFromList } from './edit.ts';
import { JsonListReader, type ListEnd, type TextPart } from './list.ts';
import type { JsonRow } from './row.ts';

/** Number of rows to check after a change before the whole text is read. */
const ROWS_AFTER = [1, 8, 64];
/** Characters to search before a row for the beginning of its line, and after the list for the end. */
const MARGIN = 4096;

/** The result of reading a JSON file with a terminated list of tasks. */
interface ListReading {
  readonly set: JsonObject | null;
  /** Span of the list, brackets included. */
  readonly list: Span;
  readonly rows: readonly JsonRow[];
  readonly problems: readonly TextProblem[];
}

const isBroken = ({ extent }: JsonRow): boolean => extent !== 'sure';

/** A JSON file with one list of tasks. After a change inside the list, only the rows around it are read again. */
export class JsonListSource implements FileSource {
  readonly set: FileSource['set'];
  readonly rows: readonly JsonRow[];
  readonly problems: readonly TextProblem[];
  readonly #list: Span;
  readonly #lines: Lines;
  /** Rows with unmatched brackets: their end depends on other text. */
  readonly #brokenRows: readonly JsonRow[];

  constructor(lines: Lines, { set, list, rows, problems }: ListReading, brokenRows = rows.filter(isBroken)) {
    this.set = set;
    this.rows = rows;
    this.problems = problems;
    this.#list = list;
    this.#lines = lines;
    this.#brokenRows = brokenRows;
  }

  insert(index: number, value: Json): readonly OffsetEdit[] | null {
    return insertIntoList(this.#lines.text, { span: this.#list, rows: this.rows }, index, value);
  }

  remove(index: number): readonly OffsetEdit[] | null {
    return removeFromList(this.#lines.text, { span: this.#list, rows: this.rows }, index);
  }

  reread(change: OffsetEdit, lines: Lines): FileSource | null {
    const inside = this.#list.start < change.start && change.end < this.#list.end;
    if (!inside || this.problems.some(({ start, code }) => start <= this.#list.start && code !== 'comment'))
      return null;
    const first = this.#lastBefore(change.start);
    for (const after of ROWS_AFTER) {
      const source = this.#rereadPart(change, lines, first, after);
      if (source !== 'short') return source;
    }
    return null;
  }

  #rereadPart(change: OffsetEdit, lines: Lines, first: number, rowsAfter: number): FileSource | 'short' | null {
    const { rows } = this;
    const list = this.#list;
    const by = change.text.length - (change.end - change.start);
    const from = rows[first]?.start ?? list.start + 1;
    const lastRow = rows[this.#lastBefore(change.end) + rowsAfter];
    const tail = lines.length - (list.end - 1 + by);
    if (lastRow === undefined && tail > MARGIN) return null;
    const end = lastRow === undefined ? lines.length : lastRow.end + by;
    const base = Math.max(0, from - MARGIN);
    const part: TextPart = {
      text: lines.slice(base, end),
      base,
      closedLater: lastRow && ((open) => (tail > MARGIN ? null : this.#closedLater(open, lastRow, lines, by))),
    };
    const reader = new JsonListReader(lines, part);
    let next = first + 1;
    const stop = (at: number): boolean => {
      const before = base + at - by;
      while (next < rows.length && (rows[next] as JsonRow).start < before) next += 1;
      return before >= change.end && rows[next]?.start === before;
    };
    const listEnd = runToEnd(reader.list(from - base, stop));
    if (reader.short) return 'short';
    if (listEnd.why === 'text ended') return null;
    if (listEnd.why === 'closed') {
      if (base + listEnd.at !== list.end + by) return null;
      next = rows.length;
    }
    return this.#othersStay(change, first, next, listEnd.why, by)
      ? this.#join(change, lines, reader, first, next, by)
      : null;
  }

  /** Whether the rows that are not read again are unchanged. */
  #othersStay(change: OffsetEdit, first: number, next: number, why: ListEnd['why'], by: number): boolean {
    if (this.#brokenRows.length === 0) return true;
    const from = this.rows[first]?.start ?? this.#list.start;
    const to = why === 'stopped' ? (this.rows[next] as JsonRow).start : this.#list.end;
    for (const row of this.#brokenRows) {
      if (row.start < from && row.extent !== 'near') return false;
      // The column matters: the change must be on another line.
      if (row.start >= to && !this.#lines.slice(change.end + by, row.start + by).includes('\n')) return false;
    }
    return true;
  }

  #join(
    change: OffsetEdit,
    lines: Lines,
    reader: JsonListReader,
    first: number,
    next: number,
    by: number,
  ): JsonListSource {
    const { rows, problems } = this;
    const from = rows[first]?.start ?? this.#list.start;
    const to = rows[next]?.start ?? this.#list.end - 1;
    const before = rows.slice(0, Math.max(first, 0));
    const after = rows.slice(next);
    const read: JsonRow[] = reader.rows;
    const same = rows[first];
    if (same !== undefined && same.end < change.start && read[0] !== undefined && same.isLike(read[0])) read[0] = same;
    const brokenRows = [
      ...this.#brokenRows.filter(({ start }) => start < from),
      ...read.filter(isBroken),
      ...this.#brokenRows.filter(({ start }) => start >= to),
    ];
    for (const row of after) row.move(by);
    const reading: ListReading = {
      set: this.set,
      list: { start: this.#list.start, end: this.#list.end + by },
      rows: before.concat(read, after),
      problems: [
        ...problems.filter(({ start }) => start <= from),
        ...reader.problems,
        ...problems.filter(({ start }) => start > to).map((problem) => shiftProblem(problem, by)),
      ],
    };
    return new JsonListSource(lines, reading, brokenRows);
  }

  /** Whether brackets that are open after a row are closed in the text that follows; null if that is unclear. */
  #closedLater(open: readonly number[], row: JsonRow, lines: Lines, by: number): boolean | null {
    const odd =
      this.#brokenRows.some(({ start }) => start > row.start) || this.problems.some(({ start }) => start >= row.end);
    if (odd) return null;
    // The following rows are complete, so the text after them decides.
    const text = lines.slice(this.#list.end - 1 + by, lines.length);
    const scan = scanValue(text, 0, text.length, open);
    if (!scan.balanced) return false;
    // The rest of the list would belong to this row: assume that the row lost a bracket.
    return skipSpace(text, scan.end, text.length) === text.length ? false : null;
  }

  /** Index of the last row that begins before the offset; -1 if there is none. */
  #lastBefore(offset: number): number {
    return firstIndexWhere(this.rows, ({ start }) => start >= offset) - 1;
  }
}
