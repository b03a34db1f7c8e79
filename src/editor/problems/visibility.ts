import * as vscode from 'vscode';
import type { Finding } from '../../tasks/finding.ts';
import type { KnownFile } from '../tasks/known-file.ts';

/** The source of diagnostics in the Problems view. */
export const SOURCE = 'taskwright';

const SYNTAX: ReadonlySet<string> = new Set(['syntax', 'comment', 'trailing-comma', 'duplicate-key']);
const JSON_SUPPORT = 'vscode.json-language-features';

/** Whether VS Code's own JSON support already shows a diagnostic for a finding. */
export function isShownByJson({ code }: Finding, document: vscode.TextDocument | undefined): boolean {
  if (!SYNTAX.has(code) || document?.languageId !== 'json') return false;
  return (
    vscode.extensions.getExtension(JSON_SUPPORT) !== undefined &&
    vscode.workspace.getConfiguration('json', document).get<boolean>('validate.enable') === true
  );
}

/**
 * Whether the findings of a task file can be shown. Those of an outdated version would be at wrong positions, and incomplete
 * ones of a large file would flicker at each keystroke. The next version follows.
 */
export function isUpToDate(knownFile: KnownFile, document: vscode.TextDocument | undefined): boolean {
  return (document?.version ?? null) === knownFile.version && knownFile.complete;
}
