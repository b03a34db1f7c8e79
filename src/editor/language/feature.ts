import type * as vscode from 'vscode';
import type { TaskFiles } from '../tasks/task-files.ts';

/** The context of language features. */
export interface LanguageContext {
  readonly log: vscode.LogOutputChannel;
  readonly files: TaskFiles;
  /** The folder of the extension. */
  readonly extensionUri: vscode.Uri;
}

/** Registers a language feature. Its implementation in `src/language/` is loaded on first use. */
export type LanguageFeature = (context: LanguageContext) => vscode.Disposable;
