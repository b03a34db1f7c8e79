import { isObject, type Json } from '../../base/json.ts';
import { type Path, valueAt } from '../../base/path.ts';
import { typeInfo } from '../../environments/kinds.ts';
import type { Phase } from '../../functions/declaration.ts';
import { eraOf } from '../../tasks/era.ts';
import type { Keys } from '../../tasks/key-docs.ts';
import type { Era } from '../../tasks/task.ts';
import { INNER_KEYS } from './inner-keys.ts';
import { CALL_KEYS, CALL_METADATA_KEYS, TASK_KEYS } from './keys.ts';

/**
 * How the name of a function is written: alone in place of the calls (`"setup": "goto"`), as an item of a list of
 * calls, as the first item of a list that is one call, or under `function`.
 */
export type Spelling = 'alone' | 'item' | 'head' | 'function';

/** The meaning of a path in a task. */
export type ValueContext =
  | { readonly kind: 'function'; readonly phase: Phase; readonly spelling: Spelling; readonly call: Path }
  | {
      readonly kind: 'argument';
      readonly phase: Phase;
      readonly function: string;
      readonly call: Path;
      /** Zero-based; null for the list of all arguments. */
      readonly index: number | null;
      /** Number of arguments. */
      readonly count: number;
      /** The path inside the argument. */
      readonly inner: Path;
    }
  | { readonly kind: 'call-metadata'; readonly inner: Path; readonly phase: Phase }
  | { readonly kind: 'other' };

const PHASES: Readonly<Record<string, Phase>> = {
  setup: 'setup',
  evaluate: 'evaluate',
  reward_function: 'evaluate',
  reward_fn: 'evaluate',
};

/** The meaning of a path in a task that can be incomplete. */
export function valueContext(path: Path, task: unknown): ValueContext {
  const [key, ...rest] = path;
  const phase = typeof key === 'string' && Object.hasOwn(PHASES, key) ? PHASES[key] : undefined;
  const era = eraIn(task);
  if (phase === undefined || key === undefined || (era !== '0.2' && era !== 'rfc')) return { kind: 'other' };
  const value = at(task, [key]);
  const [first, ...below] = rest;
  if (first === undefined) return { kind: 'function', phase, spelling: 'alone', call: [key] };
  if (typeof first === 'string') return inObject(phase, value, [key], rest);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const others = items.filter((_, index) => index !== first);
  // A list that begins with a name is one call.
  const calls = others.length > 0 && others.every((item) => Array.isArray(item) || isCall(item));
  if (first === 0 && below.length === 0 && !calls) return { kind: 'function', phase, spelling: 'head', call: [key] };
  if (typeof items[0] === 'string' && first > 0) return argument(phase, items, [key], [first - 1, ...below]);
  const call = [key, first];
  if (below.length === 0) return { kind: 'function', phase, spelling: 'item', call };
  const item = items[first];
  const [second, ...deeper] = below;
  if (typeof second === 'string') return inObject(phase, item, call, below);
  if (second === 0 && deeper.length === 0) return { kind: 'function', phase, spelling: 'head', call };
  const list: readonly unknown[] = Array.isArray(item) ? item : [];
  return argument(phase, list, call, [Number(second) - 1, ...deeper]);
}

function argument(phase: Phase, list: readonly unknown[], call: Path, [index, ...inner]: Path): ValueContext {
  const [name] = list;
  if (typeof name !== 'string') return { kind: 'other' };
  return { kind: 'argument', phase, function: name, call, index: Number(index), count: list.length - 1, inner };
}

function inObject(phase: Phase, value: unknown, call: Path, [key, ...rest]: Path): ValueContext {
  if (key === 'function' && rest.length === 0) return { kind: 'function', phase, spelling: 'function', call };
  if (key === 'metadata') return { kind: 'call-metadata', phase, inner: rest };
  if (key !== 'args' || !isObject(value)) return { kind: 'other' };
  const name = value['function'];
  if (typeof name !== 'string') return { kind: 'other' };
  const args: unknown = value['args'];
  const count = Array.isArray(args) ? args.length : args === undefined || args === null ? 0 : 1;
  const [index, ...inner] = rest;
  const base = { kind: 'argument', phase, function: name, call, count } as const;
  if (index === undefined) return { ...base, index: null, inner: [] };
  // A single argument without its list.
  return typeof index === 'string' ? { ...base, index: 0, inner: rest } : { ...base, index, inner };
}

function isCall(value: unknown): boolean {
  return isObject(value) && 'function' in value;
}

/** The documented keys of the object at a path; null if it has none. */
export function keysAt(path: Path, task: unknown): Keys | null {
  const era = eraIn(task);
  if (path.length === 0) return TASK_KEYS[era];
  const place = valueContext(path, task);
  if (place.kind === 'function' && place.spelling !== 'function') return CALL_KEYS;
  if (place.kind === 'call-metadata') return place.inner.length === 0 ? CALL_METADATA_KEYS : null;
  if (place.kind !== 'other') return null;
  if (path[0] === 'gym' && path.length === 1) {
    const type = at(task, ['gym', 'type']);
    // HUD's `CustomGym` needs no type.
    return typeInfo(typeof type === 'string' ? type : 'public')?.keys ?? null;
  }
  const inner = INNER_KEYS[era];
  if (era === '0.6' && path[0] === 'verifier' && path.length > 1) return keysAt(path.slice(1), at(task, ['verifier']));
  for (const [pattern, keys] of Object.entries(inner)) {
    const steps = pattern.split('.');
    if (steps.length === path.length && steps.every((step, index) => step === '*' || step === path[index])) return keys;
  }
  return null;
}

/** The era of a task that can be incomplete. */
export function eraIn(task: unknown): Era {
  return isObject(task) ? eraOf(task) : '0.2';
}

/** The JSON value at a path; undefined if there is none. */
export const at: (value: unknown, path: Path) => Json | undefined = valueAt as typeof at;
