import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type Engines, examine } from '../../placement/doctor.ts';
import { DisposableStore } from '../lifecycle.ts';
import { settings } from '../settings.ts';
import { configuredHosts } from './docker-settings.ts';
import { doctorPage } from './doctor-page.ts';

const SCHEME = 'taskwright-doctor';
const PAGE = vscode.Uri.from({ scheme: SCHEME, path: '/Taskwright Doctor.md' });

/** The page that reports what Taskwright needs, what was found, and how to install the rest. */
export class Doctor implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #engines: Engines;
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<vscode.Uri>());
  #text = '';

  readonly onDidChange = this.#changed.event;

  constructor(engines: Engines) {
    this.#engines = engines;
    this.#disposables.add(vscode.workspace.registerTextDocumentContentProvider(SCHEME, this));
  }

  provideTextDocumentContent(): string {
    return this.#text;
  }

  async show(): Promise<void> {
    const health = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: l10n.t('Taskwright: Checking requirements') },
      () =>
        examine(this.#engines, process.versions.node, {
          browser: settings.browserPath(),
          miniwob: settings.miniwobFolder(),
          hosts: configuredHosts(settings.docker),
        }),
    );
    this.#text = doctorPage(health);
    this.#changed.fire(PAGE);
    await vscode.commands.executeCommand('markdown.showPreview', PAGE);
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
