import { defined } from '../../../base/defined.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { containsUnknown, UNKNOWN } from '../../unknown.ts';
import { MAX_DEPTH, textError } from '../source.ts';
import { membersOf, type PythonArguments, type PythonNames, resultOf } from './callee.ts';
import { readNumber, readString } from './literals.ts';
import {
  type PythonItem,
  type PythonMember,
  type PythonNode,
  type PythonValue,
  unknownNode,
  valueNode,
} from './nodes.ts';
import { TokenReader } from './token-reader.ts';
import { MARK, NAME, NUMBER, OPEN_TEXT, TEXT, type Tokens } from './tokens.ts';
import { isKeyword } from './writer.ts';

/** Limit for what the names in one expression can stand for, in values. */
const MAX_WEIGHT = 20_000;
const CHARACTERS_OF_A_VALUE = 100;
const STOPS = new Set([',', ')', ']', '}', ':', '=']);
/** Keywords that continue an expression. */
const CONTINUING = new Set(['if', 'else', 'and', 'or', 'in', 'is', 'not', 'not in', 'is not', 'as']);
const CONSTANTS: JsonObject = { True: true, False: false, None: null };

/** Reads an expression from tokens, even if it is broken, and reports what cannot be read. */
export class PythonReader extends TokenReader {
  readonly #names: PythonNames;
  #depth = 0;
  /** Size of the values of all names so far. */
  #weight = 0;

  /** @param limit index of the first token that is not read */
  constructor(tokens: Tokens, at: number, limit: number, names: PythonNames, base: number) {
    super(tokens, at, limit, base);
    this.#names = names;
  }

  expression(): PythonNode {
    this.#depth += 1;
    try {
      if (this.#depth > MAX_DEPTH) {
        const start = this.start(this.at);
        this.problem(this.at, 'nested-too-deeply', `This value has more than ${MAX_DEPTH} levels of nesting`);
        this.skip();
        return this.#unknown(start, 'a value');
      }
      return this.#expression();
    } finally {
      this.#depth -= 1;
    }
  }

  /** An unknown value from an offset to the last token that was read. */
  #unknown(start: number, what: string): PythonNode {
    return unknownNode({ start, end: this.before() }, what);
  }

  /** A value from an offset to the last token that was read. */
  #value(start: number, value: Json): PythonValue {
    return valueNode({ start, end: this.before() }, value);
  }

  #expression(): PythonNode {
    const first = this.at;
    const before = this.problems.length;
    let node = this.#operand();
    while (this.at < this.limit && this.#continues()) {
      if (this.is('+') && isText(node)) {
        this.at += 1;
        const right = this.#operand();
        if (isText(right)) {
          node = { ...node, end: right.end, value: `${node.value}${right.value}`, quoted: false };
          continue;
        }
      }
      const start = this.start(first);
      const what = this.is('if') ? 'a condition' : 'an expression';
      this.skip();
      // An infinite number can be an operand.
      const problems = this.problems.splice(before);
      this.problems.push(...problems.filter(({ code }) => code !== 'number-not-finite'));
      node = this.#unknown(start, what);
    }
    return node;
  }

  /** Whether the next token continues the expression. */
  #continues(): boolean {
    const kind = this.tokens.kind(this.at);
    const word = this.tokens.word(this.at);
    if (kind === NAME) return CONTINUING.has(word);
    return kind === MARK && !STOPS.has(word) && word !== '{';
  }

  #operand(): PythonNode {
    const index = this.at;
    const start = this.start(index);
    const kind = this.tokens.kind(index);
    if (index >= this.limit) return unknownNode({ start, end: start }, 'nothing');
    if (kind === TEXT || kind === OPEN_TEXT) return this.#text();
    if (kind === NUMBER) return this.#number(1);
    if (kind === NAME) return this.#name();
    if (this.is('(')) return this.#list(')', true);
    if (this.is('[')) return this.#list(']', false);
    if (this.is('{')) return this.#dictionary();
    if (this.is('-') || this.is('+')) {
      let sign = 1;
      for (; this.is('-') || this.is('+'); this.at += 1) if (this.is('-')) sign = -sign;
      if (this.tokens.kind(this.at) === NUMBER) return { ...this.#number(sign), start };
      this.#operand();
      return this.#unknown(start, 'an expression');
    }
    if (this.is('*') || this.is('**')) {
      this.at += 1;
      this.expression();
      return this.#unknown(start, 'a starred value');
    }
    if (!this.is('...') && !this.is('~')) this.problem(index, 'syntax', 'Invalid Python syntax');
    this.at += 1;
    this.skip();
    return this.#unknown(start, 'an expression');
  }

  #text(): PythonNode {
    const first = this.at;
    const start = this.start(first);
    let value = '';
    let unknown: string | undefined;
    let count = 0;
    for (; this.at < this.limit; this.at += 1, count += 1) {
      const kind = this.tokens.kind(this.at);
      if (kind !== TEXT && kind !== OPEN_TEXT) break;
      if (kind === OPEN_TEXT)
        this.reportUnclosed(this.at, 'string', 'This string is not terminated: its closing quote is missing');
      const read = readString(this.tokens.word(this.at), (name) => {
        return this.#constant(name) === undefined ? undefined : this.#names.text(name);
      });
      if ('value' in read) value += read.value;
      else if ('unknown' in read) unknown ??= read.unknown;
      else {
        this.problem(this.at, read.code, read.error);
        unknown ??= 'a broken string';
      }
    }
    return unknown === undefined
      ? { ...this.#value(start, value), quoted: count === 1 }
      : this.#unknown(start, unknown);
  }

  #number(sign: number): PythonNode {
    const index = this.at;
    const start = this.start(index);
    const read = readNumber(this.tokens.word(index), sign);
    this.at += 1;
    if ('value' in read) {
      const text = (sign < 0 ? '-' : '') + this.tokens.word(index);
      return { ...this.#value(start, read.value), text: text };
    }
    if ('unknown' in read) return this.#unknown(start, read.unknown);
    this.problem(index, read.code, read.error);
    return this.#value(start, UNKNOWN);
  }

  #name(): PythonNode {
    const start = this.start(this.at);
    const word = this.tokens.word(this.at);
    if (Object.hasOwn(CONSTANTS, word)) {
      this.at += 1;
      return this.#value(start, CONSTANTS[word] ?? null);
    }
    if (word === 'lambda' || word === 'await' || word === 'not' || word === 'yield') {
      if (word !== 'lambda') this.at += 1;
      this.skip();
      return this.#unknown(start, 'an expression');
    }
    const name = this.#dottedName();
    if (this.is('(')) return this.#call(name, start);
    const value = this.#constant(name);
    return value === undefined || containsUnknown(value)
      ? this.#unknown(start, `the variable ${name}`)
      : { ...this.#value(start, value), ...defined({ text: this.#names.numberText(name) }) };
  }

  /** The value of a name. Limited, because a few lines of names could stand for a billion values. */
  #constant(name: string): Json | undefined {
    const value = this.#names.constant(name);
    if (value === undefined) return undefined;
    this.#weight += weightOf(value, MAX_WEIGHT - this.#weight);
    return this.#weight > MAX_WEIGHT ? undefined : value;
  }

  /** `a`, or as much of `a.b.c` as there is. */
  #dottedName(): string {
    let name = this.tokens.word(this.at);
    this.at += 1;
    while (this.is('.') && this.tokens.kind(this.at + 1) === NAME && this.at + 1 < this.limit) {
      name += `.${this.tokens.word(this.at + 1)}`;
      this.at += 2;
    }
    return name;
  }

  #call(name: string, start: number): PythonNode {
    const callee = this.#names.callee(name);
    const nameEnd = this.before();
    if (callee === undefined) {
      const close = this.tokens.matching(this.at, this.limit);
      this.at = close === -1 ? this.limit : close + 1;
      return this.#unknown(start, `a call of ${name}`);
    }
    if (callee.makes === 'path') return this.#path(name, start);
    const args = this.#arguments(start, callee.makes === 'object');
    return resultOf(callee, name, { start, end: nameEnd }, args, this.problems);
  }

  /** `Path("env")`, `Path(__file__).parent / "env"`: the text of a path, relative to the file if possible. */
  #path(name: string, start: number): PythonNode {
    const unknown = (): PythonNode => this.#unknown(start, `a call of ${name}`);
    const parts: string[] = [];
    if (this.tokens.is(this.at + 1, '__file__') && this.tokens.is(this.at + 2, ')')) {
      this.at += 3;
      let up = 0;
      for (; this.is('.') && this.tokens.kind(this.at + 1) === NAME; this.at += 2) {
        const word = this.tokens.word(this.at + 1);
        if (word === 'parent') up += 1;
        else if ((word === 'resolve' || word === 'absolute') && this.tokens.is(this.at + 2, '(')) this.at += 2;
        else return unknown();
      }
      if (up === 0) return unknown();
      parts.push('.', ...Array.from({ length: up - 1 }, () => '..'));
    } else {
      const { positional, members } = this.#arguments(start);
      if (positional.length === 0 || members.length > 0 || !positional.every(isText)) return unknown();
      parts.push(...positional.map(({ value }) => value));
    }
    while (this.is('/')) {
      this.at += 1;
      const next = this.#operand();
      if (!isText(next)) return unknown();
      parts.push(next.value);
    }
    const path = parts.join('/');
    // As in JSON: a name alone can be that of an image.
    const value = /^(?:\.{1,2}(?:\/|$)|\/|~)/.test(path) ? path : `./${path}`;
    return this.#value(start, value);
  }

  /** A call of a method that accepts a task's fields as a dictionary: `Task.from_dict({...})`. */
  dictionaryCall(): PythonNode {
    this.#dottedName();
    const { positional } = this.#arguments(0);
    return positional[0] ?? this.#unknown(0, 'nothing');
  }

  /**
   * The arguments of the call that begins at `start`; the next token is its opening bracket.
   * @param byNameOnly a name alone is the name of an argument that is being typed, because no argument is positional
   */
  #arguments(start: number, byNameOnly = false): PythonArguments {
    const members: PythonMember[] = [];
    const positional: PythonNode[] = [];
    let open = false;
    const names = new Set<string>();
    const once = (index: number, name: string): void => {
      if (names.has(name))
        this.problem(index, 'duplicate-key', `Python does not allow a repeated keyword argument: ${name}`);
      names.add(name);
    };
    const { from, to } = this.items(')', () => {
      const index = this.at;
      if (this.is('*') || this.is('**')) {
        const spread = this.#spread();
        if (spread === null) open = true;
        else {
          // A dictionary itself can give a member twice; the last one counts.
          for (const name of new Set(spread.map((member) => member.name))) once(index, name);
          members.push(...spread);
        }
        return () => {};
      }
      if (this.tokens.kind(index) === NAME && this.tokens.is(index + 1, '=') && index + 1 < this.limit) {
        const name = this.tokens.word(index);
        const key = { start: this.start(index), end: this.endOf(index) };
        if (isKeyword(name)) this.problem(index, 'syntax', `“${name}” is a Python keyword and cannot name an argument`);
        once(index, name);
        this.at += 2;
        const node = this.#memberValue(`${name}=`);
        return (comma) => members.push({ name, key, node, separated: true, comma, own: true });
      }
      const node = this.expression();
      if (byNameOnly && node.kind === 'unknown' && this.tokens.kind(index) === NAME && this.at === index + 1) {
        const name = this.tokens.word(index);
        this.problem(index, 'syntax', `Expected a value after “${name}=”`);
        return (comma) => members.push({ name, key: node, node: null, separated: false, comma, own: true });
      }
      positional.push(node);
      return () => {};
    });
    const end = this.before();
    return { kind: 'object', inCall: true, start, end, members, open, from, to, positional };
  }

  /** The members of `**{...}`; null if it is something else. */
  #spread(): readonly PythonMember[] | null {
    const isDictionary = this.is('**');
    this.at += 1;
    const node = this.expression();
    return isDictionary && node.kind !== 'list' ? membersOf(node) : null;
  }

  #dictionary(): PythonNode {
    const start = this.start(this.at);
    const members: PythonMember[] = [];
    const names = new Set<string>();
    let open = false;
    let loose = 0;
    const { from, to, loops } = this.items('}', () => {
      const index = this.at;
      if (this.is('**')) {
        const spread = this.#spread();
        if (spread === null) open = true;
        else members.push(...spread);
        return () => {};
      }
      const key = this.expression();
      const name = isText(key) ? key.value : null;
      if (!this.is(':')) {
        loose += 1;
        return (comma) => members.push({ name: name ?? '', key, node: null, separated: false, comma, own: true });
      }
      this.at += 1;
      const node = this.#memberValue(name === null ? 'this key' : `"${name}":`);
      if (name === null) {
        open = true;
        return () => {};
      }
      if (names.has(name)) {
        const message = `Duplicate key “${name}”: only its last value counts`;
        this.problem(index, 'duplicate-key', message, 'warning');
      }
      names.add(name);
      return (comma) => members.push({ name, key, node, separated: true, comma, own: true });
    });
    if (loops) return this.#unknown(start, 'a comprehension');
    if (loose > 1 && loose === members.length) return this.#unknown(start, 'a set');
    const dictionary = { kind: 'object', inCall: false, start, end: this.before(), members, open, from, to } as const;
    if (loose === 1 && members.length === 1 && !open) return { ...dictionary, isSet: true };
    for (const { node, separated, key, name } of members) {
      if (node !== null || separated) continue;
      const message = `Expected a value after “${name}”:`;
      this.problems.push(textError(key, 'syntax', message));
    }
    return dictionary;
  }

  #memberValue(after: string): PythonNode | null {
    const isNext = this.tokens.kind(this.at) === NAME && this.tokens.is(this.at + 1, '=');
    if (this.at >= this.limit || isNext || this.is(',') || this.tokens.bracket(this.at) === -1) {
      const at = this.before();
      const message = `Expected a value after ${after}`;
      this.problems.push(textError({ start: Math.max(0, at - 1), end: at }, 'syntax', message));
      return null;
    }
    return this.expression();
  }

  #list(close: string, round: boolean): PythonNode {
    const start = this.start(this.at);
    const items: PythonItem[] = [];
    const { from, to, loops } = this.items(close, () => {
      const node = this.expression();
      return (comma) => items.push({ node, comma });
    });
    if (loops) return this.#unknown(start, 'a comprehension');
    const [first] = items;
    // Round brackets around one value are no tuple.
    if (round && first !== undefined && items.length === 1 && first.comma === null) return first.node;
    return { kind: 'list', tuple: round, start, end: this.before(), items, from, to };
  }
}

function isText(node: PythonNode): node is PythonValue & { readonly value: string } {
  return node.kind === 'value' && typeof node.value === 'string';
}

/** Number of values and amount of text in a value, counted up to the first above `most`. */
function weightOf(value: Json, most: number): number {
  let weight = 1 + (typeof value === 'string' ? value.length / CHARACTERS_OF_A_VALUE : 0);
  if (typeof value !== 'object' || value === null) return weight;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    if (weight > most) break;
    weight += weightOf(item, most - weight);
  }
  return weight;
}
