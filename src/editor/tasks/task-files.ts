import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { OwnSignature } from '../../functions/own/names.ts';
import type { OwnFunctions } from '../../language/calls.ts';
import type { Finding } from '../../tasks/finding.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import { Coalesced, Owned } from '../lifecycle.ts';
import { TASK_FILE_NAME, TASK_FILES } from './patterns.ts';

/** A task file as it was last read, with everything that is said about it. */
export interface KnownFile {
  readonly uri: vscode.Uri;
  /** The workspace folder whose tree it stands in; undefined for a file that is merely open. */
  readonly folder: vscode.WorkspaceFolder | undefined;
  readonly file: TaskFile;
  /** What the folder's own functions files export. */
  readonly own: OwnFunctions;
  readonly findings: readonly Finding[];
  /** Version of the open document that was read; null where it was read from disk. */
  readonly version: number | null;
}

const FUNCTION_FILES = '**/*.functions.{ts,js,mjs}';
const FUNCTION_FILE = /\.functions\.(ts|js|mjs)$/;
/** Long enough that a burst of keystrokes is one reading, short enough to feel immediate. */
const TYPING_MS = 150;
const DISK_MS = 100;

/**
 * The task files of the workspace and of open editors, read without executing anything. What an editor holds wins over
 * what is on disk. Files that `.gitignore` or `files.exclude` leave out are known only while they are open.
 */
export class TaskFiles implements vscode.Disposable {
  readonly #owned = new Owned();
  readonly #log: vscode.LogOutputChannel;
  readonly #known = new Map<string, KnownFile>();
  readonly #inTree = new Map<string, vscode.WorkspaceFolder>();
  readonly #soon = new Map<string, Coalesced>();
  readonly #ownNames = new Map<string, Promise<OwnFunctions>>();
  readonly #changed = this.#owned.add(new vscode.EventEmitter<readonly vscode.Uri[]>());
  readonly #searchSoon: Coalesced;
  #searched = false;
  #search: Promise<void> | undefined;

  /** Files that were read anew, appeared or went. */
  readonly onDidChange = this.#changed.event;

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
    this.#searchSoon = this.#owned.add(new Coalesced(DISK_MS, () => this.refresh()));
    const own = (item: vscode.Disposable): void => void this.#owned.add(item);

    const files = vscode.workspace.createFileSystemWatcher(TASK_FILES);
    own(files);
    own(files.onDidCreate(() => this.#searchSoon.ask()));
    own(files.onDidDelete(() => this.#searchSoon.ask()));
    own(files.onDidChange((uri) => void this.#reload(uri)));
    const functions = vscode.workspace.createFileSystemWatcher(FUNCTION_FILES);
    own(functions);
    for (const event of [functions.onDidCreate, functions.onDidDelete, functions.onDidChange]) {
      own(event((uri) => this.#functionsChanged(uri)));
    }
    const ignore = vscode.workspace.createFileSystemWatcher('**/.gitignore');
    own(ignore);
    for (const event of [ignore.onDidCreate, ignore.onDidDelete, ignore.onDidChange])
      own(event(() => this.#searchSoon.ask()));

    own(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#searchSoon.ask()));
    own(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('files.exclude')) this.#searchSoon.ask();
      }),
    );
    own(vscode.workspace.onDidOpenTextDocument((document) => void this.#opened(document)));
    own(vscode.workspace.onDidCloseTextDocument((document) => void this.#closed(document)));
    own(vscode.workspace.onDidChangeTextDocument(({ document }) => this.#typed(document)));
  }

  get all(): readonly KnownFile[] {
    return [...this.#known.values()];
  }

  /** The workspace has been searched to the end at least once. */
  get searched(): boolean {
    return this.#searched;
  }

  get(uri: vscode.Uri): KnownFile | undefined {
    return this.#known.get(uri.toString());
  }

  /** Reads a file as it is at this moment, whether it is known or not. */
  async read(uri: vscode.Uri): Promise<KnownFile | undefined> {
    for (;;) {
      await this.#load(uri, { outright: true });
      const known = this.get(uri);
      // An edit while it was read (a formatter on save) means: once more.
      if (known === undefined || known.version === (openDocument(uri)?.version ?? null)) return known;
    }
  }

  /** Resolves when the workspace has been searched once; asks for the search where nobody has. */
  async ready(): Promise<void> {
    await (this.#search ?? this.refresh());
  }

  /** Searches the workspace anew, after a search that is under way: what changed meanwhile may have escaped that one. */
  refresh(): Promise<void> {
    this.#search = (this.#search ?? Promise.resolve())
      .then(() => this.#searchAll())
      .catch((error: unknown) => {
        this.#log.error('Searching for tasks failed:', error instanceof Error ? error : String(error));
      });
    return this.#search;
  }

  async #searchAll(): Promise<void> {
    const { findTaskFiles } = await import('../../tasks/discover.ts');
    const found = new Map<string, vscode.WorkspaceFolder>();
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      if (folder.uri.scheme !== 'file') continue;
      try {
        const [allowed, paths] = await Promise.all([
          // Applies `files.exclude`, which has no other way to be asked.
          vscode.workspace.findFiles(new vscode.RelativePattern(folder, TASK_FILES)),
          findTaskFiles([folder.uri.fsPath]),
        ]);
        const visible = new Set(allowed.map((uri) => uri.toString()));
        for (const path of paths) {
          const uri = vscode.Uri.file(path);
          if (visible.has(uri.toString())) found.set(uri.toString(), folder);
        }
      } catch (error) {
        this.#log.error(`Searching ${folder.uri.fsPath} for tasks failed:`, error);
      }
    }
    if (this.#owned.disposed) return;
    this.#inTree.clear();
    for (const [key, folder] of found) this.#inTree.set(key, folder);
    const open = vscode.workspace.textDocuments.filter((document) => mayBeOurs(document.uri));
    const gone = [...this.#known.values()].filter(
      ({ uri }) => !found.has(uri.toString()) && !open.some((document) => document.uri.toString() === uri.toString()),
    );
    for (const { uri } of gone) this.#known.delete(uri.toString());
    if (gone.length > 0) this.#changed.fire(gone.map(({ uri }) => uri));
    const uris = [...found.keys()].map((key) => vscode.Uri.parse(key, true));
    uris.push(...open.map(({ uri }) => uri).filter((uri) => !found.has(uri.toString())));
    for (const uri of uris) await this.#load(uri);
    this.#searched = true;
    this.#changed.fire([]);
  }

  /** Reads one file and says so; leaves what is known alone where it can no longer be read as ours. */
  async #load(uri: vscode.Uri, { outright = false } = {}): Promise<void> {
    const key = uri.toString();
    const [{ readTasks }, { loadTaskFile, taskFileKind }, { looksLikeTask }, { diagnose }, own] = await Promise.all([
      import('../../tasks/read.ts'),
      import('../../tasks/discover.ts'),
      import('../../tasks/era.ts'),
      import('../../language/diagnose.ts'),
      this.#ownFunctions(dirname(uri.fsPath)),
    ]);
    const document = openDocument(uri);
    const version = document?.version ?? null;
    let file: TaskFile;
    try {
      file = document === undefined ? await loadTaskFile(uri.fsPath) : readTasks(uri.fsPath, document.getText());
    } catch (error) {
      this.#log.warn(error instanceof Error ? error.message : String(error));
      this.#forget(uri);
      return;
    }
    // While the file was read an editor may have gone on: what it holds now is read after this.
    if ((openDocument(uri)?.version ?? null) !== version) return;
    const byContent = !outright && taskFileKind(uri.fsPath) !== 'always';
    if (byContent && !file.rows.some((row) => looksLikeTask(row.value))) {
      this.#forget(uri);
      return;
    }
    this.#known.set(key, {
      uri,
      folder: this.#inTree.get(key),
      file,
      own,
      findings: diagnose(file, own),
      version,
    });
    this.#changed.fire([uri]);
  }

  #forget(uri: vscode.Uri): void {
    if (this.#known.delete(uri.toString())) this.#changed.fire([uri]);
  }

  async #reload(uri: vscode.Uri): Promise<void> {
    // An editor that holds the file tells of its changes itself, and its text wins.
    if (openDocument(uri) !== undefined) return;
    if (this.#known.has(uri.toString())) await this.#load(uri);
    else this.#searchSoon.ask();
  }

  async #opened(document: vscode.TextDocument): Promise<void> {
    if (!mayBeOurs(document.uri)) return;
    if (this.get(document.uri)?.version === document.version) return;
    await this.#load(document.uri);
  }

  async #closed(document: vscode.TextDocument): Promise<void> {
    const key = document.uri.toString();
    this.#soon.get(key)?.dispose();
    this.#soon.delete(key);
    if (!this.#known.has(key)) return;
    if (this.#inTree.has(key)) await this.#load(document.uri);
    else this.#forget(document.uri);
  }

  #typed(document: vscode.TextDocument): void {
    if (FUNCTION_FILE.test(document.uri.path)) {
      this.#functionsChanged(document.uri);
      return;
    }
    if (mayBeOurs(document.uri)) this.#readSoon(document.uri);
  }

  #readSoon(uri: vscode.Uri): void {
    const key = uri.toString();
    let soon = this.#soon.get(key);
    if (soon === undefined) {
      soon = this.#owned.add(new Coalesced(TYPING_MS, () => this.#load(uri)));
      this.#soon.set(key, soon);
    }
    soon.ask();
  }

  #functionsChanged(uri: vscode.Uri): void {
    const folder = dirname(uri.fsPath);
    this.#ownNames.delete(folder);
    for (const known of this.#known.values()) {
      if (dirname(known.uri.fsPath) === folder) this.#readSoon(known.uri);
    }
  }

  /** Names exported by a folder's `*.functions.*` files, unsaved text included. Nothing is executed. */
  #ownFunctions(folder: string): Promise<OwnFunctions> {
    const known = this.#ownNames.get(folder);
    if (known !== undefined) return known;
    const reading = this.#readOwnFunctions(folder);
    this.#ownNames.set(folder, reading);
    return reading;
  }

  async #readOwnFunctions(folder: string): Promise<OwnFunctions> {
    const names = new Map<string, OwnSignature>();
    let files: string[];
    try {
      files = (await readdir(folder)).filter((name) => FUNCTION_FILE.test(name));
    } catch (error) {
      this.#log.warn(`${folder} cannot be listed: ${error instanceof Error ? error.message : String(error)}`);
      return names;
    }
    if (files.length === 0) return names;
    const { ownSignatures } = await import('../../functions/own/names.ts');
    for (const name of files) {
      const path = join(folder, name);
      try {
        const text = openDocument(vscode.Uri.file(path))?.getText() ?? (await readFile(path, 'utf8'));
        for (const found of ownSignatures(text, path)) names.set(found.name, found);
      } catch (error) {
        this.#log.warn(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return names;
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

/** By its name alone: a bare `tasks.json` needs its content looked at too. */
function mayBeOurs(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' && TASK_FILE_NAME.test(basename(uri.path));
}

/** Folders and name of a file below its workspace folder. */
export function pathBelow(folder: vscode.WorkspaceFolder, file: string): readonly string[] {
  return relative(folder.uri.fsPath, file).split(sep);
}

/** The open document of a file; one that is closed or closing is not open. */
export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const key = uri.toString();
  return vscode.workspace.textDocuments.find((document) => !document.isClosed && document.uri.toString() === key);
}
