import type { Node } from 'web-tree-sitter';
import type { Phase } from '../declaration.ts';
import { childrenOf, stringValue, unwrap } from './typescript.ts';

export interface UserParameter {
  readonly name: string;
  /** As shown to users: `string`, `number`; null if the source does not name a simple type. */
  readonly type: string | null;
  readonly optional: boolean;
  /** Takes any number of arguments. */
  readonly rest: boolean;
}

/** `total`, `currency?`, `...more?` */
export function parameterName({ name, optional, rest }: UserParameter): string {
  return `${rest ? '...' : ''}${name}${optional ? '?' : ''}`;
}

/** What the source says about a function, besides its name. */
export interface Declared {
  readonly phase: Phase | null;
  readonly doc: string | null;
  readonly parameters: readonly UserParameter[] | null;
}

export const UNKNOWN: Declared = { phase: null, doc: null, parameters: null };

/** Methods of a tuple schema that do not change which arguments it accepts. */
const HARMLESS = new Set(['refine', 'superRefine', 'check', 'describe', 'meta', 'readonly', 'transform']);
const OPTIONAL = new Set(['optional', 'default', 'prefault', 'nullish', 'exactOptional']);
const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  int: 'number',
  boolean: 'boolean',
  object: 'object',
  strictObject: 'object',
  looseObject: 'object',
  record: 'object',
  url: 'string',
  email: 'string',
  iso: 'string',
  stringbool: 'string',
};
/** Schemas that do not show in the source whether the argument is optional. */
const MAY_BE_MISSING = new Set([
  'undefined',
  'void',
  'any',
  'unknown',
  'preprocess',
  'custom',
  'lazy',
  'optional',
  'pipe',
]);

/** Reads a function: a declaration, an expression, an arrow function or a method. */
export function readFunction(node: Node): Declared {
  return { ...UNKNOWN, parameters: withoutContext(parametersOf(node)) };
}

/** Reads the value of an exported variable: a function, or `defineFunction({…})`. Only literal values are used. */
export function readValue(value: Node | null): Declared {
  if (value === null) return UNKNOWN;
  if (FUNCTION_VALUES.has(value.type)) return readFunction(value);
  if (value.type !== 'call_expression' || value.childForFieldName('function')?.text !== 'defineFunction')
    return UNKNOWN;
  const [definition] = argumentsOf(value);
  return definition?.type === 'object' && !definition.hasError ? readDefinition(definition) : UNKNOWN;
}

function readDefinition(definition: Node): Declared {
  const members = new Map<string, Node>();
  let complete = true;
  for (const member of childrenOf(definition)) {
    if (member.type === 'spread_element') complete = false;
    const key = member.childForFieldName('key') ?? member.childForFieldName('name') ?? member;
    members.set(stringValue(key) ?? key.text, member.childForFieldName('value') ?? member);
  }
  const phase = stringValue(members.get('phase') ?? null);
  const run = members.get('run');
  const parameters = run === undefined ? null : withoutContext(parametersOf(unwrap(run) ?? run));
  const args = members.get('args');
  return {
    phase: phase === 'setup' || phase === 'evaluate' ? phase : null,
    doc: stringValue(members.get('doc') ?? null),
    parameters: !complete ? null : args === undefined ? parameters : readArguments(args, parameters ?? []),
  };
}

/** Combines the types in `args` with the names in `run`; null if `args` is not a literal tuple. */
function readArguments(args: Node, names: readonly UserParameter[]): readonly UserParameter[] | null {
  const [tuple, ...methods] = chainOf(args) ?? [];
  const [items, more] = tuple?.args ?? [];
  if (tuple?.name !== 'tuple' || items?.type !== 'array') return null;
  if (methods.some(({ name, args }) => args === null || (name !== 'rest' && !HARMLESS.has(name)))) return null;
  const parameters: UserParameter[] = [];
  for (const [index, item] of childrenOf(items).entries()) {
    const schema = readSchema(item);
    if (schema === null) return null;
    parameters.push({ name: names[index]?.name ?? `argument${index + 1}`, ...schema, rest: false });
  }
  if (more !== undefined || methods.some(({ name }) => name === 'rest')) {
    parameters.push({ name: names[parameters.length]?.name ?? 'more', type: null, optional: true, rest: true });
  }
  return parameters;
}

/** One element of a tuple: `z.string().min(1).optional()`; null if it may accept anything. */
function readSchema(node: Node): Pick<UserParameter, 'type' | 'optional'> | null {
  const [kind, ...methods] = (chainOf(node) ?? []).filter(({ name }, index) => index > 0 || name !== 'coerce');
  if (kind === undefined || MAY_BE_MISSING.has(kind.name)) return null;
  const mayBeMissing = /\b(?:undefined|void|optional|default|nullish)\b/;
  if (kind.name === 'union' && kind.args?.some(({ text }) => mayBeMissing.test(text))) return null;
  if (methods.some(({ name }) => name === 'or' || name === 'pipe')) return null;
  const type = typeOf(kind);
  const isArray = methods.some(({ name }) => name === 'array');
  return {
    type: isArray && type !== null ? `${type}[]` : type,
    optional: methods.some(({ name }) => OPTIONAL.has(name)),
  };
}

function typeOf({ name, args }: Link): string | null {
  const [first] = args ?? [];
  if (name === 'array' && first !== undefined) {
    const item = readSchema(first)?.type ?? null;
    return item === null ? 'list' : `${item}[]`;
  }
  if ((name === 'literal' || name === 'enum') && first !== undefined) {
    const values = first.type === 'array' ? childrenOf(first) : (args ?? []);
    const isWritten = values.every(({ text }) => /^[\s\w'".-]+$/.test(text));
    return isWritten ? values.map(({ text }) => text).join(' | ') : null;
  }
  return SIMPLE[name] ?? null;
}

/** One step of `z.string().min(1)`: `string()`. `args` is null if it is not called. */
interface Link {
  readonly name: string;
  readonly args: readonly Node[] | null;
}

/** The steps of an expression that begins with `z`; null for other expressions. */
function chainOf(expression: Node): readonly Link[] | null {
  const links: Link[] = [];
  let args: readonly Node[] | null = null;
  for (let node = unwrap(expression); node !== null; ) {
    if (node.type === 'identifier') return node.text === 'z' && args === null ? links.reverse() : null;
    if (node.type === 'call_expression') {
      if (args !== null) return null;
      args = argumentsOf(node);
      node = node.childForFieldName('function');
    } else if (node.type === 'member_expression') {
      links.push({ name: node.childForFieldName('property')?.text ?? '', args });
      args = null;
      node = node.childForFieldName('object');
    } else return null;
  }
  return null;
}

function argumentsOf(call: Node): readonly Node[] {
  const list = call.childForFieldName('arguments');
  return list === null ? [] : childrenOf(list);
}

/** Removes the first parameter, which is the context; null if a rest parameter takes everything. */
function withoutContext(all: readonly UserParameter[] | null): readonly UserParameter[] | null {
  return all === null || all[0]?.rest === true ? null : all.slice(1);
}

/** `(context, total: number, currency = 'EUR', ...more)`; null if the node is not a function expression. */
function parametersOf(node: Node): readonly UserParameter[] | null {
  const only = node.childForFieldName('parameter');
  if (only !== null) return [{ name: only.text, type: null, optional: false, rest: false }];
  const list = node.childForFieldName('parameters');
  if (list === null || list.hasError) return null;
  return childrenOf(list)
    .filter((parameter) => parameter.childForFieldName('pattern')?.type !== 'this')
    .map((parameter, index) => {
      const pattern = parameter.childForFieldName('pattern');
      const value = parameter.childForFieldName('value');
      const rest = pattern?.type === 'rest_pattern';
      const name = rest ? childrenOf(pattern)[0] : pattern;
      return {
        name: name?.type === 'identifier' ? name.text : `argument${index}`,
        type: typeText(parameter.childForFieldName('type')) ?? literalType(value),
        optional: rest || value !== null || parameter.type === 'optional_parameter',
        rest,
      };
    });
}

/** The type of an annotation `: Type`. */
function typeText(annotation: Node | null): string | null {
  return annotation === null ? null : annotation.text.slice(1).replace(/\s+/g, ' ').trim();
}

function literalType(value: Node | null): string | null {
  if (value?.type !== 'unary_expression') return LITERAL_TYPES[value?.type ?? ''] ?? null;
  return value.childForFieldName('argument')?.type === 'number' ? 'number' : null;
}

const LITERAL_TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  template_string: 'string',
  number: 'number',
  true: 'boolean',
  false: 'boolean',
};
const FUNCTION_VALUES = new Set(['arrow_function', 'function_expression', 'generator_function']);
