import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import { valueAt } from '../../base/path.ts';
import type { Phase } from '../../functions/declaration.ts';
import { callObject, type ReadCall } from '../../tasks/calls.ts';
import type { Change, ValueFix } from '../../tasks/change.ts';
import type { Reading } from '../../tasks/reading.ts';

/** Moves a call from one member to the end of the other; nothing if it is in neither. */
export function moveCall(row: JsonObject, reading: Reading, call: ReadCall, to: Phase): readonly ValueFix[] {
  const [from] = call.path;
  if (from !== 'setup' && from !== 'evaluate') return [];
  const there = row[to] ?? null;
  const addition: Change =
    there === null
      ? { set: [to], value: valueAt(row, call.path) as Json }
      : Array.isArray(there) && there.every(isObject)
        ? { set: [to, there.length], value: callObject(call) }
        : { set: [to], value: [...reading[to], call].map(callObject) };
  return [{ title: `Move to "${to}"`, changes: [addition, { remove: call.path }] }];
}
