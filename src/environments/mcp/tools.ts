import * as z from 'zod';
import { isList, isObject, type Json, type JsonObject, listOf, objectOf } from '../../base/json.ts';
import type { McpConnection } from './client/connection.ts';

/** A tool, as an agent sees it. */
export interface ToolFacts {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/** A tool of an MCP server. The name of its server and an underscore begin its name if there are several servers, as in HUD 0.4. */
export interface Tool extends ToolFacts {
  /** Its name on its server. */
  readonly ownName: string;
  readonly connection: McpConnection;
}

/** A tool as a server lists it. */
export const toolSchema = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  inputSchema: z.record(z.string(), z.custom<Json>()).optional(),
});

/** Reads a listed tool. */
export function readTool({ name, description, inputSchema }: z.infer<typeof toolSchema>): ToolFacts {
  return { name, description: description ?? '', schema: inputSchema ?? { type: 'object' } };
}

/** The tools that a server lists. `prefix`: what comes before their names. */
export function readTools(
  list: readonly z.infer<typeof toolSchema>[],
  prefix: string,
  connection: McpConnection,
): Tool[] {
  return list.map(readTool).map((tool) => ({ ...tool, name: `${prefix}${tool.name}`, ownName: tool.name, connection }));
}

/** JSON Schema of an action: a call of one of the tools. */
export function schemaOfCalls(tools: readonly ToolFacts[]): JsonObject {
  const definitions: Record<string, Json> = {};
  const calls = tools.map(({ name, description, schema }) => {
    const { $defs, ...own } = schema;
    for (const [key, value] of Object.entries(objectOf($defs))) {
      definitions[`${name}.${key}`] = withReferences(value, name);
    }
    return {
      type: 'object',
      title: name,
      description,
      properties: { name: { const: name }, arguments: withReferences(own, name) },
      required: listOf(schema['required']).length > 0 ? ['name', 'arguments'] : ['name'],
      additionalProperties: false,
    };
  });
  return { oneOf: calls, ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }) };
}

/** The schema, whose references to the tool's definitions become references to the definitions of all tools. */
function withReferences(schema: Json, tool: string): Json {
  if (isList(schema)) return schema.map((one) => withReferences(one, tool));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string'
        ? value.replace(/^#\/\$defs\//, () => `#/$defs/${tool}.`)
        : withReferences(value, tool),
    ]),
  );
}

/** Whether a name matches a pattern of Python's `fnmatch`. */
export function matches(name: string, pattern: string): boolean {
  const source = pattern.replaceAll(/\[(!?)(\]?[^\]]*)\]|[\s\S]/g, (token, not?: string, set?: string) => {
    if (set !== undefined) return `[${not === '' ? '' : '^'}${set.replaceAll(/[\\\]^[]/g, '\\$&')}]`;
    if (token === '*') return '.*';
    return token === '?' ? '.' : token.replace(/[\\^$.*+?()[\]{}|]/, '\\$&');
  });
  return new RegExp(`^${source}$`, 's').test(name);
}
