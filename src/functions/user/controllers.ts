import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isNotFound } from '../../tasks/file-kind.ts';
import { loadPython } from '../../tasks/formats/python/grammar.ts';
import { pythonSignatures } from './python/signatures.ts';
import type { UserSignature } from './signature.ts';

/** Folders of a controller that hold no modules of it. */
const LEFT_OUT = new Set(['__pycache__', 'node_modules']);
const MOST_MODULES = 200;
/** Controllers are looked for so deep below the tasks, in so many folders. */
const MOST_LEVELS = 3;
const MOST_FOLDERS = 300;

/** What the files of one controller define, by the names that calls have: `board.start`. Nothing is executed. */
export interface ControllerFunctions {
  readonly functions: ReadonlyMap<string, UserSignature>;
  /** Whether the name may be there without a definition that can be read: imported, assigned, made by a decorator. */
  mayHave(name: string): boolean;
}

/** Controllers by the path of their folder, relative to the task files and with `/`; it has `src/hud_controller` in it. */
export type Controllers = ReadonlyMap<string, ControllerFunctions>;

/**
 * The controllers in folders below task files.
 * @param read the text of a file; null where it cannot be read
 */
export async function findControllers(
  folder: string,
  read: (path: string) => Promise<string | null>,
): Promise<Controllers> {
  const found = new Map<string, ControllerFunctions>();
  // Those next to the tasks first.
  const folders: string[] = [''];
  for (const inside of folders) {
    // In a folder that cannot be listed no controller is known, so nothing is said of its calls.
    const entries = await readdir(join(folder, inside), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isDirectory() || entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) continue;
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
      const modules = new Map<string, Module>();
      const whole = await readModules(join(folder, path, 'src', 'hud_controller'), '', modules, read);
      if (modules.size > 0) found.set(path, await functionsOf(modules, whole));
      else if (path.split('/').length < MOST_LEVELS && folders.length < MOST_FOLDERS) folders.push(path);
    }
  }
  return found;
}

interface Module {
  readonly file: string;
  readonly text: string;
}

/** The modules of a package by their path as calls have it: `` is the package itself, `board` a module in it. Says whether these are all. */
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
    if (modules.size >= MOST_MODULES) return false;
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
      // Python itself does not look at hints, nor is a function for one phase only.
      functions.set(name, { ...signature, name, phase: null, parameters: untyped(signature) });
    }
  }
  return {
    functions,
    mayHave: (name) => {
      const dot = name.lastIndexOf('.');
      const text = modules.get(name.slice(0, Math.max(0, dot)))?.text;
      // It may be in what could not be read.
      if (text === undefined) return !whole;
      if (/\bimport\s*\*|\b__getattr__\b|\bglobals\(\)/.test(text)) return true;
      const last = name.slice(dot + 1);
      return /^\w+$/u.test(last) && new RegExp(`(?<!\\w)${last}(?!\\w)`, 'u').test(text);
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

function untyped({ parameters }: UserSignature): UserSignature['parameters'] {
  return parameters?.map((parameter) => ({ ...parameter, type: null })) ?? null;
}
