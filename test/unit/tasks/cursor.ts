import { Lines } from '../../../src/base/lines.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import type { Cursor } from '../../../src/tasks/rows.ts';

/** Takes the `|` out of a text: the cursor stands there. */
export function atMark(marked: string): { readonly text: string; readonly offset: number } {
  const offset = marked.indexOf('|');
  if (offset === -1) throw new Error(`no | in ${marked}`);
  return { text: marked.slice(0, offset) + marked.slice(offset + 1), offset };
}

/** What stands at the `|` in a file of that name; undefined outside its rows. */
export function cursorAt(file: string, marked: string): Cursor | undefined {
  const { text, offset } = atMark(marked);
  return readTasks(file, text).cursor(new Lines(text).position(offset));
}

/** A cursor in short: `value setup.0 "go"`, `key . +: before 12`; what would be replaced in ‹›. */
export function inShort(file: string, marked: string): string {
  const { text } = atMark(marked);
  const cursor = cursorAt(file, marked);
  if (cursor === undefined) return 'outside';
  const lines = new Lines(text);
  const written = text.slice(lines.offset(cursor.range.start), lines.offset(cursor.range.end));
  return [
    cursor.at,
    cursor.path.length === 0 ? '.' : cursor.path.join('.'),
    ...(written === '' ? [] : [`‹${written}›`]),
    ...(cursor.before === '' ? [] : [`before=${cursor.before}`]),
    ...(cursor.at === 'key' && cursor.followed ? ['followed'] : []),
    ...(cursor.commaBefore === undefined ? [] : [`comma-before=${lines.offset(cursor.commaBefore)}`]),
    ...(cursor.commaAfter === undefined ? [] : ['comma-after']),
  ].join(' ');
}
