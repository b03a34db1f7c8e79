import type * as vscode from 'vscode';

const NAMES = ['*.task', '*.tasks', '*.taskset', 'tasks'];
const ENDINGS = ['json', 'jsonl', 'yaml', 'yml'];
const NAMED = NAMES.flatMap((name) => ENDINGS.map((ending) => `${name}.${ending}`));

/** Possible task files. For a bare `tasks.json` and Python files, the content decides. */
export const TASK_FILES = `**/{${NAMED.join(',')},*.py}`;
/** Folders of packages, which contain no tasks. */
export const PACKAGE_FOLDERS = '**/{node_modules,site-packages,dist-packages,__pycache__}/**';

/** Whether a path may be a task file, by its name alone. */
export function mayBeTaskFile(path: string): boolean {
  return TASK_FILE_NAME.test(path) && !IN_PACKAGES.test(path);
}

const TASK_FILE_NAME =
  /(?:\.(?:task|tasks|taskset)\.(?:json|jsonl|yaml|yml)|(?:^|\/)tasks\.(?:json|jsonl|yaml|yml)|\.py)$/;
const IN_PACKAGES = /\/(?:site-packages|dist-packages)\/.*\.py$/;

/** The documents for language features. A `tasks.json` or Python file without tasks gets no results. */
export const TASK_DOCUMENTS: vscode.DocumentFilter = { scheme: 'file', pattern: TASK_FILES };

/** User-defined functions, next to the tasks that call them. */
export const FUNCTION_DOCUMENTS: vscode.DocumentFilter = { scheme: 'file', pattern: '**/*.functions.{ts,js,mjs,py}' };

/** Documents with ids of tasks that code registers: task files, Python files, and functions files. */
export const REGISTERED_DOCUMENTS: vscode.DocumentFilter[] = [TASK_DOCUMENTS, FUNCTION_DOCUMENTS];

/** Solutions of tasks: `.actions` files. */
export const SOLUTION_DOCUMENTS: vscode.DocumentSelector = { language: 'taskwright-actions' };
