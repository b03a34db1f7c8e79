import { isDeepStrictEqual } from 'node:util';
import { Lines, type OffsetEdit } from '../../base/lines.ts';
import type { TextEdit } from '../../tasks/change.ts';
import { Draft } from '../../tasks/draft.ts';
import { lineEndOf } from '../../tasks/formats/layout.ts';
import { readTasks } from '../../tasks/read.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import { textEdits } from '../../tasks/source-row.ts';

/**
 * Edits that wrap a task, or a list of tasks, in `{name, tasks: [...]}`; null if the text does not allow it. Only the
 * indentation of the tasks changes.
 * @param text of the file, without a byte order mark
 */
export function wrapInSet(file: TaskFile, text: string, name: string): readonly TextEdit[] | null {
  if (!isWrappable(file)) return null;
  const draft = new Draft(text);
  const edits = file.format === 'json' ? inJson(text, name) : inYaml(text, name);
  if (edits === null) return null;
  draft.replaceAll(edits);
  const result = readTasks(file.file, draft.text);
  const isSame = isDeepStrictEqual(
    result.rows.map(({ value }) => value),
    file.rows.map(({ value }) => value),
  );
  if (result.set?.name !== name || !isSame) return null;
  return textEdits(draft.edits, new Lines(text));
}

export function isWrappable({ format, set, rows, outside }: TaskFile): boolean {
  return (format === 'json' || format === 'yaml') && set === null && rows.length > 0 && outside.length === 0;
}

function inJson(text: string, name: string): OffsetEdit[] | null {
  const start = text.search(/\S/);
  const end = text.trimEnd().length;
  const isList = text[start] === '[';
  if (start === -1) return null;
  const content = text.slice(start, end);
  const key = `"name": ${JSON.stringify(name)}`;
  const [open, close] = isList ? ['', ''] : ['[', ']'];
  if (!content.includes('\n')) return around(start, end, `{${key}, "tasks": ${open}`, `${close}}`);
  const lineEnd = lineEndOf(text);
  const unit = /\n([ \t]+)\S/.exec(content)?.[1] ?? '  ';
  const indent = isList ? unit : unit + unit;
  const before = `{${lineEnd}${unit}${key},${lineEnd}${unit}"tasks": ${open}${isList ? '' : lineEnd + indent}`;
  const after = `${isList ? '' : lineEnd + unit}${close}${lineEnd}}`;
  const [first, last] = around(start, end, before, after);
  return first === undefined || last === undefined ? null : [first, ...indentations(text, start, end, indent), last];
}

function inYaml(text: string, name: string): OffsetEdit[] | null {
  // Directives, the document marker, comments, and blank lines stay at the top.
  const start = /^(?:(?:%.*|---[ \t]*|[ \t]*#.*|[ \t]*)(?:\r\n|\n|$))*/.exec(text)?.[0].length ?? 0;
  if (start === text.length) return null;
  const head = `name: ${JSON.stringify(name)}${lineEndOf(text)}tasks:${lineEndOf(text)}`;
  if (/^[ \t]*-(?:\s|$)/.test(text.slice(start))) return [{ start, end: start, text: head }];
  const isFlow = /^[ \t]*\[/.test(text.slice(start));
  return [
    { start, end: start, text: `${head}${isFlow ? '  ' : '- '}` },
    ...indentations(text, start, text.length, '  '),
  ];
}

function around(start: number, end: number, before: string, after: string): OffsetEdit[] {
  return [
    { start, end: start, text: before },
    { start: end, end, text: after },
  ];
}

/** Indents the lines that begin in a span, except blank ones. */
function indentations(text: string, start: number, end: number, indent: string): OffsetEdit[] {
  const edits: OffsetEdit[] = [];
  for (let at = text.indexOf('\n', start); at !== -1 && at + 1 < end; at = text.indexOf('\n', at + 1)) {
    if (!/[\r\n]/.test(text[at + 1] ?? '\n')) edits.push({ start: at + 1, end: at + 1, text: indent });
  }
  return edits;
}
