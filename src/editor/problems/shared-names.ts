import * as vscode from 'vscode';
import { inSlices } from '../../base/slices.ts';
import type { SharedName } from '../../language/findings/across.ts';
import type { Finding } from '../../tasks/finding.ts';
import type { LanguageContext } from '../language/feature.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import { openDocument } from '../tasks/open-document.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import type { FindingSource } from './finding-source.ts';
import { isUpToDate } from './visibility.ts';

/** Milliseconds after the last keystroke until all names of the workspace are compared. */
const DEBOUNCE_MS = 500;

/** Findings about ids and slugs that tasks of several files share. */
export class SharedNames extends Disposable implements FindingSource {
  readonly #files: TaskFiles;
  readonly #changes = this.register(new vscode.EventEmitter<readonly vscode.Uri[]>());
  readonly onDidChange = this.#changes.event;
  #namesByFile: ReadonlyMap<string, readonly SharedName[]> = new Map();
  #findings: ((names: readonly SharedName[]) => readonly Finding[]) | undefined;

  constructor({ files }: Pick<LanguageContext, 'files'>) {
    super();
    this.#files = files;
    const compare = this.register(new Debouncer(DEBOUNCE_MS, () => this.#compare()));
    this.register(
      files.onDidChange((uris) => {
        this.#changes.fire(uris);
        compare.schedule();
      }),
    );
  }

  findingsOf(uri: vscode.Uri): readonly Finding[] | undefined {
    const knownFile = this.#files.get(uri);
    if (knownFile === undefined) return [];
    if (!isUpToDate(knownFile, openDocument(uri))) return undefined;
    // The names have their current positions.
    return this.#findings?.(this.#namesByFile.get(knownFile.file.file) ?? []) ?? [];
  }

  async #compare(): Promise<void> {
    const { namesAcross, sharedFindings } = await import('../../language/findings/across.ts');
    const files = [...this.#files.all].sort((a, b) => (a.file.file < b.file.file ? -1 : 1));
    const names = await inSlices(namesAcross(files.map(({ file }) => file)));
    if (this.isDisposed) return;
    const before = this.#namesByFile;
    this.#findings = sharedFindings;
    this.#namesByFile = names;
    const changedFiles = files.filter(({ file }) => before.has(file.file) || names.has(file.file));
    this.#changes.fire(changedFiles.map(({ uri }) => uri));
  }
}
