import { dirname, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { JsonObject } from '../../base/json.ts';
import type { HudTemplate } from '../../environments/hud-template.ts';
import type { HudInDocker, ServerSource } from '../../environments/kind.ts';
import { kindOfType } from '../../environments/kinds.ts';
import type { RunningEnvironment } from '../../placement/placement.ts';
import type { StartedServer } from '../../placement/shared-servers.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import { watchFiles } from '../watch-files.ts';
import { WorkspaceMemory } from '../workspace-memory.ts';
import { TASK_DOCUMENTS } from './patterns.ts';

/** Several changed files cause one request. */
const DEBOUNCE_MS = 300;
/** Milliseconds until templates are requested again after a failure, or from an address. */
const RETRY_MS = 30_000;
/** A file with more environments than this is not written by hand. */
const MAX_ENVIRONMENTS = 50;

interface Answer {
  /** Identifies the version of the code or the images; empty for an address, and for images that are built. */
  readonly stamp: string;
  readonly templates: readonly HudTemplate[];
}

/** One environment of a folder. */
interface Environment {
  /** The key under which its answer is stored. */
  readonly key: string;
  readonly folder: string;
  readonly name: string;
  /** Null for Python code, and for an address. */
  readonly inDocker: HudInDocker | null;
  templates: readonly HudTemplate[] | undefined;
  /** The last request and the time of its end; null before the first one. */
  lastRequest: { readonly stamp: string; readonly at: number } | null;
  /** Its code has not changed since the last check. */
  current: boolean;
  /** Why its templates could not be read. */
  failure: string | null;
  /** The status item during a request and after a failure. */
  status: vscode.LanguageStatusItem | null;
}

/** An environment whose templates were not requested yet. */
const NOT_ASKED = { templates: undefined, lastRequest: null, current: false, failure: null, status: null };

/** How to start a server that lists the templates. */
interface TemplateSource {
  /** Changes with its templates. */
  readonly stamp: string;
  /** Whether its changes are detected. */
  readonly isWatched: boolean;
  start(): Promise<Pick<StartedServer, 'address' | 'stop'>>;
}

/**
 * The templates of HUD environments, as their servers list them. They are requested in the background while a task file in
 * the folder is open in a trusted workspace, from a separate server unless the environment is at an address. The answer is
 * stored for the workspace until a Python file or an image of the environment changes. Nothing is pulled or built for this:
 * otherwise, the templates are read while the environment runs for a task.
 */
export class EnvironmentTemplates extends Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #answers: WorkspaceMemory<Answer>;
  readonly #environments = new Map<string, Environment>();
  readonly #changeEmitter = this.register(new vscode.EventEmitter<string>());
  readonly #lookSoon = this.register(new Debouncer(DEBOUNCE_MS, () => this.#lookAtAll()));
  readonly #placements: Pick<WindowPlacements, 'findPresent'>;
  readonly #ending = new AbortController();
  #server: { stop(): Promise<void> } | null = null;
  /** Environments in Docker whose templates were requested. */
  readonly #requestedEnvironments = new WeakSet<RunningEnvironment>();

  /** The folder with an environment whose templates changed. */
  readonly onDidChange = this.#changeEmitter.event;

  constructor(
    memento: vscode.Memento,
    log: vscode.LogOutputChannel,
    placements: Pick<WindowPlacements, 'findPresent'>,
  ) {
    super();
    this.#log = log;
    this.#placements = placements;
    this.#answers = new WorkspaceMemory(memento, 'templates');
    this.registerAll(
      watchFiles('**/*.py', ({ fsPath }) => this.#handleCodeChange(fsPath, false)),
      vscode.workspace.onDidSaveTextDocument(({ uri, languageId }) => {
        if (languageId === 'python') this.#handleCodeChange(uri.fsPath, true);
      }),
      vscode.workspace.onDidOpenTextDocument(() => this.#lookSoon.schedule()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#lookSoon.schedule()),
    );
  }

  /** The templates of the environment of a row in a file of the folder, if they are known. Asks for them if they are not. */
  of(folder: string, { env: name, runtime_config: runtime }: JsonObject): readonly HudTemplate[] | undefined {
    if (typeof name !== 'string' || name === '') return undefined;
    const { image, compose } = (runtime ?? {}) as JsonObject;
    const spec: EnvironmentSpec = { type: 'hud', name, runtime_config: runtime ?? null };
    // Most rows are not in Docker, and where they start from is looked up on the disk.
    const isInDocker = (image ?? compose ?? null) !== null;
    const inDocker = isInDocker ? sourceInDocker(spec, folder) : null;
    if (isInDocker && inDocker === null) return undefined;
    const key = keyOf(inDocker, folder, name);
    let environment = this.#environments.get(key);
    if (environment === undefined) {
      if (this.#environments.size >= MAX_ENVIRONMENTS) return undefined;
      environment = { key, folder, name, inDocker, ...NOT_ASKED };
      this.#environments.set(key, environment);
      this.#lookSoon.schedule();
    }
    return environment.templates;
  }

  /** @param isSaved in the editor, so that what is known of the environment is surely outdated */
  #handleCodeChange(path: string, isSaved: boolean): void {
    for (const environment of this.#environments.values()) {
      if (!path.startsWith(`${environment.folder}${sep}`)) continue;
      environment.current = false;
      if (isSaved) this.#forget(environment);
      this.#lookSoon.schedule();
    }
  }

  async #lookAtAll(): Promise<void> {
    for (const environment of this.#environments.values()) {
      if (!this.isDisposed) await this.#lookAt(environment);
    }
  }

  async #lookAt(environment: Environment): Promise<void> {
    if (environment.current || !vscode.workspace.isTrusted) return;
    const { folder, key, inDocker } = environment;
    try {
      const source = await this.#find(environment);
      const storedAnswer = this.#answers.get(key);
      if (source === null) {
        // An image may be available again later.
        if (inDocker !== null && storedAnswer !== undefined) this.#learn(environment, storedAnswer);
        return;
      }
      const { stamp, isWatched } = source;
      if (storedAnswer?.stamp === stamp) this.#learn(environment, storedAnswer);
      else this.#forget(environment);
      environment.current = isWatched && environment.templates !== undefined;
      // Images can change at any time, but the templates of an unchanged one need not be read again.
      if (environment.current || (inDocker !== null && environment.templates !== undefined) || !isOpen(folder)) return;
      const { lastRequest } = environment;
      if (lastRequest?.stamp === stamp && Date.now() - lastRequest.at < RETRY_MS) return;
      // No other request starts meanwhile.
      environment.lastRequest = { stamp, at: Number.POSITIVE_INFINITY };
      await this.#ask(environment, source).finally(() => {
        environment.lastRequest = { stamp, at: Date.now() };
      });
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#reportFailure(environment, error);
    }
  }

  /** Null if the environment is somewhere else. */
  async #find({ folder, name, inDocker }: Environment): Promise<TemplateSource | null> {
    const { signal } = this.#ending;
    if (inDocker !== null) {
      const present = await this.#placements.findPresent(inDocker, signal);
      return present === null ? null : { stamp: present.version, isWatched: false, start: present.start };
    }
    const spec: EnvironmentSpec = { type: 'hud', name };
    const source = kindOfType(spec)?.server?.(spec, folder) ?? null;
    if (source === null)
      return { stamp: '', isWatched: false, start: async () => ({ address: name, stop: async () => {} }) };
    if (!('hud' in source)) return null;
    const { sourceStamp } = await import('../../placement/source-stamp.ts');
    const stamp = await sourceStamp(source.hud);
    if (stamp === '') return null;
    const start: TemplateSource['start'] = async () => {
      const { startEnvServer } = await import('../../placement/hud/env-server.ts');
      return startEnvServer({ ...source, log: (text) => this.#log.debug(text) });
    };
    return { stamp, isWatched: true, start };
  }

  /** Reads the templates of running environments in Docker, once for each. */
  async learnFrom(running: readonly RunningEnvironment[]): Promise<void> {
    for (const environment of running) {
      const { hudAddress, tasks } = environment;
      if (hudAddress === undefined || this.#requestedEnvironments.has(environment)) continue;
      const sources = tasks.flatMap(({ env, file }) => {
        const folder = dirname(file);
        const source = sourceInDocker(env, folder);
        return source === null ? [] : [{ source, key: keyOf(source, folder, String(env['name'])) }];
      });
      if (sources.length === 0) continue;
      this.#requestedEnvironments.add(environment);
      try {
        const { readTemplates } = await import('../../environments/hud/templates.ts');
        const templates = await readTemplates(hudAddress);
        for (const { source, key } of sources) {
          const present = await this.#placements.findPresent(source, this.#ending.signal);
          const answer = { stamp: present?.version ?? '', templates };
          this.#answers.set(key, answer);
          const knownEnvironment = this.#environments.get(key);
          if (knownEnvironment !== undefined) this.#learn(knownEnvironment, answer);
        }
      } catch (error) {
        this.#log.warn(`The templates of ${environment.name} could not be read. ${(error as Error).message}`);
      }
    }
  }

  async #ask(environment: Environment, { stamp, isWatched, start }: TemplateSource): Promise<void> {
    const status = this.#statusOf(environment);
    status.busy = true;
    status.severity = vscode.LanguageStatusSeverity.Information;
    status.text = l10n.t('Reading the templates of “{0}”', environment.name);
    const { readTemplates } = await import('../../environments/hud/templates.ts');
    const server = await start();
    this.#server = server;
    let templates: readonly HudTemplate[];
    try {
      templates = await readTemplates(server.address);
    } finally {
      this.#server = null;
      await server.stop();
    }
    const answer = { stamp, templates };
    this.#answers.set(environment.key, answer);
    environment.current = isWatched;
    environment.failure = null;
    this.#learn(environment, answer);
    status.dispose();
    environment.status = null;
  }

  #reportFailure(environment: Environment, error: unknown): void {
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
      environment.status = this.register(
        vscode.languages.createLanguageStatusItem(`taskwright.templates ${environment.key}`, { pattern }),
      );
      environment.status.name = l10n.t('Taskwright Templates');
    }
    return environment.status;
  }

  #learn(environment: Environment, { templates }: Answer): void {
    if (environment.templates === templates) return;
    environment.templates = templates;
    this.#changeEmitter.fire(environment.folder);
  }

  #forget(environment: Environment): void {
    if (environment.templates === undefined) return;
    environment.templates = undefined;
    this.#changeEmitter.fire(environment.folder);
  }

  override dispose(): void {
    super.dispose();
    this.#ending.abort();
    void this.#server?.stop();
  }
}

/** What an environment in Docker is started from; null for others. */
function sourceInDocker(spec: EnvironmentSpec, folder: string): HudInDocker | null {
  const source: ServerSource | null = kindOfType(spec)?.server?.(spec, folder) ?? null;
  return source !== null && ('hudImage' in source || 'hudCompose' in source) ? source : null;
}

function keyOf(source: HudInDocker | null, folder: string, name: string): string {
  if (source === null) return `${folder}\n${name}`;
  const place = 'hudImage' in source ? `image ${source.hudImage}` : `compose ${source.hudCompose}`;
  return `${place}\n${folder}\n${name}`;
}

/** Whether a task file of the folder is open. */
function isOpen(folder: string): boolean {
  return vscode.workspace.textDocuments.some(
    (document) => dirname(document.uri.fsPath) === folder && vscode.languages.match(TASK_DOCUMENTS, document) > 0,
  );
}
