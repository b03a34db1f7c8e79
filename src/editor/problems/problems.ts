import * as vscode from 'vscode';
import type { Finding, Severity } from '../../tasks/finding.ts';
import { Owned } from '../lifecycle.ts';
import { openDocument, type TaskFiles } from '../tasks/task-files.ts';

const SOURCE = 'taskwright';

const SEVERITIES: Record<Severity, vscode.DiagnosticSeverity> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

/** The findings of all known task files in the Problems view, and the lamp that mends what can be mended. */
export class Problems implements vscode.CodeActionProvider, vscode.Disposable {
  readonly #owned = new Owned();
  readonly #files: TaskFiles;
  readonly #diagnostics: vscode.DiagnosticCollection;

  constructor(files: TaskFiles, selector: vscode.DocumentSelector) {
    this.#files = files;
    this.#diagnostics = this.#owned.add(vscode.languages.createDiagnosticCollection(SOURCE));
    this.#owned.add(
      vscode.languages.registerCodeActionsProvider(selector, this, {
        providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
      }),
    );
    this.#owned.add(
      files.onDidChange((uris) => {
        for (const uri of uris) this.#show(uri);
      }),
    );
  }

  #show(uri: vscode.Uri): void {
    const known = this.#files.get(uri);
    if (known === undefined) {
      this.#diagnostics.delete(uri);
      return;
    }
    // Findings about a text that is gone would stand at the wrong places; the next reading is on its way.
    if ((openDocument(uri)?.version ?? null) !== known.version) return;
    this.#diagnostics.set(
      uri,
      known.findings.map((finding) => {
        const diagnostic = new vscode.Diagnostic(rangeOf(finding), finding.message, SEVERITIES[finding.severity]);
        diagnostic.source = SOURCE;
        diagnostic.code = finding.code;
        return diagnostic;
      }),
    );
    void this.#asJson(uri);
  }

  /** VS Code opens a bare `tasks.json` as its own configuration, which allows comments and takes no breakpoints. */
  async #asJson(uri: vscode.Uri): Promise<void> {
    const document = openDocument(uri);
    if (document?.languageId === 'jsonc') await vscode.languages.setTextDocumentLanguage(document, 'json');
  }

  provideCodeActions(
    document: vscode.TextDocument,
    _range: vscode.Range,
    context: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const known = this.#files.get(document.uri);
    if (known === undefined || known.version !== document.version) return [];
    const ours = context.diagnostics.filter(({ source }) => source === SOURCE);
    return ours.flatMap((diagnostic) => {
      const finding = known.findings.find(
        (candidate) =>
          candidate.replacement !== undefined &&
          candidate.code === diagnostic.code &&
          rangeOf(candidate).isEqual(diagnostic.range),
      );
      if (finding?.replacement === undefined) return [];
      const action = new vscode.CodeAction(`Change to ${shorten(finding.replacement)}`, vscode.CodeActionKind.QuickFix);
      action.diagnostics = [diagnostic];
      action.isPreferred = true;
      action.edit = new vscode.WorkspaceEdit();
      action.edit.replace(document.uri, diagnostic.range, finding.replacement);
      return [action];
    });
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

function rangeOf({ range: { start, end } }: Finding): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
