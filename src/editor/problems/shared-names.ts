import type * as vscode from 'vscode';
import type { SharedName } from '../../language/findings/across.ts';
import type { Finding } from '../../tasks/finding.ts';
import { Debouncer, DisposableStore } from '../lifecycle.ts';
import type { TaskFiles } from '../tasks/task-files.ts';

/** Milliseconds after the last keystroke until all names of the workspace are compared. */
const DEBOUNCE_MS = 500;

/** Finds ids and slugs that tasks of several files share. */
export class SharedNames implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #files: TaskFiles;
  readonly #show: (uri: vscode.Uri) => void;
  #found: ReadonlyMap<string, readonly SharedName[]> = new Map();
  #findings: ((names: readonly SharedName[]) => readonly Finding[]) | undefined;

  /** @param show called for a file whose findings changed */
  constructor(files: TaskFiles, show: (uri: vscode.Uri) => void) {
    this.#files = files;
    this.#show = show;
    const compare = this.#disposables.add(new Debouncer(DEBOUNCE_MS, () => this.#compare()));
    this.#disposables.add(files.onDidChange(() => compare.schedule()));
  }

  /** The findings about the names of a file, at their current positions. */
  of(file: string): readonly Finding[] {
    const names = this.#found.get(file);
    return names === undefined || this.#findings === undefined ? [] : this.#findings(names);
  }

  async #compare(): Promise<void> {
    const [{ namesAcross, sharedFindings }, { inSlices }] = await Promise.all([
      import('../../language/findings/across.ts'),
      import('../../base/slices.ts'),
    ]);
    const known = [...this.#files.all].sort((a, b) => (a.file.file < b.file.file ? -1 : 1));
    const found = await inSlices(namesAcross(known.map(({ file }) => file)));
    if (this.#disposables.disposed) return;
    const before = this.#found;
    this.#findings = sharedFindings;
    this.#found = found;
    for (const { uri, file } of known) if (before.has(file.file) || found.has(file.file)) this.#show(uri);
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
