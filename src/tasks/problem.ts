import type { Severity } from './finding.ts';

/** Keys and indexes that lead to a value inside a task. */
export type Path = readonly (string | number)[];

/** A member's key, or its value. */
export type Part = 'key' | 'value';

/** One thing to say about one value of a task; it becomes a `Finding` when someone asks for its place. */
export interface Problem {
  readonly path: Path;
  readonly part?: Part;
  readonly severity: Severity;
  /** Stable name of the rule, in kebab-case. */
  readonly code: string;
  readonly message: string;
  /** What would mend it: the text to put at the place, in the language of the file. */
  readonly replacement?: string;
}
