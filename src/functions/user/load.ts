import { readFileSync, statSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as z from 'zod';
import { functionsFiles, isPython } from './files.ts';
import { placeOfError } from './place.ts';
import { taskModule } from './task-module.ts';
import type { CustomBrowserTask, UserContext } from './taskwright.ts';

/** A person's function, ready to be called. */
export interface UserFunction {
  readonly name: string;
  /** Absolute path of the file that exports it. */
  readonly file: string;
  /** Of one in Python: the line of its first statement, from 1. */
  readonly line?: number;
  readonly phase: 'setup' | 'evaluate' | undefined;
  /** Undefined for a plain exported function, which takes what it is given. */
  readonly args: ArgumentSchema | undefined;
  /** Its arguments for messages, `total: float`, where their names are known. */
  readonly parameters?: readonly string[];
  run(context: UserContext, ...args: readonly unknown[]): unknown;
}

/** The part of a zod schema that is used of the person's copy of zod. */
interface ArgumentSchema {
  safeParse(value: unknown): { success: true; data: readonly unknown[] } | { success: false; error: z.ZodError };
}

/** A class of a person's that is a task, as it was registered. */
export interface CustomTaskClass {
  /** Absolute path of the file that registers it. */
  readonly file: string;
  readonly task: new () => CustomBrowserTask;
}

/** What the functions files of one folder export and register. */
export interface UserFunctionSet {
  readonly functions: ReadonlyMap<string, UserFunction>;
  /** By the names that they are registered under. */
  readonly tasks: ReadonlyMap<string, CustomTaskClass>;
  /** Files that could not be loaded, and names that two files export. */
  readonly failures: readonly { readonly file: string; readonly message: string; readonly stack?: string }[];
}

export const NO_OWN_FUNCTIONS: UserFunctionSet = { functions: new Map(), tasks: new Map(), failures: [] };

let hooked = false;
let generation = 0;
/** File → its modification time and size at the last load; what the person's files import is among them. */
const seen = new Map<string, string>();
const sets = new Map<string, { generation: number; files: string; set: UserFunctionSet }>();

/**
 * Loads what the `*.functions.ts|js|mjs` files of a folder export and register, and the module of custom tasks that
 * `OPENENV_TASK_MODULE` names in it. A changed file, or one that they import, is loaded
 * anew; unchanged ones are not. Never rejects for what a person wrote: see `failures`.
 *
 * @param taskwright path of the module that `import 'taskwright'` means; by default it stands beside the running program
 */
export async function loadUserFunctions(folder: string, taskwright = besideProgram()): Promise<UserFunctionSet> {
  const named = await taskModule(folder);
  const module = named !== null && 'file' in named ? [named.file] : [];
  const files = [...new Set([...(await functionsFiles(folder)).filter((file) => !isPython(file)), ...module])];
  if (files.length === 0) return NO_OWN_FUNCTIONS;
  hook(taskwright);
  if (changed(files)) {
    generation++;
    seen.clear();
  }
  const known = sets.get(folder);
  if (known && known.generation === generation && known.files === files.join('\n')) return known.set;
  const functions = new Map<string, UserFunction>();
  const doubled = new Set<string>();
  const tasks = new Map<string, CustomTaskClass>();
  const failures: { file: string; message: string; stack?: string }[] = [];
  for (const file of files) {
    remember(file);
    registered().clear();
    try {
      const exported = (await import(`${pathToFileURL(file).href}?v=${generation}`)) as Record<string, unknown>;
      for (const [name, value] of Object.entries(exported)) {
        const own = name === 'default' ? undefined : readExport(name, file, value);
        if (!own) continue;
        const other = functions.get(name);
        if (other) {
          doubled.add(name);
          failures.push({
            file,
            message: `\`${name}\` is exported by ${basename(other.file)} and ${basename(file)}. Rename one of them`,
          });
        } else functions.set(name, own);
      }
      for (const [name, task] of registered()) {
        const other = tasks.get(name);
        if (other) {
          const message = `the custom task “${name}” is registered in ${basename(other.file)} and ${basename(file)}. Rename one of them`;
          failures.push({ file, message });
        } else tasks.set(name, { file, task });
      }
    } catch (error) {
      const place = placeOfError(error, file);
      const message = error instanceof Error ? error.message : String(error);
      failures.push({
        file,
        message: `${basename(file)}${place ? `:${place.line}` : ''} could not be loaded: ${message}`,
        ...(error instanceof Error && error.stack ? { stack: error.stack } : {}),
      });
    }
  }
  // Neither of two is meant more than the other.
  for (const name of doubled) functions.delete(name);
  const set = { functions, tasks, failures };
  sets.set(folder, { generation, files: files.join('\n'), set });
  return set;
}

/** What was loaded is loaded anew when it is next needed: what its modules hold does not reach into the next run. */
export function forgetUserFunctions(): void {
  if (sets.size === 0) return;
  generation++;
  seen.clear();
  sets.clear();
}

/**
 * Loads one other file of the person's, such as an agent, the way functions files are loaded: TypeScript, and
 * `import 'taskwright'`. Rejects with what the file itself throws.
 */
export async function loadUserModule(file: string, taskwright = besideProgram()): Promise<Record<string, unknown>> {
  hook(taskwright);
  remember(file);
  return (await import(`${pathToFileURL(file).href}?v=${generation}`)) as Record<string, unknown>;
}

/** Where `registerCustomTask` of the person's copy of `taskwright` puts the classes. */
function registered(): Map<string, CustomTaskClass['task']> {
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

function readExport(name: string, file: string, value: unknown): UserFunction | undefined {
  if (typeof value === 'function') {
    if (/^class\b/.test(Function.prototype.toString.call(value))) return undefined;
    return { name, file, phase: undefined, args: undefined, run: value as UserFunction['run'] };
  }
  if (typeof value !== 'object' || value === null || !(Symbol.for('taskwright.function') in value)) return undefined;
  const read = definition.safeParse(value);
  return read.success ? { name, file, phase: read.data.phase, args: read.data.args, run: read.data.run } : undefined;
}

/** Whether any file that was loaded before, or any of these, is another than it was. */
function changed(files: readonly string[]): boolean {
  return [...new Set([...seen.keys(), ...files])].some((file) => seen.get(file) !== stamp(file));
}

function remember(file: string): void {
  seen.set(file, stamp(file));
}

function stamp(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats ? `${stats.mtimeNs} ${stats.size} ${stats.ino}` : '';
}

function besideProgram(): string {
  return join(__dirname, 'taskwright.mjs');
}

/** Gives `import 'taskwright'` its module, and every file of the person's the generation in its address. */
function hook(taskwright: string): void {
  if (hooked) return;
  if (typeof registerHooks !== 'function') {
    throw new Error(`Own functions need Node 22.15 or newer; this is ${process.version}.`);
  }
  hooked = true;
  const url = pathToFileURL(taskwright).href;
  registerHooks({
    resolve(specifier, context, next) {
      if (!isOwn(specifier) && !isOwn(context.parentURL)) return next(specifier, context);
      if (specifier === 'taskwright') return { url, format: 'module', shortCircuit: true };
      const resolved = next(specifier, context);
      if (!resolved.url.startsWith('file:') || resolved.url.includes('/node_modules/')) return resolved;
      const address = new URL(resolved.url);
      address.searchParams.set('v', String(generation));
      const file = fileURLToPath(address);
      remember(file);
      return { ...resolved, url: address.href, ...formatOf(file, resolved.format) };
    },
    load(address, context, next) {
      if (!isOwn(address) || context.format !== 'module-typescript' || process.features.typescript) {
        return next(address, context);
      }
      const file = fileURLToPath(address);
      return { format: 'module', source: stripTypes(readFileSync(file, 'utf8'), file), shortCircuit: true };
    },
  });
}

/** A file of the person's carries a generation in its address; so does the first import, which has no parent of theirs. */
function isOwn(url: string | undefined): boolean {
  return url !== undefined && /^file:.*[?&]v=\d+$/.test(url);
}

/** Without a package.json Node would have to guess, and warn. */
function formatOf(file: string, given: string | null | undefined): { format?: string } {
  if (/\.m?ts$/.test(file)) return { format: 'module-typescript' };
  if (given || !file.endsWith('.js')) return {};
  return /^\s*(?:import|export)\b/m.test(readFileSync(file, 'utf8')) ? { format: 'module' } : {};
}

/** Strips types in place on Node versions that do not strip them while loading. Keeps lines and columns. */
function stripTypes(source: string, file: string): string {
  if (typeof stripTypeScriptTypes !== 'function') {
    throw new Error(
      `${process.version} of Node.js cannot run TypeScript. Use Node.js 22.18 or newer, or write ${basename(file)} in JavaScript.`,
    );
  }
  return stripTypeScriptTypes(source);
}
