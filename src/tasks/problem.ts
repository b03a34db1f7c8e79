import type { Part, Path } from '../base/path.ts';
import type { ValueFix } from './change.ts';
import type { RuleCode } from './rules/rules.ts';
import type { Severity } from './severity.ts';

/** A problem at a path in a task. It becomes a `Finding` when its range is needed. */
export interface Problem {
  readonly path: Path;
  /** The value that the problem is about, if it contains the path: a whole call, marked at its name. */
  readonly about?: Path;
  /** Other values that the problem follows from: with another environment, a task may need no prompt. */
  readonly premises?: readonly Path[];
  readonly part?: Part;
  /** The part of the text at the path that the problem is about; the whole text by default. */
  readonly word?: string;
  readonly severity: Severity;
  /** Stable code of the rule. */
  readonly code: RuleCode;
  readonly message: string;
  /** Possible fixes, the most likely first. */
  readonly fixes?: readonly ValueFix[];
}

type Details = readonly [code: RuleCode, path: Path, message: string, ...fixes: ValueFix[]];

export function error(...details: Details): Problem {
  return newProblem('error', ...details);
}

export function warning(...details: Details): Problem {
  return newProblem('warning', ...details);
}

export function newProblem(severity: Severity, ...[code, path, message, ...fixes]: Details): Problem {
  return { path, severity, code, message, ...(fixes.length > 0 ? { fixes } : {}) };
}
