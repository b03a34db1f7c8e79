import type { Json } from '../task.ts';
import type { FileSource } from './source.ts';
import { uneditable } from './source.ts';
import { YamlRow, YamlText } from './yaml-text.ts';

/** A YAML file: one task, a list of tasks, or a mapping that holds them under `tasks`. */
export function readYamlFile(text: string): FileSource {
  const whole = new YamlText(text, 0);
  if (whole.syntax.some(({ code }) => code === 'syntax')) {
    const apart = readApart(text);
    if (apart !== null) return apart;
  }
  return whole.file();
}

/**
 * A file that does not parse as a whole: each item of its list is read alone, so that a broken task stops only itself.
 * Null where the items cannot be told apart, or share anchors.
 */
function readApart(text: string): FileSource | null {
  const first = /^([ ]*)- /m.exec(text);
  if (first === null) return null;
  const head = text.slice(0, first.index);
  if (!/^(?:[ \t]*(?:#[^\n]*|---[ \t]*)?\r?\n|\w+:[^\n]*\n)*$/.test(head)) return null;
  const indent = first[1] ?? '';
  const marks = [...text.matchAll(new RegExp(`^${indent}- `, 'gm'))].map((match) => match.index);
  const rows: YamlRow[] = [];
  for (const [index, mark] of marks.entries()) {
    const chunk = new YamlText(text.slice(mark, marks[index + 1] ?? text.length), mark);
    if (chunk.aliases) return null;
    const row = chunk.only();
    if (row === null && chunk.syntax.length === 0) return null;
    const end = text.slice(0, marks[index + 1] ?? text.length).trimEnd().length;
    rows.push(row ?? new YamlRow(chunk, null, { start: mark + indent.length, end }, chunk.syntax));
  }
  const top = head.trim() === '' ? null : new YamlText(head.replace(/tasks:\s*$/, ''), 0).file();
  const values = top?.rows[0]?.read().value;
  const set = /^tasks:/m.test(head)
    ? typeof values === 'object' && values !== null && !Array.isArray(values)
      ? (values as Record<string, Json>)
      : {}
    : null;
  return { set, rows, problems: [], ...uneditable };
}
