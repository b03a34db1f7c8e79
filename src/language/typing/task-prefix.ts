import * as z from 'zod';
import { isObject } from '../../tasks/calls.ts';
import type { Position } from '../../tasks/range.ts';
import type { TaskFile } from '../../tasks/rows.ts';

const snippetFile = z.record(
  z.string(),
  z.object({ prefix: z.string(), description: z.string(), body: z.array(z.string()) }),
);

/** The beginning of a task; its body is in VS Code's notation of snippets, one item a line. */
export type TaskSnippet = z.infer<typeof snippetFile>[string];

/** Reads a file of `snippets/`. Throws where it is none. */
export function readSnippets(text: string): readonly TaskSnippet[] {
  return Object.values(snippetFile.parse(JSON.parse(text)));
}

/** Characters of a file that are looked at for an import of `hud`. */
const SEARCHED = 100_000;

/** A word, or nothing, that stands where a value may begin: never in quotes. */
const WORD = /(?:^|[\s[({,=])([\w-]*)$/;
/** In YAML the mark of an item goes with it: the task brings its own. */
const ITEM = /^\s*((?:-[ \t]+)?[\w-]*)$/;

/**
 * The column at which what is written of a new task at a position begins; null where no task can begin: in a task, in a
 * text, in a program that has nothing to do with HUD.
 * @param file null where the text holds no tasks yet
 * @param line the text of the line up to the position
 * @param text gives all of the text
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
