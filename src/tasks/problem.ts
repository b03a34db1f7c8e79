import type { ValueFix } from './change.ts';
import type { Part, Path } from './path.ts';
import type { RuleCode } from './rules/rules.ts';
import type { Severity } from './severity.ts';

/** One thing to say about one value of a task; it becomes a `Finding` when someone asks for its place. */
export interface Problem {
  readonly path: Path;
  /** The value that it is about, where that is more than what stands at the path: a whole call, shown at its name. */
  readonly about?: Path;
  readonly part?: Part;
  /** The part of the text at the path that it is about; by default all of it. */
  readonly word?: string;
  readonly severity: Severity;
  /** Stable name of the rule, in kebab-case. */
  readonly code: RuleCode;
  readonly message: string;
  /** What would mend it, the likeliest first. */
  readonly fixes?: readonly ValueFix[];
}
