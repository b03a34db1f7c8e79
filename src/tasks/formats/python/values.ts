import type { Json } from '../../task.ts';
import { holdsUnknown } from '../../unknown.ts';
import type { TextProblem } from '../source.ts';
import { MAX_DEPTH } from '../source.ts';
import { readNumber, readString } from './literals.ts';
import type { PythonItem, PythonMember, PythonNode, PythonObject, PythonSpan, PythonValue } from './nodes.ts';
import { jsonOf } from './nodes.ts';
import { MARK, NAME, NUMBER, OPEN_TEXT, TEXT, type Tokens } from './tokens.ts';

/** What the names of a file mean. */
export interface PythonNames {
  /** The value of a name that is assigned once, to a literal. */
  constant(name: string): Json | undefined;
  /** What a call of a dotted name makes, where it is known without running it. */
  callee(name: string): PythonCallee | undefined;
}

export type PythonCallee =
  /** Its keyword arguments are the members: HUD's classes, `dict`. */
  | { readonly makes: 'object' }
  /** HUD 0.6: a task from a template. */
  | {
      readonly makes: 'template';
      readonly id: string;
      readonly env: string | null;
      readonly parameters: readonly string[];
    }
  /** HUD 0.5: a task from a scenario, whose name is the first argument. */
  | { readonly makes: 'scenario'; readonly env: string | null }
  | { readonly makes: 'environment' };

const STOPS = new Set([',', ')', ']', '}', ':', '=']);
/** Words that go on with an expression. */
const GOES_ON = new Set(['if', 'else', 'and', 'or', 'in', 'is', 'not', 'not in', 'is not', 'for', 'async', 'as']);
const CONSTANTS: Readonly<Record<string, Json>> = { True: true, False: false, None: null };

/**
 * Reads an expression from tokens, however broken it is: everything is read that can be, and what cannot is a problem at
 * its place. All offsets count from `base`.
 */
export class PythonReader {
  readonly problems: TextProblem[] = [];
  readonly #tokens: Tokens;
  readonly #names: PythonNames;
  readonly #base: number;
  readonly #end: number;
  #at: number;
  #depth = 0;

  /** @param end index of the first token that is not read */
  constructor(tokens: Tokens, at: number, end: number, names: PythonNames, base: number) {
    this.#tokens = tokens;
    this.#at = at;
    this.#end = end;
    this.#names = names;
    this.#base = base;
  }

  /** Index of the token that comes next. */
  get at(): number {
    return this.#at;
  }

  expression(): PythonNode {
    this.#depth += 1;
    try {
      if (this.#depth > MAX_DEPTH) {
        const start = this.#start(this.#at);
        this.#problem(this.#at, 'nested-too-deeply', `This is nested more than ${MAX_DEPTH} levels deep`);
        this.#skip();
        return { kind: 'unknown', start, end: this.#before(), what: 'a value' };
      }
      return this.#expression();
    } finally {
      this.#depth -= 1;
    }
  }

  #expression(): PythonNode {
    const first = this.#at;
    let node = this.#operand();
    while (this.#at < this.#end && this.#goesOn()) {
      if (this.#is('+') && isText(node)) {
        this.#at += 1;
        const right = this.#operand();
        if (isText(right)) {
          node = { ...node, end: right.end, value: `${node.value}${right.value}`, quoted: false };
          continue;
        }
      }
      const start = this.#start(first);
      const what = this.#is('if') ? 'a condition' : this.#tokens.kind(this.#at) === MARK ? 'an expression' : undefined;
      this.#skip();
      node = { kind: 'unknown', start, end: this.#before(), what: what ?? 'an expression' };
    }
    return node;
  }

  /** Whether the next token belongs to the expression that has begun. */
  #goesOn(): boolean {
    const kind = this.#tokens.kind(this.#at);
    const word = this.#tokens.word(this.#at);
    if (kind === NAME) return GOES_ON.has(word) && word !== 'for' && word !== 'async';
    return kind === MARK && !STOPS.has(word) && word !== '{';
  }

  #operand(): PythonNode {
    const index = this.#at;
    const start = this.#start(index);
    const kind = this.#tokens.kind(index);
    if (index >= this.#end) return { kind: 'unknown', start, end: start, what: 'nothing' };
    if (kind === TEXT || kind === OPEN_TEXT) return this.#text();
    if (kind === NUMBER) return this.#number(1);
    if (kind === NAME) return this.#name();
    if (this.#is('(')) return this.#list(')', true);
    if (this.#is('[')) return this.#list(']', false);
    if (this.#is('{')) return this.#dictionary();
    if (this.#is('-') || this.#is('+')) {
      const sign = this.#is('-') ? -1 : 1;
      this.#at += 1;
      if (this.#tokens.kind(this.#at) === NUMBER) return { ...this.#number(sign), start };
      this.#operand();
      return { kind: 'unknown', start, end: this.#before(), what: 'an expression' };
    }
    if (this.#is('*') || this.#is('**')) {
      this.#at += 1;
      this.expression();
      return { kind: 'unknown', start, end: this.#before(), what: 'a starred value' };
    }
    if (!this.#is('...') && !this.#is('~')) this.#problem(index, 'syntax', 'Python cannot read this');
    this.#at += 1;
    this.#skip();
    return { kind: 'unknown', start, end: this.#before(), what: 'an expression' };
  }

  #text(): PythonNode {
    const first = this.#at;
    const start = this.#start(first);
    let value = '';
    let unknown: string | undefined;
    let count = 0;
    for (; this.#at < this.#end; this.#at += 1, count += 1) {
      const kind = this.#tokens.kind(this.#at);
      if (kind !== TEXT && kind !== OPEN_TEXT) break;
      if (kind === OPEN_TEXT)
        this.#problem(this.#at, 'syntax', 'This string does not end: its closing quote is missing');
      const read = readString(this.#tokens.word(this.#at), (name) => {
        const known = this.#names.constant(name);
        return typeof known === 'string' || Number.isInteger(known) ? String(known) : undefined;
      });
      if ('value' in read) value += read.value;
      else if ('unknown' in read) unknown ??= read.unknown;
      else {
        this.#problem(this.#at, 'syntax', read.error);
        unknown ??= 'a broken string';
      }
    }
    const end = this.#before();
    if (unknown !== undefined) return { kind: 'unknown', start, end, what: unknown };
    return { kind: 'value', start, end, value, quoted: count === 1 };
  }

  #number(sign: number): PythonNode {
    const index = this.#at;
    const start = this.#start(index);
    const read = readNumber(this.#tokens.word(index));
    this.#at += 1;
    const end = this.#before();
    if ('value' in read) return { kind: 'value', start, end, value: sign * read.value, quoted: false };
    if ('unknown' in read) return { kind: 'unknown', start, end, what: read.unknown };
    this.#problem(index, read.error.startsWith('Only') ? 'number-not-finite' : 'syntax', read.error);
    return { kind: 'value', start, end, value: null, quoted: false };
  }

  #name(): PythonNode {
    const start = this.#start(this.#at);
    const word = this.#tokens.word(this.#at);
    if (Object.hasOwn(CONSTANTS, word)) {
      this.#at += 1;
      return { kind: 'value', start, end: this.#before(), value: CONSTANTS[word] ?? null, quoted: false };
    }
    if (word === 'lambda' || word === 'await' || word === 'not' || word === 'yield') {
      this.#at += 1;
      this.#skip(word === 'lambda');
      return { kind: 'unknown', start, end: this.#before(), what: 'an expression' };
    }
    const name = this.#dotted();
    if (this.#is('(')) return this.#call(name, start);
    const end = this.#before();
    const known = this.#names.constant(name);
    if (known !== undefined && !holdsUnknown(known)) return { kind: 'value', start, end, value: known, quoted: false };
    return { kind: 'unknown', start, end, what: `the variable ${name}` };
  }

  /** `a`, or `a.b.c` as far as it is one. */
  #dotted(): string {
    let name = this.#tokens.word(this.#at);
    this.#at += 1;
    while (this.#is('.') && this.#tokens.kind(this.#at + 1) === NAME && this.#at + 1 < this.#end) {
      name += `.${this.#tokens.word(this.#at + 1)}`;
      this.#at += 2;
    }
    return name;
  }

  #call(name: string, start: number): PythonNode {
    const callee = this.#names.callee(name);
    const nameEnd = this.#before();
    if (callee === undefined) {
      const close = this.#tokens.matching(this.#at, this.#end);
      this.#at = close === -1 ? this.#end : close + 1;
      return { kind: 'unknown', start, end: this.#before(), what: `a call of ${name}` };
    }
    return this.#called(callee, name, { start, end: nameEnd });
  }

  /** The object that a call makes; the next token is its opening bracket. */
  #called(callee: PythonCallee, name: string, span: PythonSpan): PythonNode {
    const { positional, ...args } = this.#arguments(span.start);
    const { end } = args;
    const { start } = span;
    if (callee.makes === 'object') {
      for (const argument of positional) {
        this.problems.push({
          start: argument.start,
          end: argument.end,
          severity: 'error',
          code: 'python-positional',
          message: `${name} takes keyword arguments only: write the name of the field before this, as in prompt="..."`,
        });
      }
      return args;
    }
    const first = positional[0];
    const isScenario = callee.makes === 'scenario';
    if (callee.makes === 'environment') {
      const given = args.members.find((member) => member.name === 'name')?.node ?? first;
      const value = given === undefined || given === null ? 'environment' : jsonOf(given);
      return typeof value === 'string'
        ? { kind: 'value', start, end, value: { name: environmentName(value) }, quoted: false }
        : { kind: 'unknown', start, end, what: 'an environment' };
    }
    const env: PythonNode =
      callee.env === null
        ? { kind: 'unknown', ...span, what: 'the name of the environment' }
        : { kind: 'value', ...span, value: isScenario ? { name: callee.env } : callee.env, quoted: false };
    const id: PythonNode = isScenario
      ? (first ?? { kind: 'unknown', ...span, what: 'the name of the scenario' })
      : { kind: 'value', ...span, value: callee.id, quoted: false };
    const named: PythonMember[] = isScenario
      ? []
      : positional.map((node, index) => {
          const key = callee.parameters[index] ?? String(index);
          return { name: key, key: node, node, separated: true, comma: null, own: false };
        });
    const all: PythonObject = { ...args, start: args.from - 1, members: [...named, ...args.members] };
    const member = (key: string, node: PythonNode): PythonMember => {
      return { name: key, key: node, node, separated: true, comma: null, own: false };
    };
    const members = [member('env', env), member(isScenario ? 'scenario' : 'id', id), member('args', all)];
    return { kind: 'object', start, end, inCall: true, open: false, members, from: end, to: end };
  }

  /** A call of a method that takes a task's fields as a dictionary: `Task.from_dict({...})`. */
  dictionaryCall(): PythonNode {
    this.#dotted();
    const { positional } = this.#arguments(0);
    return positional[0] ?? { kind: 'unknown', start: 0, end: this.#before(), what: 'nothing' };
  }

  #arguments(start: number): PythonObject & { readonly positional: readonly PythonNode[] } {
    const members: PythonMember[] = [];
    const positional: PythonNode[] = [];
    let open = false;
    const seen = new Set<string>();
    const { from, to } = this.#items(')', () => {
      const index = this.#at;
      if (this.#is('*') || this.#is('**')) {
        const spread = this.#spread();
        if (spread === null) open = true;
        else members.push(...spread);
        return () => {};
      }
      if (this.#tokens.kind(index) === NAME && this.#tokens.is(index + 1, '=') && index + 1 < this.#end) {
        const name = this.#tokens.word(index);
        const key = { start: this.#start(index), end: this.#endOf(index) };
        if (seen.has(name))
          this.#problem(index, 'duplicate-key', `Python refuses an argument that stands here twice: ${name}`);
        seen.add(name);
        this.#at += 2;
        const node = this.#memberValue(`${name}=`);
        return (comma) => members.push({ name, key, node, separated: true, comma, own: true });
      }
      const node = this.expression();
      // What is being typed where an argument's name stands.
      const bare = /^[\p{L}_][\p{L}\p{N}_]*$/u.exec(this.#tokens.word(index));
      if (node.kind === 'unknown' && bare !== null && this.#at === index + 1) {
        this.#problem(index, 'syntax', `A value is expected after “${bare[0]}=”`);
        return (comma) => members.push({ name: bare[0], key: node, node: null, separated: false, comma, own: true });
      }
      positional.push(node);
      return () => {};
    });
    const end = this.#before();
    return { kind: 'object', inCall: true, start, end, members, open, from, to, positional };
  }

  /** The members of `**{...}`; null where it is something else. */
  #spread(): readonly PythonMember[] | null {
    const isTwo = this.#is('**');
    this.#at += 1;
    const node = this.expression();
    if (!isTwo) return null;
    if (node.kind === 'object') return node.open ? null : node.members.map((member) => ({ ...member, own: false }));
    const value = node.kind === 'value' ? node.value : null;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return Object.entries(value).map(([name, item]) => {
      const known: PythonValue = { kind: 'value', start: node.start, end: node.end, value: item, quoted: false };
      return { name, key: known, node: known, separated: true, comma: null, own: false };
    });
  }

  #dictionary(): PythonNode {
    const start = this.#start(this.#at);
    const members: PythonMember[] = [];
    const seen = new Set<string>();
    let open = false;
    let loose = 0;
    const { from, to, loops } = this.#items('}', () => {
      const index = this.#at;
      if (this.#is('**')) {
        const spread = this.#spread();
        if (spread === null) open = true;
        else members.push(...spread);
        return () => {};
      }
      const key = this.expression();
      const name = keyName(key);
      if (!this.#is(':')) {
        loose += 1;
        return (comma) => members.push({ name: name ?? '', key, node: null, separated: false, comma, own: true });
      }
      this.#at += 1;
      const node = this.#memberValue(name === null ? 'this key' : `"${name}":`);
      if (name === null) {
        open = true;
        return () => {};
      }
      if (seen.has(name)) {
        const message = `The key “${name}” stands here more than once; only its last value counts`;
        this.#problem(index, 'duplicate-key', message, 'warning');
      }
      seen.add(name);
      return (comma) => members.push({ name, key, node, separated: true, comma, own: true });
    });
    const end = this.#before();
    if (loops || (loose > 0 && loose === members.length && loose > 1)) {
      return { kind: 'unknown', start, end, what: loops ? 'a comprehension' : 'a set' };
    }
    for (const { node, separated, key, name } of members) {
      if (node !== null || separated) continue;
      const { start: at, end: to } = key;
      this.problems.push({
        start: at,
        end: to,
        severity: 'error',
        code: 'syntax',
        message: `A value is expected after “${name}”:`,
      });
    }
    return { kind: 'object', inCall: false, start, end, members, open, from, to };
  }

  #memberValue(after: string): PythonNode | null {
    const isNext = this.#tokens.kind(this.#at) === NAME && this.#tokens.is(this.#at + 1, '=');
    if (this.#at >= this.#end || isNext || this.#is(',') || this.#tokens.bracket(this.#at) === -1) {
      const at = this.#before();
      const message = `A value is expected after ${after}`;
      this.problems.push({ start: Math.max(0, at - 1), end: at, severity: 'error', code: 'syntax', message });
      return null;
    }
    return this.expression();
  }

  #list(close: string, round: boolean): PythonNode {
    const start = this.#start(this.#at);
    const items: PythonItem[] = [];
    const { from, to, loops } = this.#items(close, () => {
      const node = this.expression();
      return (comma) => items.push({ node, comma });
    });
    const end = this.#before();
    if (loops) return { kind: 'unknown', start, end, what: 'a comprehension' };
    const [first] = items;
    // Round brackets around one value are no tuple.
    if (round && first !== undefined && items.length === 1 && first.comma === null) {
      return first.node;
    }
    return { kind: 'list', tuple: round, start, end, items, from, to };
  }

  /** Reads what stands between brackets; `item` reads one and is told of the comma behind it. */
  #items(close: string, item: () => (comma: number | null) => void): { from: number; to: number; loops: boolean } {
    const open = this.#at;
    this.#at += 1;
    const from = this.#endOf(open);
    let loops = false;
    let missing = true;
    while (this.#at < this.#end) {
      if (this.#is(close)) {
        const to = this.#start(this.#at);
        this.#at += 1;
        return { from, to, loops };
      }
      if (this.#tokens.bracket(this.#at) === -1) break;
      if (this.#is(',')) {
        if (missing) this.#problem(this.#at, 'syntax', 'A value is expected before this comma');
        this.#at += 1;
        missing = true;
        continue;
      }
      if (this.#is('for') || this.#is('async')) {
        loops = true;
        this.#toClosing();
        continue;
      }
      if (!missing) this.#problem(this.#at, 'syntax', 'A comma is expected before this');
      const before = this.#at;
      const told = item();
      if (this.#at === before) {
        this.#problem(this.#at, 'syntax', 'Python cannot read this');
        this.#at += 1;
      }
      told(this.#is(',') ? this.#start(this.#at) : null);
      missing = this.#is(',');
      if (missing) this.#at += 1;
    }
    const last = Math.max(open, this.#at - 1);
    const word = this.#tokens.word(open);
    this.#problem(open, 'syntax', `This “${word}” is not closed: “${close}” is missing`);
    return { from, to: Math.max(from, this.#endOf(last)), loops };
  }

  #toClosing(): void {
    while (this.#at < this.#end && this.#tokens.bracket(this.#at) !== -1) this.#step();
  }

  /** Over one token, or over all that a bracket holds. */
  #step(): void {
    const close = this.#tokens.bracket(this.#at) === 1 ? this.#tokens.matching(this.#at, this.#end) : this.#at;
    this.#at = close === -1 ? this.#end : close + 1;
  }

  /** To the end of an expression whose value does not matter. */
  #skip(overColons = false): void {
    for (let first = true; this.#at < this.#end; first = false) {
      if (this.#tokens.bracket(this.#at) === -1 || this.#is(',') || this.#is('=')) return;
      if (this.#is(':') && !overColons) return;
      if (this.#is('for') || this.#is('async')) return;
      // A comma is missing, and the next argument begins.
      const named = this.#tokens.kind(this.#at) === NAME && this.#tokens.is(this.#at + 1, '=');
      if (!first && named && this.#tokens.kind(this.#at - 1) !== MARK) return;
      this.#step();
    }
  }

  #is(word: string): boolean {
    return this.#at < this.#end && this.#tokens.is(this.#at, word);
  }

  #start(index: number): number {
    return (index < this.#end ? this.#tokens.start(index) : this.#tokens.end(this.#end - 1)) - this.#base;
  }

  #endOf(index: number): number {
    return this.#tokens.end(index) - this.#base;
  }

  /** Where the last token that was read ends. */
  #before(): number {
    return this.#endOf(this.#at - 1);
  }

  #problem(index: number, code: string, message: string, severity: 'error' | 'warning' = 'error'): void {
    const start = this.#start(index);
    this.problems.push({ start, end: index < this.#end ? this.#endOf(index) : start, severity, code, message });
  }
}

function isText(node: PythonNode): node is PythonValue {
  return node.kind === 'value' && typeof node.value === 'string';
}

/** Under which HUD keeps an environment: in small letters, with hyphens. */
function environmentName(given: string): string {
  const words = given
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-')
    .replace(/[^a-z0-9-]/g, '');
  return words.replace(/-+/g, '-').replace(/^-|-$/g, '');
}

function keyName(node: PythonNode): string | null {
  if (node.kind !== 'value' || typeof node.value === 'object') return null;
  return String(node.value);
}
