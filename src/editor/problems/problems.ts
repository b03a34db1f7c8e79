import * as vscode from 'vscode';
import type { Finding, Severity } from '../../tasks/finding.ts';
import { Owned } from '../lifecycle.ts';
import { editorRange } from '../ranges.ts';
import { openDocument, type TaskFiles } from '../tasks/task-files.ts';
import { QuickFixes } from './quick-fixes.ts';
import { isShownByJson, SOURCE } from './shown.ts';

const SEVERITIES: Record<Severity, vscode.DiagnosticSeverity> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

/** What is written and never read: shown faded. */
const UNREAD: ReadonlySet<string> = new Set(['duplicate-key', 'reward-twice', 'start-twice']);

/** The findings of all known task files in the Problems view, and the lamp that mends what can be mended. */
export class Problems implements vscode.Disposable {
  readonly #owned = new Owned();
  readonly #files: TaskFiles;
  readonly #diagnostics: vscode.DiagnosticCollection;
  readonly #rules: vscode.Uri;

  /** @param extensionUri where the extension is installed, the pages about its rules with it */
  constructor(files: TaskFiles, selector: vscode.DocumentSelector, extensionUri: vscode.Uri) {
    this.#files = files;
    this.#rules = vscode.Uri.joinPath(extensionUri, 'docs', 'rules');
    this.#diagnostics = this.#owned.add(vscode.languages.createDiagnosticCollection(SOURCE));
    this.#owned.add(vscode.languages.registerCodeActionsProvider(selector, new QuickFixes(files), QuickFixes.metadata));
    const showAll = (): void => {
      for (const { uri } of files.all) this.#show(uri);
    };
    this.#owned.add(
      files.onDidChange((uris) => {
        for (const uri of uris) this.#show(uri);
      }),
    );
    // What VS Code itself says about JSON comes and goes with these.
    this.#owned.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('json.validate.enable')) showAll();
      }),
    );
    this.#owned.add(vscode.extensions.onDidChange(showAll));
  }

  #show(uri: vscode.Uri): void {
    const known = this.#files.get(uri);
    if (known === undefined) {
      this.#diagnostics.delete(uri);
      return;
    }
    // Findings about a text that is gone would stand at the wrong places; the next reading is on its way.
    // Nor is half of what there is to say about a large file shown: it would come and go at each keystroke.
    const document = openDocument(uri);
    if ((document?.version ?? null) !== known.version || !known.complete) return;
    this.#diagnostics.set(
      uri,
      known.shown
        .filter((finding) => !isShownByJson(finding, document))
        .map((finding) => diagnosticOf(finding, this.#rules)),
    );
    void this.#asJson(uri);
  }

  /** VS Code opens a bare `tasks.json` as its own configuration, which allows comments and takes no breakpoints. */
  async #asJson(uri: vscode.Uri): Promise<void> {
    const document = openDocument(uri);
    if (document?.languageId === 'jsonc') await vscode.languages.setTextDocumentLanguage(document, 'json');
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

function diagnosticOf({ range, message, severity, code, related }: Finding, rules: vscode.Uri): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(editorRange(range), message, SEVERITIES[severity]);
  diagnostic.source = SOURCE;
  diagnostic.code = { value: code, target: vscode.Uri.joinPath(rules, `${code}.md`) };
  if (UNREAD.has(code)) diagnostic.tags = [vscode.DiagnosticTag.Unnecessary];
  if (related !== undefined) {
    diagnostic.relatedInformation = related.map(
      (place) =>
        new vscode.DiagnosticRelatedInformation(
          new vscode.Location(vscode.Uri.file(place.file), editorRange(place.range)),
          place.message,
        ),
    );
  }
  return diagnostic;
}
