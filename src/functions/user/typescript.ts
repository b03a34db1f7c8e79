import type { Node } from 'web-tree-sitter';
import { Grammar } from '../../tasks/tree-sitter/grammar.ts';

const typescript = new Grammar('tree-sitter-typescript');

/** Loads the TypeScript grammar, which also parses JavaScript. Await this before `readTypeScript`. */
export function loadTypeScript(): Promise<void> {
  return typescript.load();
}

/** Parses a text and reads its syntax tree. The nodes must not be used after `read` returns. */
export function readTypeScript<T>(text: string, read: (program: Node) => T): T {
  const tree = typescript.shared.parse(text);
  if (tree === null) throw new Error('the text could not be parsed');
  try {
    return read(tree.rootNode);
  } finally {
    tree.delete();
  }
}

/** The named children of a node without comments. */
export function childrenOf(node: Node): readonly Node[] {
  return node.namedChildren.filter((child) => child.type !== 'comment');
}

/** An expression without the parentheses, assertions, and `satisfies` around it. */
export function unwrap(expression: Node | null): Node | null {
  let node = expression;
  while (node !== null && WRAPPERS.has(node.type)) node = childrenOf(node)[0] ?? null;
  return node;
}

const WRAPPERS = new Set(['parenthesized_expression', 'as_expression', 'satisfies_expression', 'non_null_expression']);

/** The value of a string literal or of a template without substitutions; otherwise null. */
export function stringValue(node: Node | null): string | null {
  if (node === null || (node.type !== 'string' && node.type !== 'template_string')) return null;
  if (node.hasError || node.namedChildren.some((child) => child.type === 'template_substitution')) return null;
  return node.text.slice(1, -1).replace(/\\(.)/gs, '$1');
}

/** The text of the JSDoc comment of a declaration, up to its first tag. */
export function docOf(declaration: Node): string | null {
  const outer = declaration.parent?.type === 'export_statement' ? declaration.parent : declaration;
  const comment = outer.previousSibling;
  if (comment?.type !== 'comment' || !comment.text.startsWith('/**')) return null;
  const text = comment.text
    .slice(3, -2)
    .replace(/^[ \t]*\* ?/gm, '')
    .replace(/(?:^|\n)\s*@[a-z][\s\S]*$/i, '')
    .trim();
  return text === '' ? null : text;
}
