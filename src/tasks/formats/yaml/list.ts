import { isMap, isScalar } from 'yaml';
import type { Json } from '../../../base/json.ts';
import type { Lines } from '../../../base/lines.ts';
import { shift } from '../../../base/range.ts';
import { firstIndexWhere } from '../../../base/search.ts';
import { runToEnd, type Work } from '../../../base/slices.ts';
import type { FileSource, OffsetEdit, TextProblem } from '../source.ts';
import { insertItem, removeItem } from './items.ts';
import { keyOf } from './nodes.ts';
import { YamlItem } from './row.ts';
import { headOf, namesAfter, splitItems } from './split.ts';
import { YamlText } from './text.ts';
import { readMembers, YamlValues } from './value.ts';

/** The text before or after a list: the other members of the file's mapping. */
interface Beside {
  readonly set: Record<string, Json>;
  readonly problems: readonly TextProblem[];
}

const NOTHING: Beside = { set: {}, problems: [] };

/**
 * Reads a file that is a block list, item by item.
 * @returns null if it is not one, or if an item depends on another
 */
export function* readYamlList(text: string): Work<FileSource | null> {
  const listHead = headOf(text);
  const listItems = listHead && (yield* splitItems(text, listHead));
  const [first] = listItems?.starts ?? [];
  if (listHead === null || listItems === null || first === undefined) return null;
  const { indent, inSet } = listHead;
  const { starts, end } = listItems;
  const head = yield* headBeside(text.slice(0, first), inSet);
  const tail = yield* tailBeside(text.slice(end));
  if (head === null || tail === null) return null;
  yield;
  const anchors = namesAfter('&', text);
  if (anchors.length > 0 && areShared(anchors, namesAfter('*', text), starts)) return null;
  const items = starts.map((start, index) => new YamlItem(text.slice(start, starts[index + 1] ?? end), start));
  return new YamlList({ indent, inSet, end, length: text.length, isAnchored: anchors.length > 0, head, tail }, items);
}

/** A list without its items. */
interface Around {
  readonly indent: number;
  readonly inSet: boolean;
  /** Offset after the last item. */
  readonly end: number;
  /** Of the file. */
  readonly length: number;
  readonly isAnchored: boolean;
  readonly head: Beside;
  /** Offsets are relative to the end of the list. */
  readonly tail: Beside;
}

/** A file that is a block list. After a change, only the items around it are read again. */
class YamlList implements FileSource {
  readonly rows: readonly YamlItem[];
  readonly #around: Around;

  constructor(around: Around, rows: readonly YamlItem[]) {
    this.#around = around;
    this.rows = rows;
  }

  get set(): FileSource['set'] {
    const { inSet, head, tail } = this.#around;
    return inSet ? { ...head.set, ...tail.set } : null;
  }

  get problems(): readonly TextProblem[] {
    const { head, tail, end } = this.#around;
    return [...head.problems, ...tail.problems.map((problem) => shift(problem, end))];
  }

  insert(index: number, value: Json): readonly OffsetEdit[] | null {
    return insertItem(this.rows, this.#around.indent, index, value);
  }

  remove(index: number): readonly OffsetEdit[] | null {
    return removeItem(this.rows, this.#around.indent, index);
  }

  reread(change: OffsetEdit, text: Lines): FileSource | null {
    const { rows } = this;
    const around = this.#around;
    const by = change.text.length - (change.end - change.start);
    const first = rows[0]?.from ?? 0;
    if (around.isAnchored || change.end > around.end || (change.end === around.end && around.end < around.length)) {
      return null;
    }
    if (change.start < first) return change.end < first ? this.#withHead(text, first + by, by) : null;
    // A change at the very beginning of an item can belong to the previous one.
    const from = this.#rowAt(change.start - 1);
    const to = this.#rowAt(change.end);
    const [begin, last] = [rows[from], rows[to]];
    if (begin === undefined || last === undefined) return null;
    const lines = text.slice(begin.from, last.from + last.text.length + by);
    const items = splitItems(lines, { ...around, from: 0 }).next().value;
    if (items === undefined || items === null || items.starts[0] !== 0 || items.end !== lines.length) return null;
    if (namesAfter('&', lines).length > 0) return null;
    const read = items.starts.map(
      (start, index) => new YamlItem(lines.slice(start, items.starts[index + 1]), begin.from + start),
    );
    return this.#replace(by, [...rows.slice(0, from), ...read], rows.slice(to + 1), around.head);
  }

  #withHead(text: Lines, first: number, by: number): FileSource | null {
    const { indent, inSet } = this.#around;
    const head = text.slice(0, first);
    const listHead = headOf(`${head}${' '.repeat(indent)}-`);
    if (listHead?.from !== first || listHead.indent !== indent || listHead.inSet !== inSet) return null;
    if (namesAfter('&', head).length > 0) return null;
    const beside = runToEnd(headBeside(head, inSet));
    return beside === null ? null : this.#replace(by, [], this.rows, beside);
  }

  #replace(by: number, before: readonly YamlItem[], after: readonly YamlItem[], head: Beside): FileSource {
    if (by !== 0) for (const row of after) row.from += by;
    const { end, length, ...around } = this.#around;
    return new YamlList({ ...around, head, end: end + by, length: length + by }, [...before, ...after]);
  }

  /** The last row that begins at or before the offset; -1 if there is none. */
  #rowAt(offset: number): number {
    return firstIndexWhere(this.rows, ({ from }) => from > offset) - 1;
  }
}

/** The members before the list; null if they are not what their lines look like. */
function* headBeside(text: string, inSet: boolean): Work<Beside | null> {
  if (!inSet) return NOTHING;
  const yaml = yield* YamlText.parse(text);
  const last = isMap(yaml.root) ? yaml.root.items.at(-1) : undefined;
  const isEmpty = last !== undefined && keyOf(last) === 'tasks' && isScalar(last.value) && last.value.value === null;
  return yaml.isBroken || isEmpty ? besideOf(yaml) : null;
}

/** The members after the list; null if they contain `tasks` again. */
function* tailBeside(text: string): Work<Beside | null> {
  if (text === '') return NOTHING;
  const yaml = yield* YamlText.parse(text);
  if (yaml.isBroken) return besideOf(yaml);
  const hasTasks = isMap(yaml.root) && yaml.root.items.some((pair) => keyOf(pair) === 'tasks');
  return isMap(yaml.root) && !hasTasks ? besideOf(yaml) : null;
}

function besideOf(text: YamlText): Beside {
  const { set, problems } = readMembers(text, new YamlValues(text));
  return { set, problems: [...text.syntax, ...problems] };
}

type Names = ReturnType<typeof namesAfter>;

/** Whether an anchor in one item, or beside the list, is used in another. */
function areShared(anchors: Names, aliases: Names, starts: readonly number[]): boolean {
  const homes = new Map<string, number>();
  const itemOf = (at: number): number => firstIndexWhere(starts, (start) => start > at);
  const sharedNames = new Set<string>();
  for (const { name, at } of anchors) {
    const home = itemOf(at);
    const before = homes.get(name);
    if (before !== undefined && before !== home) sharedNames.add(name);
    homes.set(name, home);
  }
  return aliases.some(({ name, at }) => sharedNames.has(name) || (homes.has(name) && homes.get(name) !== itemOf(at)));
}
