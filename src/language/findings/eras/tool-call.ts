import * as z from 'zod';
import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import { isCallLike } from '../../../tasks/tool-calls.ts';
import { anyObject, type IssueDetails, issuesOf, members, ofType } from './model.ts';

const token = ofType(
  'a string or an integer',
  (value) => typeof value === 'string' || typeof value === 'boolean' || Number.isInteger(value),
);

const CALL = { name: z.string().describe('the name of the tool'), arguments: anyObject.nullish() };
const FIELDS = {
  ...CALL,
  id: z.string().optional(),
  _meta: z.object({ progressToken: token.nullish() }).nullish(),
};

/** `MCPToolCall` of HUD 0.4: `{name, arguments?}`. */
const toolCall04 = members(FIELDS, 'ignored');

/** `MCPToolCall` of HUD 0.5: `{name, arguments?}`. */
export const toolCall05 = members(
  {
    ...FIELDS,
    annotation: z.string().nullish(),
    // pydantic's strict `int`.
    task: z.object({ ttl: ofType('an integer', Number.isInteger).nullish() }).nullish(),
  },
  'ignored',
);

/** HUD drops all other keys of a call that has both. */
const bareCall = members(CALL, 'ignored');
const bareArguments = members({ name: z.unknown(), arguments: z.unknown() }, 'ignored');

/**
 * A `setup_tool`, `evaluate_tool` or `integration_test_tool`: a tool call, or a list of them. HUD 0.4's documentation
 * promises `{"navigate": {...}}` for a call of the tool `navigate`; this follows its code.
 */
function toolCalls(toolCall: z.ZodType) {
  const call = ofType('a tool call {"name", "arguments"}', isObject).check(({ value, issues }) => {
    issues.push(...(callIssues(value as JsonObject, toolCall) as z.core.$ZodRawIssue[]));
  });
  return z.union([call, z.array(call)]).nullable();
}

/** The tool calls of a task of HUD 0.4, in its own release. */
export const toolCalls04 = toolCalls(toolCall04);

/** The tool calls of a task of HUD 0.4 that HUD 0.5 reads. */
export const toolCalls05 = toolCalls(toolCall05);

function callIssues(value: JsonObject, toolCall: z.ZodType): z.core.$ZodIssue[] {
  if ('name' in value && 'arguments' in value) {
    return [...issuesOf(bareCall, value), ...argumentIssues(value['arguments'], ['arguments'])];
  }
  const [entry, ...others] = Object.entries(value);
  // {"setup": {"name": "board", "arguments": {...}}} calls setup(name="board", arguments={...}).
  if (others.length === 0 && isCallLike(entry?.[1])) return [];
  const isShorthand = others.length === 0 && isObject(entry?.[1]) && !('name' in value);
  return entry !== undefined && isShorthand ? [shorthandIssue(entry, value)] : issuesOf(toolCall, value);
}

/** Arguments that look like a call lose their other keys, too. */
function argumentIssues(value: Json | undefined, path: readonly string[]): z.core.$ZodIssue[] {
  if (!isObject(value) || !('name' in value && 'arguments' in value)) return [];
  const issues = issuesOf(bareArguments, value).map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
  return [...issues, ...argumentIssues(value['arguments'], [...path, 'arguments'])];
}

function shorthandIssue([tool, args]: readonly [string, Json], input: Json): z.core.$ZodIssue {
  return {
    code: 'custom',
    path: [],
    input,
    message: `has the short form {"${tool}": {...}}, which HUD rejects, although its documentation shows it. Write {"name": "${tool}", "arguments": {...}}`,
    params: {
      code: 'tool-shorthand',
      fixes: (path) => [
        {
          title: `Write it as {"name": "${tool}", "arguments": ...}`,
          changes: [{ set: path, value: { name: tool, arguments: args } }],
        },
      ],
    } satisfies IssueDetails,
  };
}
