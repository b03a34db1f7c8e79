import { dirname, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { readOrdinaryFile } from '../../base/file-kind.ts';
import type { OffsetEdit } from '../../base/lines.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import { watchFiles } from '../watch-files.ts';
import { KnownFile } from './known-file.ts';
import { openDocument } from './open-document.ts';
import { mayBeTaskFile, PACKAGE_FOLDERS, TASK_FILES } from './patterns.ts';
import type { EnvironmentTemplates } from './templates.ts';
import { TrackedFile } from './tracked-file.ts';
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
  readonly #tracked = new Map<string, TrackedFile>();
  /** Files that are being read; reads of one file are sequential. */
  readonly #loading = new Map<string, Promise<void>>();
  /** Changes of documents while they are being read. */
  readonly #meanwhile = new Map<string, OffsetEdit[]>();
  readonly #changedUris = new Map<string, vscode.Uri>();
  readonly #changed = this.register(new vscode.EventEmitter<readonly vscode.Uri[]>());
  readonly #searchSoon: Debouncer;
  #searched = false;
  #search: Promise<void> | undefined;

  /** Files that were read, added, or removed. */
  readonly onDidChange = this.#changed.event;

  constructor(log: vscode.LogOutputChannel, templates: EnvironmentTemplates) {
    super();
    this.#log = log;
    this.functions = this.register(new UserFunctionsOfFolders(log, templates));
    this.#searchSoon = this.register(new Debouncer(DISK_MS, () => this.refresh()));
    const searchSoon = (): void => this.#searchSoon.schedule();
    const files = this.register(vscode.workspace.createFileSystemWatcher(TASK_FILES));
    this.registerAll(
      files.onDidCreate((uri) => void this.#appeared(uri)),
      files.onDidDelete((uri) => this.#disappeared(uri)),
      files.onDidChange((uri) => void this.#reload(uri)),
      ...[files.onDidCreate, files.onDidDelete, files.onDidChange].map((event) =>
        event((uri) => this.#rereadDependents(uri)),
      ),
      this.functions.onDidChange((folder) => void this.#takeFunctions(folder)),
      watchFiles('**/.gitignore', searchSoon),
      vscode.workspace.onDidChangeWorkspaceFolders(searchSoon),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('files.exclude') && searchSoon()),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => isTaskFileCandidate(uri) && void this.#load(uri)),
      vscode.workspace.onDidCloseTextDocument((document) => void this.#closed(document)),
      vscode.workspace.onDidChangeTextDocument((event) => this.#typed(event)),
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
    const known = this.get(document.uri);
    const tracked = this.#tracked.get(document.uri.toString());
    return tracked?.current === true && tracked.version === document.version && known?.file === tracked.file
      ? known
      : undefined;
  }

  /** Reads the current content of a file, known or not. */
  async read(uri: vscode.Uri): Promise<KnownFile | undefined> {
    for (;;) {
      await this.#load(uri, { force: true });
      await this.#tracked.get(uri.toString())?.caughtUp();
      const known = this.get(uri);
      // The document may have changed meanwhile, for example by a formatter on save.
      if (known === undefined || known.version === (openDocument(uri)?.version ?? null)) return known;
    }
  }

  /** Resolves when a pending read of a file is finished. */
  async settled(uri: vscode.Uri): Promise<void> {
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
    const found = new Map<string, vscode.WorkspaceFolder>();
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      if (folder.uri.scheme !== 'file') continue;
      try {
        const [allowed, paths] = await Promise.all([
          // The only API that applies `files.exclude`.
          vscode.workspace.findFiles(new vscode.RelativePattern(folder, TASK_FILES), PACKAGE_FOLDERS),
          findTaskFiles([folder.uri.fsPath]),
        ]);
        const visible = new Set(allowed.map((uri) => uri.toString()));
        for (const path of paths) {
          const uri = vscode.Uri.file(path);
          // A file belongs to its innermost workspace folder.
          if (visible.has(uri.toString()))
            found.set(uri.toString(), vscode.workspace.getWorkspaceFolder(uri) ?? folder);
        }
      } catch (error) {
        this.#log.error(`Searching ${folder.uri.fsPath} for tasks failed:`, error);
      }
    }
    if (this.isDisposed) return;
    this.#inTree.clear();
    for (const [key, folder] of found) this.#inTree.set(key, folder);
    const open = vscode.workspace.textDocuments.filter((document) => isTaskFileCandidate(document.uri));
    const uris = new Map([...found.keys()].map((key) => [key, vscode.Uri.parse(key, true)]));
    for (const { uri } of open) uris.set(uri.toString(), uri);
    for (const { uri } of this.all) if (!uris.has(uri.toString())) this.#drop(uri);
    for (const uri of uris.values()) await this.#load(uri);
    this.#searched = true;
    this.#changed.fire([]);
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
      { inSlices, runFor },
      { Diagnosis },
      own,
    ] = await Promise.all([
      import('../../tasks/read.ts'),
      import('../../tasks/discover.ts'),
      import('../../tasks/recognition.ts'),
      import('../../base/slices.ts'),
      import('../../language/findings/diagnosis.ts'),
      this.functions.of(folder),
    ]);
    const opened = openDocument(uri);
    if (!force && opened !== undefined && !mayContainTasks(uri.fsPath, () => opened.getText())) {
      this.#drop(uri);
      return;
    }
    await prepareToRead(uri.fsPath);
    const document = openDocument(uri);
    const before = this.#tracked.get(key);
    // Opening a file that is unchanged on disk must not parse and diagnose it again.
    if (document !== undefined && before?.version === null) {
      const { version } = document;
      const isSame = await inSlices(before.file.isText(partsOf(document)));
      if (isSame && document.version === version) before.opened(version);
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
    const tools = { runFor, inSlices, diagnosis: (of: TaskFile, by: UserFunctions) => new Diagnosis(of, by) };
    const tracked = new TrackedFile(file, own, version, tools, () => this.#publish(uri, tracked, containsTasks(file)));
    this.#tracked.set(key, tracked);
    tracked.start();
    if (now !== undefined && now.version !== version) tracked.change(meanwhile, now.version);
    if (force) this.#publish(uri, tracked, true);
    const latest = await this.functions.of(folder);
    if (latest !== own) tracked.setUserFunctions(latest);
  }

  /** Publishes a file. A `tasks.json` without tasks is followed while it is open, but not published. */
  #publish(uri: vscode.Uri, tracked: TrackedFile, isTracked: boolean): void {
    const key = uri.toString();
    if (this.#tracked.get(key) !== tracked) return;
    if (!isTracked) {
      this.#forget(uri);
      if (tracked.version === null) this.#tracked.delete(key);
      return;
    }
    this.#knownFiles.set(key, new KnownFile(uri, this.#inTree.get(key), tracked));
    this.#notify(uri);
  }

  /** Fires the change event in the next tick, so that listeners do not delay a keystroke. */
  #notify(uri: vscode.Uri): void {
    if (this.#changedUris.size === 0) {
      setImmediate(() => {
        const uris = [...this.#changedUris.values()];
        this.#changedUris.clear();
        if (!this.isDisposed) this.#changed.fire(uris);
      });
    }
    this.#changedUris.set(uri.toString(), uri);
  }

  #forget(uri: vscode.Uri): void {
    if (this.#knownFiles.delete(uri.toString())) this.#notify(uri);
  }

  #drop(uri: vscode.Uri): void {
    this.#tracked.get(uri.toString())?.close();
    this.#tracked.delete(uri.toString());
    this.#forget(uri);
  }

  async #reload(uri: vscode.Uri): Promise<void> {
    // The text of an open document takes precedence.
    if (openDocument(uri) !== undefined) return;
    if (this.#knownFiles.has(uri.toString())) await this.#load(uri);
    else await this.#appeared(uri);
  }

  async #appeared(uri: vscode.Uri): Promise<void> {
    if (isTaskFileCandidate(uri) && (!PYTHON.test(uri.path) || (await canContainTasks(uri))))
      this.#searchSoon.schedule();
  }

  /** Reads the files anew that import a Python file. */
  #rereadDependents({ fsPath }: vscode.Uri): void {
    for (const [key, tracked] of this.#tracked) {
      if (!tracked.file.dependsOn.has(fsPath)) continue;
      tracked.close();
      this.#tracked.delete(key);
      void this.#load(vscode.Uri.parse(key, true));
    }
  }

  #disappeared(uri: vscode.Uri): void {
    // Thousands of Python files may be deleted at once.
    if (!PYTHON.test(uri.path) || this.#knownFiles.has(uri.toString())) this.#searchSoon.schedule();
  }

  async #closed({ uri }: vscode.TextDocument): Promise<void> {
    const key = uri.toString();
    const tracked = this.#tracked.get(key);
    if (tracked !== undefined && tracked.version !== null) {
      tracked.close();
      this.#tracked.delete(key);
    }
    if (this.#inTree.has(key)) await this.#load(uri);
    else this.#forget(uri);
  }

  #typed({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const { uri } = document;
    if (!isTaskFileCandidate(uri)) return;
    const changes = contentChanges.map(({ rangeOffset: start, rangeLength, text }) => ({
      start,
      end: start + rangeLength,
      text,
    }));
    const meanwhile = this.#meanwhile.get(uri.toString());
    const tracked = this.#tracked.get(uri.toString());
    if (meanwhile !== undefined) meanwhile.push(...changes);
    else if (tracked !== undefined && tracked.version !== null) {
      if (changes.length > 0) tracked.change(changes, document.version);
    } else if (PYTHON.test(uri.path) && contentChanges.some((change) => beginsToImport(document, change))) {
      void this.#load(uri);
    }
  }

  async #takeFunctions(folder: string): Promise<void> {
    const own = await this.functions.of(folder);
    for (const tracked of this.#tracked.values())
      if (dirname(tracked.file.file) === folder) tracked.setUserFunctions(own);
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
