import { isObject, type Json } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import { type Change, pathOf } from './change.ts';

/** Returns the value after a change; undefined if the change does not apply to it. */
export function applyChange(value: Json | undefined, change: Change): Json | undefined {
  if (value === undefined) return undefined;
  if ('set' in change) return put(value, change.set, change.value);
  const path = pathOf(change);
  const last = path.at(-1);
  if (last === undefined) return undefined;
  return within(value, path.slice(0, -1), (holder) => {
    if (Array.isArray(holder)) {
      if ('rename' in change || typeof last !== 'number' || !(last in holder)) return undefined;
      return holder.toSpliced(last, 1) as Json[];
    }
    const name = String(last);
    if (!isObject(holder) || !Object.hasOwn(holder, name)) return undefined;
    const members = Object.entries(holder);
    if ('remove' in change) return Object.fromEntries(members.filter(([key]) => key !== name));
    return Object.fromEntries(
      members
        .filter(([key]) => key === name || key !== change.key)
        .map(([key, item]) => [key === name ? change.key : key, item]),
    );
  });
}

/** Deep equality that ignores the order of members. */
export function isEqualJson(a: Json, b: Json): boolean {
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item: Json, index) => isEqualJson(item, b[index] as Json))
    );
  }
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
  if (Array.isArray(value)) {
    if (typeof step !== 'number' || !Number.isInteger(step) || step < 0) return undefined;
    if (step >= value.length) return [...(value as readonly Json[]), withPath(rest, to)];
    const item = put(value[step] as Json, rest, to);
    return item === undefined ? undefined : ((value as readonly Json[]).with(step, item) as Json);
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

function within(value: Json, path: Path, make: (holder: Json) => Json | undefined): Json | undefined {
  let holder: Json | undefined = value;
  for (const step of path) {
    if (Array.isArray(holder) && typeof step === 'number') holder = holder[step] as Json | undefined;
    else if (isObject(holder) && Object.hasOwn(holder, String(step))) holder = holder[String(step)];
    else return undefined;
  }
  const newHolder = holder === undefined ? undefined : make(holder);
  return newHolder === undefined ? undefined : put(value, path, newHolder);
}
