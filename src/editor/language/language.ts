import type * as vscode from 'vscode';
import { Owned } from '../lifecycle.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { completion } from './completion.ts';
import { definition } from './definition.ts';
import { folding } from './folding.ts';
import { hover } from './hover.ts';
import { links } from './links.ts';
import { references } from './references.ts';
import { signatureHelp } from './signature-help.ts';
import { symbols } from './symbols.ts';
import { usesLens } from './uses-lens.ts';

/** What every feature of the language gets. */
export interface LanguageContext {
  readonly log: vscode.LogOutputChannel;
  readonly files: TaskFiles;
  /** Where the extension is installed. */
  readonly extensionUri: vscode.Uri;
}

/** Registers one feature; its pure half stands in `src/language/` and is loaded when it is first asked. */
export type LanguageFeature = (context: LanguageContext) => vscode.Disposable;

const FEATURES: readonly LanguageFeature[] = [
  completion,
  hover,
  signatureHelp,
  symbols,
  folding,
  definition,
  references,
  usesLens,
  links,
];

/** Everything that VS Code offers while a task file is edited, apart from the findings. */
export function registerLanguage(context: LanguageContext): vscode.Disposable {
  const owned = new Owned();
  for (const feature of FEATURES) owned.add(feature(context));
  return owned;
}
