import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Parser } from 'web-tree-sitter';

/** A grammar of tree-sitter, loaded when it is first needed: it is WebAssembly. */
export class Grammar {
  readonly #name: string;
  #loading: Promise<void> | undefined;
  #create: (() => Parser) | undefined;
  #shared: Parser | undefined;

  /** @param name of the package and of its file: `tree-sitter-python` */
  constructor(name: string) {
    this.#name = name;
  }

  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** A new parser, to be deleted by the caller. `load` was awaited before. */
  create(): Parser {
    if (this.#create === undefined) throw new Error(`Await prepareToRead first: ${this.#name} is not loaded`);
    return this.#create();
  }

  /** One parser for all texts that are parsed at once. */
  get shared(): Parser {
    this.#shared ??= this.create();
    return this.#shared;
  }

  async #load(): Promise<void> {
    const { Language, Parser } = await import('./library.ts');
    await Parser.init({ locateFile: () => wasm('web-tree-sitter', 'web-tree-sitter.wasm') });
    const language = await Language.load(wasm(this.#name, `${this.#name}.wasm`));
    this.#create = () => new Parser().setLanguage(language);
  }
}

/** Next to the bundle, or in the package if the sources run directly. */
function wasm(from: string, name: string): string {
  const beside = join(import.meta.dirname, name);
  if (existsSync(beside)) return beside;
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const inPackage = join(folder, 'node_modules', from, name);
    if (existsSync(inPackage)) return inPackage;
    if (dirname(folder) === folder) throw new Error(`${name} is missing beside ${import.meta.dirname}`);
  }
}
