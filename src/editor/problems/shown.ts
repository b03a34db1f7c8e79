import * as vscode from 'vscode';
import type { Finding } from '../../tasks/finding.ts';

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
