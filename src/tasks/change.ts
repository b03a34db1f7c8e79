import type { Json } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import type { Range } from '../base/range.ts';

/**
 * One change to a task, independent of the file format. The format applies it to its text and leaves the rest of the
 * text unchanged. Several changes apply in order: each path refers to the task after the previous changes.
 */
export type Change =
  /** Sets the value. A missing member is added at the end of its object; an index past the end appends. */
  | { readonly set: Path; readonly value: Json }
  /** Renames a member. */
  | { readonly rename: Path; readonly key: string }
  /** Removes a member or an item. */
  | { readonly remove: Path };

/** The path of what a change sets, renames, or removes. */
export function pathOf(change: Change): Path {
  return 'set' in change ? change.set : 'rename' in change ? change.rename : change.remove;
}

/** A possible fix for a problem, as changes of values. The editor offers it as a quick fix. */
export interface ValueFix {
  /** Title of the quick fix: `Change to "page_contains"`. */
  readonly title: string;
  readonly changes: readonly Change[];
  /** The task keeps its meaning, so `taskwright validate --fix` applies the fix without asking. */
  readonly safe?: true;
}

/** One replacement in the text of a file. */
export interface TextEdit {
  readonly range: Range;
  readonly text: string;
}

/** A fix as text edits, in document order and without overlaps. */
export interface Fix {
  readonly title: string;
  readonly edits: readonly TextEdit[];
  readonly safe: boolean;
}
