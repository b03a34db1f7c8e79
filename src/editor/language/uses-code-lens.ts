import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { inSlices } from '../../tasks/slices.ts';
import { Debouncer, DisposableStore } from '../lifecycle.ts';
import { editorRange } from '../ranges.ts';
import { affects, settings } from '../settings.ts';
import { FUNCTION_DOCUMENTS } from '../tasks/patterns.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import type { LanguageFeature } from './feature.ts';
import { signaturesIn, usesInWorkspace } from './references.ts';

/** Long after the last keystroke: what is said above a function may be late, but may not flicker. */
const CALM_MS = 700;

/** For the lens alone, hence not in package.json. */
const SHOW_USES = '_taskwright.showUses';

/** `used by 3 tasks` above each of a person's own functions. */
export const usesCodeLens: LanguageFeature = ({ files }) => new UsesCodeLenses(files);

class UsesCodeLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #files: TaskFiles;
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<void>());
  /** What was last said for a folder: only a difference draws anew. */
  readonly #said = new Map<string, string>();

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(files: TaskFiles) {
    this.#files = files;
    const look = this.#disposables.add(new Debouncer(CALM_MS, () => this.#look()));
    this.#disposables.add(vscode.languages.registerCodeLensProvider(FUNCTION_DOCUMENTS, this));
    this.#disposables.add(
      vscode.commands.registerCommand(SHOW_USES, (uri: vscode.Uri, name: string) => this.#show(uri, name)),
    );
    this.#disposables.add(files.onDidChange(() => look.schedule()));
    this.#disposables.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (affects(event, 'codeLens')) this.#changed.fire();
      }),
    );
  }

  async provideCodeLenses(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<vscode.CodeLens[]> {
    if (!settings.codeLens(document.uri)) return [];
    await this.#files.ready();
    const signatures = await signaturesIn(document);
    const folder = dirname(document.uri.fsPath);
    const counts = await this.#counts(folder, token);
    this.#said.set(folder, JSON.stringify([...counts]));
    return signatures.map(({ name, range }) => {
      const uses = counts.get(name) ?? 0;
      return new vscode.CodeLens(editorRange(range), {
        title: uses === 0 ? 'used by no task' : `used by ${uses} task${uses === 1 ? '' : 's'}`,
        ...(uses === 0 ? { command: '' } : { command: SHOW_USES, arguments: [document.uri, name] }),
      });
    });
  }

  /** How many tasks of a folder use each function. */
  async #counts(folder: string, token?: vscode.CancellationToken): Promise<ReadonlyMap<string, number>> {
    const { userUseCounts } = await import('../../language/navigation/references.ts');
    const counts = new Map<string, number>();
    for (const { file, own } of this.#files.all) {
      if (dirname(file.file) !== folder) continue;
      const found = await inSlices(userUseCounts(file, own), token);
      for (const [name, count] of found ?? []) counts.set(name, (counts.get(name) ?? 0) + count);
    }
    return counts;
  }

  async #show(uri: vscode.Uri, name: string): Promise<void> {
    const signature = (await signaturesIn(await vscode.workspace.openTextDocument(uri))).find(
      (own) => own.name === name,
    );
    if (signature === undefined) return;
    const uses = await usesInWorkspace(this.#files, { kind: 'user', signature });
    const { start } = editorRange(signature.range);
    await vscode.commands.executeCommand('editor.action.showReferences', uri, start, uses);
  }

  async #look(): Promise<void> {
    const shown = vscode.window.visibleTextEditors.map(({ document }) => dirname(document.uri.fsPath));
    for (const folder of new Set(shown)) {
      const said = this.#said.get(folder);
      if (said === undefined || said === JSON.stringify([...(await this.#counts(folder))])) continue;
      this.#changed.fire();
      return;
    }
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
