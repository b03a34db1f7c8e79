import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { Path } from '../../../base/path.ts';
import { isCallLike } from '../../../tasks/tool-calls.ts';
import {
  anything,
  type Check,
  type ModelReport,
  members,
  nullable,
  objectOf,
  optional,
  required,
  text,
  wrongType,
} from './model.ts';

const NAME = 'the name of the tool';

/** `str | int` */
const token: Check = (value, path, report) => {
  const isToken = typeof value === 'string' || typeof value === 'boolean' || Number.isInteger(value);
  if (!isToken) wrongType(report, path, 'a string or an integer', value);
};

const meta: Check = (value, path, report) => {
  objectOf(anything)(value, path, report);
  if (isObject(value) && value['progressToken'] !== undefined)
    nullable(token)(value['progressToken'], [...path, 'progressToken'], report);
};

/** pydantic's strict `int`. */
const strictWhole: Check = (value, path, report) => {
  if (!Number.isInteger(value)) wrongType(report, path, 'an integer', value);
};

const task: Check = (value, path, report) => {
  objectOf(anything)(value, path, report);
  if (isObject(value) && value['ttl'] !== undefined) nullable(strictWhole)(value['ttl'], [...path, 'ttl'], report);
};

const CALL = { name: required(text(), NAME), arguments: optional(nullable(objectOf(anything))) };
const FIELDS = { ...CALL, id: optional(text()), _meta: optional(nullable(meta)) };

/** `MCPToolCall` of HUD 0.4: `{name, arguments?}`. */
const toolCall04: Check = members(FIELDS, 'ignored', 'a tool call');

/** `MCPToolCall` of HUD 0.5: `{name, arguments?}`. */
export const toolCall05: Check = members(
  { ...FIELDS, annotation: optional(nullable(text())), task: optional(nullable(task)) },
  'ignored',
  'a tool call',
);

/**
 * A `setup_tool`, `evaluate_tool` or `integration_test_tool`: a tool call, or a list of them. HUD 0.4's documentation
 * promises `{"navigate": {...}}` for a call of the tool `navigate`; this follows its code.
 */
function toolCalls(toolCall: Check): Check {
  const oneCall = callOrShorthand(toolCall);
  return (value, path, report) => {
    if (value === null) return;
    if (isObject(value)) return oneCall(value, path, report);
    if (!Array.isArray(value))
      return wrongType(report, path, 'a tool call {"name", "arguments"} or a list of them', value);
    const items: readonly Json[] = value;
    for (const [index, item] of items.entries()) {
      if (isObject(item)) oneCall(item, [...path, index], report);
      else wrongType(report, [...path, index], 'a tool call {"name", "arguments"}', item);
    }
  };
}

/** The tool calls of a task of HUD 0.4, in its own release. */
export const toolCalls04: Check = toolCalls(toolCall04);

/** The tool calls of a task of HUD 0.4 that HUD 0.5 reads. */
export const toolCalls05: Check = toolCalls(toolCall05);

function callOrShorthand(toolCall: Check): (value: JsonObject, path: Path, report: ModelReport) => void {
  return (value, path, report) => {
    if ('name' in value && 'arguments' in value) {
      // HUD drops all other keys of such a call.
      members(CALL, 'ignored', 'a tool call')(value, path, report);
      callInArguments(value['arguments'], [...path, 'arguments'], report);
      return;
    }
    const items = Object.values(value);
    // {"setup": {"name": "board", "arguments": {...}}} calls setup(name="board", arguments={...}).
    if (items.length === 1 && isCallLike(items[0])) return;
    if ('name' in value) toolCall(value, path, report);
    else shorthand(value, path, report, toolCall);
  };
}

/** Arguments that look like a call lose their other keys, too. */
function callInArguments(value: Json, path: Path, report: ModelReport): void {
  if (!isObject(value) || !('name' in value && 'arguments' in value)) return;
  members({ name: optional(anything), arguments: optional(anything) }, 'ignored', 'a tool call')(value, path, report);
  callInArguments(value['arguments'], [...path, 'arguments'], report);
}

function shorthand(value: JsonObject, path: Path, report: ModelReport, toolCall: Check): void {
  const [entry, ...more] = Object.entries(value);
  if (entry === undefined || more.length > 0 || !isObject(entry[1])) {
    toolCall(value, path, report);
    return;
  }
  const [tool, args] = entry;
  const written = { name: tool, arguments: args };
  report.problems.push({
    path,
    severity: 'error',
    code: 'tool-shorthand',
    message: `${report.hud} rejects the short form {"${tool}": {...}}, although its documentation shows it. Write {"name": "${tool}", "arguments": {...}}`,
    fixes: [{ title: `Write it as {"name": "${tool}", "arguments": ...}`, changes: [{ set: path, value: written }] }],
  });
}
