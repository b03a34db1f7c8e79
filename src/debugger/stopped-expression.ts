import type { Node } from 'web-tree-sitter';
import { childrenOf, loadTypeScript, readTypeScript, unwrap } from '../functions/user/typescript.ts';
import { COMPLETE } from '../server/session-names.ts';

/** Await this before `completing`. */
export { loadTypeScript as loadStoppedExpressions };

const FUNCTIONS = new Set([
  ...[
    'arrow_function',
    'function_expression',
    'function_declaration',
    'generator_function',
    'class',
    'class_declaration',
  ],
]);

/**
 * A JavaScript expression for the debug console of a stopped function, in which nothing can be awaited: each `await`, and each
 * query of `page`, becomes a call of the function that completes it. Null if it has none, or cannot be parsed.
 */
export function completing(expression: string): string | null {
  return readTypeScript(expression, (program) => {
    if (program.hasError) return null;
    const rewritten = rewrite(program);
    return rewritten === program.text ? null : rewritten;
  });
}

function rewrite(node: Node): string {
  // The code of a function runs later.
  if (FUNCTIONS.has(node.type)) return node.text;
  if (node.type === 'await_expression') return complete(unwrap(childrenOf(node)[0] ?? null) ?? node);
  if (isPageQuery(node)) return complete(node);
  return withParts(node);
}

/** The text of a node, with its parts rewritten. */
function withParts(node: Node): string {
  let text = '';
  let at = node.startIndex;
  for (const child of node.children) {
    if (child === null) continue;
    text += node.text.slice(at - node.startIndex, child.startIndex - node.startIndex) + rewrite(child);
    at = child.endIndex;
  }
  return text + node.text.slice(at - node.startIndex);
}

/** A call of the function that completes a chain of method calls, or another expression. */
function complete(node: Node): string {
  const links: string[] = [];
  let base = node;
  for (let link = linkOf(base); link !== null; link = linkOf(base)) {
    links.unshift(`[${JSON.stringify(link.name)}, [${link.args.map(rewrite).join(', ')}]]`);
    base = link.object;
  }
  // `links` already has the chain.
  const target = base.type === 'await_expression' ? rewrite(base) : withParts(base);
  return `globalThis[Symbol.for(${JSON.stringify(COMPLETE)})](${target}, [${links.join(', ')}])`;
}

interface Link {
  readonly object: Node;
  readonly name: string;
  readonly args: readonly Node[];
}

/** The last link of a chain of method calls: `.count()` of `page.locator('li').count()`. */
function linkOf(node: Node): Link | null {
  if (node.type !== 'call_expression') return null;
  const member = node.childForFieldName('function');
  const args = node.childForFieldName('arguments');
  const object = member?.type === 'member_expression' ? member.childForFieldName('object') : null;
  const property = member?.childForFieldName('property') ?? null;
  if (object === null || property?.type !== 'property_identifier' || args?.type !== 'arguments') return null;
  if (member?.childForFieldName('optional_chain') != null) return null;
  return { object, name: property.text, args: childrenOf(args) };
}

function isPageQuery(node: Node): boolean {
  let base = node;
  for (let link = linkOf(base); link !== null; link = linkOf(base)) base = link.object;
  return base !== node && base.type === 'identifier' && base.text === 'page';
}
