import { isObject, type Json, type JsonObject } from '../../base/json.ts';

/** JSON Schema of the arguments of a tool. */
export type InputSchema = { readonly type: 'object' } & JsonObject;

/** A tool of an environment, as an agent is told of it. An action is a call of it: `{"name": …, "arguments": {…}}`. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
}

/**
 * The tools of an environment whose actions are calls of tools; none for other environments.
 * @param actions JSON Schema of an action, as `schemaOfCalls` makes it of tools
 */
export function listTools(actions: JsonObject | null | undefined): readonly ListedTool[] {
  const { oneOf, $defs } = actions ?? {};
  if (!Array.isArray(oneOf)) return [];
  const calls: readonly Json[] = oneOf;
  const tools = calls.flatMap((call) => listTool(call, isObject($defs) ? $defs : {}));
  return tools.length === calls.length ? tools : [];
}

function listTool(call: Json, definitions: JsonObject): ListedTool[] {
  if (!isObject(call) || !isObject(call['properties'])) return [];
  const { name, arguments: args } = call['properties'];
  const called = isObject(name) ? name['const'] : undefined;
  if (typeof called !== 'string' || !isObject(args)) return [];
  const own = Object.entries(definitions).filter(([key]) => key.startsWith(`${called}.`));
  const $defs = own.length === 0 ? {} : { $defs: Object.fromEntries(own) };
  const description = typeof call['description'] === 'string' ? call['description'] : '';
  return [{ name: called, description, inputSchema: { ...args, type: 'object', ...$defs } }];
}
