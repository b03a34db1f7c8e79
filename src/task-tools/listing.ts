import * as z from 'zod';
import type { ToolListing } from '../agents/mcp/tool.ts';
import type { InputSchema } from '../environments/mcp/listed-tools.ts';
import type { TaskTool } from './tool.ts';

/** A tool as MCP lists it. */
export function listingOf({ name, title, description, input, readOnly }: TaskTool): ToolListing & { title: string } {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  const annotations = { readOnlyHint: readOnly };
  return { name, title, description, inputSchema: inputSchema as InputSchema, annotations };
}

/** The name of a tool in VS Code, where all extensions share one list. */
export function nameInEditor({ name }: Pick<TaskTool, 'name'>): string {
  return `taskwright_${name}`;
}
