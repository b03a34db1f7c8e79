import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import type { TaskFile } from '../../../src/tasks/rows.ts';

/** Reads a Python file of these lines; a test prepares for it before. */
export const read = (...lines: readonly string[]): TaskFile => readTasks('/x/tasks.py', lines.join('\n'));

export const values = (file: TaskFile): unknown[] => file.rows.map((row) => row.value);

/** The findings of a file: `error no-prompt`. */
export const codes = (file: TaskFile): string[] =>
  diagnose(file, new Map()).map(({ severity, code }) => `${severity} ${code}`);
