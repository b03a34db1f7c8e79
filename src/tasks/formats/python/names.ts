import { isObject } from '../../calls.ts';
import type { Work } from '../../slices.ts';
import type { Json } from '../../task.ts';
import { Bindings, dotted, parameterNames } from './bindings.ts';
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
  readonly #bindings: Bindings;
  readonly #values = new Map<string, Json | undefined>();
  /** Qualified names of HUD that other names stand for. */
  readonly #qualified = new Map<string, string | undefined>();
  readonly #templates = new Map<string, PythonCallee>();
  /** Names that are being resolved, each for the previous one. */
  #depth = 0;

  private constructor(tokens: Tokens) {
    this.#tokens = tokens;
    this.#bindings = new Bindings(tokens);
  }

  static *of(tokens: Tokens): Work<FileNames> {
    const names = new FileNames(tokens);
    // A template's environment is what its name stands for at that place.
    yield* names.#bindings.collect((index) => names.#template(index));
    // Later statements may bind the names differently.
    names.#qualified.clear();
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
    const at = this.#bindings.assigned.get(name) ?? -1;
    const number = this.#tokens.is(at, '-') ? at + 1 : at;
    return this.#tokens.kind(number) === NUMBER && INTEGER.test(this.#tokens.word(number)) ? String(value) : undefined;
  }

  callee(name: string): PythonCallee | undefined {
    const template = this.#templates.get(name);
    if (template !== undefined) return template;
    if (this.#bindings.paths.has(name)) return { makes: 'path' };
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
    return (
      this.#bindings.importsAll ||
      this.#templates.has(head) ||
      this.#isEnvironment(head) ||
      this.#qualify(head) !== undefined
    );
  }

  /** The name by which this file calls HUD's task class. */
  taskName(): string | undefined {
    for (const [name, meaning] of this.#bindings.imported) {
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
    let qualified = this.#bindings.imported.get(head);
    if (qualified === undefined && this.#bindings.importsAll && OF_STAR.has(head)) qualified = `hud.${head}`;
    qualified ??= this.#alias(head);
    return qualified === undefined || dot === -1 ? qualified : qualified + name.slice(dot);
  }

  /** What a name stands for that is assigned once, to another name: `T = hud.Task`. */
  #alias(name: string): string | undefined {
    if (this.#qualified.has(name)) return this.#qualified.get(name);
    // A name that refers to itself stands for nothing.
    this.#qualified.set(name, undefined);
    const other =
      this.#bindings.count(name) === 1 && this.#depth < MAX_CHAIN ? this.#bindings.assignedName(name) : undefined;
    if (other === undefined) return undefined;
    this.#depth += 1;
    const qualified = this.#qualify(other);
    this.#depth -= 1;
    this.#qualified.set(name, qualified);
    return qualified;
  }

  #isEnvironment(name: string): boolean {
    const at = this.#bindings.assigned.get(name);
    if (at === undefined || this.#tokens.kind(at) !== NAME) return false;
    const [callee, next] = dotted(this.#tokens, at);
    return this.#meaning(callee) === 'Environment' && this.#tokens.is(next, '(');
  }

  #environment(name: string): string | null {
    const made = this.constant(name);
    return isObject(made) && typeof made['name'] === 'string' ? made['name'] : null;
  }

  #constant(name: string): Json | undefined {
    const at = this.#bindings.assigned.get(name);
    if (at === undefined || this.#bindings.count(name) !== 1) return undefined;
    const tokens = this.#tokens;
    const isContainer = tokens.bracket(at) === 1;
    const isDict = tokens.is(at, 'dict') && tokens.is(at + 1, '(');
    if ((isContainer || isDict) && this.#bindings.changed.has(name)) return undefined;
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

  /** `@env.template(id="count")` and the function below it. */
  #template(index: number): void {
    const tokens = this.#tokens;
    const [name, after] = dotted(this.#tokens, index + 1);
    const dot = name.lastIndexOf('.');
    if (dot === -1 || name.slice(dot + 1) !== 'template') return;
    const env = name.slice(0, dot);
    if (!this.#isEnvironment(env)) return;
    const close = tokens.is(after, '(') ? tokens.matching(after) : after - 1;
    if (close === -1) return;
    let at = close + 1;
    // Other decorators can be in between.
    for (let others = 0; tokens.is(at, '@') && others < MAX_DECORATORS; others += 1) {
      const [, afterName] = dotted(this.#tokens, at + 1);
      const end = tokens.is(afterName, '(') ? tokens.matching(afterName) : afterName - 1;
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
      parameters: parameterNames(tokens, at + 2),
    });
  }
}

/** The HUD class that a qualified name refers to: the class itself, not a member of it. */
function classOf(qualified: string): string | undefined {
  return /^hud(?:\.[a-z_]\w*)*\.([A-Z]\w*)$/.exec(qualified)?.[1];
}

/** A number that is no float: `f"{1.0}"` is “1.0”. */
const INTEGER = /^(?:0[xX][\da-fA-F_]+|0[oObB][\d_]+|[\d_]+)$/;
