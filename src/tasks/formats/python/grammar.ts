import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Language, Parser, Tree } from 'web-tree-sitter';
import type { Work } from '../../slices.ts';

/** Limit in milliseconds. No program that a human wrote takes longer to parse. */
const LIMIT_MS = 15_000;
const SLICE_MS = 8;
/** Number of characters parsed in one go, which takes a millisecond or two. */
const QUICK = 20_000;

interface Grammar {
  readonly create: () => Parser;
  /** Parser for short texts. */
  readonly quick: Parser;
}

let grammar: Grammar | undefined;
let loading: Promise<void> | undefined;

/** Loads the Python grammar. Await it before reading a `.py` file. */
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

function ready(): Grammar {
  if (grammar === undefined) throw new Error('prepareToRead was not awaited before a Python file was read');
  return grammar;
}

/** The tree of a short text. The caller deletes it. */
export function parsePython(text: string): Tree | null {
  return ready().quick.parse(text);
}

/** The tree of a whole file, parsed in slices of a few milliseconds; null if that takes far too long. */
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
