import { isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import type { ValueFix } from './change.ts';
import type { Problem } from './problem.ts';
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
  readonly written?: string;
}

const CALL_KEYS = ['function', 'args', 'id', 'metadata'];
const IDENTIFIER = /^[a-zA-Z_][a-zA-Z0-9_]*(\.[a-zA-Z_][a-zA-Z0-9_]*)*$/;

/**
 * Expands a `setup` or `evaluate` value into calls as HUD 0.2.10 does: a name, `[name, ...arguments]`,
 * `{function, args}`, or a list of those objects. Readable values that HUD rejects get a warning.
 */
export function expandCalls(value: Json | undefined, path: Path, problems: Problem[]): ReadCall[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return [named(value, path)];
  if (isObject(value)) return one(objectCall(value, path, problems, false));
  if (!Array.isArray(value)) {
    problems.push(unreadable(path, value));
    return [];
  }
  const list: readonly Json[] = value;
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
    problems.push({
      path: headOf(list, path),
      severity: 'warning',
      code: shorthand ? 'list-of-lists' : 'mixed-calls',
      message: isOneTuple
        ? `${HUD_0_2} rejects a tuple of calls (“Invalid tuple configuration.”). Taskwright reads each as a call. Use a list instead`
        : shorthand
          ? `${HUD_0_2} rejects a list of lists (“Invalid tuple configuration.”). Taskwright reads each as a call. Write each as {"function": ..., "args": [...]}`
          : `${HUD_0_2} rejects this list (“Invalid tuple configuration.”): each call needs "function" and a list as "args". Taskwright reads each as a call`,
      ...writtenOut(list, path),
    });
  }
  return calls.filter((call) => call !== null);
}

function itemCall(item: Json, path: Path, problems: Problem[]): ReadCall | null {
  if (typeof item === 'string') return named(item, path);
  if (Array.isArray(item) && typeof item[0] === 'string') return listCall(item, path, problems);
  if (isObject(item)) return objectCall(item, path, problems, true);
  problems.push(unreadable(path, item));
  return null;
}

function one(call: ReadCall | null): ReadCall[] {
  return call === null ? [] : [call];
}

function named(name: string, path: Path): ReadCall {
  return { function: name, args: [], id: null, metadata: null, path, namePath: path, argPaths: [] };
}

function listCall(list: readonly Json[], path: Path, problems: Problem[]): ReadCall {
  const [name, ...args] = list;
  const argPaths = args.map((_, index) => [...path, index + 1]);
  const refused = args.findIndex((arg) => !isTupleElement(arg));
  if (refused !== -1) {
    problems.push({
      path: argPaths[refused] ?? path,
      severity: 'warning',
      code: 'nested-argument',
      message: `${HUD_0_2} rejects this nested list in a call written as a list. Write the call as {"function": ..., "args": [...]}`,
      fixes: [asObject(list, path)],
    });
  }
  return { function: String(name), args, id: null, metadata: null, path, namePath: [...path, 0], argPaths };
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
  if (!Array.isArray(value)) return true;
  const list: readonly Json[] = value;
  return list.every((item) => typeof item !== 'object' || item === null) || list.every(isObject);
}

/** Lists that contain a value which HUD does not allow in a list inside a tuple; HUD reads them as tuples. */
function isListOfTuples(list: readonly Json[]): boolean {
  return (
    list.every((item) => Array.isArray(item) && (item as readonly Json[]).every(isTupleElement)) &&
    !list.every(isTupleElement)
  );
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
    problems.push(
      'function' in value
        ? {
            path: [...path, 'function'],
            severity: 'error',
            code: 'call-unreadable',
            message: 'The name of a function must be a string',
          }
        : {
            path: 'name' in value ? [...path, 'name'] : path,
            ...('name' in value
              ? {
                  part: 'key' as const,
                  fixes: [{ title: 'Rename to "function"', changes: [{ rename: [...path, 'name'], key: 'function' }] }],
                }
              : {}),
            severity: 'error',
            code: 'call-unreadable',
            message: 'Not a call: "function" is missing. Write {"function": "name", "args": [...]}',
          },
    );
    return null;
  }
  const plain = isFunctionConfig(value);
  const args = value['args'];
  if (args === undefined && !inList) {
    problems.push({
      path: [...path, 'function'],
      about: path,
      severity: 'warning',
      code: 'call-without-args',
      message: `${HUD_0_2} fails on a call without "args" (KeyError). Add "args": []`,
      fixes: [{ title: 'Add "args": []', changes: [{ set: [...path, 'args'], value: [] }], safe: true }],
    });
  }
  if (!plain && args !== undefined && !IDENTIFIER.test(name)) {
    problems.push({
      path: [...path, 'function'],
      severity: 'warning',
      code: 'function-name',
      message: `${HUD_0_2} rejects this name in a call of this form (“Invalid Python identifier in path: ${name}”)`,
    });
  }
  for (const key of Object.keys(value)) {
    if (CALL_KEYS.includes(key)) continue;
    const { hint, fixes } = suggestKey([...path, key], CALL_KEYS, value);
    problems.push({
      path: [...path, key],
      part: 'key',
      severity: 'warning',
      code: 'unknown-key',
      message: `Unknown key “${key}” in a call: HUD ignores it. Valid keys: function, args, id, metadata${hint}`,
      fixes,
    });
  }
  // In HUD, Python's `"args": ("a", "b")` is one argument, because its model accepts only lists for the arguments.
  const list: readonly Json[] | null = Array.isArray(args) && !isTuple(args) ? args : null;
  return {
    function: name,
    args: list ?? (args === undefined ? [] : [args]),
    id: callId(value['id'], path, problems),
    metadata: callMetadata(value['metadata'], path, problems),
    path,
    namePath: [...path, 'function'],
    argPaths:
      list === null
        ? args === undefined
          ? []
          : [[...path, 'args']]
        : list.map((_, index) => [...path, 'args', index]),
  };
}

function callId(id: Json | undefined, path: Path, problems: Problem[]): string | null {
  if (id === undefined || id === null) return null;
  if (typeof id === 'string') return id;
  problems.push({
    path: [...path, 'id'],
    severity: 'warning',
    code: 'call-id',
    message: 'The id of a call must be a string; this value is ignored',
    fixes: [toTextOrNothing([...path, 'id'], id)],
  });
  return null;
}

function callMetadata(metadata: Json | undefined, path: Path, problems: Problem[]): JsonObject | null {
  if (metadata === undefined || metadata === null) return null;
  if (!isObject(metadata)) {
    problems.push({
      path: [...path, 'metadata'],
      severity: 'warning',
      code: 'call-metadata',
      message: 'The metadata of a call must be an object; this value is ignored',
      fixes: [removal([...path, 'metadata'])],
    });
    return null;
  }
  const weight = metadata['weight'];
  if (weight !== undefined && !(typeof weight === 'number' && weight > 0)) {
    problems.push({
      path: [...path, 'metadata', 'weight'],
      severity: 'error',
      code: 'bad-weight',
      message: `The weight of a call must be a number greater than 0, not ${JSON.stringify(weight)}`,
      fixes: [
        typeof weight === 'string' && Number(weight) > 0 && Number.isFinite(Number(weight))
          ? changeTo([...path, 'metadata', 'weight'], Number(weight))
          : removal([...path, 'metadata', 'weight']),
      ],
    });
  }
  return metadata;
}

function emptyTuple(path: Path): Problem {
  return {
    path,
    severity: 'warning',
    code: 'call-unreadable',
    message: `${HUD_0_2} rejects an empty tuple (“Invalid tuple configuration.”). Use [] for no calls`,
    fixes: [{ title: 'Write []', changes: [{ set: path, value: [] }], safe: true }],
  };
}

function unreadable(path: Path, value: Json): Problem {
  const found = JSON.stringify(value);
  return {
    path,
    severity: 'error',
    code: 'call-unreadable',
    message: `${found.length > 40 ? 'This' : found} is not a call. Write "name", ["name", ...arguments] or {"function": "name", "args": [...]}`,
  };
}

function writtenOut(list: readonly Json[], path: Path): Pick<Problem, 'fixes'> {
  const calls: Json[] = [];
  for (const item of list) {
    if (typeof item === 'string') calls.push({ function: item, args: [] });
    else if (Array.isArray(item) && typeof item[0] === 'string') calls.push({ function: item[0], args: item.slice(1) });
    else if (isObject(item) && typeof item['function'] === 'string') {
      const args = item['args'];
      calls.push({ ...item, args: Array.isArray(args) && !isTuple(args) ? args : args === undefined ? [] : [args] });
    } else return {};
  }
  return { fixes: [{ title: 'Write each call as an object', changes: [{ set: path, value: calls }], safe: true }] };
}
