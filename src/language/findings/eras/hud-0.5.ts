import { isObject, type JsonObject } from '../../../base/json.ts';
import { isTruthy } from '../../../python/truth.ts';
import type { Problem } from '../../../tasks/problem.ts';
import { HUD_0_5, legacyProblems } from './hud-0.4.ts';
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
  wrongType,
} from './model.ts';
import { toolCall05 } from './tool-call.ts';

/** `dict[str, str | float | list[str] | None]` */
const column: Check = (value, path, report) => {
  if (Array.isArray(value)) listOf(text())(value, path, report);
  else if (isObject(value)) wrongType(report, path, 'a string, a number, or a list of strings', value);
};

const environment = members(
  {
    name: required(text(), 'the name of the environment'),
    include: optional(nullable(listOf(text()))),
    exclude: optional(nullable(listOf(text()))),
    // Where Taskwright reaches its server; HUD ignores them.
    url: optional(anything),
    headers: optional(anything),
    command: optional(anything),
    args: optional(anything),
    env: optional(anything),
  },
  'ignored',
  'env',
);

const agentConfig = members(
  {
    system_prompt: optional(nullable(text())),
    append_setup_output: optional(flag),
    append_setup_tool: optional(flag),
  },
  'ignored',
  'agent_config',
);

const env: Check = (value, path, report) => {
  if (value === null || isObject(value)) return nullable(environment)(value, path, report);
  const fixes =
    typeof value === 'string'
      ? [{ title: `Change to {"name": "${value}"}`, changes: [{ set: path, value: { name: value } }] }]
      : undefined;
  wrongType(report, path, 'an object with a "name"', value, fixes);
};

const model = members(
  {
    env: optional(env),
    scenario: optional(nullable(text())),
    id: optional(nullable(text())),
    slug: optional(nullable(text(0, 100))),
    args: optional(nullable(objectOf(anything))),
    validation: optional(nullable(listOf(toolCall05))),
    agent_config: optional(nullable(agentConfig)),
    columns: optional(objectOf(column)),
    metadata: optional(objectOf(anything)),
  },
  'reported elsewhere',
  'a task',
);

/** Whether HUD 0.5 reads the row as a task of HUD 0.4. */
export function isReadAsLegacy(row: JsonObject): boolean {
  return isTruthy(row['prompt']) && isTruthy(row['mcp_config']);
}

/** What the model of HUD 0.5.41 rejects in a row, and what it reads in an unintended way. */
export function hud05Problems(row: JsonObject): Problem[] {
  if (isReadAsLegacy(row)) {
    const dropped = ['env', 'scenario'].filter((key) => key in row).map((key) => `"${key}"`);
    return [
      ...legacyProblems(row),
      {
        path: ['scenario'],
        part: 'key',
        severity: 'warning',
        code: 'scenario-dropped',
        message: `${HUD_0_5} reads a row with "prompt" and "mcp_config" as a task of HUD 0.4 and drops ${dropped.join(' and ')}`,
        fixes: [
          {
            title: `Remove ${dropped.join(' and ')}`,
            changes: ['env', 'scenario'].filter((key) => key in row).map((key) => ({ remove: [key] })),
          },
        ],
      },
    ];
  }
  const report: ModelReport = { hud: HUD_0_5, problems: [] };
  model(row, [], report);
  return [...report.problems, ...scenarioProblems(row)];
}

function scenarioProblems(row: JsonObject): Problem[] {
  const { scenario } = row;
  if (scenario === null || scenario === '') {
    const message = 'No scenario is specified, so HUD has no prompt and no evaluation';
    return [{ path: ['scenario'], severity: 'warning', code: 'no-scenario', message }];
  }
  if (typeof scenario !== 'string' || !scenario.includes(':')) return [];
  const [environmentName, ...rest] = scenario.split(':');
  if (rest.length === 1 && environmentName !== '' && rest[0] !== '') return [];
  return [
    {
      path: ['scenario'],
      severity: 'warning',
      code: 'scenario-name',
      message: `${HUD_0_5} cannot find this scenario. Use "name" or "environment:name"; names cannot contain “:”`,
    },
  ];
}
