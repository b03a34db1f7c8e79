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
  const reader = new HintReader(hint);
  const schema = reader.union();
  return reader.atEnd && schema !== null ? schema : ANYTHING;
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

const PIECE = /\s*(?:([A-Za-z_][\w.]*)|('[^'\\\n]*'|"[^"\\\n]*")|(-?\d+(?:\.\d+)?)|(.))/suy;
const MAX_DEPTH = 20;

interface Piece {
  readonly kind: 'name' | 'text' | 'number' | 'sign';
  readonly text: string;
}

class HintReader {
  readonly #pieces: Piece[] = [];
  #at = 0;
  #depth = 0;

  constructor(hint: string) {
    PIECE.lastIndex = 0;
    for (let match = PIECE.exec(hint.trimEnd()); match !== null; match = PIECE.exec(hint.trimEnd())) {
      const [, name, text, number, sign] = match;
      if (name !== undefined) this.#pieces.push({ kind: 'name', text: name });
      else if (text !== undefined) this.#pieces.push({ kind: 'text', text: text.slice(1, -1) });
      else if (number !== undefined) this.#pieces.push({ kind: 'number', text: number });
      else this.#pieces.push({ kind: 'sign', text: sign ?? '' });
    }
  }

  get atEnd(): boolean {
    return this.#at >= this.#pieces.length;
  }

  /** Reads `int | None`; null if it is invalid. */
  union(): HintSchema | null {
    const members: HintSchema[] = [];
    do {
      const member = this.#one();
      if (member === null) return null;
      members.push(member);
    } while (this.#take('|'));
    return oneOf(members);
  }

  #one(): HintSchema | null {
    const piece = this.#pieces[this.#at];
    if (piece === undefined) return null;
    this.#at += 1;
    // A hint may be quoted.
    if (piece.kind === 'text') return hintSchema(piece.text);
    if (piece.kind !== 'name') return null;
    const name = piece.text.slice(piece.text.lastIndexOf('.') + 1);
    if (!this.#take('[')) return PLAIN[builtinName(name)] ?? ANYTHING;
    if (name === 'Literal') return this.#literal();
    this.#depth += 1;
    const inner = this.#depth > MAX_DEPTH ? null : this.#list();
    this.#depth -= 1;
    return inner === null ? null : generic(builtinName(name), inner);
  }

  /** Reads hints up to the closing bracket; null if they are invalid. */
  #list(): HintSchema[] | null {
    const schemas: HintSchema[] = [];
    while (!this.#take(']')) {
      const one = this.union();
      if (one === null) return null;
      schemas.push(one);
      if (!this.#take(',') && this.#pieces[this.#at]?.text !== ']') return null;
    }
    return schemas;
  }

  #literal(): HintSchema | null {
    const values: unknown[] = [];
    while (!this.#take(']')) {
      const piece = this.#pieces[this.#at];
      if (piece === undefined) return null;
      this.#at += 1;
      if (piece.kind === 'text') values.push(piece.text);
      else if (piece.kind === 'number') values.push(Number(piece.text));
      else if (piece.kind === 'name' && Object.hasOwn(CONSTANTS, piece.text)) values.push(CONSTANTS[piece.text]);
      else return null;
      if (!this.#take(',') && this.#pieces[this.#at]?.text !== ']') return null;
    }
    return { enum: values };
  }

  #take(sign: string): boolean {
    const piece = this.#pieces[this.#at];
    if (piece?.kind !== 'sign' || piece.text !== sign) return false;
    this.#at += 1;
    return true;
  }
}

const CONSTANTS: Readonly<Record<string, boolean | null>> = { True: true, False: false, None: null };

function builtinName(name: string): string {
  return name === 'List' || name === 'Dict' ? name.toLowerCase() : name;
}

function generic(name: string, inner: readonly HintSchema[]): HintSchema {
  const [first = ANYTHING, second = ANYTHING] = inner;
  if (name === 'list') return { type: 'array', items: first };
  if (name === 'dict') return { type: 'object', additionalProperties: second };
  if (name === 'Optional') return orNothing(first);
  return name === 'Union' ? oneOf(inner) : ANYTHING;
}
