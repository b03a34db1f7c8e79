import { readFileSync, statSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as z from 'zod';
import { getOrCreate } from '../../base/get-or-create.ts';
import { describeLoadFailure, locationOfError } from './error-location.ts';
import { functionsFiles, isPython } from './files.ts';
import type { CompiledModule } from './modules/compile.ts';
import { compiler } from './modules/compiler.ts';
import { resolveImport } from './modules/resolve.ts';
import { definesClassFields } from './modules/tsconfig.ts';
import { modulePaths, taskModule } from './task-module.ts';
import type { CustomBrowserTask, UserContext } from './taskwright.ts';

/** A loaded user-defined function. */
export interface UserFunction {
  readonly name: string;
  /** Absolute path of the file that exports it. */
  readonly file: string;
  /** For a Python function: the one-based line of its first statement. */
  readonly line?: number;
  readonly phase: 'setup' | 'evaluate' | undefined;
  /** Undefined for a plain exported function, whose arguments are not checked. */
  readonly args: ArgumentSchema | undefined;
  /** Its parameters for messages, such as `total: float`, if their names are known. */
  readonly parameters?: readonly string[];
  run(context: UserContext, ...args: readonly unknown[]): unknown;
}

/** The part of a zod schema that is used. Schemas may come from the user's copy of zod. */
interface ArgumentSchema {
  safeParse(value: unknown): { success: true; data: readonly unknown[] } | { success: false; error: z.ZodError };
}

/** A registered class of a custom task. */
export interface CustomTaskClass {
  /** Absolute path of the file that registers it. */
  readonly file: string;
  readonly task: new () => CustomBrowserTask;
}

/** The functions and tasks that the functions files of a folder export and register. */
export interface UserFunctionSet {
  readonly functions: ReadonlyMap<string, UserFunction>;
  /** By registered name. */
  readonly tasks: ReadonlyMap<string, CustomTaskClass>;
  readonly failures: readonly LoadFailure[];
}

/** A file that could not be loaded, or a name that is exported twice. */
export interface LoadFailure {
  readonly file: string;
  readonly message: string;
  readonly stack?: string;
  /** Whether the file may export a function of this name, which is therefore missing. */
  mayExport?(name: string): boolean;
}

export const NO_USER_FUNCTIONS: UserFunctionSet = { functions: new Map(), tasks: new Map(), failures: [] };

let isHooked = false;
let generation = 0;
/** Loaded file, including imported files → its modification time and size at the last load. */
const stamps = new Map<string, string>();
const compiledModules = new Map<string, CompiledModule>();
const sets = new Map<string, { generation: number; files: string; set: UserFunctionSet }>();

/** The files of a folder that `loadUserFunctions` loads, as absolute paths. */
export async function scriptFiles(folder: string): Promise<string[]> {
  const files = [...(await functionsFiles(folder)), ...modulePaths(await taskModule(folder))];
  return [...new Set(files)].filter((file) => !isPython(file));
}

/**
 * Loads what the `*.functions.ts|js|mjs` files of a folder export and register, and the module of custom tasks that
 * `OPENENV_TASK_MODULE` names in it. Reloads if one of the files, or a file that they import, has changed. Never
 * rejects because of errors in user code, see `failures`.
 *
 * @param taskwright path of the module that `import 'taskwright'` loads; by default next to the running program
 */
export async function loadUserFunctions(folder: string, taskwright = nextToProgram()): Promise<UserFunctionSet> {
  const files = await scriptFiles(folder);
  if (files.length === 0) return NO_USER_FUNCTIONS;
  hook(taskwright);
  // Of a file that could not be loaded, it is not known which files it needs.
  const isBroken = sets.get(folder)?.set.failures.some(({ mayExport }) => mayExport !== undefined) === true;
  if (isBroken || haveChanged(files)) beginGeneration();
  const cached = sets.get(folder);
  if (cached && cached.generation === generation && cached.files === files.join('\n')) return cached.set;
  const functions = new Map<string, UserFunction>();
  const duplicates = new Set<string>();
  const tasks = new Map<string, CustomTaskClass>();
  const failures: LoadFailure[] = [];
  for (const file of files) {
    remember(file);
    registeredTasks().clear();
    try {
      const exports = await whileLoading(file, importFile(file));
      for (const [name, value] of Object.entries({ ...membersOf(exports['default']), ...exports })) {
        const exportedFunction = readExport(name, file, value);
        if (!exportedFunction) continue;
        if (name === 'default') {
          const message = `the default export of ${basename(file)} has no name in tasks: write \`export function NAME\``;
          failures.push({ file, message });
          continue;
        }
        const other = functions.get(name);
        if (other) {
          duplicates.add(name);
          failures.push({
            file,
            message: `\`${name}\` is exported by ${basename(other.file)} and ${basename(file)}. Rename one of them`,
          });
        } else functions.set(name, exportedFunction);
      }
      for (const [name, task] of registeredTasks()) {
        const other = tasks.get(name);
        if (other) {
          const message = `the custom task “${name}” is registered in ${basename(other.file)} and ${basename(file)}. Rename one of them`;
          failures.push({ file, message });
        } else tasks.set(name, { file, task });
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const locate = (one: string) => locationOfError(error, one);
      failures.push({
        file,
        message: describeLoadFailure(file, message, locate, stamps.keys()),
        ...(error instanceof Error && error.stack ? { stack: error.stack } : {}),
        mayExport: exportsIn(file),
      });
    }
  }
  // A name that is exported twice is ambiguous.
  for (const name of duplicates) functions.delete(name);
  const set = { functions, tasks, failures };
  sets.set(folder, { generation, files: files.join('\n'), set });
  return set;
}

/** Makes the next load reload all modules, so that their state does not affect the next run. */
export function forgetUserFunctions(): void {
  if (sets.size === 0) return;
  beginGeneration();
  sets.clear();
}

function beginGeneration(): void {
  generation++;
  // Modules that are loaded with `require` have no generation.
  const { cache } = createRequire(join(__dirname, 'program.js'));
  for (const file of stamps.keys()) delete cache[file];
  stamps.clear();
  compiledModules.clear();
}

/**
 * Loads another file of the user, such as an agent, as functions files are loaded: with support for TypeScript and
 * `import 'taskwright'`. Rejects with what the file throws.
 */
export async function loadUserModule(file: string, taskwright = nextToProgram()): Promise<Record<string, unknown>> {
  hook(taskwright);
  remember(file);
  return importFile(file);
}

async function importFile(file: string): Promise<Record<string, unknown>> {
  return (await import(`${pathToFileURL(file).href}?v=${generation}`)) as Record<string, unknown>;
}

let beingLoaded: string | null = null;

/** The file that is being loaded, which a top-level `await` or Python's `import` can delay for any time. */
export function fileBeingLoaded(): string | null {
  return beingLoaded;
}

/** Waits for the loading of a file. */
export async function whileLoading<T>(file: string, loading: Promise<T>): Promise<T> {
  beingLoaded = file;
  try {
    return await loading;
  } finally {
    beingLoaded = null;
  }
}

/** Whether a name occurs in the text of a file that could not be loaded, or can come from another file. */
export function exportsIn(file: string): (name: string) => boolean {
  const text = readFileSync(file, 'utf8');
  const words = new Set(text.match(/[\p{ID_Continue}$]+/gu));
  return (name) => words.has(name) || /\bexport\s*\*/.test(text);
}

/** The classes that `registerCustomTask`, in the user's copy of `taskwright`, has registered. */
function registeredTasks(): Map<string, CustomTaskClass['task']> {
  const globals = globalThis as { [REGISTRY]?: Map<string, CustomTaskClass['task']> };
  globals[REGISTRY] ??= new Map();
  return globals[REGISTRY];
}

const REGISTRY = Symbol.for('taskwright.custom-tasks');

const definition = z.object({
  run: z.custom<UserFunction['run']>((value) => typeof value === 'function'),
  args: z
    .custom<ArgumentSchema>((value) => typeof value === 'object' && value !== null && 'safeParse' in value)
    .optional(),
  phase: z.enum(['setup', 'evaluate']).optional(),
});

/** The members of an object that a file exports as a whole, as CommonJS modules do. */
function membersOf(value: unknown): object {
  const isPlain = typeof value === 'object' && value !== null && !(MARK in value);
  return isPlain ? value : {};
}

const MARK = Symbol.for('taskwright.function');

function readExport(name: string, file: string, value: unknown): UserFunction | undefined {
  if (typeof value === 'function') {
    if (/^class\b/.test(Function.prototype.toString.call(value))) return undefined;
    return { name, file, phase: undefined, args: undefined, run: value as UserFunction['run'] };
  }
  if (typeof value !== 'object' || value === null || !(MARK in value)) return undefined;
  const read = definition.safeParse(value);
  return read.success ? { name, file, phase: read.data.phase, args: read.data.args, run: read.data.run } : undefined;
}

/** Whether any loaded file, or any of these files, has changed. */
function haveChanged(files: readonly string[]): boolean {
  return [...new Set([...stamps.keys(), ...files])].some((file) => stamps.get(file) !== stamp(file));
}

function remember(file: string): void {
  stamps.set(file, stamp(file));
}

function stamp(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats ? `${stats.mtimeNs} ${stats.size} ${stats.ino}` : '';
}

function nextToProgram(): string {
  return join(__dirname, 'taskwright.mjs');
}

/**
 * Resolves `import 'taskwright'` and imports without endings, compiles TypeScript, and adds the generation to the URL of each
 * user file, so that changed files are reloaded.
 */
function hook(taskwright: string): void {
  if (isHooked) return;
  if (typeof registerHooks !== 'function') {
    throw new Error(`User-defined functions need Node.js 22.15 or newer; this is ${process.version}.`);
  }
  isHooked = true;
  const url = pathToFileURL(taskwright).href;
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      if (!isUserFile(specifier) && !isUserFile(parentURL)) return next(specifier, context);
      if (specifier === 'taskwright') return { url, format: 'module', shortCircuit: true };
      const path = parentURL === undefined ? undefined : resolveImport(specifier, fileURLToPath(parentURL));
      // A set in the first versions of hooks.
      const isRequire = new Set(context.conditions).has('require');
      const resolution = next(path === undefined ? specifier : isRequire ? path : pathToFileURL(path).href, context);
      if (!resolution.url.startsWith('file:') || resolution.url.includes('/node_modules/')) return resolution;
      const address = new URL(resolution.url);
      address.searchParams.set('v', String(generation));
      const file = fileURLToPath(address);
      remember(file);
      if (isCompiled(file)) return { ...resolution, url: address.href, format: compile(file).format };
      // As TypeScript with `resolveJsonModule`.
      const isPlainJson = file.endsWith('.json') && !isRequire && context.importAttributes?.type === undefined;
      return {
        ...resolution,
        url: address.href,
        ...(isPlainJson ? { format: 'module' } : formatOf(file, resolution.format)),
      };
    },
    load(address, context, next) {
      if (!isUserFile(address)) return next(address, context);
      const file = fileURLToPath(address);
      if (isCompiled(file)) {
        const { code, format } = compile(file);
        return { format, source: code, shortCircuit: true };
      }
      if (file.endsWith('.json') && context.format === 'module') {
        const source = `export default ${JSON.stringify(JSON.parse(readFileSync(file, 'utf8')))};`;
        return { format: 'module', source, shortCircuit: true };
      }
      return next(address, context);
    },
  });
}

/** Whether a URL is that of a user file: it has a generation, but for the parents of `require`. */
function isUserFile(url: string | undefined): boolean {
  if (url?.startsWith('file:') !== true) return false;
  return /[?&]v=\d+$/.test(url) || stamps.has(fileURLToPath(url));
}

/** Whether a file is compiled, which Node.js would not run, or not in the same way. */
function isCompiled(file: string): boolean {
  return /\.(?:[cm]?ts|[jt]sx)$/.test(file);
}

function compile(file: string): CompiledModule {
  return getOrCreate(compiledModules, file, () =>
    compiler().compileModule(readFileSync(file, 'utf8'), file, definesClassFields(file)),
  );
}

/** The format of a file. Without a package.json, Node.js would have to guess, with a warning. */
function formatOf(file: string, format: string | null | undefined): { format?: string } {
  if (format || !file.endsWith('.js')) return {};
  return /^\s*(?:import|export)\b/m.test(readFileSync(file, 'utf8')) ? { format: 'module' } : {};
}
