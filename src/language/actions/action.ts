import type { TextEdit } from '../../tasks/change.ts';

/** Which family it belongs to: the last part of its kind in the editor. */
export type ActionKind = 'call' | 'era' | 'add' | 'set';

/** One way to rewrite a task that a person may choose. Its edits are worked out when they are asked for. */
export interface TaskAction {
  readonly kind: ActionKind;
  /** What it does, as a menu says it. */
  readonly title: string;
  /** What it leaves as it is, puts elsewhere or cannot say, a sentence each: told when it is done. */
  readonly notes: readonly string[];
  /** Why it cannot be done here; there are no edits then. */
  readonly refused?: string;
  /** A word of the new text that the person writes over next. */
  readonly placeholder?: string;
  /** Null where the text does not allow it. */
  edits(): readonly TextEdit[] | null;
}
