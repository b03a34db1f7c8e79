import { isObject, type Json, type JsonObject, listOf } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import { parseExactJson } from '../base/raw-number.ts';
import { plainCall, type ReadCall } from './calls.ts';

/**
 * Reads the tool calls of HUD 0.4 and 0.5: `{name, arguments}`, such a call wrapped in the name of another tool, a list
 * of them, or the JSON of it. Omits what HUD rejects, for which there are separate findings.
 */
export function readToolCalls(value: Json | undefined, path: Path): ReadCall[] {
  if (typeof value === 'string') {
    // A part of a JSON text has no place of its own.
    return readToolCalls(fromJson(value), path).map((call) => ({ ...call, path, namePath: path, argPaths: [path] }));
  }
  return callsIn(value, path).map((call) => ({ ...call, args: call.args.map(unwrap) }));
}

/** Reads the `validation` of HUD 0.5 and 0.6, a list of tool calls whose arguments are as written. */
export function readValidation(value: Json | undefined): ReadCall[] {
  return Array.isArray(value) ? callsIn(value, ['validation']) : [];
}

/** Whether HUD 0.4 takes an object for a call, or for one wrapped in the names of others. */
export function isCallLike(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  if ('name' in value && 'arguments' in value) return true;
  const [only, ...more] = Object.values(value);
  if (more.length > 0 || !isObject(only)) return false;
  if ('name' in only) return true;
  const inner = Object.values(only);
  return inner.length === 1 && isObject(inner[0]);
}

/** Arguments as HUD 0.4 passes them on: a call in them, however wrapped, becomes `{name, arguments}`. */
function unwrap(value: Json): Json {
  if (!isObject(value)) return value;
  const { name, arguments: args } = value;
  if (name !== undefined && args !== undefined) return { name, arguments: unwrap(args) };
  const [entry, ...more] = Object.entries(value);
  if (entry === undefined || more.length > 0 || !isCallLike(entry[1])) return value;
  return { name: entry[0], arguments: unwrap(entry[1]) };
}

function callsIn(value: Json | undefined, path: Path): ReadCall[] {
  if (isObject(value)) return readToolCall(value, path);
  return listOf(value).flatMap((one, index) => (isObject(one) ? readToolCall(one, [...path, index]) : []));
}

/** The JSON in a text, as data sets have it, or the value itself; null for what is not JSON. */
export function fromJson(value: Json | undefined): Json {
  if (typeof value !== 'string') return value ?? null;
  try {
    return parseExactJson(value) as Json;
  } catch {
    return null;
  }
}

function readToolCall(value: JsonObject, path: Path): ReadCall[] {
  const { name, arguments: args } = value;
  if (typeof name === 'string') return [toolCall(name, args, path, [...path, 'name'], [...path, 'arguments'])];
  const [entry, ...more] = Object.entries(value);
  // {"setup": {"name": "board", "arguments": {...}}} calls setup(name="board", arguments={...}).
  if (entry === undefined || more.length > 0 || !isObject(entry[1])) return [];
  return [toolCall(entry[0], entry[1], path, path, [...path, entry[0]])];
}

function toolCall(name: string, args: Json | undefined, path: Path, namePath: Path, argPath: Path): ReadCall {
  const list = args === undefined || args === null ? [] : [args];
  return plainCall(name, list, path, { namePath, argPaths: list.map(() => argPath) });
}
