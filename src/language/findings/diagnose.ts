import type { UserFunctions } from '../../environments/user-functions.ts';
import type { Finding } from '../../tasks/finding.ts';
import type { Range } from '../../tasks/range.ts';
import { byPosition, type TaskFile, type TaskRow } from '../../tasks/rows.ts';
import type { RuleCode } from '../../tasks/rules/rules.ts';
import { atOnce } from '../../tasks/slices.ts';
import { Diagnosis, problemsOf } from './diagnosis.ts';

/** Why Run refuses a task. */
export interface Refusal {
  readonly message: string;
  readonly code: RuleCode;
  readonly file: string;
  readonly range: Range;
}

/**
 * Everything there is to say about a file of tasks, in the order of the text: what cannot be read, and what is wrong
 * with each task. Pure: nothing is executed and no other file is looked at.
 * @param own names of the person's functions beside the file
 */
export function diagnose(file: TaskFile, own: UserFunctions): Finding[] {
  const diagnosis = new Diagnosis(file, own);
  atOnce(diagnosis.update());
  return diagnosis.findings();
}

/** Why Run refuses a row, in the words of the finding; null where it can run. */
export function refusal(file: TaskFile, row: TaskRow, own: UserFunctions): Refusal | null {
  const problems = problemsOf(row, file.format, own).map((problem) => row.finding(problem));
  const findings = [...row.findings, ...problems.sort(byPosition)];
  const found =
    findings.find(({ severity }) => severity === 'error') ??
    findings.find(({ severity }) => severity === 'information');
  return found === undefined
    ? null
    : { message: found.message, code: found.code, file: found.file, range: found.range };
}
