import objects, { type ObjectExpression } from '@jsep-plugin/object';
import jsep from 'jsep';
import type { Json } from '../base/json.ts';
import type { PageLink } from '../functions/page/page-link.ts';
import { parseCallString } from '../tasks/reward-call.ts';

/** The names and functions that an expression can use. */
export interface ExpressionScope {
  /** The value of a name; undefined if the name is unknown. */
  lookUp(name: string): unknown;
  /** Calls a setup or evaluate function. */
  call(name: string, args: readonly Json[]): Promise<unknown>;
  /** Reads from the page, for example `page.locator('h1').textContent()`. */
  queryPage(links: readonly PageLink[]): Promise<unknown>;
}

/** An expression that cannot be parsed or evaluated. The message is shown to the user. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

jsep.addLiteral('True', true);
jsep.addLiteral('False', false);
jsep.addLiteral('None', null);
jsep.plugins.register(objects);
jsep.addUnaryOp('not');
jsep.addUnaryOp('await');
jsep.addBinaryOp('and', 2);
jsep.addBinaryOp('or', 1);
jsep.addBinaryOp('in', 7);

/**
 * Evaluates a condition or a debug console expression: names, literals, comparisons, `and`/`or`/`not`, and calls of
 * setup and evaluate functions as tasks write them. Nothing else is executed. Rejects with `ExpressionError`.
 */
export async function evaluateExpression(expression: string, scope: ExpressionScope): Promise<unknown> {
  const text = withoutAwait(expression);
  // A call as a task writes it: arguments may be objects, or strings in Python syntax.
  const call = text.trimEnd().endsWith(')') && !/^\s*page\s*\./.test(text) ? parseCallString(text) : null;
  if (call !== null) return scope.call(call.name, call.args);
  let tree: jsep.Expression;
  try {
    tree = jsep(text);
  } catch (error) {
    throw new ExpressionError(`“${text}” cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return await evaluateNode(tree as jsep.CoreExpression, scope);
}

/** An expression without a leading `await`, which has no effect because calls are always awaited. */
export function withoutAwait(expression: string): string {
  return expression.replace(/^\s*await\s+/, '');
}

/** Whether a value is truthy. The value of an evaluate function is truthy only if it is 1. */
export function isTruthy(value: unknown): boolean {
  return typeof value === 'number' ? value >= 1 - 1e-9 : Boolean(value);
}

/** Replaces the expressions in braces in a logpoint message. An expression that fails is replaced with its error. */
export async function formatMessage(message: string, scope: ExpressionScope): Promise<string> {
  let text = '';
  // Every second part is an expression.
  for (const [index, part] of message.split(/\{([^{}]+)\}/g).entries()) {
    try {
      text += index % 2 === 0 ? part : display(await evaluateExpression(part, scope));
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      text += `{${error.message}}`;
    }
  }
  return text;
}

/** A value as it appears in a message: strings without quotes. */
function display(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
}

async function evaluateNode(node: jsep.CoreExpression | ObjectExpression, scope: ExpressionScope): Promise<unknown> {
  const of = (part: jsep.Expression): Promise<unknown> => evaluateNode(part as jsep.CoreExpression, scope);
  switch (node.type) {
    case 'Literal':
      return node.value;
    case 'ArrayExpression':
      return await Promise.all(node.elements.map((part) => (part === null ? null : of(part))));
    case 'ObjectExpression': {
      const entries = node.properties.map(async ({ key, value = key }) => {
        const name = key.type === 'Identifier' ? (key as jsep.Identifier).name : String(await of(key));
        return [name, await of(value)] as const;
      });
      return Object.fromEntries(await Promise.all(entries));
    }
    case 'Identifier': {
      const value = scope.lookUp(node.name);
      if (value === undefined) throw new ExpressionError(`“${node.name}” is not defined.`);
      return value;
    }
    case 'MemberExpression': {
      const object = await of(node.object);
      const key = node.computed ? await of(node.property) : (node.property as jsep.Identifier).name;
      const isOwn = typeof object === 'object' && object !== null && Object.hasOwn(object, String(key));
      return isOwn || key === 'length' ? (object as Record<string, unknown>)[String(key)] : undefined;
    }
    case 'CallExpression': {
      const links = await linksOf(node, of);
      if (links !== null) return await scope.queryPage(links);
      return await scope.call(nameOfFunction(node.callee), await argumentsOf(node, of));
    }
    case 'UnaryExpression': {
      const value = await of(node.argument);
      if (node.operator === '!' || node.operator === 'not') return !isTruthy(value);
      if (node.operator === '-') return -Number(value);
      // Calls and page queries are always awaited.
      if (node.operator === 'await') return value;
      break;
    }
    case 'BinaryExpression': {
      const left = await of(node.left);
      if (node.operator === '&&' || node.operator === 'and') return isTruthy(left) ? await of(node.right) : left;
      if (node.operator === '||' || node.operator === 'or') return isTruthy(left) ? left : await of(node.right);
      const right = await of(node.right);
      const calculate = OPERATORS[node.operator];
      if (calculate === undefined) throw new ExpressionError(`The operator ${node.operator} is not supported.`);
      return calculate(left, right);
    }
    default:
  }
  throw new ExpressionError(
    'Only names, values, comparisons, and, or, not, and calls of setup and evaluate functions are supported here.',
  );
}

/** The chain of page queries that a call expression consists of; null if it calls something else. */
async function linksOf(
  node: jsep.CallExpression,
  of: (part: jsep.Expression) => Promise<unknown>,
): Promise<PageLink[] | null> {
  const { object, property, computed } = node.callee as jsep.MemberExpression;
  if (node.callee.type !== 'MemberExpression' || computed) return null;
  const isPage = object.type === 'Identifier' && (object as jsep.Identifier).name === 'page';
  const before = object.type === 'CallExpression' ? await linksOf(object as jsep.CallExpression, of) : null;
  if (!isPage && before === null) return null;
  return [...(before ?? []), { name: (property as jsep.Identifier).name, args: await argumentsOf(node, of) }];
}

/** Evaluates the arguments of a call one after the other. */
async function argumentsOf(
  node: jsep.CallExpression,
  of: (part: jsep.Expression) => Promise<unknown>,
): Promise<Json[]> {
  const args: Json[] = [];
  for (const part of node.arguments) args.push((await of(part)) as Json);
  return args;
}

function nameOfFunction(callee: jsep.Expression): string {
  if (callee.type === 'Identifier') return (callee as jsep.Identifier).name;
  const { object, property, computed } = callee as jsep.MemberExpression;
  if (callee.type !== 'MemberExpression' || computed) throw new ExpressionError('Only a function can be called.');
  return `${nameOfFunction(object)}.${(property as jsep.Identifier).name}`;
}

const OPERATORS: Readonly<Record<string, (left: unknown, right: unknown) => unknown>> = {
  '==': isSameJson,
  '===': isSameJson,
  '!=': (left, right) => !isSameJson(left, right),
  '!==': (left, right) => !isSameJson(left, right),
  '<': (left, right) => Number(left) < Number(right),
  '<=': (left, right) => Number(left) <= Number(right),
  '>': (left, right) => Number(left) > Number(right),
  '>=': (left, right) => Number(left) >= Number(right),
  '%': (left, right) => Number(left) % Number(right),
  '-': (left, right) => Number(left) - Number(right),
  '+': (left, right) =>
    typeof left === 'number' && typeof right === 'number' ? left + right : `${display(left)}${display(right)}`,
  in: (left, right) =>
    typeof right === 'string'
      ? right.includes(display(left))
      : Array.isArray(right) && right.some((one) => isSameJson(one, left)),
};

function isSameJson(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
