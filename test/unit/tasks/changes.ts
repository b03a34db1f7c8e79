import { isObject, type Json } from '../../../src/base/json.ts';
import { Lines } from '../../../src/base/lines.ts';
import type { Path } from '../../../src/base/path.ts';
import type { Change, TextEdit } from '../../../src/tasks/change.ts';

/** What a value is after changes, as their doc says it; undefined where one cannot be made. */
export function applyChanges(value: Json, changes: readonly Change[]): Json | undefined {
  let now: Json | undefined = value;
  for (const change of changes) {
    if (now === undefined) return undefined;
    now =
      'set' in change
        ? put(now, change.set, change.value)
        : at(now, 'rename' in change ? change.rename : change.remove, change);
  }
  return now;
}

function put(value: Json, path: Path, made: Json): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return made;
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) return undefined;
  if (isList && typeof step !== 'number') return undefined;
  const inner = isList
    ? (value as readonly Json[])[step as number]
    : Object.hasOwn(value, step)
      ? value[step]
      : undefined;
  const next =
    inner === undefined
      ? rest.reduceRight<Json>((item, key) => (typeof key === 'number' ? [item] : { [key]: item }), made)
      : put(inner, rest, made);
  if (next === undefined) return undefined;
  if (!isList) return { ...value, [step]: next };
  const list = [...(value as readonly Json[])];
  list[Math.min(step as number, list.length)] = next;
  return list;
}

function at(value: Json, path: Path, change: Change): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    const list: readonly Json[] = value;
    if (typeof step !== 'number' || step >= list.length) return undefined;
    if (rest.length > 0) {
      const next = at(list[step] as Json, rest, change);
      return next === undefined ? undefined : list.with(step, next);
    }
    return 'remove' in change ? list.toSpliced(step, 1) : undefined;
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return undefined;
  const { [step]: own, ...others } = value;
  if (rest.length > 0) {
    const next = at(own as Json, rest, change);
    return next === undefined ? undefined : { ...value, [step]: next };
  }
  return 'rename' in change ? { ...others, [change.key]: own as Json } : others;
}

/** A text after edits; fails where they overlap or stand in another order than the text's. */
export function applyEdits(text: string, edits: readonly TextEdit[] | null | undefined): string {
  if (edits === null || edits === undefined) throw new Error('There are no edits');
  const mark = text.startsWith('\uFEFF') ? 1 : 0;
  const lines = new Lines(text.slice(mark));
  let made = '';
  let last = 0;
  for (const { range, text: put } of edits) {
    const start = lines.offset(range.start);
    if (start < last) throw new Error('The edits overlap, or are in disorder');
    made += lines.text.slice(last, start) + put;
    last = lines.offset(range.end);
  }
  return text.slice(0, mark) + made + lines.text.slice(last);
}
