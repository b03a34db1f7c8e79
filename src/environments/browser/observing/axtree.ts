import type { Literal } from '../../../python/literals.ts';
import { pythonRepr, pythonString } from '../../../python/repr.ts';

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

/** Properties of an element that are not in the tree. Boxes are `[x, y, width, height]`. */
export interface ElementProperties {
  readonly visibility: number;
  readonly bbox: readonly [number, number, number, number] | null;
  readonly clickable: boolean;
  readonly set_of_marks: boolean;
}

/** BrowserGym's options of the same names; the defaults are BrowserGym's too. */
export interface TreeTextOptions {
  readonly with_visible?: boolean;
  readonly with_clickable?: boolean;
  readonly with_center_coords?: boolean;
  readonly with_bounding_box_coords?: boolean;
  readonly with_som?: boolean;
  readonly skip_generic?: boolean;
  readonly filter_visible_only?: boolean;
  readonly filter_with_bid_only?: boolean;
  readonly filter_som_only?: boolean;
  readonly coord_decimals?: number;
  readonly remove_redundant_static_text?: boolean;
  readonly hide_bid_if_invisible?: boolean;
  readonly hide_all_children?: boolean;
  readonly hide_all_bids?: boolean;
}

const IGNORED_ROLES = new Set(['LineBreak']);
const IGNORED_PROPERTIES = new Set(['editable', 'readonly', 'level', 'settable', 'multiline', 'invalid', 'focusable']);
/** Properties that are printed without a value, and only if they are true. */
const FLAGS = new Set(['required', 'focused', 'atomic']);

/**
 * The text of an accessibility tree in the format of BrowserGym 0.14 (`flatten_axtree_to_str`): one node a line,
 * a tab for each level, `[id] role 'name' value='v', property=value`. The first node is the root.
 */
export function printTree(
  nodes: readonly AxNode[],
  options: TreeTextOptions = {},
  properties: Readonly<Record<string, ElementProperties>> = {},
): string {
  const root = nodes[0];
  if (!root) return '';
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const lines: string[] = [];
  const visitedNodes = new Set<AxNode>();
  const stack = [{ node: root, depth: 0, parentFiltered: false, parentName: '' }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, depth } = next;
    if (visitedNodes.has(node)) continue;
    visitedNodes.add(node);
    const entry = printNode(node, next.parentFiltered, next.parentName, options, properties);
    if (entry.line !== null) lines.push('\t'.repeat(depth) + entry.line);
    const children = node.childIds ?? [];
    for (let i = children.length - 1; i >= 0; i--) {
      const child = byId.get(children[i] as string);
      if (!child || child === node) continue;
      stack.push({
        node: child,
        depth: entry.line === null ? depth : depth + 1,
        parentFiltered: entry.filtered,
        parentName: entry.name,
      });
    }
  }
  return lines.join('\n');
}

/** The line of a node, or null if it is left out. `filtered`: an option left it out. */
function printNode(
  node: AxNode,
  parentFiltered: boolean,
  parentName: string,
  options: TreeTextOptions,
  properties: Readonly<Record<string, ElementProperties>>,
): { line: string | null; name: string; filtered: boolean } {
  const role = String(node.role?.value ?? '');
  if (IGNORED_ROLES.has(role) || !node.name) return { line: null, name: '', filtered: false };
  const name = String(node.name.value ?? '');
  const bid = node.browsergym_id;
  let attributes = printProperties(node);
  let skip =
    ((options.skip_generic ?? true) && role === 'generic' && attributes.length === 0) ||
    ((options.hide_all_children ?? false) && parentFiltered);
  let filtered = false;
  if (role === 'StaticText') {
    skip ||= parentFiltered || ((options.remove_redundant_static_text ?? true) && parentName.includes(name));
  } else {
    const extra = printExtra(bid, options, properties);
    filtered = extra.filtered;
    skip ||= filtered;
    attributes = [...extra.attributes, ...attributes];
  }
  if (skip) return { line: null, name, filtered };
  let line = role === 'generic' && name === '' ? role : `${role} ${pythonString(strip(name))}`;
  const hidden =
    options.hide_all_bids === true ||
    bid === undefined ||
    (options.hide_bid_if_invisible === true && (properties[bid]?.visibility ?? 0) < 0.5);
  if (!hidden) line = `[${bid}] ${line}`;
  const value = node.value?.value;
  if (value !== undefined && value !== null) line += ` value=${pythonRepr(value as Literal)}`;
  return { line: [line, ...attributes].join(', '), name, filtered };
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

/** What the options print for an element, and whether they leave it out. */
function printExtra(
  bid: string | undefined,
  options: TreeTextOptions,
  properties: Readonly<Record<string, ElementProperties>>,
): { filtered: boolean; attributes: string[] } {
  if (bid === undefined) {
    return { filtered: options.filter_with_bid_only === true || options.filter_som_only === true, attributes: [] };
  }
  const known = Object.hasOwn(properties, bid) ? properties[bid] : undefined;
  if (!known) return { filtered: false, attributes: [] };
  const visible = known.visibility >= 0.5;
  const decimals = options.coord_decimals ?? 0;
  const attributes: string[] = [];
  if (known.bbox) {
    const [x, y, width, height] = known.bbox;
    if (options.with_bounding_box_coords)
      attributes.push(`box="${coordinates([x, y, x + width, y + height], decimals)}"`);
    if (options.with_center_coords)
      attributes.push(`center="${coordinates([x + width / 2, y + height / 2], decimals)}"`);
  }
  if (options.with_clickable && known.clickable) attributes.push('clickable');
  if (options.with_visible && visible) attributes.push('visible');
  if (options.with_som && known.set_of_marks) attributes.push('som');
  const filtered =
    (options.filter_visible_only === true && !visible) || (options.filter_som_only === true && !known.set_of_marks);
  return { filtered, attributes };
}

function coordinates(numbers: readonly number[], decimals: number): string {
  return `(${numbers.map((number) => fixed(number, decimals)).join(',')})`;
}

/** Rounds as Python's `:.1f` does: by the exact value of the double, a tie to the even digit. */
function fixed(number: number, decimals: number): string {
  const scaled = number * 10 ** decimals;
  const floor = Math.floor(scaled);
  // Doubles with a tie at this digit are exact in binary, so the comparison is too.
  if (scaled - floor === 0.5 && scaled / 10 ** decimals === number) {
    return ((floor % 2 === 0 ? floor : floor + 1) / 10 ** decimals).toFixed(decimals);
  }
  return number.toFixed(decimals);
}

/** Python's `str.strip()`, which removes other characters than JavaScript's `trim()`. */
function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isPythonSpace(text.charCodeAt(start))) start++;
  while (end > start && isPythonSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isPythonSpace(code: number): boolean {
  if ((code >= 0x1c && code <= 0x1f) || code === 0x85) return true;
  return code !== 0xfeff && /\s/.test(String.fromCharCode(code));
}
