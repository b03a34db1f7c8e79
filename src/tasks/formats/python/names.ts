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
const TOKENS_PER_SLICE = 20_000;
/** Limit for names that stand for each other; more would overflow the stack. */
const MAX_CHAIN = 100;
/** Separates a template from its function. */
const MAX_DECORATORS = 20;

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
    const known = this.#meaning(name);
    if (known !== undefined) return TASKS.has(known) ? 'call' : SETS.has(known) ? 'set' : undefined;
    const dot = name.lastIndexOf('.');
    if (dot !== -1 && FROM_DICTIONARY.has(name.slice(dot + 1))) {
      return TASKS.has(this.#meaning(name.slice(0, dot)) ?? '') ? 'dictionary' : undefined;
    }
    return this.#isEnvironment(name) ? 'call' : undefined;
  }

  /** Whether a call that begins with this name can create a task. */
  mayWrite(head: string): boolean {
    return this.#imported.has(head) || this.#templates.has(head) || this.#fromAll || this.#isEnvironment(head);
  }

  /** The name by which this file calls HUD's task class. */
  taskName(): string | undefined {
    for (const [name, meaning] of this.#imported) {
      if (TASKS.has(this.#meaning(name) ?? '')) return name;
      if (meaning === 'hud') return `${name}.Task`;
    }
    return this.#fromAll ? 'Task' : undefined;
  }

  /** The name of the HUD class that a dotted name refers to. */
  #meaning(name: string): string | undefined {
    if (name === 'dict') return name;
    const dot = name.indexOf('.');
    const head = dot === -1 ? name : name.slice(0, dot);
    const module = this.#imported.get(head);
    if (module === undefined)
      return this.#fromAll && /^(?:Task|TaskSet|Taskset|TaskConfig|Environment)$/.test(name) ? name : undefined;
    const whole = dot === -1 ? module : module + name.slice(dot);
    const last = whole.slice(whole.lastIndexOf('.') + 1);
    // A HUD class itself, not a member of one.
    return /^hud(?:\.[a-z_]\w*)*\.[A-Z]\w*$/.test(whole) ? last : undefined;
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
      if (word === 'for') this.#targets(index);
      else if (word === 'as' || word === 'global') this.#bind(tokens.word(index + 1));
      else this.#assignment(index, word, depth);
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

  #targets(index: number): void {
    const tokens = this.#tokens;
    for (let at = index + 1; at < index + 40 && at < tokens.length && !tokens.is(at, 'in'); at += 1) {
      if (tokens.kind(at) === NAME) this.#bind(tokens.word(at));
    }
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
    if (!tokens.is(after, 'import') || !/^(?:hud(?:\.|$)|pathlib$)/.test(module)) return;
    const isOurs = module !== 'pathlib';
    if (isOurs && tokens.is(after + 1, '*')) this.#fromAll = true;
    const round = tokens.is(after + 1, '(');
    for (let at = after + (round ? 2 : 1); tokens.kind(at) === NAME; at += 1) {
      if (!round && tokens.lineColumn(at) !== -1) break;
      const name = tokens.word(at);
      const renamed = tokens.is(at + 1, 'as');
      if (renamed) at += 2;
      if (isOurs) this.#imported.set(renamed ? tokens.word(at) : name, `${module}.${name}`);
      else if (name === 'Path') this.#paths.add(renamed ? tokens.word(at) : name);
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
      } else if (isOurs) this.#imported.set('hud', 'hud');
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

const STATEMENT = new Set(['from', 'import', 'def', 'class']);
