import * as vscode from 'vscode';
import { rulePage } from '../../language/rules/rule-page.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import type { Finding } from '../../tasks/finding.ts';
import type { Severity } from '../../tasks/severity.ts';
import { editorRange } from '../ranges.ts';
import { SOURCE } from './visibility.ts';

const SEVERITIES: Record<Severity, vscode.DiagnosticSeverity> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

/** Rules for text that has no effect, which is shown faded. */
const UNREAD: ReadonlySet<string> = new Set(['duplicate-key', 'reward-twice', 'start-twice']);

/**
 * The diagnostic for a finding. Its code links to the page of the rule.
 * @param extensionUri the folder of the extension, which contains the rule pages
 */
export function diagnosticOf(
  { range, message, severity, code, related }: Finding,
  extensionUri: vscode.Uri,
): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(editorRange(range), withoutCodeMarks(message), SEVERITIES[severity]);
  diagnostic.source = SOURCE;
  diagnostic.code = { value: code, target: vscode.Uri.joinPath(extensionUri, rulePage(code)) };
  if (UNREAD.has(code)) diagnostic.tags = [vscode.DiagnosticTag.Unnecessary];
  if (related !== undefined) {
    diagnostic.relatedInformation = related.map(
      (place) =>
        new vscode.DiagnosticRelatedInformation(
          new vscode.Location(vscode.Uri.file(place.file), editorRange(place.range)),
          withoutCodeMarks(place.message),
        ),
    );
  }
  return diagnostic;
}
