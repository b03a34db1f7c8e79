import { isMap, isNode, isScalar, isSeq } from 'yaml';
import type { Json } from '../../../base/json.ts';
import type { Lines } from '../../../base/lines.ts';
import type { Path } from '../../../base/path.ts';
import type { Span } from '../../../base/range.ts';
import type { Work } from '../../../base/slices.ts';
import { type FileSource, type TextProblem, textError, unreadable } from '../source.ts';
import { editYaml, insertIntoEmptyYaml, insertYamlItem } from './edit.ts';
import { readYamlList } from './list.ts';
import { spanOf } from './nodes.ts';
import { YamlRow } from './row.ts';
import { YamlText } from './text.ts';
import { readMembers, YamlValues } from './value.ts';

/** A YAML file: one task, a list of tasks, or a mapping with a list under `tasks`. */
export function* readYamlFile(lines: Lines): Work<FileSource> {
  const { text } = lines;
  return (yield* readYamlList(text)) ?? (yield* readYamlWhole(text));
}

/** Parses the whole text. Handles every form of YAML, but parses everything again at each change. */
export function* readYamlWhole(source: string): Work<FileSource> {
  const text = yield* YamlText.parse(source);
  const { root } = text;
  if (root === null || (isScalar(root) && root.value === null && source.trim() === '')) {
    const message = 'This file is empty. Expected a task, a list of tasks, or "tasks:" with a list';
    if (text.syntax.length > 0) return unreadable(...text.syntax);
    const insert: FileSource['insert'] = (index, value) => insertIntoEmptyYaml(source, index, value);
    return { ...unreadable(textError({ start: 0, end: 0 }, 'empty-file', message)), insert };
  }
  const values = new YamlValues(text);
  let set: Record<string, Json> | null = null;
  let list: Path | null = null;
  const outside: TextProblem[] = [];
  if (isSeq(root)) list = [];
  else if (isMap(root)) {
    const tasks = text.find(['tasks'], 'value');
    if (isNode(tasks) && isSeq(text.resolve(tasks))) {
      list = ['tasks'];
      const members = readMembers(text, values);
      set = members.set;
      outside.push(...members.problems);
    }
  }
  const rows = list === null ? [[]] : rowPaths(text, list);
  const reaches = rows.map((path) => spanOf(text.find(path, 'value') ?? root));
  const places =
    list === null ? [{ start: 0, end: source.length }] : reaches.map((_, index) => reachOf(text, reaches, index));
  // Parser errors inside a row belong to that row alone.
  const syntax = rows.map((): TextProblem[] => []);
  for (const problem of text.syntax) {
    const index = reaches.findIndex(({ start, end }) => problem.start >= start && problem.start <= end);
    (syntax[index] ?? outside).push(problem);
  }
  return {
    set,
    rows: rows.map((path, index) => new YamlRow(text, values, path, syntax[index] ?? [], places[index] as Span)),
    problems: outside,
    insert: (index, value) => (list === null ? null : insertYamlItem(source, list, index, value)),
    remove: (index) => (list === null ? null : editYaml(source, [], [{ remove: [...list, index] }])),
  };
}

function rowPaths(text: YamlText, list: Path): Path[] {
  const node = text.find(list, 'value');
  const seq = node && text.resolve(node);
  return isSeq(seq) ? seq.items.map((_, index) => [...list, index]) : [];
}

/** The row with the lines after it, up to the next one, in a block list. */
function reachOf(text: YamlText, rows: readonly Span[], index: number): Span {
  const own = rows[index] as Span;
  const next = rows[index + 1]?.start ?? text.text.length;
  const newline = text.text.lastIndexOf('\n', next - 1);
  const isLast = index === rows.length - 1;
  return newline < own.end || isLast ? own : { start: own.start, end: newline };
}
