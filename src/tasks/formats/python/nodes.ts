import type { Path } from '../../path.ts';
import type { Json } from '../../task.ts';
import { asTuple } from '../../tuple.ts';
import { UNKNOWN, withUnknownMembers } from '../../unknown.ts';

/** Offsets count from the beginning of the row. */
export interface PythonSpan {
  readonly start: number;
  readonly end: number;
}

/** A text, a number, True, False, None, or a name that stands for a literal. */
export interface PythonValue extends PythonSpan {
  readonly kind: 'value';
  readonly value: Json;
  /** The string's quotes and prefix stand here; not so where several are joined, or for other values. */
  readonly quoted: boolean;
}

export interface PythonList extends PythonSpan {
  readonly kind: 'list';
  readonly tuple: boolean;
  readonly items: readonly PythonItem[];
  /** After the opening bracket. */
  readonly from: number;
  /** Of the closing bracket; where it is missing, of the end. */
  readonly to: number;
}

export interface PythonItem {
  readonly node: PythonNode;
  /** Of the comma behind it. */
  readonly comma: number | null;
}

/** A dictionary, or the keyword arguments of a call. */
export interface PythonObject extends PythonSpan {
  readonly kind: 'object';
  readonly inCall: boolean;
  readonly members: readonly PythonMember[];
  /** It may have more members than are written. */
  readonly open: boolean;
  /** Its one member has no value: a set to Python, or a dictionary whose first key is being typed. */
  readonly isSet?: true;
  readonly from: number;
  readonly to: number;
}

export interface PythonMember {
  readonly name: string;
  readonly key: PythonSpan;
  /** Null where none is written yet. */
  readonly node: PythonNode | null;
  /** The separator stands behind the key. */
  readonly separated: boolean;
  readonly comma: number | null;
  /** It stands in the object itself, not in a `**{...}` of it, and can be taken out or called otherwise. */
  readonly own: boolean;
}

/** What only running the program would tell. */
export interface PythonUnknown extends PythonSpan {
  readonly kind: 'unknown';
  /** What it is, for a message: `the variable URL`. */
  readonly what: string;
}

export type PythonNode = PythonValue | PythonList | PythonObject | PythonUnknown;

/** The member that counts: Python's dictionaries keep the last of a name. */
export function memberOf(node: PythonObject, name: string): PythonMember | undefined {
  return node.members.findLast((member) => member.name === name && member.node !== null);
}

/** The node at a path below a node, and the key of its member. */
export function nodeAt(
  root: PythonNode,
  path: Path,
): { readonly node: PythonNode; readonly key: PythonSpan | null } | undefined {
  let node = root;
  let key: PythonSpan | null = null;
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

/** The value of a node, with `UNKNOWN` for what is not known. */
export function jsonOf(node: PythonNode): Json {
  if (node.kind === 'value') return node.value;
  if (node.kind === 'unknown' || isSet(node)) return UNKNOWN;
  if (node.kind === 'list') {
    const items = node.items.map((item) => jsonOf(item.node));
    return node.tuple ? asTuple(items) : items;
  }
  const value = Object.fromEntries(
    node.members.flatMap(({ name, node: given }) => (given === null ? [] : [[name, jsonOf(given)] as const])),
  );
  return node.open ? withUnknownMembers(value) : value;
}

function isSet(node: PythonNode): boolean {
  return node.kind === 'object' && node.isSet === true;
}

/** A part of a task and the path to it. */
export interface PythonPart {
  readonly path: Path;
  readonly node: PythonUnknown;
}

/** Every part that is not known. */
export function unknownParts(node: PythonNode, path: Path = []): PythonPart[] {
  if (node.kind === 'unknown') return [{ path, node }];
  if (node.kind === 'list') return node.items.flatMap((item, index) => unknownParts(item.node, [...path, index]));
  if (node.kind !== 'object') return [];
  if (isSet(node)) return [{ path, node: { kind: 'unknown', start: node.start, end: node.end, what: 'a set' } }];
  const parts = node.members.flatMap((member) =>
    member.node === null ? [] : unknownParts(member.node, [...path, member.name]),
  );
  return node.open
    ? [...parts, { path, node: { ...node, kind: 'unknown', what: 'open to more than is written (**)' } }]
    : parts;
}
