import * as vscode from 'vscode';
import type { Finding } from '../../tasks/finding.ts';
import type { LanguageContext } from '../language/feature.ts';
import { Disposable } from '../lifecycle.ts';
import { openDocument } from '../tasks/open-document.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import type { FindingSource } from './finding-source.ts';
import { QUICK_FIX_METADATA, quickFixes } from './quick-fixes.ts';
import { isShownByJson, isUpToDate } from './visibility.ts';

/** The findings of all known task files, without those that VS Code's own JSON support shows. */
export class TaskFindings extends Disposable implements FindingSource {
  readonly #files: TaskFiles;
  readonly #changes = this.register(new vscode.EventEmitter<readonly vscode.Uri[]>());
  readonly onDidChange = this.#changes.event;

  constructor({ files }: Pick<LanguageContext, 'files'>) {
    super();
    this.#files = files;
    this.registerAll(
      vscode.languages.registerCodeActionsProvider(TASK_DOCUMENTS, quickFixes(files), QUICK_FIX_METADATA),
      files.onDidChange((uris) => {
        this.#changes.fire(uris);
        for (const uri of uris) void this.#asJson(uri);
      }),
    );
    const changeAll = (): void => this.#changes.fire(files.all.map(({ uri }) => uri));
    // These enable and disable VS Code's own JSON diagnostics.
    this.registerAll(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('json.validate.enable')) changeAll();
      }),
      vscode.extensions.onDidChange(changeAll),
    );
  }

  findingsOf(uri: vscode.Uri): readonly Finding[] | undefined {
    const knownFile = this.#files.get(uri);
    if (knownFile === undefined) return [];
    const document = openDocument(uri);
    return isUpToDate(knownFile, document)
      ? knownFile.shown.filter((finding) => !isShownByJson(finding, document))
      : undefined;
  }

  /** VS Code opens a bare `tasks.json` as JSON with comments, which supports no breakpoints. */
  async #asJson(uri: vscode.Uri): Promise<void> {
    const knownFile = this.#files.get(uri);
    const document = openDocument(uri);
    if (knownFile !== undefined && document?.languageId === 'jsonc' && isUpToDate(knownFile, document))
      await vscode.languages.setTextDocumentLanguage(document, 'json');
  }
}
