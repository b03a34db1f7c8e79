import { getOrCreate } from '../../../base/get-or-create.ts';
import type { Work } from '../../../base/slices.ts';
import { MARK, NAME, type Tokens } from './tokens.ts';

const TOKENS_PER_SLICE = 20_000;
/** Tokens of the names that one statement binds. */
const MAX_TARGETS = 40;
const STATEMENT = new Set(['from', 'import', 'def', 'class']);

/** The statements of a Python file that bind names: imports, assignments, definitions, loops. */
export class Bindings {
  readonly #tokens: Tokens;
  /** The qualified name of an imported name: `hud`, `hud.datasets`, `hud.Task`. */
  readonly imports = new Map<string, string>();
  /** What a name imported from another module is there. */
  readonly foreign = new Map<string, { readonly module: string; readonly name: string }>();
  /** Other modules, by the name that they are imported under: `env`, `levels.env`. */
  readonly modules = new Map<string, string>();
  /** The names by which other modules are reached, up to their first dot. */
  readonly heads = new Set<string>();
  /** Other modules that all names are imported from. */
  readonly stars: string[] = [];
  /** Names whose fields are assigned at the top level: the tokens of each field, and of its value. */
  readonly fields = new Map<string, { readonly name: number; readonly value: number }[]>();
  /** Names of `pathlib.Path`. */
  readonly paths = new Set<string>();
  /** Index of the first token of an assigned value. */
  readonly assignments = new Map<string, number>();
  /** Names whose value can change after the assignment. */
  readonly changeable = new Set<string>();
  /** Whether the file contains `from hud import *`. */
  importsAll = false;
  readonly #counts = new Map<string, number>();

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  /** How many statements bind a name. */
  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** The dotted name that a name is assigned to, if it is nothing but a name. */
  assignedName(name: string): string | undefined {
    const tokens = this.#tokens;
    const at = this.assignments.get(name);
    if (at === undefined || tokens.kind(at) !== NAME) return undefined;
    const [other, after] = readDottedName(tokens, at);
    return after >= tokens.length || tokens.is(after, ';') || tokens.lineColumn(after) !== -1 ? other : undefined;
  }

  /** Reads all statements. `onDecorator` gets the index of each decorator’s token, in document order. */
  *collect(onDecorator: (index: number) => void): Work<void> {
    const tokens = this.#tokens;
    let depth = 0;
    for (let index = 0; index < tokens.length; index += 1) {
      if (index % TOKENS_PER_SLICE === TOKENS_PER_SLICE - 1) yield;
      const turn = tokens.bracket(index);
      if (turn !== 0) depth = Math.max(0, depth + turn);
      const kind = tokens.kind(index);
      if (kind === MARK) {
        if (tokens.is(index, '@')) onDecorator(index);
        else if (depth === 0 && tokens.is(index, '=')) this.#unpacking(index);
        continue;
      }
      if (kind !== NAME) continue;
      const word = tokens.word(index);
      const column = STATEMENT.has(word) ? tokens.lineColumn(index) : -1;
      // `import os; import hud`, `if x: import hud`
      const isBehind = tokens.is(index - 1, ';') || tokens.is(index - 1, ':');
      if (column !== -1 || (STATEMENT.has(word) && isBehind)) {
        // A missing bracket further up does not hide the rest of the file.
        if (column === 0) depth = 0;
        if (word === 'from') this.#fromImport(index);
        else if (word === 'import') this.#import(index);
        else if (word === 'def') this.#parameters(index);
        else if (word === 'class') this.#bind(tokens.word(index + 1));
      } else if (word === 'def') this.#parameters(index);
      if (word === 'for') this.#targets(index, 'in');
      else if (word === 'case' && tokens.lineColumn(index) > 0) this.#targets(index, ':');
      else if (word === 'as' || word === 'global') this.#bind(tokens.word(index + 1));
      else this.#assignment(index, word, depth);
    }
    this.#shareChanges();
  }

  /** What is changed by one name of a value is changed by the others: `B = A` and `B.append(1)`. */
  #shareChanges(): void {
    for (const name of [...this.assignments.keys()].reverse()) {
      const other = this.assignedName(name);
      const isChanged = this.changeable.has(name) || this.count(name) > 1;
      if (other !== undefined && isChanged) this.changeable.add(other);
    }
  }

  #bind(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  #assignment(index: number, name: string, depth: number): void {
    const tokens = this.#tokens;
    if (tokens.kind(index + 1) !== MARK) return;
    const next = tokens.word(index + 1);
    if (next === '.' || next === '[') {
      if (!tokens.is(index - 1, '.')) this.changeable.add(name);
      if (next === '.' && depth === 0 && tokens.lineColumn(index) === 0) this.#field(index, name);
      return;
    }
    if (/^(?::|[-+*/%&|^@]|\/\/|\*\*|>>|<<)=$/.test(next)) this.#bind(name);
    if (depth > 0 || tokens.is(index - 1, '.')) return;
    let equals = next === '=' ? index + 1 : -1;
    if (next === ':' && tokens.lineColumn(index) === 0) {
      // `NAME: type = value`
      for (let at = index + 2; at < index + 40 && tokens.lineColumn(at) === -1; at += 1) {
        if (tokens.is(at, '=')) {
          equals = at;
          break;
        }
      }
    }
    if (equals === -1) return;
    this.#bind(name);
    if (tokens.lineColumn(index) === 0 && !this.assignments.has(name)) this.assignments.set(name, equals + 1);
  }

  #module(own: string, module: string): void {
    this.heads.add(own.split('.', 1)[0] ?? own);
    this.modules.set(own, module);
  }

  /** `NAME.field = value` */
  #field(index: number, name: string): void {
    const tokens = this.#tokens;
    if (tokens.kind(index + 2) !== NAME || !tokens.is(index + 3, '=')) return;
    getOrCreate(this.fields, name, () => []).push({ name: index + 2, value: index + 4 });
  }

  /** Binds the names up to a word. */
  #targets(index: number, end: string): void {
    const tokens = this.#tokens;
    for (let at = index + 1; at < index + MAX_TARGETS && at < tokens.length && !tokens.is(at, end); at += 1) {
      if (tokens.kind(at) === NAME) this.#bind(tokens.word(at));
    }
  }

  /** Binds the names before an `=` that unpacks a value: `A, B = ...`, `[A] = ...`. */
  #unpacking(equals: number): void {
    const tokens = this.#tokens;
    const names: string[] = [];
    let isUnpacked = false;
    for (let at = equals - 1; at > equals - MAX_TARGETS && at >= 0; at -= 1) {
      if (tokens.is(at, '=') || tokens.is(at, ':') || tokens.is(at, ';')) break;
      // A member that is assigned binds no name.
      const isMember = tokens.is(at - 1, '.') || tokens.is(at + 1, '.') || tokens.is(at + 1, '[');
      if (tokens.kind(at) !== NAME) isUnpacked = true;
      else if (!isMember) names.push(tokens.word(at));
      if (tokens.lineColumn(at) !== -1) break;
    }
    if (isUnpacked) for (const name of names) this.#bind(name);
  }

  #parameters(index: number): void {
    this.#bind(this.#tokens.word(index + 1));
    for (const name of parameterNames(this.#tokens, index + 2)) this.#bind(name);
  }

  /** `from hud import Task, TaskSet as Set` */
  #fromImport(index: number): void {
    const tokens = this.#tokens;
    let from = index + 1;
    let dots = '';
    for (; tokens.kind(from) === MARK && /^\.+$/.test(tokens.word(from)); from += 1) dots += tokens.word(from);
    const [path, after] = tokens.is(from, 'import') ? ['', from] : readDottedName(tokens, from);
    if (!tokens.is(after, 'import')) return;
    const module = dots + path;
    const isOurs = /^hud(?:\.|$)/.test(module);
    if (tokens.is(after + 1, '*')) {
      if (isOurs) this.importsAll = true;
      else this.stars.push(module);
    }
    const round = tokens.is(after + 1, '(');
    for (let at = after + (round ? 2 : 1); tokens.kind(at) === NAME; at += 1) {
      if (!round && tokens.lineColumn(at) !== -1) break;
      const name = tokens.word(at);
      const isRenamed = tokens.is(at + 1, 'as');
      if (isRenamed) at += 2;
      const own = tokens.word(at);
      if (isOurs) this.imports.set(own, `${module}.${name}`);
      else if (module === 'pathlib' && name === 'Path') this.paths.add(own);
      else {
        this.heads.add(own);
        if (path === '') this.modules.set(own, module + name);
        else this.foreign.set(own, { module, name });
      }
      // A new name is bound by its `as`.
      if (!isRenamed) this.#bind(own);
      if (!tokens.is(at + 1, ',')) break;
      at += 1;
    }
  }

  /** `import hud, hud.datasets as data` */
  #import(index: number): void {
    const tokens = this.#tokens;
    for (let at = index + 1; tokens.kind(at) === NAME; at += 1) {
      const [module, after] = readDottedName(tokens, at);
      const isOurs = /^hud(?:\.|$)/.test(module);
      if (module === 'pathlib') this.paths.add(`${tokens.is(after, 'as') ? tokens.word(after + 1) : module}.Path`);
      at = after;
      if (tokens.is(after, 'as')) {
        if (isOurs) this.imports.set(tokens.word(after + 1), module);
        else this.#module(tokens.word(after + 1), module);
        at = after + 2;
      } else {
        if (isOurs) this.imports.set('hud', 'hud');
        else this.#module(module, module);
        this.#bind(module.split('.')[0] ?? module);
      }
      if (!tokens.is(at, ',')) break;
    }
  }
}

/** The names of the parameters in the parentheses that open at a token. */
export function parameterNames(tokens: Tokens, open: number): string[] {
  if (!tokens.is(open, '(')) return [];
  const close = tokens.matching(open);
  const names: string[] = [];
  for (let at = open; at < close; at += 1) {
    const begins = at === open || tokens.is(at, ',') || tokens.is(at, '*') || tokens.is(at, '**');
    if (begins && tokens.kind(at + 1) === NAME) names.push(tokens.word(at + 1));
    if (at !== open && tokens.bracket(at) === 1) at = tokens.matching(at);
  }
  return names;
}

/** A dotted name that begins at a token, and the index after it. */
export function readDottedName(tokens: Tokens, index: number): readonly [name: string, after: number] {
  if (tokens.kind(index) !== NAME) return ['', index];
  let name = tokens.word(index);
  let at = index + 1;
  while (tokens.is(at, '.') && tokens.kind(at + 1) === NAME) {
    name += `.${tokens.word(at + 1)}`;
    at += 2;
  }
  return [name, at];
}
