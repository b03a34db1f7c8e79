import { defined } from '../base/defined.ts';
import type { Path } from '../base/path.ts';
import type { Problem } from '../tasks/problem.ts';
import { removal } from '../tasks/value-fixes.ts';

/** A problem with the environment of a task: the path of the value in it, and a message. */
export interface SpecProblem {
  readonly path: Path;
  /** Set if the problem is about the key and not its value. */
  readonly part?: 'key';
  /** Set if removing the key solves the problem. */
  readonly surplus?: true;
  readonly message: string;
}

/** A key that is not needed. */
export function surplusKey(path: Path, message: string): SpecProblem {
  return { path, part: 'key', surplus: true, message };
}

/** The errors of an environment that is written as an object in `gym`. */
export function gymErrors(problems: readonly SpecProblem[], code: Problem['code']): Problem[] {
  return problems.map(({ path, message, part, surplus }) => {
    const at = ['gym', ...path];
    const fixes = surplus === true ? [removal(at)] : undefined;
    return { path: at, severity: 'error', code, message, ...defined({ part, fixes }) };
  });
}
