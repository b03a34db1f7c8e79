import type { Fix } from './change.ts';
import type { Range } from './range.ts';
import type { RuleCode } from './rules/rules.ts';
import type { Severity } from './severity.ts';

/** One thing to say about one place in a task file. */
export interface Finding {
  /** Absolute path of the file. */
  readonly file: string;
  readonly range: Range;
  readonly severity: Severity;
  /** Stable name of the rule, in kebab-case, such as `unknown-function`. */
  readonly code: RuleCode;
  readonly message: string;
  /** The task's id, or its index as a string; absent where a finding is about the whole file. */
  readonly task_id?: string;
  /** Other places that have to do with it. */
  readonly related?: readonly Related[];
  /** What would mend it, the likeliest first, worked out when asked; absent where nothing is known to. */
  fixes?(): readonly Fix[];
}

/** Another place that a finding has to do with. */
export interface Related {
  /** Absolute path. */
  readonly file: string;
  readonly range: Range;
  /** What stands there. */
  readonly message: string;
}
