import { isList, isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import type { ValueFix } from './change.ts';
import { error, type Problem, warning } from './problem.ts';
import { isTuple } from './tuple.ts';
import { UNKNOWN } from './unknown.ts';
import { changeTo, removal, suggestKey, toTextOrNothing } from './value-fixes.ts';

/** The release that warnings about HUD 0.2 name: the last one with this format. */
export const HUD_0_2 = 'HUD 0.2.10';

/** A parsed call with the paths of its parts inside the task. */
export interface ReadCall {
  readonly function: string;
  readonly args: readonly Json[];
  readonly id: string | null;
  readonly metadata: JsonObject | null;
  readonly path: Path;
  readonly namePath: Path;
  /** One path for each argument. */
  readonly argPaths: readonly Path[];
  /** The text that holds the whole call with its arguments, as in a reward function. */
  readonly text?: string;
}

const CALL_KEYS = ['function', 'args', 'id', 'metadata'];
const IDENTIFIER = /^[a-zA-Z_][a-zA-Z0-9_]*(\.[a-zA-Z_][a-zA-Z0-9_]*)*$/;

/**
 * Expands a `setup` or `evaluate` value into calls as HUD 0.2.10 does: a name, `[name, ...arguments]`,
 * `{function, args}`, or a list of those objects. Readable values that HUD rejects get a warning.
 */
export function expandCalls(value: Json | undefined, path: Path, problems: Problem[]): ReadCall[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return [plainCall(value, [], path)];
  if (isObject(value)) return [objectCall(value, path, problems, false)].filter((call) => call !== null);
  if (isList(value)) return expandList(value, path, problems);
  problems.push(unreadable(path, value));
  return [];
}

function expandList(list: readonly Json[], path: Path, problems: Problem[]): ReadCall[] {
  // HUD reads a list that begins with a name as one call, whatever follows.
  if (typeof list[0] === 'string') return [listCall(list, path, problems)];
  const isOneTuple = isTuple(list);
  if (list.length === 0) {
    if (isOneTuple) problems.push(emptyTuple(path));
    return [];
  }
  // It could be the name of a call or a call.
  if (list[0] === UNKNOWN) return [];
  const plain = !isOneTuple && list.every((item) => isObject(item) && isFunctionConfig(item));
  // Python's `[("goto", url), ("click", "#buy")]`. In JSON this is only unambiguous where HUD cannot read it as one
  // tuple.
  const tuples = !isOneTuple && (list.every(isTuple) || isListOfTuples(list));
  const calls = list.map((item, index) => itemCall(item, [...path, index], problems));
  // Unreadable items have errors of their own.
  if (!plain && !tuples && !calls.includes(null)) {
    const shorthand = list.some(Array.isArray);
    const message = isOneTuple
      ? `${HUD_0_2} rejects a tuple of calls (“Invalid tuple configuration.”). Taskwright reads each as a call. Use a list instead`
      : shorthand
        ? `${HUD_0_2} rejects a list of lists (“Invalid tuple configuration.”). Taskwright reads each as a call. Write each as {"function": ..., "args": [...]}`
        : `${HUD_0_2} rejects this list (“Invalid tuple configuration.”): each call needs "function" and a list as "args". Taskwright reads each as a call`;
    const code = shorthand ? 'list-of-lists' : 'mixed-calls';
    problems.push({ about: path, ...warning(code, headOf(list, path), message, ...asObjects(list, path)) });
  }
  return calls.filter((call) => call !== null);
}

function itemCall(item: Json, path: Path, problems: Problem[]): ReadCall | null {
  if (typeof item === 'string') return plainCall(item, [], path);
  if (Array.isArray(item) && typeof item[0] === 'string') return listCall(item, path, problems);
  if (isObject(item)) return objectCall(item, path, problems, true);
  problems.push(unreadable(path, item));
  return null;
}

/** A call without an id and metadata. Its name and its arguments are where it is, unless other paths are passed. */
export function plainCall(
  name: string,
  args: readonly Json[],
  path: Path,
  paths?: Partial<Pick<ReadCall, 'namePath' | 'argPaths'>>,
): ReadCall {
  const argPaths = args.map(() => path);
  return { function: name, args, id: null, metadata: null, path, namePath: path, argPaths, ...paths };
}

function listCall(list: readonly Json[], path: Path, problems: Problem[]): ReadCall {
  const [name, ...args] = list;
  const argPaths = args.map((_, index) => [...path, index + 1]);
  const nestedPath = argPaths[args.findIndex((arg) => !isTupleElement(arg))];
  if (nestedPath !== undefined) {
    const message = `${HUD_0_2} rejects this nested list in a call written as a list. Write the call as {"function": ..., "args": [...]}`;
    problems.push(warning('nested-argument', nestedPath, message, asObject(list, path)));
  }
  return plainCall(String(name), args, path, { namePath: [...path, 0], argPaths });
}

/** A call as an object, without the id and the metadata if it has none. */
export function callObject({ function: name, args, id, metadata }: ReadCall) {
  return {
    function: name,
    args: [...args],
    ...(id === null ? {} : { id }),
    ...(metadata === null ? {} : { metadata: { ...metadata } }),
  };
}

/** The same call as an object, which allows any arguments. */
export function asObject([name, ...args]: readonly Json[], path: Path): ValueFix {
  return {
    title: 'Write the call as an object',
    changes: [{ set: path, value: { function: name ?? null, args } }],
    safe: true,
  };
}

/** The name of the first call in a list that HUD rejects in that position. */
function headOf(list: readonly Json[], path: Path): Path {
  const index = list.findIndex((item) => !(isObject(item) && isFunctionConfig(item)));
  if (index === -1) return path;
  const item = list[index];
  if (Array.isArray(item)) return [...path, index, 0];
  return isObject(item) && 'function' in item ? [...path, index, 'function'] : [...path, index];
}

/** Values that HUD 0.2.10 accepts as elements of a call written as a tuple. */
function isTupleElement(value: Json): boolean {
  return !isList(value) || value.every((item) => typeof item !== 'object' || item === null) || value.every(isObject);
}

/** Lists that contain a value which HUD does not allow in a list inside a tuple; HUD reads them as tuples. */
function isListOfTuples(list: readonly Json[]): boolean {
  return list.every((item) => isList(item) && item.every(isTupleElement)) && !list.every(isTupleElement);
}

function isFunctionConfig(value: JsonObject): boolean {
  const { id, metadata } = value as { id?: Json; metadata?: Json };
  return (
    typeof value['function'] === 'string' &&
    Array.isArray(value['args']) &&
    !isTuple(value['args']) &&
    (id === undefined || id === null || typeof id === 'string') &&
    (metadata === undefined || metadata === null || isObject(metadata))
  );
}

function objectCall(value: JsonObject, path: Path, problems: Problem[], inList: boolean): ReadCall | null {
  const name = value['function'];
  if (typeof name !== 'string') {
    problems.push(namelessCall(value, path));
    return null;
  }
  const namePath = [...path, 'function'];
  const { args } = value;
  if (args === undefined && !inList) {
    const message = `${HUD_0_2} fails on a call without "args" (KeyError). Add "args": []`;
    const fix: ValueFix = { title: 'Add "args": []', changes: [{ set: [...path, 'args'], value: [] }], safe: true };
    problems.push({ about: path, ...warning('call-without-args', namePath, message, fix) });
  }
  if (!isFunctionConfig(value) && args !== undefined && !IDENTIFIER.test(name)) {
    const message = `${HUD_0_2} rejects this name in a call of this form (“Invalid Python identifier in path: ${name}”)`;
    problems.push(warning('function-name', namePath, message));
  }
  for (const key of Object.keys(value)) {
    if (CALL_KEYS.includes(key)) continue;
    const { hint, fixes } = suggestKey([...path, key], CALL_KEYS, value);
    const message = `Unknown key “${key}” in a call: HUD ignores it. Valid keys: function, args, id, metadata${hint}`;
    problems.push({ part: 'key', ...warning('unknown-key', [...path, key], message, ...fixes) });
  }
  // In HUD, Python's `"args": ("a", "b")` is one argument, because its model accepts only lists for the arguments.
  const list = argumentList(args);
  return {
    function: name,
    args: list ?? (args === undefined ? [] : [args]),
    id: callId(value['id'], path, problems),
    metadata: callMetadata(value['metadata'], path, problems),
    path,
    namePath,
    argPaths: list?.map((_, index) => [...path, 'args', index]) ?? (args === undefined ? [] : [[...path, 'args']]),
  };
}

/** The arguments of a call that are written as a list, which a tuple is not. */
function argumentList(args: Json | undefined): readonly Json[] | null {
  return Array.isArray(args) && !isTuple(args) ? args : null;
}

function namelessCall(value: JsonObject, path: Path): Problem {
  if ('function' in value) {
    return error('call-unreadable', [...path, 'function'], 'The name of a function must be a string');
  }
  const message = 'Not a call: "function" is missing. Write {"function": "name", "args": [...]}';
  if (!('name' in value)) return error('call-unreadable', path, message);
  const namePath = [...path, 'name'];
  const fix: ValueFix = { title: 'Rename to "function"', changes: [{ rename: namePath, key: 'function' }] };
  return { part: 'key', ...error('call-unreadable', namePath, message, fix) };
}

function callId(id: Json | undefined, path: Path, problems: Problem[]): string | null {
  if (id === undefined || id === null) return null;
  if (typeof id === 'string') return id;
  const idPath = [...path, 'id'];
  const message = 'The id of a call must be a string; this value is ignored';
  problems.push(warning('call-id', idPath, message, toTextOrNothing(idPath, id)));
  return null;
}

function callMetadata(metadata: Json | undefined, path: Path, problems: Problem[]): JsonObject | null {
  if (metadata === undefined || metadata === null) return null;
  const metadataPath = [...path, 'metadata'];
  if (!isObject(metadata)) {
    const message = 'The metadata of a call must be an object; this value is ignored';
    problems.push(warning('call-metadata', metadataPath, message, removal(metadataPath)));
    return null;
  }
  const weight = metadata['weight'];
  if (weight !== undefined && !(typeof weight === 'number' && weight > 0)) {
    const weightPath = [...metadataPath, 'weight'];
    const message = `The weight of a call must be a number greater than 0, not ${JSON.stringify(weight)}`;
    const isNumberInText = typeof weight === 'string' && Number(weight) > 0 && Number.isFinite(Number(weight));
    const fix = isNumberInText ? changeTo(weightPath, Number(weight)) : removal(weightPath);
    problems.push(error('bad-weight', weightPath, message, fix));
  }
  return metadata;
}

function emptyTuple(path: Path): Problem {
  const message = `${HUD_0_2} rejects an empty tuple (“Invalid tuple configuration.”). Use [] for no calls`;
  const fix: ValueFix = { title: 'Write []', changes: [{ set: path, value: [] }], safe: true };
  return warning('call-unreadable', path, message, fix);
}

function unreadable(path: Path, value: Json): Problem {
  const json = JSON.stringify(value);
  const message = `${json.length > 40 ? 'This' : json} is not a call. Write "name", ["name", ...arguments] or {"function": "name", "args": [...]}`;
  return error('call-unreadable', path, message);
}

/** The same calls as objects, if all of them can be read. */
function asObjects(list: readonly Json[], path: Path): ValueFix[] {
  const calls: Json[] = [];
  for (const item of list) {
    if (typeof item === 'string') calls.push({ function: item, args: [] });
    else if (Array.isArray(item) && typeof item[0] === 'string') calls.push({ function: item[0], args: item.slice(1) });
    else if (isObject(item) && typeof item['function'] === 'string') {
      const { args } = item;
      calls.push({ ...item, args: argumentList(args) ?? (args === undefined ? [] : [args]) });
    } else return [];
  }
  return [{ title: 'Write each call as an object', changes: [{ set: path, value: calls }], safe: true }];
}
