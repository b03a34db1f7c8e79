import type { Repair } from './change.ts';
import type { Severity } from './finding.ts';
import type { Part, Path } from './path.ts';

/** One thing to say about one value of a task; it becomes a `Finding` when someone asks for its place. */
export interface Problem {
  readonly path: Path;
  readonly part?: Part;
  readonly severity: Severity;
  /** Stable name of the rule, in kebab-case. */
  readonly code: string;
  readonly message: string;
  /** What would mend it, the likeliest first. */
  readonly repairs?: readonly Repair[];
}
