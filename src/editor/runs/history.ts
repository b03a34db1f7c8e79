import { dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { describeSystemError } from '../../base/system-error.ts';
import { taskKeyOfRun } from '../../presentation/tasks/reference.ts';
import type { JobEntry, RunEntry } from '../../traces/store.ts';
import { Debouncer, Disposable, every } from '../lifecycle.ts';
import { CONTEXT } from '../names.ts';

/** Milliseconds between two checks for changes that no file watcher reported. */
const RECHECK_MS = 2000;

/** The recorded runs of all workspace folders, newest first. Read when first needed, then kept up to date. */
export class RunHistory extends Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #changeEmitter = this.register(new vscode.EventEmitter<void>());
  readonly #refresh = this.register(new Debouncer(150, () => this.#read()));
  #jobs: readonly JobEntry[] = [];
  #problem: string | undefined;
  #entries: readonly RunEntry[] = [];
  #latest = new Map<string, RunEntry>();
  #reading: Promise<void> | undefined;
  #requested = false;
  /** The fingerprint of each folder of jobs before the last read. */
  #fingerprints = new Map<string, string>();
  #checking = false;

  readonly onDidChange = this.#changeEmitter.event;

  constructor(log: vscode.LogOutputChannel) {
    super();
    this.#log = log;
    const watcher = this.register(
      vscode.workspace.createFileSystemWatcher('**/.taskwright/jobs/*/*/{run.json,trace.jsonl}', false, true),
    );
    this.registerAll(
      watcher.onDidCreate(() => this.refresh()),
      watcher.onDidDelete(() => this.refresh()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refresh()),
      every(RECHECK_MS, () => void this.#recheck()),
    );
  }

  /** Newest first; a single run is a job too. */
  get jobs(): readonly JobEntry[] {
    return this.#jobs;
  }

  get entries(): readonly RunEntry[] {
    return this.#entries;
  }

  /** Why a job, or a folder of jobs, cannot be read. The jobs of the folder are those of the last successful read. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The last run of a task that was not edited in the debugger, by its `taskKey`. */
  latest(key: string): RunEntry | undefined {
    return this.#latest.get(key);
  }

  /** Resolves after the first read. */
  async load(): Promise<void> {
    this.#requested = true;
    this.#reading ??= this.#read();
    await this.#reading;
  }

  /** Schedules another read, if the runs were ever needed. */
  refresh(): void {
    if (this.#requested) this.#refresh.schedule();
  }

  /** Detects changes that no watcher reports: a file in a new folder, or the end of a process. */
  async #recheck(): Promise<void> {
    // Nothing was read yet.
    if (this.#checking || this.#fingerprints.size === 0) return;
    this.#checking = true;
    try {
      for (const root of await jobsFolders()) {
        if ((await this.#fingerprint(root)) === this.#fingerprints.get(root)) continue;
        this.refresh();
        return;
      }
    } finally {
      this.#checking = false;
    }
  }

  async #fingerprint(root: string): Promise<string> {
    const { fingerprintOfJobs } = await import('../../traces/fingerprint.ts');
    const endedJobs = this.#jobs.filter(
      ({ running, runs, problems }) => !running && problems.length === 0 && runs.length > 0 && runs.every(hasEnded),
    );
    const folders = new Set(endedJobs.map(({ folder }) => folder));
    // The read reports why a folder is not readable.
    return await fingerprintOfJobs(root, (folder) => folders.has(folder)).catch(String);
  }

  async #read(): Promise<void> {
    const { listJobs } = await import('../../traces/store.ts');
    const fingerprints = new Map<string, string>();
    let problem: string | undefined;
    const lists = await Promise.all(
      (await jobsFolders()).map(async (root) => {
        try {
          fingerprints.set(root, await this.#fingerprint(root));
          const onProblem = (folder: string, error: Error): void => {
            this.#log.warn(`${folder}: ${error.message}`);
            if (dirname(folder) === root) problem = cannotBeRead(folder, error);
          };
          return await listJobs(root, onProblem, this.#jobs);
        } catch (error) {
          this.#log.error(`Listing the runs in ${root} failed:`, error);
          problem = cannotBeRead(root, error);
          return this.#jobs.filter(({ folder }) => dirname(folder) === root);
        }
      }),
    );
    if (this.isDisposed) return;
    this.#fingerprints = fingerprints;
    this.#problem = problem;
    this.#jobs = lists.flat().sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
    this.#entries = this.#jobs
      .flatMap(({ runs }) => runs)
      .sort((a, b) => (a.run.started_at < b.run.started_at ? 1 : -1));
    const oldestFirst = this.#entries.toReversed().filter(({ run }) => !run.edited);
    this.#latest = new Map(oldestFirst.map((entry) => [taskKeyOfRun(entry.run), entry]));
    void vscode.commands.executeCommand('setContext', CONTEXT.hasRuns, this.#entries.length > 0);
    this.#changeEmitter.fire();
  }
}

/** The `.taskwright/jobs` folders of all workspace folders. */
async function jobsFolders(): Promise<readonly string[]> {
  const { jobsFolder } = await import('../../runs/job/job.ts');
  return (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === 'file')
    .map((folder) => jobsFolder(folder.uri.fsPath));
}

function cannotBeRead(folder: string, error: unknown): string {
  return l10n.t('{0} cannot be read: {1}.', folder, describeSystemError(error));
}

function hasEnded({ writtenAt }: RunEntry): boolean {
  return writtenAt !== null;
}
