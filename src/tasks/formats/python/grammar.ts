import type { Tree } from 'web-tree-sitter';
import type { Work } from '../../../base/slices.ts';
import { Grammar } from '../../tree-sitter/grammar.ts';

/** Limit in milliseconds. No program that a human wrote takes longer to parse. */
const LIMIT_MS = 15_000;
const SLICE_MS = 8;
/** Number of characters parsed in one go, which takes a millisecond or two. */
const QUICK = 20_000;

const python = new Grammar('tree-sitter-python');

/** Loads the Python grammar. Await it before reading a `.py` file. */
export function loadPython(): Promise<void> {
  return python.load();
}

/** The tree of a short text. The caller deletes it. */
export function parsePython(text: string): Tree | null {
  return python.shared.parse(text);
}

/** The tree of a whole file, parsed in slices of a few milliseconds; null if that takes far too long. */
export function* parsePythonInSlices(text: string): Work<Tree | null> {
  if (text.length < QUICK) return parsePython(text);
  const parser = python.create();
  try {
    for (let time = 0; time < LIMIT_MS; ) {
      const start = performance.now();
      const late = (): boolean => performance.now() - start > SLICE_MS;
      const tree = parser.parse(text, null, { progressCallback: late });
      if (tree !== null) return tree;
      time += performance.now() - start;
      yield;
    }
    return null;
  } finally {
    parser.delete();
  }
}
