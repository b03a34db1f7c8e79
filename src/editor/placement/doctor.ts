import { homedir } from 'node:os';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Engines } from '../../doctor/doctor.ts';
import { Disposable } from '../lifecycle.ts';
import { SCHEME } from '../names.ts';
import { settings } from '../settings.ts';

const PAGE = vscode.Uri.from({ scheme: SCHEME.doctor, path: '/Taskwright Doctor.md' });

/** The page that reports what Taskwright needs, what was found, and how to install the rest. */
export class Doctor extends Disposable implements vscode.TextDocumentContentProvider {
  readonly #engines: Engines;
  readonly #changeEmitter = this.register(new vscode.EventEmitter<vscode.Uri>());
  /** Null before the first report. */
  #text: string | null = null;

  readonly onDidChange = this.#changeEmitter.event;

  constructor(engines: Engines) {
    super();
    this.#engines = engines;
    this.register(vscode.workspace.registerTextDocumentContentProvider(SCHEME.doctor, this));
  }

  async provideTextDocumentContent(): Promise<string> {
    // VS Code restores the page of the previous window.
    this.#text ??= await this.#report();
    return this.#text;
  }

  async show(): Promise<void> {
    this.#text = await this.#report();
    this.#changeEmitter.fire(PAGE);
    await vscode.commands.executeCommand('markdown.showPreview', PAGE);
  }

  async #report(): Promise<string> {
    const [{ examine }, { doctorPage }, { configuredHosts }] = await Promise.all([
      import('../../doctor/doctor.ts'),
      import('../../presentation/placement/doctor-page.ts'),
      import('./docker-settings.ts'),
    ]);
    const health = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: l10n.t('Taskwright: Checking requirements') },
      () =>
        examine(this.#engines, process.versions.node, {
          browser: settings.browserPath(),
          miniwob: settings.miniwobFolder(),
          hosts: configuredHosts(settings.docker),
          folder: pythonFolder(),
        }),
    );
    return doctorPage(health);
  }
}

/** The folder in which to look for the Python of the tasks. A folder that is not trusted may contain another program of that name. */
function pythonFolder(): string {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  return vscode.workspace.isTrusted && first !== undefined ? first.uri.fsPath : homedir();
}
