import * as vscode from 'vscode';
import { Disposable } from '../lifecycle.ts';
import { diagnosticOf } from './diagnostic.ts';
import type { FindingSource } from './finding-source.ts';
import { SOURCE } from './visibility.ts';

/** The diagnostics of one source, by URI. */
type Diagnostics = Map<string, readonly vscode.Diagnostic[]>;

/** Shows the findings of all sources in the Problems view. */
export class Problems extends Disposable {
  readonly #collection = this.register(vscode.languages.createDiagnosticCollection(SOURCE));
  readonly #extensionUri: vscode.Uri;
  readonly #bySource: readonly Diagnostics[];

  /** @param extensionUri the folder of the extension, which contains the rule pages */
  constructor(sources: readonly FindingSource[], extensionUri: vscode.Uri) {
    super();
    this.#extensionUri = extensionUri;
    this.#bySource = sources.map((source) => {
      const diagnostics: Diagnostics = new Map();
      this.registerAll(
        source,
        source.onDidChange((uris) => {
          for (const uri of uris) this.#show(uri, source, diagnostics);
        }),
      );
      return diagnostics;
    });
  }

  /** Replaces the diagnostics that a source has for a file. */
  #show(uri: vscode.Uri, source: FindingSource, diagnostics: Diagnostics): void {
    const key = uri.toString();
    const findings = source.findingsOf(uri);
    if (findings === undefined || (findings.length === 0 && !diagnostics.has(key))) return;
    if (findings.length === 0) diagnostics.delete(key);
    else
      diagnostics.set(
        key,
        findings.map((finding) => diagnosticOf(finding, this.#extensionUri)),
      );
    const allDiagnostics = this.#bySource.flatMap((of) => of.get(key) ?? []);
    if (allDiagnostics.length === 0) this.#collection.delete(uri);
    else this.#collection.set(uri, allDiagnostics);
  }
}
