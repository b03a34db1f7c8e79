import { isObject } from '../../../tasks/calls.ts';
import type { Path } from '../../../tasks/path.ts';
import type { Json } from '../../../tasks/task.ts';
import type { Check, ModelReport } from './model.ts';
import { anything, members, missingField, nullable, objectOf, optional, required, text, wrongType } from './model.ts';

const NAME = 'the name of the tool';
const KEYS = {
  name: required(text(), NAME),
  arguments: optional(nullable(objectOf(anything))),
  id: optional(text()),
  annotation: optional(nullable(text())),
  _meta: optional(nullable(objectOf(anything))),
};

/** HUD's `MCPToolCall`: `{name, arguments?}`. */
export const toolCall: Check = members(KEYS, 'ignored', 'a tool call');

type JsonObject = Readonly<Record<string, Json>>;

/**
 * A `setup_tool`, `evaluate_tool` or `integration_test_tool`: a tool call, or a list of them. HUD 0.4's documentation
 * promises `{"navigate": {...}}` for a call of the tool `navigate`; this follows its code.
 */
export const toolCalls: Check = (value, path, report) => {
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

function oneCall(value: JsonObject, path: Path, report: ModelReport): void {
  if ('name' in value && 'arguments' in value) {
    // HUD drops all other keys of such a call.
    members({ name: KEYS.name, arguments: KEYS.arguments }, 'ignored', 'a tool call')(value, path, report);
    return;
  }
  const items = Object.values(value);
  // {"setup": {"name": "board", "arguments": {...}}} calls setup(name="board", arguments={...}).
  if (items.length === 1 && isObject(items[0]) && isCallLike(items[0])) return;
  if ('name' in value) toolCall(value, path, report);
  else shorthand(value, path, report);
}

/** As in HUD's code: a call, or one wrapped in the names of others. */
function isCallLike(value: JsonObject): boolean {
  if ('name' in value && 'arguments' in value) return true;
  const [only, ...more] = Object.values(value);
  if (more.length > 0 || !isObject(only)) return false;
  if ('name' in only) return true;
  const inner = Object.values(only);
  return inner.length === 1 && isObject(inner[0]);
}

function shorthand(value: JsonObject, path: Path, report: ModelReport): void {
  const [entry, ...more] = Object.entries(value);
  if (entry === undefined || more.length > 0 || !isObject(entry[1])) {
    missingField(report, path, 'name', NAME);
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
