import * as z from 'zod';
import { jsonSchema } from '../../../../base/json-validator.ts';

/*
 * The types of HUD 0.6, as `hud` 0.6.21 defines them: the same fields, defaults, and refusals of unknown fields. Python's
 * `None` is null, and a dump leaves it out.
 */

/** A JSON object. */
export const objectSchema = z.record(z.string(), jsonSchema);

/** A part of a message or of a tool result, as in MCP: text, an image, audio, or a resource. */
export const contentBlockSchema = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    // `mimeType` with mcp before 2, `mime_type` since.
    z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string().optional() }),
    z.looseObject({ type: z.literal('audio'), data: z.string(), mimeType: z.string().optional() }),
    z.looseObject({ type: z.literal('resource_link'), name: z.string(), uri: z.string() }),
    z.looseObject({ type: z.literal('resource'), resource: z.looseObject({ uri: z.string() }) }),
  ])
  .meta({ id: 'ContentBlock', description: 'A part of a message or of a tool result, as in MCP.' });
export type ContentBlock = z.infer<typeof contentBlockSchema>;

/** One turn of a prompt, as in MCP. */
export const promptMessageSchema = z
  .looseObject({ role: z.enum(['user', 'assistant']), content: contentBlockSchema })
  .meta({ id: 'PromptMessage', description: 'One turn of a prompt, as in MCP.' });
export type PromptMessage = z.infer<typeof promptMessageSchema>;

/** A call of a tool. HUD accepts other keys. */
export const toolCallSchema = z
  .looseObject({
    task: jsonSchema.nullable().default(null),
    meta: jsonSchema.nullable().default(null),
    name: z.string(),
    arguments: z
      .union([objectSchema, z.string()])
      .nullable()
      .default(null)
      .describe('A text if what the model wrote is not JSON. Such a call is not executed.'),
    id: z.string().optional().describe('Relates the call to its result. HUD generates one if it is missing.'),
    annotation: z.string().nullable().default(null).describe('Why the action is taken.'),
    provider_name: z.string().nullable().default(null).describe("The model provider's name of the tool, if different."),
  })
  .meta({ id: 'MCPToolCall', description: 'A call of a tool.' });
export type ToolCall = z.infer<typeof toolCallSchema>;

/** The result of a tool call. HUD accepts other keys, among them those of mcp 2 (`is_error`). */
export const toolResultSchema = z
  .looseObject({
    meta: objectSchema.nullable().default(null),
    content: z.array(contentBlockSchema),
    structuredContent: objectSchema.nullable().default(null),
    isError: z.boolean().default(false),
    call_id: z.string().nullable().default(null).describe('`id` of the call.'),
  })
  .meta({ id: 'MCPToolResult', description: 'The result of a tool call.' });
export type ToolResult = z.infer<typeof toolResultSchema>;

/** What a tool of a person's own returns, before it is made content blocks. */
export const contentResultSchema = z
  .object({
    output: z.string().nullable().default(null),
    error: z.string().nullable().default(null),
    base64_image: z.string().nullable().default(null),
  })
  .meta({ id: 'ContentResult', description: 'What a tool returns: text, an error, and a picture.' });

/** Whether the tool failed, in either spelling. */
export function isToolError(result: ToolResult): boolean {
  return result.isError || result['is_error'] === true;
}

/** The texts of a message or of a tool result, one per line. */
export function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : [])).join('\n');
}
