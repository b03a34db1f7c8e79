import * as z from 'zod';
import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import { isTruthy } from '../../../python/truth.ts';
import { type Problem, warning } from '../../../tasks/problem.ts';
import { removal } from '../../../tasks/value-fixes.ts';
import { HUD_0_5, legacyProblems } from './hud-0.4.ts';
import { anyObject, flag, members, modelProblems, ofType } from './model.ts';
import { toolCall05 } from './tool-call.ts';

/** `dict[str, str | float | list[str] | None]` */
const columns = z.record(
  z.string(),
  z.union([ofType('a string, a number', (value) => !isObject(value) && !Array.isArray(value)), z.array(z.string())]),
);

const environment = members(
  {
    name: z.string().describe('the name of the environment'),
    include: z.array(z.string()).nullish(),
    exclude: z.array(z.string()).nullish(),
    // Where Taskwright reaches its server; HUD ignores them.
    url: z.unknown().optional(),
    headers: z.unknown().optional(),
    command: z.unknown().optional(),
    args: z.unknown().optional(),
    env: z.unknown().optional(),
  },
  'ignored',
);

const env = ofType('an object with a "name"', isObject, (path, value) =>
  typeof value === 'string'
    ? [{ title: `Change to {"name": "${value}"}`, changes: [{ set: path, value: { name: value } }] }]
    : [removal(path)],
).pipe(environment as z.ZodType<unknown, Json>);

const model = z.object({
  env: env.nullish(),
  scenario: z.string().nullish(),
  id: z.string().nullish(),
  slug: z
    .string()
    // In code points, as Python counts.
    .refine((slug) => [...slug].length <= 100, {
      error: ({ input }) => `must have at most 100 characters, found ${[...String(input)].length}`,
    })
    .nullish(),
  args: anyObject.nullish(),
  validation: z.array(toolCall05).nullish(),
  agent_config: members(
    {
      system_prompt: z.string().nullish(),
      append_setup_output: flag.optional(),
      append_setup_tool: flag.optional(),
    },
    'ignored',
  ).nullish(),
  columns: columns.optional(),
  metadata: anyObject.optional(),
});

/** Whether HUD 0.5 reads the row as a task of HUD 0.4. */
export function isReadAsLegacy(row: JsonObject): boolean {
  return isTruthy(row['prompt']) && isTruthy(row['mcp_config']);
}

/** What the model of HUD 0.5.41 rejects in a row, and what it reads in an unintended way. */
export function hud05Problems(row: JsonObject): Problem[] {
  if (isReadAsLegacy(row)) {
    const keys = ['env', 'scenario'].filter((key) => key in row);
    const names = keys.map((key) => `"${key}"`).join(' and ');
    const message = `${HUD_0_5} reads a row with "prompt" and "mcp_config" as a task of HUD 0.4 and drops ${names}`;
    const fix = { title: `Remove ${names}`, changes: keys.map((key) => ({ remove: [key] })) };
    return [...legacyProblems(row), { part: 'key', ...warning('scenario-dropped', ['scenario'], message, fix) }];
  }
  return [...modelProblems(model, row, HUD_0_5), ...scenarioProblems(row)];
}

function scenarioProblems(row: JsonObject): Problem[] {
  const { scenario } = row;
  if (scenario === null || scenario === '') {
    const message = 'No scenario is specified, so HUD has no prompt and no evaluation';
    return [warning('no-scenario', ['scenario'], message)];
  }
  if (typeof scenario !== 'string' || !scenario.includes(':')) return [];
  const [environmentName, ...rest] = scenario.split(':');
  if (rest.length === 1 && environmentName !== '' && rest[0] !== '') return [];
  const message = `${HUD_0_5} cannot find this scenario. Use "name" or "environment:name"; names cannot contain “:”`;
  return [warning('scenario-name', ['scenario'], message)];
}
