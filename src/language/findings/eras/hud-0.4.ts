import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { Path } from '../../../base/path.ts';
import { parsePythonJson } from '../../../python/json.ts';
import { isTruthy } from '../../../python/truth.ts';
import type { Problem } from '../../../tasks/problem.ts';
import type { RuleCode } from '../../../tasks/rules/rules.ts';
import { changeTo } from '../../../tasks/value-fixes.ts';
import {
  anything,
  type Check,
  flag,
  listOf,
  type ModelReport,
  members,
  nullable,
  objectOf,
  optional,
  required,
  text,
} from './model.ts';
import { filledIn, hasPlaceholder, placeholderProblems } from './placeholders.ts';
import { toolCalls04, toolCalls05 } from './tool-call.ts';

/** The release whose model checks tasks of HUD 0.4. */
const HUD_0_4 = 'HUD 0.4.74';
/** The last release that also reads them, with rules of its own. */
export const HUD_0_5 = 'HUD 0.5.41';

/** Data sets contain the value, or its JSON as a text. */
function orJson(check: Check, variables = false): Check {
  return (value, path, report) => {
    if (typeof value !== 'string') return check(value, path, report);
    const parsed = tryToParse(variables ? filledIn(value) : value);
    if (parsed.ok) {
      const inner: ModelReport = { hud: report.hud, problems: [] };
      check(parsed.value, path, inner);
      report.problems.push(...withinText(inner.problems, path));
      return;
    }
    report.problems.push({
      path,
      severity: 'error',
      code: 'json-text',
      message: `${report.hud} parses a string here as JSON, and this is invalid: ${parsed.message}`,
    });
  };
}

/** Problems inside a JSON text have no ranges of their own. */
function withinText(problems: readonly Problem[], path: Path): Problem[] {
  return problems.map(({ fixes: _, part: __, ...problem }) => ({ ...problem, path }));
}

const mcpConfig: Check = (value, path, report) => {
  // HUD substitutes variables before it parses a text as JSON.
  const before = report.problems.length;
  placeholderProblems(value, path, report);
  if (report.problems.length === before) orJson(objectOf(anything), true)(value, path, report);
};

function agentConfig(more: Readonly<Record<string, { readonly check: Check }>>): Check {
  const fields = members(
    {
      allowed_tools: optional(nullable(listOf(text()))),
      disallowed_tools: optional(nullable(listOf(text()))),
      response_tool_name: optional(nullable(text())),
      system_prompt: optional(nullable(text())),
      append_setup_output: optional(flag),
      initial_screenshot: optional(flag),
      ...more,
    },
    'refused',
    'agent_config',
  );
  return nullable(
    orJson((value, path, report) => {
      if (value !== null) fields(value, path, report);
    }),
  );
}

function taskModel(agent: Check, calls: Check): Check {
  const tools = orJson(calls);
  return members(
    {
      id: optional(nullable(text())),
      prompt: required(text(), 'what the agent should do'),
      mcp_config: required(mcpConfig, 'the MCP servers of the environment'),
      setup_tool: optional(tools),
      evaluate_tool: optional(tools),
      integration_test_tool: optional(tools),
      agent_config: optional(agent),
      metadata: optional(orJson(objectOf(anything))),
    },
    'reported elsewhere',
    'a task',
  );
}

const model = taskModel(agentConfig({}), toolCalls04);
const legacyModel = taskModel(agentConfig({ append_setup_tool: optional(flag) }), toolCalls05);

/** What the model of HUD 0.4.74 rejects in a row, and what HUD 0.5 reads differently. */
export function hud04Problems(row: JsonObject): Problem[] {
  const report: ModelReport = { hud: HUD_0_4, problems: [] };
  model(row, [], report);
  const { problems } = report;
  if (!hasContent(row['evaluate_tool'])) {
    problems.push({
      path: 'evaluate_tool' in row ? ['evaluate_tool'] : [],
      severity: 'warning',
      code: 'no-evaluate',
      message: `This task has no "evaluate_tool", so its runs get no reward, and ${HUD_0_5} rejects it`,
    });
  }
  if (row['prompt'] === '') {
    problems.push({
      path: ['prompt'],
      severity: 'warning',
      code: 'no-prompt',
      message: `The prompt is empty, so ${HUD_0_5} does not read this as a task of HUD 0.4`,
    });
  }
  problems.push(...serverProblems(row['mcp_config'], 'warning'), ...severalEvaluations(row['evaluate_tool']));
  return problems;
}

/** What HUD 0.5.41 rejects in a row that it converts, because it has a prompt and an mcp_config. */
export function legacyProblems(row: JsonObject): Problem[] {
  const report: ModelReport = { hud: HUD_0_5, problems: [] };
  if (!isTruthy(row['evaluate_tool'])) {
    report.problems.push({
      path: 'evaluate_tool' in row ? ['evaluate_tool'] : [],
      severity: 'error',
      code: 'missing-field',
      message: `${HUD_0_5} reads a row with "prompt" and "mcp_config" as a task of HUD 0.4, and rejects it without an "evaluate_tool"`,
    });
  }
  legacyModel(row, [], report);
  report.problems.push(...serverProblems(row['mcp_config'], 'error'));
  return report.problems;
}

/**
 * HUD 0.5 searches for "url" in every server. Python cannot do that in a number, boolean, or None, nor remove it from a
 * text.
 */
function isNoContainer(server: Json): boolean {
  if (typeof server === 'string') return server.includes('url');
  return server === null || typeof server === 'number' || typeof server === 'boolean';
}

function hasContent(value: Json | undefined): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

/** @param refused the severity of what HUD 0.5 rejects */
function serverProblems(config: Json | undefined, refused: 'error' | 'warning'): Problem[] {
  if (typeof config === 'string') {
    const parsed = tryToParse(config);
    return parsed.ok ? withinText(serverProblems(parsed.value, refused), ['mcp_config']) : [];
  }
  if (!isObject(config)) return [];
  const problems: Problem[] = [];
  const servers = Object.entries(config);
  if (servers.length === 0) {
    problems.push(serverProblem(['mcp_config'], 'no-server', 'No MCP server is specified, so there is no environment'));
  }
  for (const [name, server] of servers) {
    const path: Path = ['mcp_config', name];
    if (!isObject(server) || !('url' in server || 'command' in server)) {
      problems.push({
        ...serverProblem(
          path,
          'mcp-server',
          'HUD cannot start a server from this. Use an object with a "url", or with a "command" and its "args"',
        ),
        ...(isNoContainer(server) ? { severity: refused } : {}),
      });
      continue;
    }
    const { url } = server;
    if (url === undefined || (typeof url === 'string' && (url.startsWith('http') || hasPlaceholder(url)))) continue;
    problems.push({
      ...serverProblem(
        [...path, 'url'],
        'mcp-url',
        `${HUD_0_5} rejects this address. It must begin with http:// or https://`,
      ),
      severity: refused,
      ...(typeof url === 'string' && URL.canParse(`http://${url}`)
        ? { fixes: [changeTo([...path, 'url'], `http://${url}`)] }
        : {}),
    });
  }
  return problems;
}

function serverProblem(path: Path, code: RuleCode, message: string): Problem {
  return { path, severity: 'warning', code, message };
}

function severalEvaluations(value: Json | undefined): Problem[] {
  if (!Array.isArray(value) || value.length < 2) return [];
  return [
    {
      path: ['evaluate_tool', 1],
      severity: 'warning',
      code: 'evaluate-tool-ignored',
      message: 'HUD 0.4 takes the reward from the first evaluate tool only; the result of this one is ignored',
      fixes: [{ title: 'Keep only the first', changes: [{ set: ['evaluate_tool'], value: value[0] as Json }] }],
    },
  ];
}

function tryToParse(source: string): { ok: true; value: Json } | { ok: false; message: string } {
  try {
    return { ok: true, value: parsePythonJson(source) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
