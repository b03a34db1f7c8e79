import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Language, Parser, Tree } from 'web-tree-sitter';
import type { Work } from '../../slices.ts';

/** A text that takes longer to parse than this is no program that a person wrote. */
const LIMIT_MS = 15_000;
const SLICE_MS = 8;
/** Characters that are parsed at once, in a millisecond or two. */
const QUICK = 20_000;

interface Grammar {
  readonly create: () => Parser;
  /** For what is parsed at once. */
  readonly quick: Parser;
}

let grammar: Grammar | undefined;
let loading: Promise<void> | undefined;

/** Loads the grammar of Python; whoever is about to read a `.py` file awaits it first. */
export function loadPython(): Promise<void> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<void> {
  const library = await import('./library.ts');
  await library.Parser.init({ locateFile: () => wasm('web-tree-sitter', 'web-tree-sitter.wasm') });
  const language: Language = await library.Language.load(wasm('tree-sitter-python', 'tree-sitter-python.wasm'));
  const create = (): Parser => new library.Parser().setLanguage(language);
  grammar = { create, quick: create() };
}

/** Beside the bundle; where the sources run as they are, in the package. */
function wasm(from: string, name: string): string {
  const beside = join(import.meta.dirname, name);
  if (existsSync(beside)) return beside;
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const inPackage = join(folder, 'node_modules', from, name);
    if (existsSync(inPackage)) return inPackage;
    if (dirname(folder) === folder) throw new Error(`${name} is missing beside ${import.meta.dirname}`);
  }
}

function ready(): Grammar {
  if (grammar === undefined) throw new Error('prepareToRead was not awaited before a Python file was read');
  return grammar;
}

/** The tree of a short text; whoever asks for it deletes it. */
export function parsePython(text: string): Tree | null {
  return ready().quick.parse(text);
}

/** The tree of a whole file, worked out in slices of a few milliseconds; null where that takes far too long. */
export function* parsePythonInSlices(text: string): Work<Tree | null> {
  if (text.length < QUICK) return parsePython(text);
  const parser = ready().create();
  try {
    for (let spent = 0; spent < LIMIT_MS; ) {
      const start = performance.now();
      const late = (): boolean => performance.now() - start > SLICE_MS;
      const tree = parser.parse(text, null, { progressCallback: late });
      if (tree !== null) return tree;
      spent += performance.now() - start;
      yield;
    }
    return null;
  } finally {
    parser.delete();
  }
}
