import * as z from 'zod';
import { jsonSchema } from '../../../../base/json-validator.ts';

/*
 * The types of HUD 0.6, as `hud` 0.6.21 defines them: the same fields, defaults, and refusals of unknown fields. Python's
 * `None` is null, and a dump leaves it out.
 */

/** A JSON object. */
export const objectSchema = z.record(z.string(), jsonSchema);

/** A field that is null by default. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

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

export const promptMessageSchema = z
  .looseObject({ role: z.enum(['user', 'assistant']), content: contentBlockSchema })
  .meta({ id: 'PromptMessage', description: 'One turn of a prompt, as in MCP.' });
export type PromptMessage = z.infer<typeof promptMessageSchema>;

/** A call of a tool. HUD accepts other keys. */
export const toolCallSchema = z
  .looseObject({
    task: orNull(jsonSchema),
    meta: orNull(jsonSchema),
    name: z.string(),
    arguments: orNull(z.union([objectSchema, z.string()])).describe(
      'A text if what the model wrote is not JSON. Such a call is not executed.',
    ),
    id: z.string().optional().describe('Relates the call to its result. HUD generates one if it is missing.'),
    annotation: orNull(z.string()).describe('Why the action is taken.'),
    provider_name: orNull(z.string()).describe("The model provider's name of the tool, if different."),
  })
  .meta({ id: 'MCPToolCall', description: 'A call of a tool.' });

/** The result of a tool call. HUD accepts other keys, among them those of mcp 2 (`is_error`). */
export const toolResultSchema = z
  .looseObject({
    meta: orNull(objectSchema),
    content: z.array(contentBlockSchema),
    structuredContent: orNull(objectSchema),
    isError: z.boolean().default(false),
    call_id: orNull(z.string()).describe('`id` of the call.'),
  })
  .meta({ id: 'MCPToolResult', description: 'The result of a tool call.' });
export type ToolResult = z.infer<typeof toolResultSchema>;

/** What a user-defined tool returns, before it becomes content blocks. */
export const contentResultSchema = z
  .object({
    output: orNull(z.string()),
    error: orNull(z.string()),
    base64_image: orNull(z.string()),
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
