import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { Finding } from '../../tasks/finding.ts';
import type { LanguageContext } from '../language/feature.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import type { FindingSource } from './finding-source.ts';

/** Milliseconds after the last change until the registrations of the workspace are compared. */
const DEBOUNCE_MS = 500;

/** Findings about ids that the code next to task files registers several times. */
export class Registrations extends Disposable implements FindingSource {
  readonly #files: TaskFiles;
  readonly #changes = this.register(new vscode.EventEmitter<readonly vscode.Uri[]>());
  readonly onDidChange = this.#changes.event;
  #findings: readonly Finding[] = [];

  constructor({ files }: Pick<LanguageContext, 'files'>) {
    super();
    this.#files = files;
    const compare = this.register(new Debouncer(DEBOUNCE_MS, () => this.#compare()));
    this.registerAll(
      files.onDidChange(() => compare.schedule()),
      files.functions.onDidChange(() => compare.schedule()),
    );
  }

  findingsOf({ fsPath }: vscode.Uri): readonly Finding[] {
    return this.#findings.filter(({ file }) => vscode.Uri.file(file).fsPath === fsPath);
  }

  async #compare(): Promise<void> {
    const folders = [...new Set(this.#files.all.map(({ file }) => dirname(file.file)))];
    const functions = await Promise.all(folders.map((folder) => this.#files.functions.of(folder)));
    const { doubleRegistrations } = await import('../../language/findings/registrations.ts');
    if (this.isDisposed) return;
    const before = this.#findings;
    const findings = doubleRegistrations(functions.flatMap(({ customTasks }) => customTasks ?? []));
    // Most changes are not of registrations.
    if (JSON.stringify(findings) === JSON.stringify(before)) return;
    this.#findings = findings;
    const changedFiles = new Set([...before, ...findings].map(({ file }) => file));
    this.#changes.fire([...changedFiles].map((file) => vscode.Uri.file(file)));
  }
}
