import { dirname, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { readOrdinaryFile } from '../../base/file-kind.ts';
import type { OffsetEdit } from '../../base/lines.ts';
import { inSlices } from '../../base/slices.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import { watchFiles } from '../watch-files.ts';
import { KnownFile } from './known-file.ts';
import { openDocument } from './open-document.ts';
import { mayBeTaskFile, PACKAGE_FOLDERS, TASK_FILES } from './patterns.ts';
import type { EnvironmentTemplates } from './templates.ts';
import type { TrackedFile } from './tracked-file.ts';
import { UserFunctionsOfFolders } from './user-functions.ts';

export type { KnownFile } from './known-file.ts';

const PYTHON = /\.py$/;
const DISK_MS = 100;

/**
 * The task files of the workspace and of open editors, read without executing anything. The text in an editor takes
 * precedence over the file on disk. Files that `.gitignore` or `files.exclude` exclude are known only while open.
 */
export class TaskFiles extends Disposable {
  readonly #log: vscode.LogOutputChannel;
  /** The user-defined functions next to the files. */
  readonly functions: UserFunctionsOfFolders;
  readonly #knownFiles = new Map<string, KnownFile>();
  readonly #inTree = new Map<string, vscode.WorkspaceFolder>();
  readonly #trackedFiles = new Map<string, TrackedFile>();
  /** Files that are being read; reads of one file are sequential. */
  readonly #loading = new Map<string, Promise<void>>();
  /** Changes of documents while they are being read. */
  readonly #meanwhile = new Map<string, OffsetEdit[]>();
  readonly #changedUris = new Map<string, vscode.Uri>();
  readonly #changeEmitter = this.register(new vscode.EventEmitter<readonly vscode.Uri[]>());
  readonly #searchSoon: Debouncer;
  #searched = false;
  #search: Promise<void> | undefined;

  /** Files that were read, added, or removed. */
  readonly onDidChange = this.#changeEmitter.event;

  constructor(log: vscode.LogOutputChannel, templates: EnvironmentTemplates) {
    super();
    this.#log = log;
    this.functions = this.register(new UserFunctionsOfFolders(log, templates));
    this.#searchSoon = this.register(new Debouncer(DISK_MS, () => this.refresh()));
    const searchSoon = (): void => this.#searchSoon.schedule();
    const files = this.register(vscode.workspace.createFileSystemWatcher(TASK_FILES));
    this.registerAll(
      files.onDidCreate((uri) => void this.#handleCreation(uri)),
      files.onDidDelete((uri) => this.#handleDeletion(uri)),
      files.onDidChange((uri) => void this.#reload(uri)),
      ...[files.onDidCreate, files.onDidDelete, files.onDidChange].map((event) =>
        event((uri) => this.#rereadDependents(uri)),
      ),
      this.functions.onDidChange((folder) => void this.#updateFunctions(folder)),
      watchFiles('**/.gitignore', searchSoon),
      vscode.workspace.onDidChangeWorkspaceFolders(searchSoon),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('files.exclude') && searchSoon()),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => isTaskFileCandidate(uri) && void this.#load(uri)),
      vscode.workspace.onDidCloseTextDocument((document) => void this.#handleClose(document)),
      vscode.workspace.onDidChangeTextDocument((event) => this.#handleEdit(event)),
    );
  }

  get all(): readonly KnownFile[] {
    return [...this.#knownFiles.values()];
  }

  /** The workspace was searched at least once. */
  get searched(): boolean {
    return this.#searched;
  }

  get(uri: vscode.Uri): KnownFile | undefined {
    return this.#knownFiles.get(uri.toString());
  }

  /**
   * An open task file including the last keystroke; undefined if it is no task file or is still being read. Its findings
   * may lag behind; see `complete`.
   */
  current(document: vscode.TextDocument): KnownFile | undefined {
    const knownFile = this.get(document.uri);
    const trackedFile = this.#trackedFiles.get(document.uri.toString());
    return trackedFile?.current === true &&
      trackedFile.version === document.version &&
      knownFile?.file === trackedFile.file
      ? knownFile
      : undefined;
  }

  /** Reads the current content of a file, known or not. */
  async read(uri: vscode.Uri): Promise<KnownFile | undefined> {
    for (;;) {
      await this.#load(uri, { force: true });
      await this.#trackedFiles.get(uri.toString())?.waitForChanges();
      const knownFile = this.get(uri);
      // The document may have changed meanwhile, for example by a formatter on save.
      if (knownFile === undefined || knownFile.version === (openDocument(uri)?.version ?? null)) return knownFile;
    }
  }

  /** Resolves when a pending read of a file is finished. */
  async waitForRead(uri: vscode.Uri): Promise<void> {
    await this.#loading.get(uri.toString());
  }

  /** Resolves after the first search of the workspace, and starts it if necessary. */
  async ready(): Promise<void> {
    await (this.#search ?? this.refresh());
  }

  /** Searches the workspace again, after a search in progress, which may have missed recent changes. */
  refresh(): Promise<void> {
    this.#search = (this.#search ?? Promise.resolve())
      .then(() => this.#searchAll())
      .catch((error: unknown) => this.#log.error('Searching for tasks failed:', error));
    return this.#search;
  }

  async #searchAll(): Promise<void> {
    const { findTaskFiles } = await import('../../tasks/discover.ts');
    const folders = new Map<string, vscode.WorkspaceFolder>();
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      if (folder.uri.scheme !== 'file') continue;
      try {
        const [allowedUris, paths] = await Promise.all([
          // The only API that applies `files.exclude`.
          vscode.workspace.findFiles(new vscode.RelativePattern(folder, TASK_FILES), PACKAGE_FOLDERS),
          findTaskFiles([folder.uri.fsPath]),
        ]);
        const visible = new Set(allowedUris.map((uri) => uri.toString()));
        for (const path of paths) {
          const uri = vscode.Uri.file(path);
          // A file belongs to its innermost workspace folder.
          if (visible.has(uri.toString()))
            folders.set(uri.toString(), vscode.workspace.getWorkspaceFolder(uri) ?? folder);
        }
      } catch (error) {
        this.#log.error(`Searching ${folder.uri.fsPath} for tasks failed:`, error);
      }
    }
    if (this.isDisposed) return;
    this.#inTree.clear();
    for (const [key, folder] of folders) this.#inTree.set(key, folder);
    const open = vscode.workspace.textDocuments.filter((document) => isTaskFileCandidate(document.uri));
    const uris = new Map([...folders.keys()].map((key) => [key, vscode.Uri.parse(key, true)]));
    for (const { uri } of open) uris.set(uri.toString(), uri);
    for (const { uri } of this.all) if (!uris.has(uri.toString())) this.#drop(uri);
    for (const uri of uris.values()) await this.#load(uri);
    this.#searched = true;
    this.#changeEmitter.fire([]);
  }

  /** Reads a file, after a read in progress, which may have missed recent changes. */
  #load(uri: vscode.Uri, options: { readonly force?: boolean } = {}): Promise<void> {
    const key = uri.toString();
    const loading = (this.#loading.get(key) ?? Promise.resolve())
      .then(() => this.#loadNow(uri, options))
      .catch((error: unknown) => this.#log.error(`Reading ${uri.fsPath} failed:`, error))
      .finally(() => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
      });
    this.#loading.set(key, loading);
    return loading;
  }

  async #loadNow(uri: vscode.Uri, { force = false }: { readonly force?: boolean }): Promise<void> {
    const key = uri.toString();
    const folder = dirname(uri.fsPath);
    const [
      { prepareToRead, readTasksInSlices },
      { containsTasks, loadTaskFile },
      { mayContainTasks },
      { TrackedFile },
      own,
    ] = await Promise.all([
      import('../../tasks/read.ts'),
      import('../../tasks/discover.ts'),
      import('../../tasks/recognition.ts'),
      import('./tracked-file.ts'),
      this.functions.of(folder),
    ]);
    const openedDocument = openDocument(uri);
    if (!force && openedDocument !== undefined && !mayContainTasks(uri.fsPath, () => openedDocument.getText())) {
      this.#drop(uri);
      return;
    }
    await prepareToRead(uri.fsPath);
    const document = openDocument(uri);
    const before = this.#trackedFiles.get(key);
    // Opening a file that is unchanged on disk must not parse and diagnose it again.
    if (document !== undefined && before?.version === null) {
      const { version } = document;
      const isSame = await inSlices(before.file.isText(partsOf(document)));
      if (isSame && document.version === version) before.followDocument(version);
    }
    if (document !== undefined && before !== undefined && before.version !== null) {
      // It follows the document's changes.
      if (before.current) this.#publish(uri, before, force || containsTasks(before.file));
      return;
    }
    const version = document?.version ?? null;
    let file: TaskFile;
    try {
      if (document === undefined) file = await loadTaskFile(uri.fsPath, inSlices);
      else {
        this.#meanwhile.set(key, []);
        file = await inSlices(readTasksInSlices(uri.fsPath, document.getText()));
      }
    } catch (error) {
      this.#log.warn(error instanceof Error ? error.message : String(error));
      this.#drop(uri);
      return;
    }
    const meanwhile = this.#meanwhile.get(key) ?? [];
    this.#meanwhile.delete(key);
    const now = openDocument(uri);
    // Opened or closed meanwhile: another read follows.
    if (this.isDisposed || (now === undefined) !== (document === undefined)) return;
    before?.close();
    const publish = (): void => this.#publish(uri, trackedFile, containsTasks(file));
    const trackedFile = new TrackedFile(file, own, version, publish);
    this.#trackedFiles.set(key, trackedFile);
    trackedFile.diagnose();
    if (now !== undefined && now.version !== version) trackedFile.change(meanwhile, now.version);
    if (force) this.#publish(uri, trackedFile, true);
    const latest = await this.functions.of(folder);
    if (latest !== own) trackedFile.setUserFunctions(latest);
  }

  /** Publishes a file. A `tasks.json` without tasks is followed while it is open, but not published. */
  #publish(uri: vscode.Uri, trackedFile: TrackedFile, isTracked: boolean): void {
    const key = uri.toString();
    if (this.#trackedFiles.get(key) !== trackedFile) return;
    if (!isTracked) {
      this.#forget(uri);
      if (trackedFile.version === null) this.#trackedFiles.delete(key);
      return;
    }
    this.#knownFiles.set(key, new KnownFile(uri, this.#inTree.get(key), trackedFile));
    this.#notify(uri);
  }

  /** Fires the change event in the next tick, so that listeners do not delay a keystroke. */
  #notify(uri: vscode.Uri): void {
    if (this.#changedUris.size === 0) {
      setImmediate(() => {
        const uris = [...this.#changedUris.values()];
        this.#changedUris.clear();
        if (!this.isDisposed) this.#changeEmitter.fire(uris);
      });
    }
    this.#changedUris.set(uri.toString(), uri);
  }

  #forget(uri: vscode.Uri): void {
    if (this.#knownFiles.delete(uri.toString())) this.#notify(uri);
  }

  #drop(uri: vscode.Uri): void {
    this.#trackedFiles.get(uri.toString())?.close();
    this.#trackedFiles.delete(uri.toString());
    this.#forget(uri);
  }

  async #reload(uri: vscode.Uri): Promise<void> {
    // The text of an open document takes precedence.
    if (openDocument(uri) !== undefined) return;
    if (this.#knownFiles.has(uri.toString())) await this.#load(uri);
    else await this.#handleCreation(uri);
  }

  async #handleCreation(uri: vscode.Uri): Promise<void> {
    if (isTaskFileCandidate(uri) && (!PYTHON.test(uri.path) || (await canContainTasks(uri))))
      this.#searchSoon.schedule();
  }

  /** Reads the files again that import a Python file. */
  #rereadDependents({ fsPath }: vscode.Uri): void {
    for (const [key, trackedFile] of this.#trackedFiles) {
      if (!trackedFile.file.dependsOn.has(fsPath)) continue;
      trackedFile.close();
      this.#trackedFiles.delete(key);
      void this.#load(vscode.Uri.parse(key, true));
    }
  }

  #handleDeletion(uri: vscode.Uri): void {
    // Thousands of Python files may be deleted at once.
    if (!PYTHON.test(uri.path) || this.#knownFiles.has(uri.toString())) this.#searchSoon.schedule();
  }

  async #handleClose({ uri }: vscode.TextDocument): Promise<void> {
    const key = uri.toString();
    const trackedFile = this.#trackedFiles.get(key);
    if (trackedFile !== undefined && trackedFile.version !== null) {
      trackedFile.close();
      this.#trackedFiles.delete(key);
    }
    if (this.#inTree.has(key)) await this.#load(uri);
    else this.#forget(uri);
  }

  #handleEdit({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const { uri } = document;
    if (!isTaskFileCandidate(uri)) return;
    const changes = contentChanges.map(({ rangeOffset: start, rangeLength, text }) => ({
      start,
      end: start + rangeLength,
      text,
    }));
    const meanwhile = this.#meanwhile.get(uri.toString());
    const trackedFile = this.#trackedFiles.get(uri.toString());
    if (meanwhile !== undefined) meanwhile.push(...changes);
    else if (trackedFile !== undefined && trackedFile.version !== null) {
      if (changes.length > 0) trackedFile.change(changes, document.version);
    } else if (PYTHON.test(uri.path) && contentChanges.some((change) => beginsToImport(document, change))) {
      void this.#load(uri);
    }
  }

  async #updateFunctions(folder: string): Promise<void> {
    const own = await this.functions.of(folder);
    for (const trackedFile of this.#trackedFiles.values())
      if (dirname(trackedFile.file.file) === folder) trackedFile.setUserFunctions(own);
  }
}

/** Decides by the name; for a bare `tasks.json` and Python files, the content decides later. */
function isTaskFileCandidate(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' && mayBeTaskFile(uri.path);
}

/** The text of a document in parts of a thousand lines, so that a large one does not block the extension host. */
function* partsOf(document: vscode.TextDocument): Iterable<string> {
  for (let line = 0; line < document.lineCount; line += 1000) {
    yield document.getText(new vscode.Range(line, 0, line + 1000, 0));
  }
}

/** Whether a change of a Python file without tasks may have added an import of `hud`, or of a module with templates. */
function beginsToImport(
  document: vscode.TextDocument,
  { range, text }: vscode.TextDocumentContentChangeEvent,
): boolean {
  const line = document.lineAt(Math.min(range.start.line, document.lineCount - 1)).text;
  return text.includes('import') || line.includes('import');
}

async function canContainTasks({ fsPath }: vscode.Uri): Promise<boolean> {
  try {
    const { mayContainTasks } = await import('../../tasks/recognition.ts');
    const text = (await readOrdinaryFile(fsPath)).toString('utf8');
    return mayContainTasks(fsPath, () => text);
  } catch {
    // It was deleted.
    return false;
  }
}

/** Folders and name of a file below its workspace folder. */
export function pathBelow(folder: vscode.WorkspaceFolder, file: string): readonly string[] {
  return relative(folder.uri.fsPath, file).split(sep);
}
