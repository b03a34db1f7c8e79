import { randomBytes } from 'node:crypto';
import { basename, dirname, join, relative } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { plainLabel } from '../../presentation/plain-text.ts';
import { Disposable } from '../lifecycle.ts';
import { showError } from '../notifications.ts';
import { checkTrust, saveDocuments } from '../runs/before-run.ts';
import type { RunHistory } from '../runs/history.ts';
import type { TaskServer } from './task-server.ts';

/** Tasks that this window serves. */
export interface ServedTasks {
  readonly server: TaskServer;
  /** The file or folder, or several of them, as one text. */
  readonly name: string;
  /** The folder of the job that its runs belong to; null if it is unknown. */
  readonly job: string | null;
}

/** Serves tasks of the workspace, each time in its own process, which ends with the window. */
export class Serving extends Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #log: vscode.LogOutputChannel;
  readonly #history: RunHistory;
  readonly #changeEmitter = this.register(new vscode.EventEmitter<void>());
  #services: readonly ServedTasks[] = [];

  /** Tasks are served or no longer served, or their sessions may have changed. */
  readonly onDidChange = this.#changeEmitter.event;

  constructor(extensionUri: vscode.Uri, log: vscode.LogOutputChannel, history: RunHistory) {
    super();
    this.#extensionUri = extensionUri;
    this.#log = log;
    this.#history = history;
    this.register(history.onDidChange(() => this.#services.length > 0 && this.#changeEmitter.fire()));
  }

  /** Oldest first. */
  get served(): readonly ServedTasks[] {
    return this.#services;
  }

  /** The number of sessions that run a task; null if it is unknown. */
  sessions({ job }: ServedTasks): number | null {
    if (job === null) return null;
    const runs = this.#history.jobs.find(({ folder }) => folder === job)?.runs ?? [];
    return runs.filter(({ running }) => running).length;
  }

  /** Serves the tasks of files and folders. Rejects with `ServingError` if they cannot be served. */
  async start(paths: readonly string[]): Promise<ServedTasks | undefined> {
    const [first] = paths;
    if (first === undefined || !checkTrust()) return undefined;
    const resource = vscode.Uri.file(first);
    const workspaceFolder = vscode.workspace.getWorkspaceFolder(resource);
    const folder = workspaceFolder?.uri.fsPath ?? dirname(first);
    if (workspaceFolder !== undefined) await saveDocuments(workspaceFolder);
    const [{ commandLine, optionsOf }, { TaskServer }, { jobsFolder }] = await Promise.all([
      import('../command-line.ts'),
      import('./task-server.ts'),
      import('../../runs/job/job.ts'),
    ]);
    const name = paths.map((path) => relative(folder, path) || basename(path)).join(', ');
    const title = l10n.t('Starting to serve {0}', plainLabel(name));
    const jobs = jobsFolder(folder);
    const files = paths.map((path) => vscode.Uri.file(path));
    const server = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
      TaskServer.start(
        commandLine(this.#extensionUri.fsPath, resource),
        [...paths, '--host', '127.0.0.1', '--port', '0', '--verbose', ...optionsOf(resource, files)],
        { folder, token: randomBytes(16).toString('hex') },
      ),
    );
    const service: ServedTasks = { server, name, job: await jobOf(server, jobs) };
    this.#log.info(`Serving ${name} at ${server.url}, process ${server.pid}`);
    this.#services = [...this.#services, service];
    this.#changeEmitter.fire();
    void server.whenEnded.then(({ stopped }) => this.#handleEnd(service, stopped));
    // The window was closed meanwhile.
    if (this.isDisposed) void server.stop();
    return service;
  }

  #handleEnd(service: ServedTasks, wasStopped: boolean): void {
    this.#log.info(`Serving ${service.name} has ended`);
    this.#services = this.#services.filter((one) => one !== service);
    if (this.isDisposed) return;
    this.#changeEmitter.fire();
    if (wasStopped) return;
    const last = service.server.logLines.lines.at(-1) ?? '';
    void showError(l10n.t('The server of {0} has ended. {1}', service.name, last));
  }

  /** Ends all servers. */
  async end(): Promise<void> {
    await Promise.all(this.#services.map(({ server }) => server.stop()));
  }
}

/** The job of a server in a folder of jobs. */
async function jobOf({ pid }: TaskServer, jobs: string): Promise<string | null> {
  const [{ folders }, { ownerOf }] = await Promise.all([
    import('../../traces/store.ts'),
    import('../../traces/owner.ts'),
  ]);
  for (const name of await folders(jobs)) {
    const folder = join(jobs, name);
    // A job whose owner cannot be read is not this one.
    const owner = await ownerOf(folder).catch(() => null);
    if (owner?.host === null && owner.pid === pid) return folder;
  }
  return null;
}
