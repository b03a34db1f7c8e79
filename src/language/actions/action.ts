import type { TextEdit } from '../../tasks/change.ts';

/** The last part of the action's kind in the editor. */
export type ActionKind = 'call' | 'era' | 'add' | 'set';

/** A refactoring of a task. Its edits are computed on demand. */
export interface TaskAction {
  readonly kind: ActionKind;
  /** Menu title. */
  readonly title: string;
  /** Values that it leaves unchanged, moves, or drops, one sentence each; shown afterwards. */
  readonly notes: readonly string[];
  /** Why it does not apply here; then there are no edits. */
  readonly refusal?: string;
  /** A word of the new text to select, because the user replaces it. */
  readonly placeholder?: string;
  /** Null if the text does not allow it. */
  edits(): readonly TextEdit[] | null;
}
