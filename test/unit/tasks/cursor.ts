import { Lines } from '../../../src/base/lines.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import type { Cursor } from '../../../src/tasks/rows.ts';

/** Takes the `|` out of a text: the cursor stands there. */
export function atMark(markedText: string): { readonly text: string; readonly offset: number } {
  const offset = markedText.indexOf('|');
  if (offset === -1) throw new Error(`no | in ${markedText}`);
  return { text: markedText.slice(0, offset) + markedText.slice(offset + 1), offset };
}

/** What stands at the `|` in a file of that name; undefined outside its rows. */
export function cursorAt(file: string, markedText: string): Cursor | undefined {
  const { text, offset } = atMark(markedText);
  return readTasks(file, text).cursor(new Lines(text).position(offset));
}

/** A cursor in short: `value setup.0 "go"`, `key . +: before 12`; what would be replaced in ‹›. */
export function inShort(file: string, markedText: string): string {
  const { text } = atMark(markedText);
  const cursor = cursorAt(file, markedText);
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
