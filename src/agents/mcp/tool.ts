import * as z from 'zod';
import type { ActionInput } from '../../actions/action.ts';
import type { InputSchema, ListedTool } from '../../environments/mcp/listed-tools.ts';

/** A tool as a client lists it. */
export interface ToolListing extends ListedTool {
  readonly annotations: { readonly readOnlyHint: boolean };
}

/** The result of a call as MCP has it. */
export interface ToolResult {
  readonly content: readonly (
    | { readonly type: 'text'; readonly text: string }
    /** `data` in base64. */
    | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  )[];
  readonly isError: boolean;
}

/** A result that is a text. */
export function textResult(text: string, isError = false): ToolResult {
  return { content: [{ type: 'text', text }], isError };
}

/** What a call of a tool means. */
export type ToolUse =
  | { readonly kind: 'act'; readonly actions: readonly ActionInput[] }
  /** Shows the last observation again. */
  | { readonly kind: 'look' }
  | { readonly kind: 'finish'; readonly response: string | null };

/** A tool of an environment. */
export interface Tool extends ToolListing {
  /** What a call means. The arguments are those of any program. Throws `ToolError` if they do not fit. */
  use(args: unknown): ToolUse;
}

/** Arguments that a tool does not take. The message is for the agent. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** One step of these actions. */
export function step(...actions: readonly ActionInput[]): ToolUse {
  return { kind: 'act', actions };
}

/** A tool whose arguments are checked with zod. */
export function tool<Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  shape: Shape,
  use: (args: z.infer<z.ZodObject<Shape>>) => ToolUse,
): Tool {
  const schema = z.strictObject(shape);
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema, { io: 'input' });
  const checkAndUse = (args: unknown): ToolUse => {
    const parsed = schema.safeParse(args);
    if (!parsed.success) throw new ToolError(`${name}: ${z.prettifyError(parsed.error)}`);
    return use(parsed.data as z.infer<z.ZodObject<Shape>>);
  };
  return {
    name,
    description,
    inputSchema: inputSchema as InputSchema,
    annotations: { readOnlyHint: false },
    use: checkAndUse,
  };
}

/** A tool that shows the last observation again, and does nothing. */
export function look(name: string, description: string): Tool {
  return { ...tool(name, description, {}, () => ({ kind: 'look' })), annotations: { readOnlyHint: true } };
}
