import type * as vscode from 'vscode';
import type { TaskFiles } from '../tasks/task-files.ts';

/** What every feature of the language gets. */
export interface LanguageContext {
  readonly log: vscode.LogOutputChannel;
  readonly files: TaskFiles;
  /** Where the extension is installed. */
  readonly extensionUri: vscode.Uri;
}

/** Registers one feature; its pure half stands in `src/language/` and is loaded when it is first asked. */
export type LanguageFeature = (context: LanguageContext) => vscode.Disposable;
