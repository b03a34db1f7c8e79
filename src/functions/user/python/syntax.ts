import type { Node } from 'web-tree-sitter';
import { Lines } from '../../../base/lines.ts';
import type { Range } from '../../../base/range.ts';
import { loadPython, parsePython } from '../../../tasks/formats/python/grammar.ts';

/** The first syntax error of a Python file; null if there is none. Nothing is executed. */
export async function pythonSyntaxError(
  text: string,
): Promise<{ readonly range: Range; readonly message: string } | null> {
  await loadPython();
  const tree = parsePython(text);
  if (tree === null) return null;
  try {
    const error = firstError(tree.rootNode);
    if (error === null) return null;
    const end = error.isMissing ? error.startIndex : Math.min(error.endIndex, endOfLine(text, error.startIndex));
    const what = error.isMissing ? `“${error.type}” is missing here` : 'this is not Python';
    return {
      range: new Lines(text).range(error.startIndex, end),
      message: `The file cannot be loaded: ${what}`,
    };
  } finally {
    tree.delete();
  }
}

function firstError(node: Node): Node | null {
  if (node.isError || node.isMissing) return node;
  if (!node.hasError) return null;
  for (const child of node.children) {
    const error = firstError(child);
    if (error !== null) return error;
  }
  return null;
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}
