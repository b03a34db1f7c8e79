import { runToEnd } from '../../../base/slices.ts';
import { moduleFiles, moduleStamp, moduleText } from './module-files.ts';
import { FileNames, type PythonModules } from './names.ts';
import { tokensInSlices } from './tokens.ts';

/** A module can import names from other modules, up to this depth. */
const MAX_DEPTH = 3;
/** Modules whose names are kept. */
const MAX_KEPT = 200;

interface Module {
  readonly names: FileNames | undefined;
  /** The versions of the files that it depends on. */
  readonly stamps: ReadonlyMap<string, string | null>;
}

/** Of the modules that were read last. */
const cache = new Map<string, Module>();
/** Modules that are being read: those that import each other do not know each other's names. */
const reading = new Set<string>();

/** The modules next to a Python file, as they are saved. */
export class ModulesBeside implements PythonModules {
  readonly #file: string;
  readonly #depth: number;
  readonly #names = new Map<string, FileNames | undefined>();
  /** All files that were looked for. */
  readonly files = new Set<string>();

  constructor(file: string, depth = 0) {
    this.#file = file;
    this.#depth = depth;
  }

  of(module: string): FileNames | undefined {
    if (this.#names.has(module)) return this.#names.get(module);
    // A module that imports itself has no names in itself.
    this.#names.set(module, undefined);
    const names = this.#read(module);
    this.#names.set(module, names);
    return names;
  }

  #read(module: string): FileNames | undefined {
    if (this.#depth >= MAX_DEPTH) return undefined;
    for (const path of moduleFiles(this.#file, module)) {
      this.files.add(path);
      if (path === this.#file || reading.has(path) || moduleStamp(path) === null) continue;
      const { names, stamps } = readModule(path, this.#depth + 1);
      for (const file of stamps.keys()) this.files.add(file);
      return names;
    }
    return undefined;
  }
}

function readModule(path: string, depth: number): Module {
  const before = cache.get(path);
  if (before !== undefined && [...before.stamps].every(([file, stamp]) => moduleStamp(file) === stamp)) return before;
  const own = moduleStamp(path);
  const text = moduleText(path);
  const modules = new ModulesBeside(path, depth);
  reading.add(path);
  let names: FileNames | undefined;
  try {
    const tokens = text === null ? null : runToEnd(tokensInSlices(text));
    names = tokens === null ? undefined : runToEnd(FileNames.of(tokens, modules));
    for (const module of names?.modules ?? []) modules.of(module);
  } finally {
    reading.delete(path);
  }
  const stamps = new Map([[path, own], ...[...modules.files].map((file) => [file, moduleStamp(file)] as const)]);
  const read = { names, stamps };
  if (cache.size >= MAX_KEPT) cache.delete(cache.keys().next().value as string);
  cache.set(path, read);
  return read;
}
