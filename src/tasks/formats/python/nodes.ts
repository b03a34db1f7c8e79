import type { Json } from '../../../base/json.ts';
import type { Path } from '../../../base/path.ts';
import type { Span } from '../../../base/range.ts';
import { asTuple } from '../../tuple.ts';
import { UNKNOWN, withUnknownMembers } from '../../unknown.ts';

// Offsets are relative to the beginning of the row.

/** A text, number, True, False, None, or a name that stands for a literal. */
export interface PythonValue extends Span {
  readonly kind: 'value';
  readonly value: Json;
  /** The node is a single string literal with its prefix and quotes. */
  readonly quoted: boolean;
  /** How it is written, if it is a number that is known to be written as one. */
  readonly text?: string;
}

export interface PythonList extends Span {
  readonly kind: 'list';
  readonly tuple: boolean;
  readonly items: readonly PythonItem[];
  /** After the opening bracket. */
  readonly from: number;
  /** Offset of the closing bracket, or of the end if it is missing. */
  readonly to: number;
}

export interface PythonItem {
  readonly node: PythonNode;
  /** Offset of the comma after it. */
  readonly comma: number | null;
}

/** A dictionary, or the keyword arguments of a call. */
export interface PythonObject extends Span {
  readonly kind: 'object';
  readonly inCall: boolean;
  readonly members: readonly PythonMember[];
  /** It can have more members than are written. */
  readonly open: boolean;
  /** Its only member has no value: a set in Python, or a dictionary whose first key is being typed. */
  readonly isSet?: true;
  readonly from: number;
  readonly to: number;
}

export interface PythonMember {
  readonly name: string;
  readonly key: Span;
  /** Null if there is no value yet. */
  readonly node: PythonNode | null;
  /** The separator follows the key. */
  readonly separated: boolean;
  readonly comma: number | null;
  /** The member is in the object itself, not in a `**{...}`, so it can be removed or renamed. */
  readonly own: boolean;
}

/** A value that is only known when the program runs. */
export interface PythonUnknown extends Span {
  readonly kind: 'unknown';
  /** Describes the value in a message: `the variable URL`. */
  readonly what: string;
}

export type PythonNode = PythonValue | PythonList | PythonObject | PythonUnknown;

export function valueNode({ start, end }: Span, value: Json): PythonValue {
  return { kind: 'value', start, end, value, quoted: false };
}

export function unknownNode({ start, end }: Span, what: string): PythonUnknown {
  return { kind: 'unknown', start, end, what };
}

/** The effective member: Python dictionaries keep the last one of a name. */
export function memberOf(node: PythonObject, name: string): PythonMember | undefined {
  return node.members.findLast((member) => member.name === name && member.node !== null);
}

/** The node at a path below a node, and the key of its member. */
export function nodeAt(
  root: PythonNode,
  path: Path,
): { readonly node: PythonNode; readonly key: Span | null } | undefined {
  let node = root;
  let key: Span | null = null;
  for (const step of path) {
    if (node.kind === 'list' && typeof step === 'number') {
      const item = node.items[step];
      if (item === undefined) return undefined;
      node = item.node;
      key = null;
    } else if (node.kind === 'object') {
      const member = memberOf(node, String(step));
      if (member === undefined || member.node === null) return undefined;
      node = member.node;
      key = member.key;
    } else return undefined;
  }
  return { node, key };
}

/** The value of a node, with `UNKNOWN` for unknown parts. */
export function jsonOf(node: PythonNode): Json {
  if (node.kind === 'value') return node.value;
  if (node.kind === 'unknown' || isSet(node)) return UNKNOWN;
  if (node.kind === 'list') {
    const items = node.items.map((item) => jsonOf(item.node));
    return node.tuple ? asTuple(items) : items;
  }
  const value = Object.fromEntries(
    node.members.flatMap(({ name, node: value }) => (value === null ? [] : [[name, jsonOf(value)] as const])),
  );
  return node.open ? withUnknownMembers(value) : value;
}

function isSet(node: PythonNode): boolean {
  return node.kind === 'object' && node.isSet === true;
}

/** A part of a task and its path. */
export interface PythonPart {
  readonly path: Path;
  readonly node: PythonUnknown;
}

/** All unknown parts. */
export function unknownParts(node: PythonNode, path: Path = []): PythonPart[] {
  if (node.kind === 'unknown') return [{ path, node }];
  if (node.kind === 'list') return node.items.flatMap((item, index) => unknownParts(item.node, [...path, index]));
  if (node.kind !== 'object') return [];
  if (isSet(node)) return [{ path, node: unknownNode(node, 'a set') }];
  const parts = node.members.flatMap((member) =>
    member.node === null ? [] : unknownParts(member.node, [...path, member.name]),
  );
  return node.open ? [...parts, { path, node: unknownNode(node, 'a dictionary with more members (**)') }] : parts;
}
