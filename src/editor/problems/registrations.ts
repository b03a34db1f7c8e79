import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { Finding } from '../../tasks/finding.ts';
import type { LanguageContext } from '../language/feature.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { watchFiles } from '../watch-files.ts';
import type { FindingSource } from './finding-source.ts';

/** Milliseconds after the last change until the code of the workspace is checked. */
const DEBOUNCE_MS = 500;
const SCRIPTS = '**/*.{ts,mts,cts,tsx,js,mjs,cjs,jsx,json}';

/** Findings about the code next to task files: modules that cannot be loaded, and ids that are registered several times. */
export class Registrations extends Disposable implements FindingSource {
  readonly #files: TaskFiles;
  readonly #changes = this.register(new vscode.EventEmitter<readonly vscode.Uri[]>());
  readonly onDidChange = this.#changes.event;
  #findings: readonly Finding[] = [];
  /** The files that the code consists of. */
  #modules: ReadonlySet<string> = new Set();

  constructor({ files }: Pick<LanguageContext, 'files'>) {
    super();
    this.#files = files;
    const compare = this.register(new Debouncer(DEBOUNCE_MS, () => this.#compare()));
    this.registerAll(
      files.onDidChange(() => compare.schedule()),
      files.functions.onDidChange(() => compare.schedule()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.#modules.has(document.uri.fsPath)) compare.schedule();
      }),
      // A file that was missing may be created.
      watchFiles(SCRIPTS, ({ fsPath }) => {
        if (this.#modules.has(fsPath) || this.#findings.length > 0) compare.schedule();
      }),
    );
  }

  findingsOf({ fsPath }: vscode.Uri): readonly Finding[] {
    return this.#findings.filter(({ file }) => vscode.Uri.file(file).fsPath === fsPath);
  }

  async #compare(): Promise<void> {
    const folders = [...new Set(this.#files.all.map(({ file }) => dirname(file.file)))];
    const functions = await Promise.all(folders.map((folder) => this.#files.functions.of(folder)));
    const modules = await Promise.all(folders.map((folder) => this.#files.functions.checkModules(folder)));
    const { doubleRegistrations } = await import('../../language/findings/registrations.ts');
    const { brokenModules } = await import('../../language/findings/modules.ts');
    if (this.isDisposed) return;
    this.#modules = new Set(modules.flatMap(({ files }) => [...files]));
    const before = this.#findings;
    const findings = [
      ...doubleRegistrations(functions.flatMap(({ customTasks }) => customTasks ?? [])),
      ...brokenModules(modules.flatMap(({ broken }) => broken)),
    ];
    // Most changes make no difference.
    if (JSON.stringify(findings) === JSON.stringify(before)) return;
    this.#findings = findings;
    const changedFiles = new Set([...before, ...findings].map(({ file }) => file));
    this.#changes.fire([...changedFiles].map((file) => vscode.Uri.file(file)));
  }
}
