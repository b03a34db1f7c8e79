import type { Range } from '../base/range.ts';
import type { Fix } from './change.ts';
import type { RuleCode } from './rules/rules.ts';
import type { Severity } from './severity.ts';

/** A problem at a range in a file. */
export interface Finding {
  /** Absolute path of the file. */
  readonly file: string;
  readonly range: Range;
  readonly severity: Severity;
  /** Stable code of the rule. */
  readonly code: RuleCode;
  readonly message: string;
  /** The task's id, or its index as a string; absent if the finding is about the whole file. */
  readonly task_id?: string;
  /** The task's index, which no other task of the file has; absent like `task_id`. */
  readonly task_index?: number;
  /** Related ranges. */
  readonly related?: readonly Related[];
  /** Possible fixes, the most likely first, computed on demand; absent if there are none. */
  fixes?(): readonly Fix[];
}

/** A range that is related to a finding. */
export interface Related {
  /** Absolute path. */
  readonly file: string;
  readonly range: Range;
  /** Describes the range. */
  readonly message: string;
}
