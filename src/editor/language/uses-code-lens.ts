import { dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { inSlices } from '../../base/slices.ts';
import { plural } from '../../presentation/plural.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import { editorRange } from '../ranges.ts';
import { onDidChangeSetting, settings } from '../settings.ts';
import { FUNCTION_DOCUMENTS } from '../tasks/patterns.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import type { LanguageFeature } from './feature.ts';
import { signaturesIn, usesInWorkspace } from './references.ts';

/** Milliseconds after the last keystroke until the CodeLenses are updated, so that they do not flicker. */
const DEBOUNCE_MS = 700;

/** Internal command of the CodeLens. */
const SHOW_USES = '_taskwright.showUses';

/** `used by 3 tasks` above each user-defined function. */
export const usesCodeLens: LanguageFeature = ({ files }) => new UsesCodeLenses(files);

class UsesCodeLenses extends Disposable implements vscode.CodeLensProvider {
  readonly #files: TaskFiles;
  readonly #changeEmitter = this.register(new vscode.EventEmitter<void>());
  /** The counts last shown for each folder. */
  readonly #shownCounts = new Map<string, string>();

  readonly onDidChangeCodeLenses = this.#changeEmitter.event;

  constructor(files: TaskFiles) {
    super();
    this.#files = files;
    const refresh = this.register(new Debouncer(DEBOUNCE_MS, () => this.#refresh()));
    this.registerAll(
      vscode.languages.registerCodeLensProvider(FUNCTION_DOCUMENTS, this),
      vscode.commands.registerCommand(SHOW_USES, (uri: vscode.Uri, name: string) => this.#show(uri, name)),
      files.onDidChange(() => refresh.schedule()),
      onDidChangeSetting('codeLens', () => this.#changeEmitter.fire()),
    );
  }

  async provideCodeLenses(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<vscode.CodeLens[]> {
    if (!settings.codeLens(document.uri)) return [];
    await this.#files.ready();
    const signatures = await signaturesIn(document);
    const folder = dirname(document.uri.fsPath);
    const counts = await this.#counts(folder, token);
    this.#shownCounts.set(folder, JSON.stringify([...counts]));
    return signatures.map(({ name, range }) => {
      const uses = counts.get(name) ?? 0;
      return new vscode.CodeLens(editorRange(range), {
        title: plural(uses, l10n.t('used by 1 task'), l10n.t('used by {0} tasks', uses)),
        ...(uses === 0 ? { command: '' } : { command: SHOW_USES, arguments: [document.uri, name] }),
      });
    });
  }

  /** The number of tasks of a folder that use each function. */
  async #counts(folder: string, token?: vscode.CancellationToken): Promise<ReadonlyMap<string, number>> {
    const { userUseCounts } = await import('../../language/navigation/references.ts');
    const counts = new Map<string, number>();
    for (const { file, userFunctions } of this.#files.all) {
      if (dirname(file.file) !== folder) continue;
      const fileCounts = await inSlices(userUseCounts(file, userFunctions), token);
      for (const [name, count] of fileCounts ?? []) counts.set(name, (counts.get(name) ?? 0) + count);
    }
    return counts;
  }

  async #show(uri: vscode.Uri, name: string): Promise<void> {
    const signature = (await signaturesIn(await vscode.workspace.openTextDocument(uri))).find(
      (functionInFile) => functionInFile.name === name,
    );
    if (signature === undefined) return;
    const uses = await usesInWorkspace(this.#files, { kind: 'user', signature });
    const { start } = editorRange(signature.range);
    await vscode.commands.executeCommand('editor.action.showReferences', uri, start, uses);
  }

  async #refresh(): Promise<void> {
    const folders = vscode.window.visibleTextEditors.map(({ document }) => dirname(document.uri.fsPath));
    for (const folder of new Set(folders)) {
      const shownCounts = this.#shownCounts.get(folder);
      if (shownCounts === undefined || shownCounts === JSON.stringify([...(await this.#counts(folder))])) continue;
      this.#changeEmitter.fire();
      return;
    }
  }
}
