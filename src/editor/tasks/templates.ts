import { dirname, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { HudTemplate } from '../../environments/hud/templates.ts';
import type { ServerSource } from '../../environments/kind.ts';
import { kindOfType } from '../../environments/kinds.ts';
import type { RunningEnvironment } from '../../placement/placement.ts';
import type { EnvironmentSpec, Json } from '../../tasks/task.ts';
import { Debouncer, DisposableStore } from '../lifecycle.ts';
import { Remembered } from '../remembered.ts';
import { TASK_DOCUMENTS } from './patterns.ts';

/** A change of several files asks once. */
const DEBOUNCE_MS = 300;
/** Time until an environment that could not be asked, or that is at an address, is asked again, in ms. */
const RETRY_MS = 30_000;
/** A file with more environments than this is not written by hand. */
const MAX_ENVIRONMENTS = 50;

type Row = Readonly<Record<string, Json>>;
type Source = Extract<ServerSource, { readonly hud: string }>;

interface Answer {
  /** Of the code that said it; empty for an address. */
  readonly stamp: string;
  readonly templates: readonly HudTemplate[];
}

/** One environment of a folder. */
interface Environment {
  /** What its answer is stored under. */
  readonly key: string;
  readonly folder: string;
  readonly name: string;
  /** It is started in Docker for runs only, and says then what it has. */
  readonly isInDocker: boolean;
  templates: readonly HudTemplate[] | undefined;
  /** The version of its code that was asked last, and when; null if none was. */
  asked: { readonly stamp: string; readonly at: number } | null;
  /** Its code is unchanged since it was looked at. */
  current: boolean;
  /** Why it could not be asked. */
  failure: string | null;
  /** What the editor shows of it while and after it is asked. */
  status: vscode.LanguageStatusItem | null;
}

/**
 * The templates of HUD environments, as their servers list them. An environment is asked in the background while a task file
 * in its folder is open in a trusted workspace, on a server of its own if it is code. The answer is stored for the
 * workspace until a Python file of the environment changes. An environment in Docker is asked while it runs for a task.
 */
export class EnvironmentTemplates implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #log: vscode.LogOutputChannel;
  readonly #remembered: Remembered<Answer>;
  readonly #environments = new Map<string, Environment>();
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<string>());
  readonly #lookSoon = this.#disposables.add(new Debouncer(DEBOUNCE_MS, () => this.#lookAtAll()));
  #server: { stop(): Promise<void> } | null = null;
  /** Environments in Docker that were asked. */
  readonly #asked = new WeakSet<RunningEnvironment>();

  /** The folder with an environment whose templates changed. */
  readonly onDidChange = this.#changed.event;

  constructor(memento: vscode.Memento, log: vscode.LogOutputChannel) {
    this.#log = log;
    this.#remembered = new Remembered(memento, 'templates');
    const code = this.#disposables.add(vscode.workspace.createFileSystemWatcher('**/*.py'));
    for (const event of [code.onDidCreate, code.onDidChange, code.onDidDelete])
      this.#disposables.add(event(({ fsPath }) => this.#codeChanged(fsPath, false)));
    this.#disposables.add(
      vscode.workspace.onDidSaveTextDocument(({ uri, languageId }) => {
        if (languageId === 'python') this.#codeChanged(uri.fsPath, true);
      }),
    );
    this.#disposables.add(vscode.workspace.onDidOpenTextDocument(() => this.#lookSoon.schedule()));
    this.#disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#lookSoon.schedule()));
  }

  /** The templates of the environment of a row in a file of the folder, if they are known. Asks for them if they are not. */
  of(folder: string, { env: name, runtime_config: runtime }: Row): readonly HudTemplate[] | undefined {
    if (typeof name !== 'string' || name === '') return undefined;
    const { image, compose } = (runtime ?? {}) as Row;
    const spec: EnvironmentSpec = { type: 'hud', name, runtime_config: runtime ?? null };
    // Most rows are not in Docker, and where they start from is looked up on the disk.
    const isInDocker = (image ?? compose ?? null) !== null;
    const place = isInDocker ? placeInDocker(kindOfType(spec)?.server?.(spec, folder) ?? null) : null;
    if (isInDocker && place === null) return undefined;
    const key = place === null ? `${folder}\n${name}` : `${place}\n${folder}\n${name}`;
    let environment = this.#environments.get(key);
    if (environment === undefined) {
      if (this.#environments.size >= MAX_ENVIRONMENTS) return undefined;
      environment = {
        key,
        folder,
        name,
        isInDocker,
        templates: undefined,
        asked: null,
        current: false,
        failure: null,
        status: null,
      };
      this.#environments.set(key, environment);
      this.#lookSoon.schedule();
    }
    return environment.templates;
  }

  /** @param saved in the editor, so that what is known of the environment is surely outdated */
  #codeChanged(path: string, saved: boolean): void {
    for (const environment of this.#environments.values()) {
      if (!path.startsWith(`${environment.folder}${sep}`)) continue;
      environment.current = false;
      if (saved) this.#forget(environment);
      this.#lookSoon.schedule();
    }
  }

  async #lookAtAll(): Promise<void> {
    for (const environment of this.#environments.values()) {
      if (!this.#disposables.disposed) await this.#lookAt(environment);
    }
  }

  async #lookAt(environment: Environment): Promise<void> {
    if (environment.current || !vscode.workspace.isTrusted) return;
    const { folder, name, key, isInDocker } = environment;
    if (isInDocker) {
      const stored = this.#remembered.get(key);
      if (stored !== undefined) this.#learn(environment, stored);
      return;
    }
    const spec: EnvironmentSpec = { type: 'hud', name };
    const source = kindOfType(spec)?.server?.(spec, folder) ?? null;
    try {
      if (source !== null && !('hud' in source)) return;
      const stamp =
        source === null ? '' : await (await import('../../placement/hud/source-stamp.ts')).sourceStamp(source.hud);
      // It is somewhere else.
      if (source !== null && stamp === '') return;
      const stored = this.#remembered.get(key);
      if (stored?.stamp === stamp) this.#learn(environment, stored);
      else this.#forget(environment);
      environment.current = source !== null && environment.templates !== undefined;
      if (environment.current || !isOpen(folder)) return;
      const { asked } = environment;
      if (asked?.stamp === stamp && Date.now() - asked.at < RETRY_MS) return;
      environment.asked = { stamp, at: Date.now() };
      await this.#ask(environment, source, stamp);
    } catch (error) {
      this.#failed(environment, error);
    }
  }

  /** Asks the environments in Docker among those that run, once each. */
  async learnFrom(running: readonly RunningEnvironment[]): Promise<void> {
    for (const environment of running) {
      const { hudAddress, tasks } = environment;
      if (hudAddress === undefined || this.#asked.has(environment)) continue;
      const keys = tasks.flatMap(({ env, file }) => {
        const folder = dirname(file);
        const place = placeInDocker(kindOfType(env)?.server?.(env, folder) ?? null);
        return place === null ? [] : [`${place}\n${folder}\n${env['name']}`];
      });
      if (keys.length === 0) continue;
      this.#asked.add(environment);
      try {
        const { readTemplates } = await import('../../environments/hud/templates.ts');
        const answer = { stamp: '', templates: await readTemplates(hudAddress) };
        for (const key of keys) {
          this.#remembered.set(key, answer);
          const known = this.#environments.get(key);
          if (known !== undefined) this.#learn(known, answer);
        }
      } catch (error) {
        this.#log.warn(`The templates of ${environment.name} could not be read. ${(error as Error).message}`);
      }
    }
  }

  async #ask(environment: Environment, source: Source | null, stamp: string): Promise<void> {
    const { name } = environment;
    const status = this.#statusOf(environment);
    status.busy = true;
    status.severity = vscode.LanguageStatusSeverity.Information;
    status.text = l10n.t('Reading the templates of “{0}”', name);
    const { readTemplates } = await import('../../environments/hud/templates.ts');
    let templates: readonly HudTemplate[];
    if (source === null) templates = await readTemplates(name);
    else {
      const { startEnvServer } = await import('../../placement/hud/env-server.ts');
      const server = await startEnvServer({ ...source, log: (text) => this.#log.debug(text) });
      this.#server = server;
      try {
        templates = await readTemplates(server.address);
      } finally {
        this.#server = null;
        await server.stop();
      }
    }
    const answer = { stamp, templates };
    this.#remembered.set(environment.key, answer);
    environment.current = source !== null;
    environment.failure = null;
    this.#learn(environment, answer);
    status.dispose();
    environment.status = null;
  }

  #failed(environment: Environment, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (environment.failure !== message)
      this.#log.warn(`The templates of “${environment.name}” are not known, so arguments are not checked. ${message}`);
    environment.failure = message;
    const status = this.#statusOf(environment);
    status.busy = false;
    status.severity = vscode.LanguageStatusSeverity.Warning;
    status.text = l10n.t('The templates of “{0}” are not known', environment.name);
    status.command = { command: 'taskwright.showLog', title: l10n.t('Show Log') };
  }

  #statusOf(environment: Environment): vscode.LanguageStatusItem {
    if (environment.status === null) {
      const pattern = new vscode.RelativePattern(vscode.Uri.file(environment.folder), '*');
      environment.status = this.#disposables.add(
        vscode.languages.createLanguageStatusItem(`taskwright.templates ${environment.key}`, { pattern }),
      );
      environment.status.name = l10n.t('Taskwright Templates');
    }
    return environment.status;
  }

  #learn(environment: Environment, { templates }: Answer): void {
    if (environment.templates === templates) return;
    environment.templates = templates;
    this.#changed.fire(environment.folder);
  }

  #forget(environment: Environment): void {
    if (environment.templates === undefined) return;
    environment.templates = undefined;
    this.#changed.fire(environment.folder);
  }

  dispose(): void {
    this.#disposables.dispose();
    void this.#server?.stop();
  }
}

/** What an environment in Docker is started from; null for others. */
function placeInDocker(source: ServerSource | null): string | null {
  if (source === null) return null;
  if ('hudImage' in source) return `image ${source.hudImage}`;
  return 'hudCompose' in source ? `compose ${source.hudCompose}` : null;
}

/** Whether a task file of the folder is open. */
function isOpen(folder: string): boolean {
  return vscode.workspace.textDocuments.some(
    (document) => dirname(document.uri.fsPath) === folder && vscode.languages.match(TASK_DOCUMENTS, document) > 0,
  );
}
