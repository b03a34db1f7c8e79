import objects, { type ObjectExpression } from '@jsep-plugin/object';
import jsep from 'jsep';
import * as z from 'zod';
import type { Json } from '../../base/json.ts';
import { jsonSchema } from '../../base/json-validator.ts';

/** One link of a call chain such as `page.locator('h1').textContent()`: a name and arguments. */
export const pageLinkSchema = z.object({ name: z.string(), args: z.array(jsonSchema) });
export type PageLink = z.infer<typeof pageLinkSchema>;

// Options of locators: `getByRole('button', { name: 'Buy' })`.
jsep.plugins.register(objects);

/** The links of a chain of calls with JSON values, such as `locator('h1').first()`. Throws if the text is anything else. */
export function readLinks(text: string): PageLink[] {
  let expression: jsep.Expression;
  try {
    expression = jsep(text);
  } catch (error) {
    throw unreadable(text, error);
  }
  const links: PageLink[] = [];
  for (let node = expression; ; ) {
    if (node.type !== 'CallExpression') throw unreadable(text);
    const { callee, arguments: args } = node as jsep.CallExpression;
    const isFirst = callee.type === 'Identifier';
    const { object, property, computed } = callee as jsep.MemberExpression;
    if (!isFirst && (callee.type !== 'MemberExpression' || computed)) throw unreadable(text);
    const { name } = (isFirst ? callee : property) as jsep.Identifier;
    links.unshift({ name, args: args.map((part) => jsonOf(part, text)) });
    if (isFirst) return links;
    node = object;
  }
}

function jsonOf(expression: jsep.Expression, text: string): Json {
  const node = expression as jsep.CoreExpression | ObjectExpression;
  switch (node.type) {
    case 'Literal':
      return jsonSchema.parse(node.value);
    case 'UnaryExpression':
      if (node.operator !== '-') break;
      return -Number(jsonOf(node.argument, text));
    case 'ObjectExpression':
      return Object.fromEntries(
        node.properties.map(({ key, value }) => [
          key.type === 'Identifier' ? (key as jsep.Identifier).name : String(jsonOf(key, text)),
          value === undefined ? null : jsonOf(value, text),
        ]),
      );
    default:
  }
  throw unreadable(text);
}

function unreadable(text: string, cause?: unknown): Error {
  return new Error(`${text} cannot be queried while the function is stopped.`, { cause });
}
