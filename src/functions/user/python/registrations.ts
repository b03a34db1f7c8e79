import type { Node } from 'web-tree-sitter';
import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import { Lines } from '../../../base/lines.ts';
import type { Range } from '../../../base/range.ts';
import { parsePython } from '../../../tasks/formats/python/grammar.ts';
import { readString } from '../../../tasks/formats/python/literals.ts';
import type { CustomTaskName } from '../custom-task-name.ts';
import { mayRegister, mayUseRegistry } from './class-files.ts';
import { withoutIndentation } from './signatures.ts';

/** The base class of custom tasks in OpenEnv's proposal, and the function that registers them. */
const BASE = 'CustomBrowserGymEnvironment';
const REGISTER = 'register_custom_task';
/** One of these methods provides the page: the proposal's text has the first, its code the second. */
const PAGE = ['_get_html_content', '_get_task_url'];
const NEEDED = ['_calculate_reward', '_check_done'];

/** A task that `registry.register(task_id=..., env_type=..., config={...})` describes, as in OpenEnv's proposal. */
export interface DescribedTask {
  readonly id: string;
  /** Absolute path of its file. */
  readonly file: string;
  /** The range of the argument that is its id. */
  readonly range: Range;
  /** The range of its id, without quotes. */
  readonly idRange: Range;
  /** The value of the config as far as it is literal. */
  readonly config: JsonObject;
}

/** The custom tasks that a Python file registers. */
export interface PythonRegistrations {
  readonly tasks: readonly CustomTaskName[];
  readonly descriptions: readonly DescribedTask[];
  /** Whether no computed name and no condition can register more tasks. */
  readonly complete: boolean;
}

/**
 * The custom tasks that a Python file registers by a decorator or by a call, read from its text. Nothing is executed.
 * Await `loadPython` before.
 */
export function pythonRegistrations(text: string, file: string): PythonRegistrations {
  if (!mayRegister(text) && !mayUseRegistry(text)) return { tasks: [], descriptions: [], complete: true };
  const tree = parsePython(text);
  if (tree === null) return { tasks: [], descriptions: [], complete: false };
  try {
    return new Reader(tree.rootNode, new Lines(text), file).read();
  } finally {
    tree.delete();
  }
}

/** A class of the file. */
interface ClassText {
  readonly name: Node;
  /** The last parts of the names of its base classes. An empty name is an expression. */
  readonly bases: readonly string[];
  /** Names of its methods and attributes. */
  readonly members: ReadonlySet<string>;
  readonly doc: string | null;
}

class Reader {
  readonly #program: Node;
  readonly #lines: Lines;
  readonly #file: string;
  readonly #classes = new Map<string, ClassText>();
  /** Names of imported names in this file. */
  readonly #aliases = new Map<string, string>();
  /** Names of the functions of the file. */
  readonly #functions = new Set<string>();
  /** String literals that are assigned to names at the top level. */
  readonly #texts = new Map<string, Node>();

  constructor(program: Node, lines: Lines, file: string) {
    this.#program = program;
    this.#lines = lines;
    this.#file = file;
  }

  read(): PythonRegistrations {
    for (const node of this.#program.descendantsOfType('aliased_import')) {
      const alias = node.childForFieldName('alias');
      if (alias !== null) this.#aliases.set(alias.text, lastPart(node.childForFieldName('name')));
    }
    for (const node of this.#program.descendantsOfType('class_definition')) {
      const read = this.#class(node);
      // Of several definitions of a name, the last one counts.
      if (read !== null) this.#classes.set(read.name.text, read);
    }
    for (const node of this.#program.descendantsOfType('function_definition')) {
      this.#functions.add(node.childForFieldName('name')?.text ?? '');
    }
    for (const statement of this.#program.namedChildren) {
      const assignment = statement.type === 'expression_statement' ? statement.namedChildren[0] : undefined;
      if (assignment?.type !== 'assignment') continue;
      const value = assignment.childForFieldName('right');
      const name = assignment.childForFieldName('left');
      if (value !== null && textOf(value) !== null && name?.type === 'identifier') this.#texts.set(name.text, value);
    }
    const tasks: CustomTaskName[] = [];
    let complete = true;
    for (const call of this.#program.descendantsOfType('call')) {
      if (this.#meaning(lastPart(call.childForFieldName('function'))) !== REGISTER) continue;
      const task = isOnlyInside(call, ALWAYS_RUN) ? this.#task(call) : null;
      if (task === null) complete = false;
      else tasks.push(task);
    }
    return { tasks, descriptions: this.#descriptions(), complete };
  }

  #descriptions(): DescribedTask[] {
    const descriptions: DescribedTask[] = [];
    for (const call of this.#program.descendantsOfType('call')) {
      if (!/(?:^|\.)registry\.register$/.test(call.childForFieldName('function')?.text ?? '')) continue;
      const [positional, keyword] = argumentsOf(call);
      const argument = keyword('task_id') ?? positional[0] ?? null;
      const literal = this.#literalOf(argument);
      const id = textOf(literal);
      if (argument === null || literal === null || id === null || !isOnlyInside(call, ALWAYS_RUN)) continue;
      const config = this.#valueOf(keyword('config') ?? positional[2] ?? null);
      const range = this.#lines.range(argument.startIndex, argument.endIndex);
      const idRange = this.#withoutQuotes(literal);
      descriptions.push({ id, file: this.#file, range, idRange, config: isObject(config) ? config : {} });
    }
    return descriptions;
  }

  /** The string literal that an argument is or names. */
  #literalOf(argument: Node | null): Node | null {
    return argument?.type === 'identifier' ? (this.#texts.get(argument.text) ?? null) : argument;
  }

  #withoutQuotes(literal: Node): Range {
    const start = literal.firstChild?.endIndex ?? literal.startIndex;
    return this.#lines.range(start, literal.lastChild?.startIndex ?? literal.endIndex);
  }

  /** The value of a literal, of a name that stands for a text, or of a function: its name. Undefined if unknown. */
  #valueOf(node: Node | null): Json | undefined {
    switch (node?.type) {
      case 'string':
        return textOf(node) ?? undefined;
      case 'identifier':
        return textOf(this.#literalOf(node)) ?? (this.#functions.has(node.text) ? node.text : undefined);
      case 'integer':
      case 'float':
        return Number.isFinite(Number(node.text)) ? Number(node.text) : undefined;
      case 'true':
      case 'false':
        return node.type === 'true';
      case 'none':
        return null;
      case 'list':
      case 'tuple':
        return node.namedChildren.flatMap((item) => this.#valueOf(item) ?? []);
      case 'dictionary':
        return Object.fromEntries(
          node.namedChildren.flatMap((pair) => {
            const key = textOf(pair.childForFieldName('key'));
            const value = this.#valueOf(pair.childForFieldName('value'));
            return key === null || value === undefined ? [] : [[key, value] as const];
          }),
        );
      default:
        return undefined;
    }
  }

  #task(call: Node): CustomTaskName | null {
    const [positional, keyword] = argumentsOf(call);
    const argument = positional[0] ?? keyword('name');
    const literal = this.#literalOf(argument);
    const name = textOf(literal);
    const decoratedClass =
      call.parent?.type === 'decorator' ? call.parent.parent?.childForFieldName('definition') : null;
    const className =
      decoratedClass?.childForFieldName('name') ?? positional[1] ?? keyword('cls', 'task_class', 'env_class');
    if (argument === null || literal === null || name === null || className === null) return null;
    const taskClass = this.#classes.get(className.text);
    const place = taskClass?.name ?? argument;
    return {
      name,
      file: this.#file,
      range: this.#lines.range(place.startIndex, place.endIndex),
      nameRange: this.#withoutQuotes(literal),
      class: taskClass?.name.text ?? null,
      doc: taskClass?.doc ?? null,
      python: true,
      ...this.#check(taskClass, keyword('goal') !== null),
    };
  }

  /** Finds certain problems of a class, including its base classes in the file. */
  #check(taskClass: ClassText | undefined, goal: boolean): Pick<CustomTaskName, 'wrong' | 'hasGoal'> {
    const members = new Set<string>();
    const visited = new Set<ClassText>();
    let extendsBase = false;
    let isComplete = taskClass !== undefined;
    for (const queue = taskClass === undefined ? [] : [taskClass]; queue.length > 0; ) {
      const one = queue.shift() as ClassText;
      if (visited.has(one)) continue;
      visited.add(one);
      for (const member of one.members) members.add(member);
      for (const base of one.bases) {
        const inFile = this.#classes.get(base);
        if (inFile !== undefined && !visited.has(inFile)) queue.push(inFile);
        else if (this.#meaning(base) === BASE) extendsBase = true;
        else if (inFile === undefined && !WITHOUT_METHODS.has(base)) isComplete = false;
      }
    }
    const hasGoal = goal || members.has('_get_goal_description') ? true : isComplete ? false : null;
    if (!isComplete) return { wrong: null, hasGoal };
    if (!extendsBase) return { wrong: `does not extend ${BASE}`, hasGoal };
    if (!PAGE.some((method) => members.has(method)))
      return { wrong: `has no method ${PAGE.join('() or ')}()`, hasGoal };
    const missing = NEEDED.find((method) => !members.has(method));
    return { wrong: missing === undefined ? null : `has no method ${missing}()`, hasGoal };
  }

  #class(node: Node): ClassText | null {
    const name = node.childForFieldName('name');
    const body = node.childForFieldName('body');
    if (name === null || body === null) return null;
    const bases = node.childForFieldName('superclasses')?.namedChildren ?? [];
    const members = body.namedChildren.map((member) => {
      const inner = member.type === 'decorated_definition' ? member.childForFieldName('definition') : member;
      const assignment = inner?.type === 'expression_statement' ? inner.namedChildren[0] : inner;
      return (assignment?.childForFieldName('name') ?? assignment?.childForFieldName('left'))?.text ?? '';
    });
    const first = body.namedChildren.find(({ type }) => type !== 'comment');
    const doc = first?.type === 'expression_statement' ? textOf(first.namedChildren[0] ?? null) : null;
    return {
      name,
      bases: bases.filter(({ type }) => type !== 'keyword_argument' && type !== 'comment').map(lastPart),
      members: new Set(members),
      doc: doc === null ? null : withoutIndentation(doc),
    };
  }

  #meaning(name: string): string {
    return this.#aliases.get(name) ?? name;
  }
}

const WITHOUT_METHODS = new Set(['ABC', 'object']);

/** The positional arguments of a call, and a function that finds a keyword argument by one of its names. */
function argumentsOf(call: Node): [positional: Node[], keyword: (...names: string[]) => Node | null] {
  const args = call.childForFieldName('arguments')?.namedChildren.filter(({ type }) => type !== 'comment') ?? [];
  const keyword = (...names: string[]): Node | null =>
    args.find((one) => names.includes(one.childForFieldName('name')?.text ?? ''))?.childForFieldName('value') ?? null;
  return [args.filter(({ type }) => type !== 'keyword_argument'), keyword];
}

/** The last name of `a.b.c`; empty if it is no name. */
function lastPart(node: Node | null): string {
  if (node === null || !['identifier', 'attribute', 'dotted_name'].includes(node.type)) return '';
  return /\w*$/u.exec(node.text)?.[0] ?? '';
}

/** The value of a string literal; otherwise null. */
function textOf(node: Node | null): string | null {
  if (node?.type !== 'string') return null;
  const read = readString(node.text, () => undefined);
  return 'value' in read ? read.value : null;
}

/** Whether all nodes around a node have one of these types. */
export function isOnlyInside(node: Node, types: ReadonlySet<string>): boolean {
  for (let outer = node.parent; outer !== null; outer = outer.parent) {
    if (!types.has(outer.type)) return false;
  }
  return true;
}

/** What a call is inside of that is always evaluated when its file is loaded. */
const ALWAYS_RUN = new Set(['module', 'expression_statement', 'decorator', 'decorated_definition']);
