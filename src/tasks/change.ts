import type { Path } from './path.ts';
import type { Range } from './range.ts';
import type { Json } from './task.ts';

/**
 * One change to a task in the task's own terms, whatever the format of its file. The format writes it into its text and
 * leaves the rest of the text as it is. Several changes are made one after the other: paths of the later ones mean the
 * task as the earlier ones left it.
 */
export type Change =
  /** Puts the value there; a member that is not there is added at the end of its object, an index past the end appends. */
  | { readonly set: Path; readonly value: Json }
  /** Gives a member another key. */
  | { readonly rename: Path; readonly key: string }
  /** Takes a member or an item out. */
  | { readonly remove: Path };

/** What would mend a problem: offered as a quick fix. */
export interface ValueFix {
  /** What it does, as a button says it: `Change to "page_contains"`. */
  readonly title: string;
  readonly changes: readonly Change[];
  /** Changes nothing of what the task means here: `taskwright validate --fix` does it unasked. */
  readonly safe?: true;
}

/** One replacement in the text of a file. */
export interface TextEdit {
  readonly range: Range;
  readonly text: string;
}

/** A fix as it is made in the text. The edits do not overlap and stand in the order of the text. */
export interface Fix {
  readonly title: string;
  readonly edits: readonly TextEdit[];
  readonly safe: boolean;
}
