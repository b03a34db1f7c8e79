import type * as vscode from 'vscode';

/** Where task files may be; a bare `tasks.json` needs its content looked at too. */
export const TASK_FILES = '**/{*.task,*.tasks,*.taskset,tasks}.{json,jsonl,yaml,yml}';
export const TASK_FILE_NAME = /(?:\.(?:task|tasks|taskset)|^tasks)\.(?:json|jsonl|yaml|yml)$/;

/** What features of the language register for; a bare `tasks.json` that is not ours has no rows and gets nothing. */
export const TASK_DOCUMENTS: vscode.DocumentSelector = { scheme: 'file', pattern: TASK_FILES };

/** A person's own functions, beside the tasks that call them. */
export const FUNCTION_DOCUMENTS: vscode.DocumentSelector = { scheme: 'file', pattern: '**/*.functions.{ts,js,mjs}' };
