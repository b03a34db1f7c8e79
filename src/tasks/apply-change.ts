import { isList, isObject, type Json } from '../base/json.ts';
import { type Path, valueAt } from '../base/path.ts';
import { isRawNumber } from '../base/raw-number.ts';
import { type Change, pathOf } from './change.ts';

/** Returns the value after a change; undefined if the change does not apply to it. */
export function applyChange(value: Json | undefined, change: Change): Json | undefined {
  if (value === undefined) return undefined;
  if ('set' in change) return put(value, change.set, change.value);
  const path = pathOf(change);
  const last = path.at(-1);
  if (last === undefined) return undefined;
  const holderPath = path.slice(0, -1);
  const holder = changeIn(valueAt(value, holderPath), last, 'rename' in change ? change.key : null);
  return holder === undefined ? undefined : put(value, holderPath, holder);
}

/** A list or object after a member is renamed, or after a member or an item is removed (`newKey` is null). */
function changeIn(holder: unknown, step: string | number, newKey: string | null): Json | undefined {
  if (isList(holder)) {
    return newKey === null && typeof step === 'number' && step in holder ? holder.toSpliced(step, 1) : undefined;
  }
  const name = String(step);
  if (!isObject(holder) || !Object.hasOwn(holder, name)) return undefined;
  const members = Object.entries(holder);
  if (newKey === null) return Object.fromEntries(members.filter(([key]) => key !== name));
  return Object.fromEntries(
    members.filter(([key]) => key === name || key !== newKey).map(([key, item]) => [key === name ? newKey : key, item]),
  );
}

/** Deep equality that ignores the order of members. */
export function isEqualJson(a: Json, b: Json): boolean {
  if (isList(a)) {
    return isList(b) && a.length === b.length && a.every((item, index) => isEqualJson(item, b[index] as Json));
  }
  if (isRawNumber(a)) return isRawNumber(b) && a.rawJSON === b.rawJSON;
  if (!isObject(a)) return Object.is(a, b) || (a === 0 && b === 0);
  const keys = Object.keys(a);
  return (
    isObject(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqualJson(a[key] as Json, b[key] as Json))
  );
}

/** The lists and objects that a path leads through, with a value at its end. */
export function withPath(path: Path, value: Json): Json {
  return path.reduceRight<Json>((inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }), value);
}

function put(value: Json, path: Path, to: Json): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return to;
  if (isList(value)) {
    if (typeof step !== 'number' || !Number.isInteger(step) || step < 0) return undefined;
    if (step >= value.length) return [...value, withPath(rest, to)];
    const item = put(value[step] as Json, rest, to);
    return item === undefined ? undefined : value.with(step, item);
  }
  if (!isObject(value)) return undefined;
  const key = String(step);
  const item = Object.hasOwn(value, key) ? put(value[key] as Json, rest, to) : withPath(rest, to);
  if (item === undefined) return undefined;
  return Object.fromEntries([
    ...Object.entries(value).map(([name, old]) => [name, name === key ? item : old] as const),
    ...(Object.hasOwn(value, key) ? [] : [[key, item] as const]),
  ]);
}
