import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isNotFound } from '../../base/file-kind.ts';
import { loadPython } from '../../tasks/formats/python/grammar.ts';
import { pythonSignatures } from './python/signatures.ts';
import type { UserSignature } from './signature.ts';

/** Folders of a controller without modules. */
const LEFT_OUT = new Set(['__pycache__', 'node_modules']);
const MAX_MODULES = 200;
/** Limits of the search for controllers below the task folder. */
const MAX_LEVELS = 3;
const MAX_FOLDERS = 300;

/** The functions that the files of a controller define, by the names in calls: `board.start`. Nothing is executed. */
export interface ControllerFunctions {
  readonly functions: ReadonlyMap<string, UserSignature>;
  /** Whether the name may exist without a readable definition: imported, assigned, created by a decorator. */
  mayHave(name: string): boolean;
}

/** Controllers by the path of the folder that contains `src/hud_controller`, relative to the task files, with `/`. */
export type Controllers = ReadonlyMap<string, ControllerFunctions>;

/**
 * The controllers in folders below task files.
 * @param read returns the text of a file, or null if it cannot be read
 */
export async function findControllers(
  folder: string,
  read: (path: string) => Promise<string | null>,
): Promise<Controllers> {
  const controllers = new Map<string, ControllerFunctions>();
  // Folders next to the tasks come first.
  const folders: string[] = [''];
  for (const inside of folders) {
    // No controller is known in a folder that cannot be listed, so its calls get no findings.
    const entries = await readdir(join(folder, inside), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isDirectory() || entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) continue;
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
      const modules = new Map<string, Module>();
      const whole = await readModules(join(folder, path, 'src', 'hud_controller'), '', modules, read);
      if (modules.size > 0) controllers.set(path, await functionsOf(modules, whole));
      else if (path.split('/').length < MAX_LEVELS && folders.length < MAX_FOLDERS) folders.push(path);
    }
  }
  return controllers;
}

interface Module {
  readonly file: string;
  readonly text: string;
}

/**
 * Reads the modules of a package by their path in calls: `` is the package itself, `board` a module in it. Returns
 * whether the result is complete.
 */
async function readModules(
  folder: string,
  inside: string,
  modules: Map<string, Module>,
  read: (path: string) => Promise<string | null>,
): Promise<boolean> {
  let entries: readonly Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    return isNotFound(error);
  }
  let whole = true;
  for (const entry of entries) {
    if (modules.size >= MAX_MODULES) return false;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) {
      const all = await readModules(path, inside === '' ? entry.name : `${inside}.${entry.name}`, modules, read);
      whole &&= all;
    } else if (entry.isFile() && entry.name.endsWith('.py')) {
      const text = await read(path);
      const name = entry.name.slice(0, -'.py'.length);
      const module = name === '__init__' ? inside : inside === '' ? name : `${inside}.${name}`;
      if (text !== null) modules.set(module, { file: path, text });
      else whole = false;
    }
  }
  return whole;
}

async function functionsOf(modules: ReadonlyMap<string, Module>, whole: boolean): Promise<ControllerFunctions> {
  await loadPython();
  const functions = new Map<string, UserSignature>();
  for (const [module, { file, text }] of modules) {
    for (const { schema: _, ...signature } of pythonSignatures(text, file, NONE)) {
      const name = module === '' ? signature.name : `${module}.${signature.name}`;
      // Python ignores type hints, and its functions are not limited to one phase.
      functions.set(name, { ...signature, name, phase: null, parameters: withoutTypes(signature) });
    }
  }
  return {
    functions,
    mayHave: (name) => {
      const dot = name.lastIndexOf('.');
      const text = modules.get(name.slice(0, Math.max(0, dot)))?.text;
      // It may be in a file that could not be read.
      if (text === undefined) return !whole;
      if (/\bimport\s*\*|\b__getattr__\b|\bglobals\(\)/.test(text)) return true;
      const last = name.slice(dot + 1);
      return /^\w+$/u.test(last) && new RegExp(`(?<!\\w)${last}(?!\\w)`, 'u').test(text);
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

function withoutTypes({ parameters }: UserSignature): UserSignature['parameters'] {
  return parameters?.map((parameter) => ({ ...parameter, type: null })) ?? null;
}
