import * as vscode from 'vscode';
import type { JobEntry, RunEntry } from '../../runs/store.ts';
import { Coalesced, Owned } from '../lifecycle.ts';

/** The runs on disk of all workspace folders, newest first. Read when first asked for, then kept up to date. */
export class RunHistory implements vscode.Disposable {
  readonly #owned = new Owned();
  readonly #log: vscode.LogOutputChannel;
  readonly #changed = this.#owned.add(new vscode.EventEmitter<void>());
  readonly #refresh = this.#owned.add(new Coalesced(150, () => this.#read()));
  #jobs: readonly JobEntry[] = [];
  #entries: readonly RunEntry[] = [];
  #latest = new Map<string, RunEntry>();
  #reading: Promise<void> | undefined;
  #asked = false;

  readonly onDidChange = this.#changed.event;

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
    const watcher = this.#owned.add(
      vscode.workspace.createFileSystemWatcher('**/.taskwright/jobs/*/*/{run.json,trace.jsonl}', false, true),
    );
    this.#owned.add(watcher.onDidCreate(() => this.refresh()));
    this.#owned.add(watcher.onDidDelete(() => this.refresh()));
    this.#owned.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.refresh()));
  }

  /** Newest first; a single run is a job too. */
  get jobs(): readonly JobEntry[] {
    return this.#jobs;
  }

  get entries(): readonly RunEntry[] {
    return this.#entries;
  }

  /** The last run of a task, as `taskKey` names it. */
  latest(key: string): RunEntry | undefined {
    return this.#latest.get(key);
  }

  /** Resolves when the runs were read at least once. */
  async load(): Promise<void> {
    this.#asked = true;
    this.#reading ??= this.#read();
    await this.#reading;
  }

  /** Reads again soon, where anybody has asked for the runs at all. */
  refresh(): void {
    if (this.#asked) this.#refresh.ask();
  }

  async #read(): Promise<void> {
    const [{ listJobs }, { jobsFolder }] = await Promise.all([
      import('../../runs/store.ts'),
      import('../../runs/job.ts'),
    ]);
    const lists = await Promise.all(
      (vscode.workspace.workspaceFolders ?? [])
        .filter((folder) => folder.uri.scheme === 'file')
        .map(async (folder) => {
          try {
            return await listJobs(
              jobsFolder(folder.uri.fsPath),
              (traceDir, error) => this.#log.warn(`${traceDir}: ${error.message}`),
              this.#jobs,
            );
          } catch (error) {
            this.#log.error(`The runs of ${folder.uri.fsPath} cannot be listed:`, error);
            return [];
          }
        }),
    );
    if (this.#owned.disposed) return;
    this.#jobs = lists.flat().sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
    this.#entries = this.#jobs
      .flatMap(({ runs }) => runs)
      .sort((a, b) => (a.run.started_at < b.run.started_at ? 1 : -1));
    this.#latest = new Map();
    for (const entry of this.#entries) {
      const key = `${entry.run.file}#${entry.run.task_id}`;
      if (!this.#latest.has(key)) this.#latest.set(key, entry);
    }
    this.#changed.fire();
  }

  dispose(): void {
    this.#owned.dispose();
  }
}
