import type { JsonObject } from '../base/json.ts';
import { escapeControls } from '../base/terminal-text.ts';
import type { Task } from './task.ts';

const LENGTH = 60;

/** The label of a task without an id: its slug, title, or variable, or the beginning of its prompt. */
export function labelOf(row: JsonObject, variable: string | null): string | null {
  const { slug, name, prompt, instruction } = row;
  for (const text of [slug, name, variable, prompt, instruction]) {
    const label = typeof text === 'string' ? shorten(text, LENGTH) : '';
    if (label !== '') return label;
  }
  return null;
}

/** What a task is shown as outside its file: its id, else its title or the beginning of its prompt, else its number. */
export function taskLabel({ id, index, name, prompt }: Pick<Task, 'id' | 'index' | 'name' | 'prompt'>): string {
  return id === null ? (labelOf({ name, prompt }, null) ?? `#${index}`) : escapeControls(id);
}

/** The beginning of a text, on one line and in the order in which it is written. */
export function shorten(text: string, length: number): string {
  const line = text
    .slice(0, 8 * length)
    .replace(/\s+/g, ' ')
    .trim();
  // Not in the middle of a character.
  const short = line.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
  return escapeControls(line.length > length ? `${short.trimEnd()}…` : line);
}
