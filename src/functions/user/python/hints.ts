import { LiteralError, LiteralReader } from '../../../python/literals.ts';

/** The JSON Schema of the values that match a type hint; `{}` for any value. */
export type HintSchema = Readonly<Record<string, unknown>>;

const ANYTHING: HintSchema = {};

const PLAIN: Readonly<Record<string, HintSchema>> = {
  int: { type: 'integer' },
  float: { type: 'number' },
  str: { type: 'string' },
  bool: { type: 'boolean' },
  None: { type: 'null' },
  list: { type: 'array' },
  dict: { type: 'object' },
};

/**
 * The schema of a type hint, read from its text: int, float, str, bool, None, list, dict, Optional, Union, Literal, and
 * `|`. Other hints accept any value. `host.py` in this folder does the same for evaluated hints.
 */
export function hintSchema(hint: string): HintSchema {
  const reader = new LiteralReader(hint);
  try {
    const schema = readUnion(reader, 0);
    reader.skip();
    return reader.done && schema !== undefined ? schema : ANYTHING;
  } catch (error) {
    if (!(error instanceof LiteralError)) throw error;
    return ANYTHING;
  }
}

/** Whether the hint is `None`. */
export function isNothing(hint: string): boolean {
  return /^(['"]?)None\1$/.test(hint.trim());
}

/** The schema that also accepts null. */
export function orNothing(schema: HintSchema): HintSchema {
  return oneOf([schema, { type: 'null' }]);
}

function oneOf(schemas: readonly HintSchema[]): HintSchema {
  if (schemas.some((schema) => Object.keys(schema).length === 0)) return ANYTHING;
  const [only] = schemas;
  return schemas.length === 1 && only !== undefined ? only : { anyOf: schemas };
}

const MAX_DEPTH = 20;

/** Reads `int | None`; undefined if it is invalid. */
function readUnion(reader: LiteralReader, depth: number): HintSchema | undefined {
  const members: HintSchema[] = [];
  do {
    const member = readHint(reader, depth);
    if (member === undefined) return undefined;
    members.push(member);
  } while (reader.readChar('|'));
  return oneOf(members);
}

function readHint(reader: LiteralReader, depth: number): HintSchema | undefined {
  let name = reader.readIdentifier();
  if (name === undefined) {
    // A hint may be quoted.
    const text = reader.readElement()?.value;
    return typeof text === 'string' ? hintSchema(text) : undefined;
  }
  while (reader.readChar('.')) name = reader.readIdentifier() ?? '';
  if (name === 'List' || name === 'Dict') name = name.toLowerCase();
  if (!reader.readChar('[')) return PLAIN[name] ?? ANYTHING;
  if (name === 'Literal') {
    const values = readItems(reader, () => reader.readElement())?.map(({ value }) => value);
    return values?.every((value) => value === null || typeof value !== 'object') ? { enum: values } : undefined;
  }
  const inner = depth < MAX_DEPTH ? readItems(reader, () => readUnion(reader, depth + 1)) : undefined;
  return inner && generic(name, inner);
}

/** Reads items up to the closing bracket; undefined if they are invalid. */
function readItems<Item>(reader: LiteralReader, read: () => Item | undefined): Item[] | undefined {
  const items: Item[] = [];
  while (!reader.readChar(']')) {
    const item = read();
    if (item === undefined) return undefined;
    items.push(item);
    if (!reader.readChar(',')) return reader.readChar(']') ? items : undefined;
  }
  return items;
}

function generic(name: string, inner: readonly HintSchema[]): HintSchema {
  const [first = ANYTHING, second = ANYTHING] = inner;
  if (name === 'list') return { type: 'array', items: first };
  if (name === 'dict') return { type: 'object', additionalProperties: second };
  if (name === 'Optional') return orNothing(first);
  return name === 'Union' ? oneOf(inner) : ANYTHING;
}
