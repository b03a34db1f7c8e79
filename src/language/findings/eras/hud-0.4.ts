import * as z from 'zod';
import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { Path } from '../../../base/path.ts';
import { parsePythonJson } from '../../../python/json.ts';
import { isTruthy } from '../../../python/truth.ts';
import { error, newProblem, type Problem, warning } from '../../../tasks/problem.ts';
import { changeTo } from '../../../tasks/value-fixes.ts';
import { anyObject, flag, type IssueDetails, members, modelProblems, outsideText, REQUIRED } from './model.ts';
import { filledIn, placeholderProblems } from './placeholders.ts';
import { toolCalls04, toolCalls05 } from './tool-call.ts';

/** The release whose model checks tasks of HUD 0.4. */
const HUD_0_4 = 'HUD 0.4.74';
/** The last release that also reads them, with rules of its own. */
export const HUD_0_5 = 'HUD 0.5.41';

/** Data sets contain the value, or its JSON as a text. */
function orJson<Schema extends z.ZodType>(
  schema: Schema,
  prepare = (text: string) => text,
  details: IssueDetails = {},
) {
  return z.preprocess((value, context) => {
    if (typeof value !== 'string') return value;
    try {
      return parsePythonJson(prepare(value));
    } catch (error) {
      const message = `must be valid JSON, because HUD parses a string here: ${error instanceof Error ? error.message : String(error)}`;
      context.addIssue({
        code: 'custom',
        message,
        params: { code: 'json-text', ...details } satisfies IssueDetails,
      });
      return z.NEVER;
    }
  }, schema);
}

const agentConfig = {
  allowed_tools: z.array(z.string()).nullish(),
  disallowed_tools: z.array(z.string()).nullish(),
  response_tool_name: z.string().nullish(),
  system_prompt: z.string().nullish(),
  append_setup_output: flag.optional(),
  initial_screenshot: flag.optional(),
};

function taskModel(agent: z.ZodRawShape, calls: z.ZodType) {
  return z.object({
    id: z.string().nullish(),
    prompt: z.string().describe('what the agent should do'),
    // HUD substitutes variables before it parses a text as JSON.
    mcp_config: orJson(anyObject.describe('the MCP servers of the environment'), filledIn, REQUIRED),
    setup_tool: orJson(calls).optional(),
    evaluate_tool: orJson(calls).optional(),
    integration_test_tool: orJson(calls).optional(),
    agent_config: orJson(members(agent, 'rejected').nullable()).optional(),
    metadata: orJson(anyObject).optional(),
  });
}

const model = taskModel(agentConfig, toolCalls04);
const legacyModel = taskModel({ ...agentConfig, append_setup_tool: flag.optional() }, toolCalls05);

/** What a model rejects. A text with invalid placeholders is not read further. */
function taskProblems(model: z.ZodType, row: JsonObject, hud: string): Problem[] {
  const placeholders = placeholderProblems(row['mcp_config'], ['mcp_config'], hud);
  const rest = placeholders.length === 0 ? row : { ...row, mcp_config: {} };
  return [...placeholders, ...modelProblems(model, rest, hud)];
}

/** What the model of HUD 0.4.74 rejects in a row, and what HUD 0.5 reads differently. */
export function hud04Problems(row: JsonObject): Problem[] {
  const problems = taskProblems(model, row, HUD_0_4);
  const evaluateTools = row['evaluate_tool'] ?? [];
  if (Array.isArray(evaluateTools) && evaluateTools.length === 0) {
    const message = `This task has no "evaluate_tool", so its runs get no reward, and ${HUD_0_5} rejects it`;
    problems.push(warning('no-evaluate', evaluatePath(row), message));
  }
  if (row['prompt'] === '') {
    const message = `The prompt is empty, so ${HUD_0_5} does not read this as a task of HUD 0.4`;
    problems.push(warning('no-prompt', ['prompt'], message));
  }
  return [...problems, ...serverProblems(row, 'warning'), ...severalEvaluations(row['evaluate_tool'])];
}

/** What HUD 0.5.41 rejects in a row that it converts, because it has a prompt and an mcp_config. */
export function legacyProblems(row: JsonObject): Problem[] {
  const problems = [...taskProblems(legacyModel, row, HUD_0_5), ...serverProblems(row, 'error')];
  if (!isTruthy(row['evaluate_tool'])) {
    const message = `${HUD_0_5} reads a row with "prompt" and "mcp_config" as a task of HUD 0.4, and rejects it without an "evaluate_tool"`;
    problems.push(error('missing-field', evaluatePath(row), message));
  }
  return problems;
}

function evaluatePath(row: JsonObject): Path {
  return 'evaluate_tool' in row ? ['evaluate_tool'] : [];
}

/**
 * HUD 0.5 searches for "url" in every server. Python cannot do that in a number, boolean, or None, nor remove it from a
 * text.
 */
function isNoContainer(server: Json): boolean {
  if (typeof server === 'string') return server.includes('url');
  return server === null || typeof server === 'number' || typeof server === 'boolean';
}

const serverList = orJson(anyObject);

/** @param severity the severity of what HUD 0.5 rejects */
function serverProblems(row: JsonObject, severity: 'error' | 'warning'): Problem[] {
  const config = serverList.safeParse(row['mcp_config']).data;
  if (config === undefined) return [];
  const problems: Problem[] = [];
  const servers = Object.entries(config as JsonObject);
  if (servers.length === 0) {
    problems.push(warning('no-server', ['mcp_config'], 'No MCP server is specified, so there is no environment'));
  }
  for (const [name, server] of servers) {
    const path: Path = ['mcp_config', name];
    if (!isObject(server) || !('url' in server || 'command' in server)) {
      const message =
        'HUD cannot start a server from this. Use an object with a "url", or with a "command" and its "args"';
      problems.push(newProblem(isNoContainer(server) ? severity : 'warning', 'mcp-server', path, message));
      continue;
    }
    const { url } = server;
    if (url === undefined || (typeof url === 'string' && (url.startsWith('http') || url.includes('$')))) continue;
    const urlPath = [...path, 'url'];
    const message = `${HUD_0_5} rejects this address. It must begin with http:// or https://`;
    const isHost = typeof url === 'string' && URL.canParse(`http://${url}`);
    const fixes = isHost ? [changeTo(urlPath, `http://${url}`)] : [];
    problems.push(newProblem(severity, 'mcp-url', urlPath, message, ...fixes));
  }
  return problems.map((problem) => outsideText(problem, row));
}

function severalEvaluations(value: Json | undefined): Problem[] {
  if (!Array.isArray(value) || value.length < 2) return [];
  const message = 'HUD 0.4 takes the reward from the first evaluate tool only; the result of this one is ignored';
  const changes = [{ set: ['evaluate_tool'], value: value[0] as Json }];
  return [warning('evaluate-tool-ignored', ['evaluate_tool', 1], message, { title: 'Keep only the first', changes })];
}
