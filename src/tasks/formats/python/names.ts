import { isObject } from '../../calls.ts';
import type { Work } from '../../slices.ts';
import type { Json } from '../../task.ts';
import type { PythonCallee, PythonNames } from './callee.ts';
import { jsonOf } from './nodes.ts';
import { MARK, NAME, NUMBER, TEXT, type Tokens } from './tokens.ts';
import { PythonReader } from './values.ts';

/** HUD's task classes, in all releases. */
const TASKS = new Set(['Task', 'TaskConfig', 'LegacyTask']);
const SETS = new Set(['TaskSet', 'Taskset']);
/** Classes that only store their arguments. */
const DATA = new Set([
  'FunctionConfig',
  'HudStyleConfig',
  'CustomGym',
  'MCPToolCall',
  'BaseAgentConfig',
  'RuntimeConfig',
  'ComposeProject',
]);
/** Methods of a task class that accept its fields as a dictionary. */
const FROM_DICTIONARY = new Set(['from_dict', 'model_validate', 'parse_obj']);
/** What `from hud import *` can give. */
const OF_STAR = new Set([...TASKS, ...SETS, 'Environment']);
const TOKENS_PER_SLICE = 20_000;
/** Limit for names that stand for each other; more would overflow the stack. */
const MAX_CHAIN = 100;
/** Separates a template from its function. */
const MAX_DECORATORS = 20;
/** Tokens of the names that one statement binds. */
const MAX_TARGETS = 40;

/** How a name is used to create tasks. */
export type TaskSpelling =
  /** `Task(...)`, or a call of a template or scenario. */
  | 'call'
  /** `Task.from_dict({...})` */
  | 'dictionary'
  /** `TaskSet(...)` */
  | 'set';

/** The meaning of the names in a Python file: which are HUD's, and which stand for a literal. Nothing is executed. */
export class FileNames implements PythonNames {
  readonly #tokens: Tokens;
  /** The qualified name of an imported name: `hud`, `hud.datasets`, `hud.Task`. */
  readonly #imported = new Map<string, string>();
  /** Names of `pathlib.Path`. */
  readonly #paths = new Set<string>();
  /** Index of the first token of an assigned value. */
  readonly #assigned = new Map<string, number>();
  readonly #bindings = new Map<string, number>();
  /** Names whose value can change after the assignment. */
  readonly #handled = new Set<string>();
  readonly #values = new Map<string, Json | undefined>();
  /** Qualified names of HUD that other names stand for. */
  readonly #qualified = new Map<string, string | undefined>();
  readonly #templates = new Map<string, PythonCallee>();
  #fromAll = false;
  /** Names that are being resolved, each for the previous one. */
  #depth = 0;

  private constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  static *of(tokens: Tokens): Work<FileNames> {
    const names = new FileNames(tokens);
    yield* names.#collect();
    return names;
  }

  constant(name: string): Json | undefined {
    if (this.#values.has(name)) return this.#values.get(name);
    if (this.#depth >= MAX_CHAIN) return undefined;
    // A name that refers to itself has no value.
    this.#values.set(name, undefined);
    this.#depth += 1;
    const value = this.#constant(name);
    this.#depth -= 1;
    this.#values.set(name, value);
    return value;
  }

  text(name: string): string | undefined {
    const value = this.constant(name);
    if (typeof value === 'string') return value;
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return undefined;
    const at = this.#assigned.get(name) ?? -1;
    const number = this.#tokens.is(at, '-') ? at + 1 : at;
    return this.#tokens.kind(number) === NUMBER && INTEGER.test(this.#tokens.word(number)) ? String(value) : undefined;
  }

  callee(name: string): PythonCallee | undefined {
    const template = this.#templates.get(name);
    if (template !== undefined) return template;
    if (this.#paths.has(name)) return { makes: 'path' };
    const known = this.#meaning(name);
    if (known === 'dict') return { makes: 'dictionary' };
    if (known !== undefined) {
      if (TASKS.has(known) || DATA.has(known)) return { makes: 'object' };
      return known === 'Environment' ? { makes: 'environment' } : undefined;
    }
    return this.#isEnvironment(name) ? { makes: 'scenario', env: this.#environment(name) } : undefined;
  }

  /** How a call of this name creates tasks; undefined if it does not. */
  spelling(name: string): TaskSpelling | undefined {
    if (this.#templates.has(name)) return 'call';
    const qualified = this.#qualify(name);
    if (qualified === undefined) return this.#isEnvironment(name) ? 'call' : undefined;
    const known = classOf(qualified);
    if (known !== undefined) return TASKS.has(known) ? 'call' : SETS.has(known) ? 'set' : undefined;
    const dot = qualified.lastIndexOf('.');
    const isMethod = FROM_DICTIONARY.has(qualified.slice(dot + 1));
    return isMethod && TASKS.has(classOf(qualified.slice(0, dot)) ?? '') ? 'dictionary' : undefined;
  }

  /** Whether a call that begins with this name can create a task. */
  mayWrite(head: string): boolean {
    return this.#fromAll || this.#templates.has(head) || this.#isEnvironment(head) || this.#qualify(head) !== undefined;
  }

  /** The name by which this file calls HUD's task class. */
  taskName(): string | undefined {
    for (const [name, meaning] of this.#imported) {
      if (TASKS.has(this.#meaning(name) ?? '')) return name;
      if (meaning === 'hud') return `${name}.Task`;
    }
    return this.#fromAll ? 'Task' : undefined;
  }

  /** The name of the HUD class, or of Python's `dict`, that a dotted name refers to. */
  #meaning(name: string): string | undefined {
    if (name === 'dict') return this.#bindings.has(name) ? undefined : name;
    return classOf(this.#qualify(name) ?? '');
  }

  /** The qualified name of what a dotted name refers to in HUD: `hud.datasets.Task`. */
  #qualify(name: string): string | undefined {
    const dot = name.indexOf('.');
    const head = dot === -1 ? name : name.slice(0, dot);
    let qualified = this.#imported.get(head);
    if (qualified === undefined && this.#fromAll && OF_STAR.has(head)) qualified = `hud.${head}`;
    qualified ??= this.#alias(head);
    return qualified === undefined || dot === -1 ? qualified : qualified + name.slice(dot);
  }

  /** What a name stands for that is assigned once, to another name: `T = hud.Task`. */
  #alias(name: string): string | undefined {
    if (this.#qualified.has(name)) return this.#qualified.get(name);
    // A name that refers to itself stands for nothing.
    this.#qualified.set(name, undefined);
    const other = this.#bindings.get(name) === 1 && this.#depth < MAX_CHAIN ? this.#assignedName(name) : undefined;
    if (other === undefined) return undefined;
    this.#depth += 1;
    const qualified = this.#qualify(other);
    this.#depth -= 1;
    this.#qualified.set(name, qualified);
    return qualified;
  }

  /** The dotted name that a name is assigned to, if it is nothing but a name. */
  #assignedName(name: string): string | undefined {
    const tokens = this.#tokens;
    const at = this.#assigned.get(name);
    if (at === undefined || tokens.kind(at) !== NAME) return undefined;
    const [other, after] = this.dotted(at);
    return after >= tokens.length || tokens.is(after, ';') || tokens.lineColumn(after) !== -1 ? other : undefined;
  }

  #isEnvironment(name: string): boolean {
    const at = this.#assigned.get(name);
    if (at === undefined || this.#tokens.kind(at) !== NAME) return false;
    const [callee, next] = this.dotted(at);
    return this.#meaning(callee) === 'Environment' && this.#tokens.is(next, '(');
  }

  #environment(name: string): string | null {
    const made = this.constant(name);
    return isObject(made) && typeof made['name'] === 'string' ? made['name'] : null;
  }

  #constant(name: string): Json | undefined {
    const at = this.#assigned.get(name);
    if (at === undefined || this.#bindings.get(name) !== 1) return undefined;
    const tokens = this.#tokens;
    const isContainer = tokens.bracket(at) === 1;
    const isDict = tokens.is(at, 'dict') && tokens.is(at + 1, '(');
    if ((isContainer || isDict) && this.#handled.has(name)) return undefined;
    const kind = tokens.kind(at);
    const isLiteral = kind === TEXT || kind === NUMBER || kind === NAME || isContainer || tokens.is(at, '-');
    if (!isLiteral) return undefined;
    const close = isContainer ? tokens.matching(at) : -1;
    if (isContainer && close === -1) return undefined;
    let end = isContainer ? close + 1 : at + 1;
    // Everything on its lines. A string of several parts is in brackets, or is one token.
    while (end < tokens.length && tokens.lineColumn(end) === -1 && !tokens.is(end, ';')) {
      const matching = tokens.bracket(end) === 1 ? tokens.matching(end) : end;
      end = matching === -1 ? tokens.length : matching + 1;
    }
    const reader = new PythonReader(tokens, at, end, this, tokens.start(at));
    const node = reader.expression();
    if (reader.problems.length > 0 || reader.at < end || node.kind === 'unknown') return undefined;
    return node.kind === 'object' && node.inCall && !isDict ? undefined : jsonOf(node);
  }

  *#collect(): Work<void> {
    const tokens = this.#tokens;
    let depth = 0;
    for (let index = 0; index < tokens.length; index += 1) {
      if (index % TOKENS_PER_SLICE === TOKENS_PER_SLICE - 1) yield;
      const turn = tokens.bracket(index);
      if (turn !== 0) depth = Math.max(0, depth + turn);
      const kind = tokens.kind(index);
      if (kind === MARK) {
        if (tokens.is(index, '@')) this.#template(index);
        else if (depth === 0 && tokens.is(index, '=')) this.#unpacked(index);
        continue;
      }
      if (kind !== NAME) continue;
      const word = tokens.word(index);
      const column = STATEMENT.has(word) ? tokens.lineColumn(index) : -1;
      if (column !== -1 || (STATEMENT.has(word) && this.#followsOnLine(index))) {
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
    this.#qualified.clear();
    this.#shareHandled();
  }

  /** What is changed by one name of a value is changed by the others: `B = A` and `B.append(1)`. */
  #shareHandled(): void {
    for (const name of [...this.#assigned.keys()].reverse()) {
      const other = this.#assignedName(name);
      const isChanged = this.#handled.has(name) || (this.#bindings.get(name) ?? 0) > 1;
      if (other !== undefined && isChanged) this.#handled.add(other);
    }
  }

  /**
   * Whether a statement begins at a token after another one on its line: `import os; import hud`, `if x: import hud`.
   */
  #followsOnLine(index: number): boolean {
    return this.#tokens.is(index - 1, ';') || this.#tokens.is(index - 1, ':');
  }

  #bind(name: string): void {
    this.#bindings.set(name, (this.#bindings.get(name) ?? 0) + 1);
  }

  #assignment(index: number, name: string, depth: number): void {
    const tokens = this.#tokens;
    if (tokens.kind(index + 1) !== MARK) return;
    const next = tokens.word(index + 1);
    if (next === '.' || next === '[') {
      if (!tokens.is(index - 1, '.')) this.#handled.add(name);
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
    if (tokens.lineColumn(index) === 0 && !this.#assigned.has(name)) this.#assigned.set(name, equals + 1);
  }

  /** Binds the names up to a word. */
  #targets(index: number, end: string): void {
    const tokens = this.#tokens;
    for (let at = index + 1; at < index + MAX_TARGETS && at < tokens.length && !tokens.is(at, end); at += 1) {
      if (tokens.kind(at) === NAME) this.#bind(tokens.word(at));
    }
  }

  /** Binds the names before an `=` that unpacks a value: `A, B = ...`, `[A] = ...`. */
  #unpacked(equals: number): void {
    const tokens = this.#tokens;
    const names: string[] = [];
    let isUnpacked = false;
    for (let at = equals - 1; at > equals - MAX_TARGETS && at >= 0; at -= 1) {
      if (tokens.is(at, '=') || tokens.is(at, ':') || tokens.is(at, ';')) break;
      if (tokens.kind(at) === NAME) names.push(tokens.word(at));
      else isUnpacked = true;
      if (tokens.lineColumn(at) !== -1) break;
    }
    if (isUnpacked) for (const name of names) this.#bind(name);
  }

  #parameters(index: number): void {
    this.#bind(this.#tokens.word(index + 1));
    for (const name of this.#parameterNames(index + 2)) this.#bind(name);
  }

  #parameterNames(open: number): string[] {
    const tokens = this.#tokens;
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

  /** `from hud import Task, TaskSet as Set` */
  #fromImport(index: number): void {
    const tokens = this.#tokens;
    const [module, after] = this.dotted(index + 1);
    if (!tokens.is(after, 'import')) return;
    const isOurs = /^hud(?:\.|$)/.test(module);
    if (isOurs && tokens.is(after + 1, '*')) this.#fromAll = true;
    const round = tokens.is(after + 1, '(');
    for (let at = after + (round ? 2 : 1); tokens.kind(at) === NAME; at += 1) {
      if (!round && tokens.lineColumn(at) !== -1) break;
      const name = tokens.word(at);
      const renamed = tokens.is(at + 1, 'as');
      if (renamed) at += 2;
      const own = tokens.word(at);
      if (isOurs) this.#imported.set(own, `${module}.${name}`);
      else if (module === 'pathlib' && name === 'Path') this.#paths.add(own);
      // A new name is bound by its `as`.
      if (!renamed) this.#bind(own);
      if (!tokens.is(at + 1, ',')) break;
      at += 1;
    }
  }

  /** `import hud, hud.datasets as data` */
  #import(index: number): void {
    const tokens = this.#tokens;
    for (let at = index + 1; tokens.kind(at) === NAME; at += 1) {
      const [module, after] = this.dotted(at);
      const isOurs = /^hud(?:\.|$)/.test(module);
      if (module === 'pathlib') this.#paths.add(`${tokens.is(after, 'as') ? tokens.word(after + 1) : module}.Path`);
      at = after;
      if (tokens.is(after, 'as')) {
        if (isOurs) this.#imported.set(tokens.word(after + 1), module);
        at = after + 2;
      } else {
        if (isOurs) this.#imported.set('hud', 'hud');
        this.#bind(module.split('.')[0] ?? module);
      }
      if (!tokens.is(at, ',')) break;
    }
  }

  /** `@env.template(id="count")` and the function below it. */
  #template(index: number): void {
    const tokens = this.#tokens;
    const [name, after] = this.dotted(index + 1);
    const dot = name.lastIndexOf('.');
    if (dot === -1 || name.slice(dot + 1) !== 'template') return;
    const env = name.slice(0, dot);
    if (!this.#isEnvironment(env)) return;
    const close = tokens.is(after, '(') ? tokens.matching(after) : after - 1;
    if (close === -1) return;
    let at = close + 1;
    // Other decorators can be in between.
    for (let others = 0; tokens.is(at, '@') && others < MAX_DECORATORS; others += 1) {
      const [, behind] = this.dotted(at + 1);
      const end = tokens.is(behind, '(') ? tokens.matching(behind) : behind - 1;
      if (end === -1) return;
      at = end + 1;
    }
    if (tokens.is(at, 'async')) at += 1;
    if (!tokens.is(at, 'def')) return;
    const own = tokens.word(at + 1);
    let id: string | undefined;
    for (let argument = after + 1; argument < close; argument += 1) {
      const value = argument + 2;
      if (!tokens.is(argument, 'id') || !tokens.is(argument + 1, '=')) continue;
      const node = new PythonReader(tokens, value, close, this, 0).expression();
      if (node.kind === 'value' && typeof node.value === 'string') id = node.value;
    }
    this.#templates.set(own, {
      makes: 'template',
      id: id ?? own,
      env: this.#environment(env),
      parameters: this.#parameterNames(at + 2),
    });
  }

  /** A dotted name that begins at a token, and the index after it. */
  dotted(index: number): readonly [name: string, after: number] {
    const tokens = this.#tokens;
    if (tokens.kind(index) !== NAME) return ['', index];
    let name = tokens.word(index);
    let at = index + 1;
    while (tokens.is(at, '.') && tokens.kind(at + 1) === NAME) {
      name += `.${tokens.word(at + 1)}`;
      at += 2;
    }
    return [name, at];
  }
}

/** The HUD class that a qualified name refers to: the class itself, not a member of it. */
function classOf(qualified: string): string | undefined {
  return /^hud(?:\.[a-z_]\w*)*\.([A-Z]\w*)$/.exec(qualified)?.[1];
}

/** A number that is no float: `f"{1.0}"` is “1.0”. */
const INTEGER = /^(?:0[xX][\da-fA-F_]+|0[oObB][\d_]+|[\d_]+)$/;
const STATEMENT = new Set(['from', 'import', 'def', 'class']);
