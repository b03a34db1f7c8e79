import type { Json } from '../../../base/json.ts';
import type { TextProblem } from '../source.ts';
import { jsonOf, type PythonMember, type PythonNode, type PythonObject, type PythonSpan } from './nodes.ts';

/** The meaning of names in a file. */
export interface PythonNames {
  /** The value of a name that is assigned once, to a literal. */
  constant(name: string): Json | undefined;
  /** The text of such a name in an f-string; undefined if it is not known. */
  text(name: string): string | undefined;
  /** How the number is written that such a name stands for; undefined for other values. */
  written(name: string): string | undefined;
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

/** The arguments of a call; keyword arguments are its members. */
export interface PythonArguments extends PythonObject {
  readonly positional: readonly PythonNode[];
}

/** What a call creates. `span` is the name that is called. Adds problems of its arguments to `problems`. */
export function madeBy(
  callee: Exclude<PythonCallee, { readonly makes: 'path' }>,
  name: string,
  span: PythonSpan,
  { positional, ...args }: PythonArguments,
  problems: TextProblem[],
): PythonNode {
  switch (callee.makes) {
    case 'object':
      for (const { start, end } of positional) {
        const message = `${name} accepts only keyword arguments. Write the name of the field before this value, as in prompt="..."`;
        problems.push({ start, end, severity: 'error', code: 'python-positional', message });
      }
      return args;
    case 'dictionary': {
      const [copied, another] = positional;
      if (copied === undefined) return args;
      const members = another === undefined ? membersOf(copied) : null;
      return { ...args, members: [...(members ?? []), ...args.members], open: args.open || members === null };
    }
    case 'environment':
      return environment(span.start, args, positional[0]);
    case 'template': {
      const id: PythonNode = { kind: 'value', ...span, value: callee.id, quoted: false };
      const head = [made('env', environmentOf(callee, span)), made('id', id)];
      return fromTemplate(span, args, named(positional, callee.parameters), head);
    }
    case 'scenario task': {
      const scenario: PythonNode =
        callee.id === null
          ? { kind: 'unknown', ...span, what: 'the scenario name' }
          : { kind: 'value', ...span, value: callee.id, quoted: false };
      const head = [made('env', environmentOf(callee, span)), made('scenario', scenario)];
      return fromTemplate(span, args, named(positional, callee.parameters), head);
    }
    case 'scenario': {
      const scenario = positional[0] ?? { kind: 'unknown', ...span, what: 'the scenario name' };
      return fromTemplate(span, args, [], [made('env', environmentOf(callee, span)), made('scenario', scenario)]);
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
        ? [made(key.value, value)]
        : [],
    );
    return members.length === pairs.length ? members : null;
  }
  const value = node.kind === 'value' ? node.value : null;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { start, end } = node;
  return Object.entries(value).map(([name, item]) =>
    made(name, { kind: 'value', start, end, value: item, quoted: false }),
  );
}

function environment(start: number, args: PythonObject, first: PythonNode | undefined): PythonNode {
  const { end } = args;
  const given = args.members.find((member) => member.name === 'name')?.node ?? first;
  const value = given === undefined ? 'environment' : jsonOf(given);
  return typeof value === 'string'
    ? { kind: 'value', start, end, value: { name: environmentName(value) }, quoted: false }
    : { kind: 'unknown', start, end, what: 'an environment' };
}

function environmentOf(callee: PythonCallee & { readonly env: string | null }, span: PythonSpan): PythonNode {
  if (callee.env === null) return { kind: 'unknown', ...span, what: 'the environment name' };
  return {
    kind: 'value',
    ...span,
    value: callee.makes === 'template' ? callee.env : { name: callee.env },
    quoted: false,
  };
}

/** A task whose arguments are those of a template: the whole call is its `args`. */
function fromTemplate(
  { start }: PythonSpan,
  args: PythonObject,
  named: readonly PythonMember[],
  head: readonly PythonMember[],
): PythonNode {
  const { end } = args;
  const all: PythonObject = { ...args, start: args.from - 1, members: [...named, ...args.members] };
  return {
    kind: 'object',
    start,
    end,
    inCall: true,
    open: false,
    members: [...head, made('args', all)],
    from: end,
    to: end,
  };
}

/** Positional arguments by the names of the parameters. */
function named(positional: readonly PythonNode[], parameters: readonly string[]): PythonMember[] {
  return positional.map((node, index) => made(parameters[index] ?? String(index), node));
}

/** A member that is not written as one in the text. */
function made(name: string, node: PythonNode): PythonMember {
  return { name, key: node, node, separated: true, comma: null, own: false };
}

/** The name that HUD stores an environment under: lowercase, with hyphens. */
function environmentName(given: string): string {
  const words = given
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-')
    .replace(/[^a-z0-9-]/g, '');
  return words.replace(/-+/g, '-').replace(/^-|-$/g, '');
}
