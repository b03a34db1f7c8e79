import * as z from 'zod';
import { isObject } from '../../base/json.ts';
import type { Position } from '../../base/range.ts';
import type { TaskFile } from '../../tasks/rows.ts';

const snippetFile = z.record(
  z.string(),
  z.object({ prefix: z.string(), description: z.string(), body: z.array(z.string()) }),
);

/** A template of a task; its body is in VS Code's snippet syntax, one item per line. */
export type TaskSnippet = z.infer<typeof snippetFile>[string];

/** Reads a file of `snippets/`. Throws if it is invalid. */
export function readSnippets(text: string): readonly TaskSnippet[] {
  return Object.values(snippetFile.parse(JSON.parse(text)));
}

/** Number of characters to search for an import of `hud`. */
const SEARCHED = 100_000;

/** A word, possibly empty, where a value can begin: never in quotes. */
const WORD = /(?:^|[\s[({,=])([\w-]*)$/;
/** In YAML the word includes the dash of an item, because the snippet contains one. */
const ITEM = /^\s*((?:-[ \t]+)?[\w-]*)$/;

/**
 * The column at which the prefix of a new task begins; null if no task can begin there: inside a task, inside a string,
 * or in a program that does not use HUD.
 * @param file null if the text contains no tasks yet
 * @param line the text of the line up to the position
 * @param text returns the whole text
 */
export function taskPrefixStart(
  file: TaskFile | null,
  position: Position,
  line: string,
  language: string,
  text: () => string,
): number | null {
  const word = (language === 'yaml' ? ITEM : WORD).exec(line)?.[1];
  if (word === undefined || /#|\/\//.test(line)) return null;
  const isAlone = (): boolean => text().trim().replace(/^-\s+/, '') === word.replace(/^-\s+/, '');
  if (file === null || file.rows.length === 0) {
    const isHud = language === 'python' && /\bhud\b/.test(text().slice(0, SEARCHED));
    if (!isHud && file === null && !isAlone()) return null;
  }
  const cursor = file?.cursor(position);
  if (cursor !== undefined) {
    const isWritten = isObject(cursor.task) && Object.keys(cursor.task).length > 0;
    if (cursor.path.length > 0 || (isWritten && cursor.at !== 'between')) return null;
  }
  return line.length - word.length;
}
