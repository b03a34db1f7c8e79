import * as vscode from 'vscode';
import { completion } from './completion.ts';
import { definition } from './definition.ts';
import type { LanguageContext, LanguageFeature } from './feature.ts';
import { folding } from './folding.ts';
import { hover } from './hover.ts';
import { links } from './links.ts';
import { refactorings } from './refactorings.ts';
import { references } from './references.ts';
import { rename } from './rename.ts';
import { signatureHelp } from './signature-help.ts';
import { taskSnippets } from './snippets.ts';
import { solutions } from './solutions.ts';
import { symbols } from './symbols.ts';
import { usesCodeLens } from './uses-code-lens.ts';
import { workspaceSymbolSearch } from './workspace-symbols.ts';

const FEATURES: readonly LanguageFeature[] = [
  completion,
  taskSnippets,
  hover,
  signatureHelp,
  symbols,
  workspaceSymbolSearch,
  folding,
  definition,
  references,
  usesCodeLens,
  links,
  refactorings,
  rename,
  solutions,
];

/** Registers all language features except findings. */
export function registerLanguage(context: LanguageContext): vscode.Disposable {
  return vscode.Disposable.from(...FEATURES.map((feature) => feature(context)));
}
