import * as vscode from 'vscode';
import { DisposableStore } from '../lifecycle.ts';
import { openDocument } from '../tasks/open-document.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { diagnosticOf } from './diagnostic.ts';
import { QuickFixes } from './quick-fixes.ts';
import { SharedNames } from './shared-names.ts';
import { isShownByJson, SOURCE } from './shown.ts';

/** Shows the findings of all known task files in the Problems view, and provides quick fixes. */
export class Problems implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #files: TaskFiles;
  readonly #diagnostics: vscode.DiagnosticCollection;
  readonly #extensionUri: vscode.Uri;
  readonly #shared: SharedNames;

  /** @param extensionUri the folder of the extension, which contains the rule pages */
  constructor(files: TaskFiles, selector: vscode.DocumentSelector, extensionUri: vscode.Uri) {
    this.#files = files;
    this.#extensionUri = extensionUri;
    this.#diagnostics = this.#disposables.add(vscode.languages.createDiagnosticCollection(SOURCE));
    this.#disposables.add(
      vscode.languages.registerCodeActionsProvider(selector, new QuickFixes(files), QuickFixes.metadata),
    );
    this.#shared = this.#disposables.add(new SharedNames(files, (uri) => this.#show(uri)));
    const showAll = (): void => {
      for (const { uri } of files.all) this.#show(uri);
    };
    this.#disposables.add(
      files.onDidChange((uris) => {
        for (const uri of uris) this.#show(uri);
      }),
    );
    // These enable and disable VS Code's own JSON diagnostics.
    this.#disposables.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('json.validate.enable')) showAll();
      }),
    );
    this.#disposables.add(vscode.extensions.onDidChange(showAll));
  }

  #show(uri: vscode.Uri): void {
    const known = this.#files.get(uri);
    if (known === undefined) {
      this.#diagnostics.delete(uri);
      return;
    }
    // Findings of an outdated version would be at wrong positions, and incomplete findings of a large file would flicker
    // at each keystroke. The next version follows.
    const document = openDocument(uri);
    if ((document?.version ?? null) !== known.version || !known.complete) return;
    this.#diagnostics.set(
      uri,
      [...known.shown, ...this.#shared.of(known.file.file)]
        .filter((finding) => !isShownByJson(finding, document))
        .map((finding) => diagnosticOf(finding, this.#extensionUri)),
    );
    void this.#asJson(uri);
  }

  /** VS Code opens a bare `tasks.json` as JSON with comments, which supports no breakpoints. */
  async #asJson(uri: vscode.Uri): Promise<void> {
    const document = openDocument(uri);
    if (document?.languageId === 'jsonc') await vscode.languages.setTextDocumentLanguage(document, 'json');
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
