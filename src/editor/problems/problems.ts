import * as vscode from 'vscode';
import type { Severity } from '../../tasks/finding.ts';
import type { Range } from '../../tasks/range.ts';
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
    // Nor is half of what there is to say about a large file shown: it would come and go at each keystroke.
    if ((openDocument(uri)?.version ?? null) !== known.version || !known.complete) return;
    this.#diagnostics.set(
      uri,
      known.shown.map((finding) => {
        const diagnostic = new vscode.Diagnostic(rangeOf(finding.range), finding.message, SEVERITIES[finding.severity]);
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
        (candidate) => candidate.code === diagnostic.code && rangeOf(candidate.range).isEqual(diagnostic.range),
      );
      return (finding?.fixes?.() ?? []).map((fix, index) => {
        const action = new vscode.CodeAction(fix.title, vscode.CodeActionKind.QuickFix);
        action.diagnostics = [diagnostic];
        action.isPreferred = index === 0;
        action.edit = new vscode.WorkspaceEdit();
        for (const { range, text } of fix.edits) action.edit.replace(document.uri, rangeOf(range), text);
        return action;
      });
    });
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

function rangeOf({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
