import { isList, isObject, type Json } from '../../../base/json.ts';
import { digitsOf, isNumber } from '../../../base/raw-number.ts';
import type { Work } from '../../../base/slices.ts';
import { Bindings, parameterNames, readDottedName } from './bindings.ts';
import type { PythonCallee, PythonNames } from './callee.ts';
import { jsonOf } from './nodes.ts';
import { NAME, NUMBER, TEXT, type Tokens } from './tokens.ts';
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
/** Limit for names that stand for each other; more would overflow the stack. */
const MAX_CHAIN = 100;
/** Separates a template from its function. */
const MAX_DECORATORS = 20;
/** The method of a scenario of HUD 0.5 that creates a task. */
const TASK_METHOD = '.task';

/** How a name is used to create tasks. */
export type TaskSpelling =
  /** `Task(...)`, or a call of a template or scenario. */
  | 'call'
  /** `Task.from_dict({...})` */
  | 'dictionary'
  /** `TaskSet(...)` */
  | 'set';

/** Modules that a Python file imports. */
export interface PythonModules {
  /** The names in a module, as `import` writes it; undefined if it is not next to the file. */
  of(module: string): FileNames | undefined;
}

/** A name as the module next to the file knows it that it is imported from. */
interface Foreign {
  readonly names: FileNames;
  readonly name: string;
}

/** The meaning of the names in a file: of HUD, of a literal, or of a module next to the file. */
export class FileNames implements PythonNames {
  readonly #tokens: Tokens;
  readonly #modules: PythonModules;
  readonly #bindings: Bindings;
  readonly #values = new Map<string, Json | undefined>();
  /** Qualified names of HUD that other names stand for. */
  readonly #aliases = new Map<string, string | undefined>();
  readonly #templates = new Map<string, PythonCallee>();
  /** Names that are being resolved, each for the previous one. */
  #depth = 0;

  private constructor(tokens: Tokens, modules: PythonModules) {
    this.#tokens = tokens;
    this.#modules = modules;
    this.#bindings = new Bindings(tokens);
  }

  static *of(tokens: Tokens, modules: PythonModules): Work<FileNames> {
    const names = new FileNames(tokens, modules);
    // A template's environment is what its name stands for at that place.
    yield* names.#bindings.collect((index) => names.#template(index));
    // Later statements may bind the names differently.
    names.#aliases.clear();
    return names;
  }

  /** The modules that names are imported from, as they are written. */
  get modules(): readonly string[] {
    const { foreign, modules, stars } = this.#bindings;
    return [...[...foreign.values()].map(({ module }) => module), ...modules.values(), ...stars];
  }

  /** The fields of a value that are assigned after it, by the tokens of their names and values: `NAME.slug = "x"`. */
  fieldsOf(name: string): readonly { readonly name: number; readonly value: number }[] {
    return this.#bindings.count(name) === 1 ? (this.#bindings.fields.get(name) ?? []) : [];
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
    const foreign = this.#foreign(name);
    if (foreign !== undefined) return foreign.names.text(foreign.name);
    const value = this.constant(name);
    if (typeof value === 'string') return value;
    return isNumber(value) && INTEGER.test(this.numberText(name) ?? '') ? digitsOf(value) : undefined;
  }

  numberText(name: string): string | undefined {
    const foreign = this.#foreign(name);
    if (foreign !== undefined) return foreign.names.numberText(foreign.name);
    if (!isNumber(this.constant(name))) return undefined;
    const at = this.#bindings.assignments.get(name) ?? -1;
    const sign = this.#tokens.is(at, '-') ? '-' : '';
    const number = at + sign.length;
    return this.#tokens.kind(number) === NUMBER ? sign + this.#tokens.word(number) : undefined;
  }

  callee(name: string): PythonCallee | undefined {
    const template = this.#templates.get(name);
    if (template !== undefined) return template;
    const foreign = this.#foreign(name);
    if (foreign !== undefined) return foreign.names.callee(foreign.name);
    if (this.#bindings.paths.has(name)) return { makes: 'path' };
    const className = this.#meaning(name);
    if (className === 'dict') return { makes: 'dictionary' };
    if (className !== undefined) {
      if (TASKS.has(className) || DATA.has(className)) return { makes: 'object' };
      return className === 'Environment' ? { makes: 'environment' } : undefined;
    }
    return this.#isEnvironment(name) ? { makes: 'scenario', env: this.#environment(name) } : undefined;
  }

  /** How a call of this name creates tasks; undefined if it does not. */
  spelling(name: string): TaskSpelling | undefined {
    if (this.#templates.has(name)) return 'call';
    const foreign = this.#foreign(name);
    if (foreign !== undefined) return foreign.names.spelling(foreign.name);
    const qualifiedName = this.#qualify(name);
    if (qualifiedName === undefined) return this.#isEnvironment(name) ? 'call' : undefined;
    const className = classOf(qualifiedName);
    if (className !== undefined) return TASKS.has(className) ? 'call' : SETS.has(className) ? 'set' : undefined;
    const dot = qualifiedName.lastIndexOf('.');
    const isMethod = FROM_DICTIONARY.has(qualifiedName.slice(dot + 1));
    return isMethod && TASKS.has(classOf(qualifiedName.slice(0, dot)) ?? '') ? 'dictionary' : undefined;
  }

  /** Whether a call that begins with this name can create a task. */
  mayWrite(head: string): boolean {
    return (
      this.#bindings.importsAll ||
      this.#templates.has(head) ||
      this.#templates.has(`${head}${TASK_METHOD}`) ||
      this.#isForeign(head) ||
      this.#isEnvironment(head) ||
      this.#qualify(head) !== undefined
    );
  }

  /** The name by which this file calls HUD's task class. */
  taskName(): string | undefined {
    for (const [name, meaning] of this.#bindings.imports) {
      if (TASKS.has(this.#meaning(name) ?? '')) return name;
      if (meaning === 'hud') return `${name}.Task`;
    }
    return this.#bindings.importsAll ? 'Task' : undefined;
  }

  /** The name of the HUD class, or of Python's `dict`, that a dotted name refers to. */
  #meaning(name: string): string | undefined {
    if (name === 'dict') return this.#bindings.count(name) > 0 ? undefined : name;
    return classOf(this.#qualify(name) ?? '');
  }

  /** The qualified name of what a dotted name refers to in HUD: `hud.datasets.Task`. */
  #qualify(name: string): string | undefined {
    const dot = name.indexOf('.');
    const head = dot === -1 ? name : name.slice(0, dot);
    let qualifiedName = this.#bindings.imports.get(head);
    if (qualifiedName === undefined && this.#bindings.importsAll && OF_STAR.has(head)) qualifiedName = `hud.${head}`;
    qualifiedName ??= this.#alias(head);
    return qualifiedName === undefined || dot === -1 ? qualifiedName : qualifiedName + name.slice(dot);
  }

  /** What a name stands for that is assigned once, to another name: `T = hud.Task`. */
  #alias(name: string): string | undefined {
    if (this.#aliases.has(name)) return this.#aliases.get(name);
    // A name that refers to itself stands for nothing.
    this.#aliases.set(name, undefined);
    const other =
      this.#bindings.count(name) === 1 && this.#depth < MAX_CHAIN ? this.#bindings.assignedName(name) : undefined;
    if (other === undefined) return undefined;
    this.#depth += 1;
    const qualifiedName = this.#qualify(other);
    this.#depth -= 1;
    this.#aliases.set(name, qualifiedName);
    return qualifiedName;
  }

  /** Whether a name is imported from a module next to the file, or can be. */
  #isForeign(head: string): boolean {
    const { heads, stars, assignments } = this.#bindings;
    return (heads.has(head) || stars.length > 0) && !assignments.has(head);
  }

  /** What a dotted name is in the module next to the file that it is imported from. */
  #foreign(name: string): Foreign | undefined {
    const [head = '', ...rest] = name.split('.');
    if (!this.#isForeign(head)) return undefined;
    const { foreign, modules, stars } = this.#bindings;
    const origin = foreign.get(head);
    if (origin !== undefined) {
      const names = this.#modules.of(origin.module);
      const inside = [origin.name, ...rest].join('.');
      if (names?.defines(inside) === true) return { names, name: inside };
      const module = rest.length === 0 ? undefined : this.#modules.of(`${origin.module}.${origin.name}`);
      return module === undefined ? undefined : { names: module, name: rest.join('.') };
    }
    for (const [own, module] of modules) {
      if (!name.startsWith(`${own}.`)) continue;
      const names = this.#modules.of(module);
      if (names !== undefined) return { names, name: name.slice(own.length + 1) };
    }
    if (this.#bindings.count(head) > 0) return undefined;
    for (const module of stars) {
      const names = this.#modules.of(module);
      if (names?.defines(name) === true) return { names, name };
    }
    return undefined;
  }

  /** Whether a dotted name means something in this file. */
  defines(name: string): boolean {
    return this.spelling(name) !== undefined || this.constant(name) !== undefined;
  }

  #isEnvironment(name: string): boolean {
    const foreign = this.#foreign(name);
    if (foreign !== undefined) return foreign.names.#isEnvironment(foreign.name);
    const at = this.#bindings.assignments.get(name);
    if (at === undefined || this.#tokens.kind(at) !== NAME) return false;
    const [callee, next] = readDottedName(this.#tokens, at);
    return this.#meaning(callee) === 'Environment' && this.#tokens.is(next, '(');
  }

  #environment(name: string): string | null {
    const value = this.constant(name);
    return isObject(value) && typeof value['name'] === 'string' ? value['name'] : null;
  }

  #constant(name: string): Json | undefined {
    const foreign = this.#foreign(name);
    if (foreign !== undefined) {
      const value = foreign.names.constant(foreign.name);
      const [head = ''] = name.split('.');
      const canChange = (isList(value) || isObject(value)) && !foreign.names.#isEnvironment(foreign.name);
      return canChange && this.#bindings.changeable.has(head) ? undefined : value;
    }
    const at = this.#bindings.assignments.get(name);
    if (at === undefined || this.#bindings.count(name) !== 1) return undefined;
    const tokens = this.#tokens;
    const isContainer = tokens.bracket(at) === 1;
    const isDict = tokens.is(at, 'dict') && tokens.is(at + 1, '(');
    if ((isContainer || isDict) && this.#bindings.changeable.has(name)) return undefined;
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

  /** `@env.template(id="count")`, or `@env.scenario("count")` of HUD 0.5, and the function below it. */
  #template(index: number): void {
    const tokens = this.#tokens;
    const [name, after] = readDottedName(this.#tokens, index + 1);
    const dot = name.lastIndexOf('.');
    const kind = name.slice(dot + 1);
    if (dot === -1 || (kind !== 'template' && kind !== 'scenario')) return;
    const env = name.slice(0, dot);
    if (!this.#isEnvironment(env)) return;
    const close = tokens.is(after, '(') ? tokens.matching(after) : after - 1;
    if (close === -1) return;
    let at = close + 1;
    // Other decorators can be in between.
    for (let others = 0; tokens.is(at, '@') && others < MAX_DECORATORS; others += 1) {
      const [, afterName] = readDottedName(this.#tokens, at + 1);
      const end = tokens.is(afterName, '(') ? tokens.matching(afterName) : afterName - 1;
      if (end === -1) return;
      at = end + 1;
    }
    if (tokens.is(at, 'async')) at += 1;
    if (!tokens.is(at, 'def')) return;
    const own = tokens.word(at + 1);
    const parameters = parameterNames(tokens, at + 2);
    if (kind === 'template') {
      const id = this.#argument('id', after, close) ?? own;
      this.#templates.set(own, { makes: 'template', id, env: this.#environment(env), parameters });
      return;
    }
    const isFirst = close > after + 1 && !tokens.is(after + 2, '=');
    const id = isFirst ? this.#textAt(after + 1, close) : (this.#argument('name', after, close) ?? own);
    const task = { makes: 'scenario task', id: id ?? null, env: this.#environment(env), parameters } as const;
    this.#templates.set(own + TASK_METHOD, task);
  }

  /** The text of a keyword argument of a call between two brackets. */
  #argument(argument: string, open: number, close: number): string | undefined {
    let text: string | undefined;
    for (let at = open + 1; at < close; at += 1) {
      if (this.#tokens.is(at, argument) && this.#tokens.is(at + 1, '=')) text = this.#textAt(at + 2, close);
    }
    return text;
  }

  #textAt(index: number, limit: number): string | undefined {
    const node = new PythonReader(this.#tokens, index, limit, this, 0).expression();
    return node.kind === 'value' && typeof node.value === 'string' ? node.value : undefined;
  }
}

/** The HUD class that a qualified name refers to: the class itself, not a member of it. */
function classOf(qualifiedName: string): string | undefined {
  return /^hud(?:\.[a-z_]\w*)*\.([A-Z]\w*)$/.exec(qualifiedName)?.[1];
}

/** A number that is no float: `f"{1.0}"` is “1.0”. */
const INTEGER = /^-?(?:0[xX][\da-fA-F_]+|0[oObB][\d_]+|[\d_]+)$/;
