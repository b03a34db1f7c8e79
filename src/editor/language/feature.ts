import type * as vscode from 'vscode';
import type { TaskFiles } from '../tasks/task-files.ts';
import type { ActionSchemas } from './action-schemas.ts';

/** The context of language features. */
export interface LanguageContext {
  readonly log: vscode.LogOutputChannel;
  readonly files: TaskFiles;
  /** What environments publish about their actions. */
  readonly schemas: ActionSchemas;
  /** The folder of the extension. */
  readonly extensionUri: vscode.Uri;
}

/** Registers a language feature. Its implementation in `src/language/` is loaded on first use. */
export type LanguageFeature = (context: LanguageContext) => vscode.Disposable;
