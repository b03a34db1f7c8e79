import * as z from 'zod';
import type { Json, JsonObject } from '../../base/json.ts';
import { readTool, type ToolFacts, toolSchema } from '../mcp/tools.ts';
import type { EnvironmentSchemas } from './server-info.ts';

const listSchema = z.object({ result: z.object({ tools: z.array(toolSchema) }) });

/** Whether the actions of an environment are calls of tools. */
export function hasTools({ action }: EnvironmentSchemas): boolean {
  return action['title'] === 'CallToolAction';
}

/** The tools in an answer to `tools/list`; null if it lists none. */
export function readTools(answer: unknown): readonly ToolFacts[] | null {
  return listSchema.safeParse(answer).data?.result.tools.map(readTool) ?? null;
}

/** JSON Schema of the actions of an environment with tools: a call of one of them, or the list of all. */
export function schemaOfCalls(tools: readonly ToolFacts[]): JsonObject {
  const calls = tools.map(({ name, description, schema }) => ({
    type: 'object',
    title: name,
    description,
    properties: { type: { const: 'call_tool' }, tool_name: { const: name }, arguments: schema },
    required: ['type', 'tool_name', 'arguments'],
    additionalProperties: false,
  }));
  const list = {
    type: 'object',
    title: 'list_tools',
    description: 'List the tools.',
    properties: { type: { const: 'list_tools' } },
    required: ['type'],
    additionalProperties: false,
  };
  return { oneOf: [...calls, list] };
}

const errorSchema = z.looseObject({ error: z.object({ error_type: z.string(), message: z.string() }) });

/** The error of a tool in an observation; null if there is none. */
export function toolError(observation: Json): { readonly code: string; readonly message: string } | null {
  const { data } = errorSchema.safeParse(observation);
  return data === undefined ? null : { code: data.error.error_type, message: data.error.message };
}
