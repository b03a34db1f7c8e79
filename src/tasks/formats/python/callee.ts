import type { Json } from '../../../base/json.ts';
import type { Span } from '../../../base/range.ts';
import { type TextProblem, textError } from '../source.ts';
import { jsonOf, type PythonMember, type PythonNode, type PythonObject, unknownNode, valueNode } from './nodes.ts';

/** The meaning of names in a file. */
export interface PythonNames {
  /** The value of a name that is assigned once, to a literal. */
  constant(name: string): Json | undefined;
  /** The text of such a name in an f-string; undefined if it is not known. */
  text(name: string): string | undefined;
  /** How the number is written that such a name stands for; undefined for other values. */
  numberText(name: string): string | undefined;
  /** What a call of a dotted name creates, if that is known without running it. */
  callee(name: string): PythonCallee | undefined;
}

export type PythonCallee =
  /** The keyword arguments are the members: HUD's classes. */
  | { readonly makes: 'object' }
  /** `dict`, which also accepts the members of another dictionary. */
  | { readonly makes: 'dictionary' }
  /** HUD 0.6: a task from a template. */
  | {
      readonly makes: 'template';
      readonly id: string;
      readonly env: string | null;
      readonly parameters: readonly string[];
    }
  /** HUD 0.5: a task from an environment; the name of the scenario is the first argument. */
  | { readonly makes: 'scenario'; readonly env: string | null }
  /** HUD 0.5: a task from a scenario, by its `task` method. */
  | {
      readonly makes: 'scenario task';
      readonly id: string | null;
      readonly env: string | null;
      readonly parameters: readonly string[];
    }
  | { readonly makes: 'environment' }
  /** `pathlib.Path`, read as its text. */
  | { readonly makes: 'path' };

type TemplateCallee = Extract<PythonCallee, { readonly env: string | null }>;

/** The arguments of a call; keyword arguments are its members. */
export interface PythonArguments extends PythonObject {
  readonly positional: readonly PythonNode[];
}

/** What a call creates. `span` is the name that is called. Adds problems of its arguments to `problems`. */
export function resultOf(
  callee: Exclude<PythonCallee, { readonly makes: 'path' }>,
  name: string,
  span: Span,
  { positional, ...args }: PythonArguments,
  problems: TextProblem[],
): PythonNode {
  switch (callee.makes) {
    case 'object':
      for (const node of positional) {
        const message = `${name} accepts only keyword arguments. Write the name of the field before this value, as in prompt="..."`;
        problems.push(textError(node, 'python-positional', message));
      }
      return args;
    case 'dictionary': {
      const [original, another] = positional;
      if (original === undefined) return args;
      const members = another === undefined ? membersOf(original) : null;
      return { ...args, members: [...(members ?? []), ...args.members], open: args.open || members === null };
    }
    case 'environment': {
      const node = args.members.find((member) => member.name === 'name')?.node ?? positional[0];
      const value = node === undefined ? 'environment' : jsonOf(node);
      const whole = { start: span.start, end: args.end };
      return typeof value === 'string'
        ? valueNode(whole, { name: environmentName(value) })
        : unknownNode(whole, 'an environment');
    }
    case 'template':
      return fromTemplate(span, args, callee, { id: valueNode(span, callee.id) }, positional);
    case 'scenario task': {
      const scenario = callee.id === null ? unknownNode(span, 'the scenario name') : valueNode(span, callee.id);
      return fromTemplate(span, args, callee, { scenario }, positional);
    }
    case 'scenario': {
      const scenario = positional[0] ?? unknownNode(span, 'the scenario name');
      return fromTemplate(span, args, callee, { scenario });
    }
  }
}

/** The members of a dictionary, or of a list of pairs, that another dictionary copies; null if they are not known. */
export function membersOf(node: PythonNode): readonly PythonMember[] | null {
  if (node.kind === 'object')
    return node.open || node.isSet ? null : node.members.map((member) => ({ ...member, own: false }));
  if (node.kind === 'list') {
    const pairs = node.items.map(({ node: pair }) => (pair.kind === 'list' ? pair.items.map((item) => item.node) : []));
    const members = pairs.flatMap(([key, value, more]) =>
      key?.kind === 'value' && typeof key.value === 'string' && value !== undefined && more === undefined
        ? [impliedMember(key.value, value)]
        : [],
    );
    return members.length === pairs.length ? members : null;
  }
  const value = node.kind === 'value' ? node.value : null;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.entries(value).map(([name, item]) => impliedMember(name, valueNode(node, item)));
}

function environmentOf({ env, makes }: TemplateCallee, span: Span): PythonNode {
  if (env === null) return unknownNode(span, 'the environment name');
  return valueNode(span, makes === 'template' ? env : { name: env });
}

/** A task whose arguments are those of a template or scenario, which `identity` names: the whole call is its `args`. */
function fromTemplate(
  span: Span,
  args: PythonObject,
  callee: TemplateCallee,
  identity: Readonly<Record<string, PythonNode>>,
  positional: readonly PythonNode[] = [],
): PythonNode {
  const { end } = args;
  const parameters = callee.makes === 'scenario' ? [] : callee.parameters;
  const byPosition = positional.map((node, index) => impliedMember(parameters[index] ?? String(index), node));
  const all: PythonObject = { ...args, start: args.from - 1, members: [...byPosition, ...args.members] };
  const parts = { env: environmentOf(callee, span), ...identity, args: all };
  return {
    kind: 'object',
    start: span.start,
    end,
    inCall: true,
    open: false,
    members: Object.entries(parts).map(([name, node]) => impliedMember(name, node)),
    from: end,
    to: end,
  };
}

/** A member that is not written as one in the text. */
function impliedMember(name: string, node: PythonNode): PythonMember {
  return { name, key: node, node, separated: true, comma: null, own: false };
}

/** The name that HUD stores an environment under: lowercase, with hyphens. */
function environmentName(name: string): string {
  const words = name
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-')
    .replace(/[^a-z0-9-]/g, '');
  return words.replace(/-+/g, '-').replace(/^-|-$/g, '');
}
