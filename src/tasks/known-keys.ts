import { getOrCreate } from '../base/get-or-create.ts';
import type { Path } from '../base/path.ts';
import { decisiveKey, KNOWN_KEYS } from './era.ts';
import { type Problem, warning } from './problem.ts';
import type { Era } from './task.ts';
import { removal, suggestKey } from './value-fixes.ts';

type Row = Readonly<Record<string, unknown>>;

const keySets = new Map<readonly string[], ReadonlySet<string>>();

/** Keys that the object does not have. HUD ignores them silently, so a typo would go unnoticed. */
export function unknownKeys(row: Row, validKeys: readonly string[], path: Path, era?: Era): Problem[] {
  const set = getOrCreate(keySets, validKeys, () => new Set(validKeys));
  // A file with a single task can name its JSON Schema, for other editors.
  const keys = Object.keys(row).filter((key) => !set.has(key) && (key !== '$schema' || path.length > 0));
  return keys.map((key) => unknownKey(key, row, validKeys, path, era));
}

function unknownKey(key: string, row: Row, validKeys: readonly string[], path: Path, era: Era | undefined): Problem {
  const at = [...path, key];
  const others = era === undefined ? [] : ERAS.filter((other) => KNOWN_KEYS[other].includes(key));
  const [first] = others;
  if (era !== undefined && first !== undefined) {
    const decisive = decisiveKey(row, era);
    const reason = decisive === null ? `without ${MARKS[first]}` : `with “${decisive}”`;
    const message = `“${key}” is a key of ${others.map(nameOf).join(' and ')}, but ${reason} this is a task of ${nameOf(era)}, which ignores it`;
    return { part: 'key', ...warning('unknown-key', at, message, removal(at)) };
  }
  const { hint, fixes } = suggestKey(at, validKeys, row);
  const what = path.length === 0 ? 'of a task' : `of ${path.join('.')}`;
  const message = `“${key}” is not a key ${what}; it is ignored, as in HUD${hint}`;
  return { part: 'key', ...warning('unknown-key', at, message, ...fixes) };
}

/** Rows of the RFC have the keys of HUD 0.2. */
const ERAS = ['0.2', '0.4', '0.5', '0.6'] as const;

/** What identifies a task of the era. */
const MARKS: Readonly<Record<(typeof ERAS)[number], string>> = {
  '0.2': '“gym”',
  '0.4': '“mcp_config”',
  '0.5': '“scenario”',
  '0.6': 'a string as “env”',
};

function nameOf(era: Era): string {
  return era === 'rfc' ? 'the RFC' : `HUD ${era}`;
}
