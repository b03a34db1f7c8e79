import type { Json, JsonObject } from '../base/json.ts';
import { didYouMean, nearestWord } from '../base/nearest.ts';
import { listSome } from './words.ts';

/** The most keys that a message names. */
const MAX_NAMED = 8;

/** What stands at a path, or why nothing does. */
export type AtPath = { readonly value: Json } | { readonly missing: string };

/**
 * Splits a path into keys and indexes: `board.0.1`, `messages[-1].content`. A key with other characters stands in brackets
 * and quotes: `["a.b"]`. Null if it cannot be read.
 */
export function readPath(path: string): readonly string[] | null {
  const steps: string[] = [];
  const part = /(?:^|\.)([^.[\]]+)|\[(-?\d+)\]|\["((?:[^"\\]|\\.)*)"\]/y;
  while (part.lastIndex < path.length) {
    const match = part.exec(path);
    if (match === null) return null;
    const [, name, index, quotedName] = match;
    steps.push(name ?? index ?? (JSON.parse(`"${quotedName ?? ''}"`) as string));
  }
  return steps.length === 0 ? null : steps;
}

/** Follows a path into a value. A negative index counts from the end of a list. */
export function atPath(value: Json, steps: readonly string[]): AtPath {
  let at = value;
  const done: string[] = [];
  for (const step of steps) {
    const where = done.length === 0 ? 'it' : `“${done.join('.')}”`;
    if (Array.isArray(at)) {
      const index = /^-?\d+$/.test(step) ? Number(step) : null;
      const next = index === null ? undefined : at.at(index);
      if (next === undefined) {
        const size = `${at.length} ${at.length === 1 ? 'item' : 'items'}`;
        return { missing: `${where} is a list of ${size}, so there is no “${step}” in it` };
      }
      at = next;
    } else if (typeof at === 'object' && at !== null) {
      if (!Object.hasOwn(at, step)) return { missing: `${where} has no “${step}”${keysOf(Object.keys(at), step)}` };
      at = (at as JsonObject)[step] ?? null;
    } else return { missing: `${where} is ${JSON.stringify(at)}, so there is no “${step}” in it` };
    done.push(step);
  }
  return { value: at };
}

function keysOf(keys: readonly string[], key: string): string {
  const near = didYouMean(nearestWord(key, keys));
  if (near !== '') return near;
  if (keys.length === 0) return '; it is empty';
  return `; it has ${listSome(keys, MAX_NAMED)}`;
}
