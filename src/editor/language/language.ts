import type * as vscode from 'vscode';
import { Owned } from '../lifecycle.ts';
import type { TaskFiles } from '../tasks/task-files.ts';

/** What every feature of the language gets. */
export interface LanguageContext {
  readonly log: vscode.LogOutputChannel;
  readonly files: TaskFiles;
}

/** Registers one feature; its pure half stands in `src/language/` and is loaded when it is first asked. */
export type LanguageFeature = (context: LanguageContext) => vscode.Disposable;

const FEATURES: readonly LanguageFeature[] = [];

/** Everything that VS Code offers while a task file is edited, apart from the findings. */
export function registerLanguage(log: vscode.LogOutputChannel, files: TaskFiles): vscode.Disposable {
  const owned = new Owned();
  for (const feature of FEATURES) owned.add(feature({ log, files }));
  return owned;
}
