import { readdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import * as vscode from 'vscode';
import { readOrdinaryFile } from '../../base/file-kind.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { JsonObject } from '../../base/json.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import { searchBeside } from '../../environments/withheld-search.ts';
import { lookBeside } from '../../functions/user/beside.ts';
import { isPython } from '../../functions/user/files.ts';
import type { CheckedModules } from '../../functions/user/modules/broken.ts';
import type { UserSignature } from '../../functions/user/names.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import { watchFiles } from '../watch-files.ts';
import { openDocument } from './open-document.ts';
import type { EnvironmentTemplates } from './templates.ts';

const FUNCTION_FILE = /\.functions\.(ts|js|mjs|py)$/;
const FUNCTION_FILES = '**/*.functions.{ts,js,mjs}';
/** Functions files, and files that can register custom tasks. */
const PYTHON_FILES = '**/*.py';
/** Matches a file of a custom environment's controller. The group is the folder of its tasks. */
const CONTROLLER_FILE = /^(.*)[/\\][^/\\]+[/\\]src[/\\]hud_controller[/\\].*\.py$/;
const IMPORTS_FILES = /\b(?:from|import|require)\s*\(?\s*['"]\.{1,2}\//;
/** A change of functions diagnoses all tasks next to them, so keystrokes are debounced. */
const DEBOUNCE_MS = 150;

/**
 * The exports of the `*.functions.*` files next to task files, including unsaved text. Nothing is executed: the schemas
 * of the functions come from the last run that loaded them.
 */
export class UserFunctionsOfFolders extends Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #templates: EnvironmentTemplates;
  readonly #read = new Map<string, Promise<UserFunctions>>();
  /** The schemas of each folder's functions, from the last run. */
  readonly #schemas = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #debouncers = new Map<string, Debouncer>();
  /** Queries for files next to tasks, by folder. */
  readonly #lookups = new Map<string, ReturnType<typeof lookBeside>>();
  readonly #withheld = new Map<string, ReturnType<typeof searchBeside>>();
  readonly #changeEmitter = this.register(new vscode.EventEmitter<string>());

  /** The folder whose functions changed. */
  readonly onDidChange = this.#changeEmitter.event;

  constructor(log: vscode.LogOutputChannel, templates: EnvironmentTemplates) {
    super();
    this.#log = log;
    this.#templates = templates;
    this.register(templates.onDidChange((folder) => this.#forget(folder)));
    const module = process.env['OPENENV_TASK_MODULE'] ?? '';
    for (const pattern of [FUNCTION_FILES, PYTHON_FILES, ...(module === '' ? [] : [`**/${module}*`])])
      this.register(watchFiles(pattern, (uri) => this.#handleFileChange(uri)));
    const any = this.register(vscode.workspace.createFileSystemWatcher('**/*', false, true, false));
    for (const event of [any.onDidCreate, any.onDidDelete]) this.register(event((uri) => this.#handlePathChange(uri)));
    this.register(
      vscode.workspace.onDidChangeTextDocument(({ document: { uri } }) => {
        if (FUNCTION_FILE.test(uri.path) || isPython(uri.path)) this.#handleFileChange(uri);
      }),
    );
  }

  /** The functions of a folder by name. */
  of(folder: string): Promise<UserFunctions> {
    return getOrCreate(this.#read, folder, () => this.#readFolder(folder));
  }

  /** Checks the modules of a folder. Nothing is executed. */
  async checkModules(folder: string): Promise<CheckedModules> {
    const { checkModules } = await import('../../functions/user/modules/broken.ts');
    try {
      return await checkModules(folder, (path) => this.#text(path));
    } catch (error) {
      this.#log.warn(`${folder} cannot be checked: ${error instanceof Error ? error.message : String(error)}`);
      return { broken: [], files: new Set() };
    }
  }

  /** Stores the schemas that a run reported, until the files change. */
  setSchemas(folder: string, schemas: Readonly<Record<string, unknown>>): void {
    this.#schemas.set(folder, schemas);
    this.#read.delete(folder);
    this.#changeEmitter.fire(folder);
  }

  #handleFileChange(uri: vscode.Uri): void {
    const around = CONTROLLER_FILE.exec(uri.fsPath)?.[1];
    const isAbove = (folder: string): boolean => `${around}${sep}`.startsWith(`${folder}${sep}`);
    const folders = around === undefined ? [dirname(uri.fsPath)] : [...this.#read.keys()].filter(isAbove);
    for (const folder of folders) {
      // Most Python files are not next to tasks.
      if (isPython(uri.path) && !FUNCTION_FILE.test(uri.path) && !this.#read.has(folder)) continue;
      this.#schemas.delete(folder);
      this.#forget(folder);
    }
  }

  /** Invalidates the folders that depend on a created or deleted file or folder. */
  #handlePathChange({ fsPath }: vscode.Uri): void {
    for (const [folder, { kinds }] of this.#lookups) {
      if ([...kinds.keys()].some((path) => path === fsPath || path.startsWith(`${fsPath}${sep}`))) this.#forget(folder);
    }
    for (const [folder, { searches }] of this.#withheld) {
      if ([...searches.keys()].some((path) => `${fsPath}${sep}`.startsWith(`${path}${sep}`))) this.#forget(folder);
    }
  }

  #forget(folder: string): void {
    this.#read.delete(folder);
    const create = (): Debouncer => this.register(new Debouncer(DEBOUNCE_MS, () => this.#changeEmitter.fire(folder)));
    getOrCreate(this.#debouncers, folder, create).schedule();
  }

  async #readFolder(folder: string): Promise<UserFunctions> {
    const names = new Map<string, UserSignature>();
    const lookup = lookBeside(folder);
    this.#lookups.set(folder, lookup);
    const withheld = searchBeside(folder);
    this.#withheld.set(folder, withheld);
    let files: string[];
    try {
      files = (await readdir(folder)).filter((name) => FUNCTION_FILE.test(name));
    } catch (error) {
      this.#log.warn(`${folder} cannot be listed: ${error instanceof Error ? error.message : String(error)}`);
      return names;
    }
    const [{ findCustomTasks }, { findControllers }] = await Promise.all([
      import('../../functions/user/custom-tasks.ts'),
      import('../../functions/user/controllers.ts'),
    ]);
    const read = (path: string): Promise<string | null> => this.#text(path);
    const around = {
      customTasks: await findCustomTasks(folder, read),
      controllers: await findControllers(folder, read),
      beside: lookup.at,
      leftOutOf: withheld.of,
      elsewhereOf: withheld.elsewhereOf,
      templatesOf: (row: JsonObject) => this.#templates.of(folder, row),
    };
    if (files.length === 0) return Object.assign(names, around);
    const { addSignatures, readSignatures } = await import('../../functions/user/names.ts');
    for (const name of files) {
      const path = join(folder, name);
      try {
        const document = openDocument(vscode.Uri.file(path));
        const text = document?.getText() ?? (await readOrdinaryFile(path)).toString('utf8');
        // A run loads files from disk, and imported files may change unnoticed.
        const schemas = document?.isDirty === true || IMPORTS_FILES.test(text) ? undefined : this.#schemas.get(folder);
        const withSchema = (signature: UserSignature): UserSignature =>
          schemas !== undefined && Object.hasOwn(schemas, signature.name)
            ? { ...signature, schema: schemas[signature.name] }
            : signature;
        addSignatures(names, (await readSignatures(text, path, read)).map(withSchema));
      } catch (error) {
        this.#log.warn(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return Object.assign(names, around);
  }

  /** Includes unsaved text; null if it cannot be read. */
  async #text(path: string): Promise<string | null> {
    try {
      return openDocument(vscode.Uri.file(path))?.getText() ?? (await readOrdinaryFile(path)).toString('utf8');
    } catch (error) {
      this.#log.warn(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    }
  }
}
