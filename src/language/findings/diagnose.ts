import { runToEnd } from '../../base/slices.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import type { Finding } from '../../tasks/finding.ts';
import { byPosition, type TaskFile, type TaskRow } from '../../tasks/rows.ts';
import { Diagnosis, problemsOf } from './diagnosis.ts';

/** Why Run rejects a task. */
export type Refusal = Pick<Finding, 'message' | 'code' | 'file' | 'range'>;

/**
 * Returns all findings of a task file in document order: syntax problems, and problems of each task. Pure: nothing is
 * executed, and no other file is read.
 * @param own user-defined functions beside the file
 */
export function diagnose(file: TaskFile, own: UserFunctions): Finding[] {
  const diagnosis = new Diagnosis(file, own);
  runToEnd(diagnosis.update());
  return diagnosis.findings();
}

/** Returns why Run rejects a row, with the message of the finding; null if it can run. */
export function refusal(file: TaskFile, row: TaskRow, own: UserFunctions): Refusal | null {
  const problems = problemsOf(row, file.format, own).map((problem) => row.finding(problem));
  const findings = [...row.findings, ...problems.sort(byPosition)];
  const finding =
    findings.find(({ severity }) => severity === 'error') ??
    findings.find(({ severity }) => severity === 'information');
  return finding === undefined
    ? null
    : { message: finding.message, code: finding.code, file: finding.file, range: finding.range };
}
