import { isObject, type Json } from '../../base/json.ts';
import type { Position } from '../../base/range.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import type { TaskRow } from '../../tasks/rows.ts';
import { asTuple } from '../../tasks/tuple.ts';
import { within } from '../text-range.ts';
import { at } from '../typing/value-context.ts';
import type { TaskAction } from './action.ts';

/** A spelling of calls, with its menu title. */
interface Spelling {
  readonly title: string;
  readonly value: Json;
}

/**
 * The other spellings of the calls at a position with the same meaning in HUD 0.2 and here: `"name"`,
 * `["name", ...arguments]`, `{function, args}`, or a list of those objects; in Python also a list of tuples.
 */
export function spellingActions(row: TaskRow, position: Position, python: boolean): TaskAction[] {
  const { reading, value } = row;
  if (reading === null) return [];
  for (const phase of ['setup', 'evaluate'] as const) {
    const path = [phase];
    const ranges = [row.rangeOf(path), row.rangeOf(path, 'key')];
    if (!ranges.some((range) => range !== undefined && within(range, position))) continue;
    const calls = reading[phase].filter((call) => call.path[0] === phase);
    return spellings(calls, at(value, path), value, python).map(({ title, value: spelling }) => ({
      kind: 'call',
      title,
      notes: [],
      edits: () => row.edit([{ set: path, value: spelling }]),
    }));
  }
  return [];
}

function spellings(calls: readonly ReadCall[], source: Json | undefined, task: unknown, python: boolean): Spelling[] {
  const objects = calls.map((call) => asObject(call, at(task, call.path)));
  const isInList = Array.isArray(source) && calls.every(({ path }) => path.length > 1);
  const isList = isInList && objects.every((object, index) => object === (source as readonly Json[])[index]);
  const [call] = calls;
  const [object] = objects;
  // An unreadable call would be lost.
  if (source === undefined || call === undefined || object === undefined) return [];
  if (isInList && calls.length !== (source as readonly Json[]).length) return [];
  const asWritten = calls.every((each) => at(task, each.path) !== undefined);
  if (!asWritten) return [];
  const others: Spelling[] = [];
  const isSingle = calls.length === 1;
  if (isSingle && isShort(call, object)) {
    const list = [call.function, ...call.args];
    if (call.args.length === 0 && typeof source !== 'string') {
      others.push({ title: 'Write the call as its name only', value: call.function });
    }
    if (!(Array.isArray(source) && typeof source[0] === 'string')) {
      others.push({ title: `Write the call as a ${python ? 'tuple' : 'list'}`, value: python ? asTuple(list) : list });
    }
  }
  if (isSingle && !isObject(source)) others.push({ title: 'Write the call as an object', value: object });
  if (!isList)
    others.push({
      title: isSingle ? 'Write the call as an object in a list' : 'Write each call as an object',
      value: objects,
    });
  if (python && isList && !isSingle && calls.every((each, index) => isShort(each, objects[index]))) {
    const tuples = calls.map((each) => asTuple([each.function, ...each.args]));
    others.push({ title: 'Write each call as a tuple', value: tuples });
  }
  return others;
}

/** The call as an object. An existing object is kept, so that nothing in it is lost. */
function asObject(call: ReadCall, source: Json | undefined): Json {
  if (isObject(source) && Array.isArray(source['args'])) return source;
  return {
    ...(isObject(source) ? source : {}),
    function: call.function,
    args: call.args,
  };
}

/** HUD does not accept nested lists in a short call, and a short call cannot have an id or metadata. */
function isShort(call: ReadCall, object: Json | undefined): boolean {
  const isPlain = isObject(object) && Object.keys(object).every((key) => key === 'function' || key === 'args');
  return isPlain && call.args.every((arg) => !Array.isArray(arg) || !(arg as readonly Json[]).some(Array.isArray));
}
