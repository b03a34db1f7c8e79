import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { Debouncer, DisposableStore } from '../lifecycle.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { diagnosticOf } from './diagnostic.ts';
import { SOURCE } from './shown.ts';

/** Milliseconds after the last change until the registrations of the workspace are compared. */
const DEBOUNCE_MS = 500;

/** Shows ids that the code next to task files registers several times in the Problems view. */
export class Registrations implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #files: TaskFiles;
  readonly #extensionUri: vscode.Uri;
  readonly #diagnostics = this.#disposables.add(vscode.languages.createDiagnosticCollection(`${SOURCE} code`));

  /** The shown findings as JSON. */
  #shown = '[]';

  /** @param extensionUri the folder of the extension, which contains the rule pages */
  constructor(files: TaskFiles, extensionUri: vscode.Uri) {
    this.#files = files;
    this.#extensionUri = extensionUri;
    const compare = this.#disposables.add(new Debouncer(DEBOUNCE_MS, () => this.#compare()));
    this.#disposables.add(files.onDidChange(() => compare.schedule()));
    this.#disposables.add(files.functions.onDidChange(() => compare.schedule()));
  }

  async #compare(): Promise<void> {
    const folders = [...new Set(this.#files.all.map(({ file }) => dirname(file.file)))];
    const functions = await Promise.all(folders.map((folder) => this.#files.functions.of(folder)));
    const { doubleRegistrations } = await import('../../language/findings/registrations.ts');
    if (this.#disposables.disposed) return;
    const findings = doubleRegistrations(functions.flatMap(({ customTasks }) => customTasks ?? []));
    // Most changes are not of registrations.
    const text = JSON.stringify(findings);
    if (text === this.#shown) return;
    this.#shown = text;
    const byFile = new Map<string, vscode.Diagnostic[]>();
    for (const finding of findings) {
      const shown = byFile.get(finding.file) ?? [];
      shown.push(diagnosticOf(finding, this.#extensionUri));
      byFile.set(finding.file, shown);
    }
    this.#diagnostics.clear();
    for (const [file, shown] of byFile) this.#diagnostics.set(vscode.Uri.file(file), shown);
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
