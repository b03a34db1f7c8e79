import type { Json } from '../../../base/json.ts';
import { skipSpace } from '../../../base/json-scan.ts';
import type { Lines, OffsetEdit } from '../../../base/lines.ts';
import { firstIndexWhere } from '../../../base/search.ts';
import { runToEnd, type Work } from '../../../base/slices.ts';
import { splice } from '../../../base/splice.ts';
import type { FileSource } from '../source.ts';
import { insertLine, removeLine } from './edit.ts';
import { trimEnd } from './list.ts';
import { JsonRow } from './row.ts';

const ROWS_BETWEEN_PAUSES = 64;

/** JSON lines: one object on each nonblank line. */
export function* readJsonLines(lines: Lines): Work<FileSource> {
  return new JsonLinesSource(lines, yield* readRows(lines, lines.text, 0));
}

/** @param base offset of the text in the file; it begins at a line start or in the white space there */
function* readRows(lines: Lines, text: string, base: number): Work<JsonRow[]> {
  const rows: JsonRow[] = [];
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from);
    let to = newline === -1 ? text.length : newline;
    const next = to + 1;
    // A line that begins with `{` and ends with `}`, as nearly all do, has no space to skip.
    const isTight = text.charCodeAt(from) === 123 && text.charCodeAt(to - 1) === 125;
    const start = isTight ? from : skipSpace(text, from, to);
    if (!isTight && start < to) to = trimEnd(text, to);
    if (start < to) {
      rows.push(new JsonRow(lines, base + start, base + to, 'line'));
      if (rows.length % ROWS_BETWEEN_PAUSES === 0) yield;
    }
    from = next;
  }
  return rows;
}

/** JSON lines. After a change, only the lines around it are read again. */
class JsonLinesSource implements FileSource {
  readonly set = null;
  readonly problems = [];
  readonly rows: readonly JsonRow[];
  readonly #lines: Lines;

  constructor(lines: Lines, rows: readonly JsonRow[]) {
    this.#lines = lines;
    this.rows = rows;
  }

  insert(index: number, value: Json): readonly OffsetEdit[] | null {
    return insertLine(this.#lines.text, this.rows, index, value);
  }

  remove(index: number): readonly OffsetEdit[] | null {
    return removeLine(this.#lines.text, this.rows, index);
  }

  reread(change: OffsetEdit, lines: Lines): FileSource {
    const { rows } = this;
    const by = change.text.length - (change.end - change.start);
    // From the row before the change to the row after it, because text between rows belongs to none of them.
    const first = Math.max(0, firstIndexWhere(rows, ({ end }) => end >= change.start) - 1);
    const next = firstIndexWhere(rows, ({ start }) => start > change.end) + 1;
    const from = first === 0 ? 0 : (rows[first] as JsonRow).start;
    const to = next > rows.length ? lines.length : (rows[next - 1] as JsonRow).end + by;
    const read = runToEnd(readRows(lines, lines.slice(from, to), from));
    const before = rows[first];
    if (before !== undefined && before.end < change.start && read[0]?.isLike(before)) read[0] = before;
    if (by !== 0) for (let index = next; index < rows.length; index += 1) (rows[index] as JsonRow).move(by);
    const last = next > rows.length ? undefined : rows[next - 1];
    const again = read.at(-1);
    if (last !== undefined && again !== undefined && last.start > change.end) {
      last.move(by);
      if (last.isLike(again)) read[read.length - 1] = last;
      else last.move(-by);
    }
    return new JsonLinesSource(lines, splice(rows, first, Math.min(next, rows.length) - first, read));
  }
}
