import { getLocation, type Node, parseTree } from 'jsonc-parser';
import { defined } from '../../base/defined.ts';
import { type Json, type JsonObject, listOf, objectOf, textOf } from '../../base/json.ts';
import { spanOf } from '../../tasks/formats/json/row.ts';
import { alternatives } from '../json-schema.ts';
import type { SolutionHover } from './typing.ts';

/** JSON Schema of an action, as an environment publishes it. */
export type ActionSchema = JsonObject;

/** A completion in an action that is a JSON object. */
export interface ObjectCompletion {
  readonly kind: 'action' | 'key' | 'value';
  readonly label: string;
  /** Replaces the characters from `start` to `end`; in VS Code's snippet syntax. */
  readonly snippet: string;
  readonly start: number;
  readonly end: number;
  /** Markdown. */
  readonly doc: string;
}

/** What is in every action of OpenEnv, for the trace of the server. */
const HIDDEN = 'metadata';

/** Completions at a column of a line: whole actions at its start, keys and values in an object. */
export function objectCompletions(line: string, character: number, schema: ActionSchema): readonly ObjectCompletion[] {
  if (line.trim() === '') {
    return alternatives(schema, schema).map((one) => ({
      kind: 'action',
      label: textOf(one['title']) ?? 'action',
      snippet: skeleton(one, schema),
      start: 0,
      end: line.length,
      doc: docOf(one),
    }));
  }
  if (!line.trimStart().startsWith('{')) return [];
  const { path, isAtPropertyKey, previousNode } = getLocation(line, character);
  const inside = previousNode !== undefined && character <= previousNode.offset + previousNode.length;
  const { start, end } = inside ? spanOf(previousNode) : { start: character, end: character };
  const parts = partsAt(schema, isAtPropertyKey ? path.slice(0, -1) : path, valueIn(parseTree(line)));
  if (!isAtPropertyKey) {
    const values = new Map(
      parts.flatMap((part) => valuesOf(part).map((value) => [JSON.stringify(value), part] as const)),
    );
    return [...values].map(([value, part]) => ({
      kind: 'value',
      label: value,
      snippet: escapeText(value),
      start,
      end,
      doc: docOf(part),
    }));
  }
  const present = new Set(keysAt(line, path.slice(0, -1)));
  const currentKey = inside ? String(path.at(-1)) : null;
  const hasValue = /^\s*:/.test(line.slice(end));
  const completions = new Map<string, ObjectCompletion>();
  for (const part of parts) {
    for (const [key, property] of propertiesOf(part, schema)) {
      if (completions.has(key) || (present.has(key) && key !== currentKey)) continue;
      const value = hasValue ? '' : `: ${stopFor(property, schema, { stop: 1 })}`;
      const snippet = `${JSON.stringify(key)}${value}`;
      completions.set(key, { kind: 'key', label: key, snippet, start, end, doc: docOf(property) });
    }
  }
  return [...completions.values()];
}

/** The description of the key or value at a column of a line; null if there is none. */
export function objectHover(line: string, character: number, schema: ActionSchema): SolutionHover | null {
  if (!line.trimStart().startsWith('{')) return null;
  const { path, previousNode } = getLocation(line, character);
  if (previousNode === undefined || path.length === 0) return null;
  const { start, end } = spanOf(previousNode);
  if (character < start || character > end) return null;
  const [part] = partsAt(schema, path, valueIn(parseTree(line)));
  return part === undefined ? null : { start, end, text: `\`${path.join('.')}\`: ${docOf(part)}` };
}

/** The schemas that may describe what is at a path of a value. */
function partsAt(schema: ActionSchema, path: readonly (string | number)[], value: Json | undefined): ActionSchema[] {
  let parts = matching(alternatives(schema, schema), value, schema);
  let at = value;
  for (const step of path) {
    at = typeof at === 'object' && at !== null ? (at as JsonObject)[step] : undefined;
    const next = parts.flatMap((part) => {
      const inner = typeof step === 'number' ? part['items'] : objectOf(part['properties'])[step];
      return inner === undefined ? [] : alternatives(objectOf(inner), schema);
    });
    parts = matching(next, at, schema);
  }
  return parts;
}

/** Those whose constants a value has, as far as it is written; all if it has none of them. */
function matching(all: ActionSchema[], value: Json | undefined, root: ActionSchema): ActionSchema[] {
  const members = objectOf(value);
  const some = all.filter((one) =>
    propertiesOf(one, root).every(([key, property]) => {
      const constant = property['const'];
      return constant === undefined || members[key] === undefined || members[key] === constant;
    }),
  );
  return some.length === 0 ? all : some;
}

function propertiesOf(schema: ActionSchema, root: ActionSchema): [string, ActionSchema][] {
  return Object.entries(objectOf(schema['properties'])).flatMap(([key, property]) => {
    const [first] = key === HIDDEN ? [] : alternatives(objectOf(property), root);
    const { description } = objectOf(property);
    return first === undefined ? [] : [[key, { ...first, ...defined({ description }) }] as [string, ActionSchema]];
  });
}

function valuesOf(schema: ActionSchema): readonly Json[] {
  if (schema['const'] !== undefined) return [schema['const']];
  if (Array.isArray(schema['enum'])) return schema['enum'] as readonly Json[];
  if (schema['type'] === 'boolean') return [true, false];
  return schema['default'] === undefined || schema['default'] === null ? [] : [schema['default']];
}

/** An action with its required keys. */
function skeleton(schema: ActionSchema, root: ActionSchema): string {
  const requiredKeys = listOf(schema['required']);
  const keys = propertiesOf(schema, root).filter(([key]) => requiredKeys.includes(key));
  const members = keys.length === 0 ? propertiesOf(schema, root).slice(0, 1) : keys;
  const counter = { stop: 1 };
  const pairs = members.map(([key, property]) => `${JSON.stringify(key)}: ${stopFor(property, root, counter)}`);
  return `{${pairs.join(', ')}}`;
}

function stopFor(schema: ActionSchema, root: ActionSchema, counter: { stop: number }): string {
  if (schema['const'] !== undefined) return escapeText(JSON.stringify(schema['const']));
  const values = valuesOf(schema);
  if (values.length > 1) {
    const choices = values.map((value) => JSON.stringify(value).replaceAll(/[,|\\$}]/g, '\\$&'));
    return `\${${counter.stop++}|${choices.join(',')}|}`;
  }
  if (schema['type'] === 'object') {
    const requiredKeys = listOf(schema['required']);
    const inner = propertiesOf(schema, root)
      .filter(([key]) => requiredKeys.includes(key))
      .map(([key, property]) => `${JSON.stringify(key)}: ${stopFor(property, root, counter)}`);
    return inner.length === 0 ? `{$${counter.stop++}\\}` : `{${inner.join(', ')}\\}`;
  }
  if (schema['type'] === 'array') return `[$${counter.stop++}]`;
  if (schema['type'] === 'string') return `"\${${counter.stop++}:${escapeText(textOf(values[0]) ?? '')}}"`;
  return `\${${counter.stop++}:${escapeText(JSON.stringify(values[0] ?? 0))}}`;
}

/** Markdown: the type, the values, the limits, and the description. */
function docOf(schema: ActionSchema): string {
  const facts: string[] = [];
  if (Array.isArray(schema['enum']))
    facts.push(
      `one of ${valuesOf(schema)
        .map((one) => `\`${JSON.stringify(one)}\``)
        .join(', ')}`,
    );
  else if (schema['const'] !== undefined) facts.push(`\`${JSON.stringify(schema['const'])}\``);
  else if (typeof schema['type'] === 'string') facts.push(schema['type']);
  for (const [word, name] of LIMITS)
    if (schema[word] !== undefined) facts.push(`${name} ${JSON.stringify(schema[word])}`);
  const description = textOf(schema['description']);
  return [facts.join(', '), description ?? ''].filter((part) => part !== '').join('\n\n');
}

const LIMITS = [
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['minLength', 'length at least'],
  ['maxLength', 'length at most'],
  ['default', 'default'],
] as const;

function keysAt(line: string, path: readonly (string | number)[]): string[] {
  let at = valueIn(parseTree(line));
  for (const step of path) at = objectOf(at)[step];
  return Object.keys(objectOf(at));
}

/** The value of a tree that may be incomplete. */
function valueIn(node: Node | undefined): Json | undefined {
  if (node === undefined) return undefined;
  if (node.type === 'array') return (node.children ?? []).flatMap((one) => valueIn(one) ?? []);
  if (node.type !== 'object') return node.value as Json | undefined;
  const entries = (node.children ?? []).flatMap(({ children: [key, value] = [] }) => {
    const inner = valueIn(value);
    return key === undefined || inner === undefined ? [] : [[String(key.value), inner] as const];
  });
  return Object.fromEntries(entries);
}

/** As text in a snippet. */
function escapeText(value: string): string {
  return value.replaceAll(/[\\$}]/g, '\\$&');
}
