import * as z from 'zod';
import { jsonSchema } from '../../../../base/json-validator.ts';
import { objectSchema, orNull } from './messages.ts';

const seconds = orNull(z.number().positive());
const text = orNull(z.string());
const number = orNull(z.number());
const integer = orNull(z.int());
const any = jsonSchema.default(null);

/** What every agent is configured with: the names of the agent and of its model, and the defaults of the others. */
function agentFields(name: string, model: string) {
  return {
    timeout_seconds: seconds,
    model_name: z.string().default(name),
    model: z.string().default(model).describe('Also read from `checkpoint_name`.'),
    gateway: z.boolean().default(false).describe('The model is reached through the gateway of HUD.'),
  };
}

const screenshotEncoding = z
  .discriminatedUnion('mime_type', [
    z.object({ mime_type: z.literal('image/png').default('image/png') }),
    z.object({
      mime_type: z.literal('image/webp').default('image/webp'),
      quality: z.int().min(0).max(100).default(85),
    }),
  ])
  .optional();

/** What agents that call tools are configured with. */
function toolAgentFields(name: string, model: string) {
  return {
    ...agentFields(name, model),
    auto_respond: z.boolean().default(false),
    max_steps: z.int().default(10),
    tool_timeout_seconds: seconds,
    system_prompt: text,
    citations_enabled: z.boolean().default(false),
    stop_on: z
      .array(z.enum(['length', 'malformed_tool_call']))
      .default([])
      .describe('What ends the run instead of being told to the model.'),
    hosted_tools: z.array(objectSchema).default([]).describe('Not written by HUD.'),
    screenshot_encoding: screenshotEncoding,
    model_client: any.describe('Not written by HUD.'),
  };
}

export const agentConfigSchema = z
  .object(agentFields('Agent', 'unknown'))
  .meta({ id: 'AgentConfig', description: 'Configuration of an agent.' });

export const toolAgentConfigSchema = z
  .object(toolAgentFields('Agent', 'unknown'))
  .meta({ id: 'ToolAgentConfig', description: 'Configuration of an agent that calls tools.' });

const display = z.enum(['summarized', 'omitted']).optional();

export const claudeConfigSchema = z
  .object({
    ...toolAgentFields('Claude', 'claude-sonnet-4-6'),
    tool_timeout_seconds: z.number().positive().nullable().default(120),
    max_tokens: z.int().default(16_384),
    use_computer_beta: z.boolean().default(true),
    thinking: orNull(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('adaptive'), display }),
        z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024), display }),
        z.strictObject({ type: z.literal('disabled') }),
      ]),
    ),
    max_tool_result_images: orNull(z.int().positive()),
  })
  .refine(({ thinking, max_tokens }) => thinking?.type !== 'enabled' || thinking.budget_tokens < max_tokens, {
    error: 'enabled thinking budget_tokens must be less than max_tokens',
  })
  .refine(
    ({ thinking, max_tool_result_images: images }) =>
      images === null || (thinking !== null && thinking.type !== 'disabled'),
    { error: 'max_tool_result_images requires explicit adaptive or enabled thinking' },
  )
  .meta({ id: 'ClaudeConfig', description: 'Configuration of the agent `claude`.' });

export const geminiConfigSchema = z
  .object({
    ...toolAgentFields('Gemini', 'gemini-3.1-pro-preview'),
    temperature: number,
    top_p: number,
    top_k: integer,
    max_output_tokens: integer,
    excluded_predefined_functions: z.array(z.string()).default([]),
    thinking_level: orNull(z.enum(['minimal', 'low', 'medium', 'high'])),
    include_thoughts: z.boolean().default(true),
    max_tool_result_chars: z.int().default(65_536),
  })
  .meta({ id: 'GeminiConfig', description: 'Configuration of the agent `gemini`.' });

export const openAiConfigSchema = z
  .object({
    ...toolAgentFields('OpenAI', 'gpt-5.6'),
    max_output_tokens: integer,
    temperature: number,
    reasoning: any,
    tool_choice: any,
    text: any,
    truncation: orNull(z.enum(['auto', 'disabled'])),
    parallel_tool_calls: orNull(z.boolean()),
    prompt_cache_key: z.string().min(1).max(64).optional().describe('Generated if it is missing.'),
  })
  .meta({ id: 'OpenAIConfig', description: 'Configuration of the agent `openai`.' });

export const openAiChatConfigSchema = z
  .object({
    ...toolAgentFields('OpenAI Chat', 'gpt-5.4-mini'),
    checkpoint: text,
    api_key: text.describe('Not written by HUD.'),
    base_url: text.describe('Not written by HUD.'),
    completion_kwargs: objectSchema.default({}),
  })
  .meta({ id: 'OpenAIChatConfig', description: 'Configuration of the agent `openai_compatible`.' });

export const claudeCliConfigSchema = z
  .object({
    ...agentFields('Claude CLI', 'claude-sonnet-5'),
    system_prompt: text,
    permission_mode: z.string().default('bypassPermissions'),
    max_steps: z.int().default(-1).describe('No limit if it is not above 0.'),
    reasoning_effort: orNull(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])),
    screenshot_encoding: screenshotEncoding,
    allowed_tools: z
      .array(z.string())
      .optional()
      .describe('Default: Read, Write, Edit, Bash, Glob, Grep, WebSearch, and WebFetch.'),
  })
  .meta({ id: 'ClaudeCLIConfig', description: 'Configuration of the agent `claude_cli`.' });

export const codexCliConfigSchema = z
  .object({
    ...agentFields('Codex CLI', 'gpt-5.6-sol'),
    sandbox: z.enum(['read-only', 'workspace-write', 'danger-full-access']).default('workspace-write'),
    reasoning_effort: orNull(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
  })
  .meta({ id: 'CodexCLIConfig', description: 'Configuration of the agent `codex_cli`.' });
