import type { Literal } from '../../../python/literals.ts';
import { pythonRepr, pythonString } from '../../../python/repr.ts';
import { strip } from '../../../python/strip.ts';

/** The part of a value in Chromium's accessibility tree (CDP `Accessibility.AXValue`) that is used here. */
export interface AxValue {
  readonly type?: string;
  readonly value?: unknown;
}

/** One node of Chromium's accessibility tree (CDP `Accessibility.AXNode`), with the element's id added. */
export interface AxNode {
  readonly nodeId: string;
  readonly ignored?: boolean;
  readonly ignoredReasons?: readonly { readonly name: string }[];
  readonly parentId?: string;
  readonly role?: AxValue;
  readonly name?: AxValue;
  readonly value?: AxValue;
  readonly properties?: readonly { readonly name: string; readonly value?: AxValue }[];
  readonly childIds?: readonly string[];
  readonly backendDOMNodeId?: number;
  readonly frameId?: string;
  /** The id by which actions name the element. */
  readonly browsergym_id?: string;
}

const IGNORED_ROLES = new Set(['LineBreak']);
const IGNORED_PROPERTIES = new Set(['editable', 'readonly', 'level', 'settable', 'multiline', 'invalid', 'focusable']);
/** Properties that are printed without a value, and only if they are true. */
const FLAGS = new Set(['required', 'focused', 'atomic']);

/**
 * The text of an accessibility tree in the format of BrowserGym 0.14 (`flatten_axtree_to_str` with its defaults): one node
 * a line, a tab for each level, `[id] role 'name' value='v', property=value`. The first node is the root.
 */
export function printTree(nodes: readonly AxNode[]): string {
  const root = nodes[0];
  if (!root) return '';
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const lines: string[] = [];
  const visitedNodes = new Set<AxNode>();
  const stack = [{ node: root, depth: 0, parentName: '' }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, depth, parentName } = next;
    if (visitedNodes.has(node)) continue;
    visitedNodes.add(node);
    const { line, name } = printNode(node, parentName);
    if (line !== null) lines.push('\t'.repeat(depth) + line);
    for (const id of (node.childIds ?? []).toReversed()) {
      const child = byId.get(id);
      if (child && child !== node)
        stack.push({ node: child, depth: line === null ? depth : depth + 1, parentName: name });
    }
  }
  return lines.join('\n');
}

/** The name of a node and its line, or null if the text leaves it out. */
function printNode(node: AxNode, parentName: string): { line: string | null; name: string } {
  const role = String(node.role?.value ?? '');
  if (IGNORED_ROLES.has(role) || !node.name) return { line: null, name: '' };
  const name = String(node.name.value ?? '');
  const attributes = printProperties(node);
  const isRedundant = role === 'StaticText' && parentName.includes(name);
  if (isRedundant || (role === 'generic' && attributes.length === 0)) return { line: null, name };
  const bid = node.browsergym_id === undefined ? '' : `[${node.browsergym_id}] `;
  const label = role === 'generic' && name === '' ? role : `${role} ${pythonString(strip(name))}`;
  const value = node.value?.value;
  const valueText = value === undefined || value === null ? '' : ` value=${pythonRepr(value as Literal)}`;
  return { line: [bid + label + valueText, ...attributes].join(', '), name };
}

function printProperties(node: AxNode): string[] {
  const attributes: string[] = [];
  for (const { name, value } of node.properties ?? []) {
    if (!value || !('value' in value) || IGNORED_PROPERTIES.has(name)) continue;
    if (!FLAGS.has(name)) attributes.push(`${name}=${pythonRepr(value.value as Literal)}`);
    else if (value.value) attributes.push(name);
  }
  return attributes;
}
