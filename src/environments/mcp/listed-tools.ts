import { isObject, type Json, type JsonObject, listOf, objectOf, textOf } from '../../base/json.ts';

/** JSON Schema of the arguments of a tool. */
export type InputSchema = { readonly type: 'object' } & JsonObject;

/** A tool of an environment, as agents see it. An action is a call of it: `{"name": …, "arguments": {…}}`. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
}

/**
 * The tools of an environment whose actions are calls of tools; none for other environments.
 * @param actions JSON Schema of an action, as `schemaOfCalls` creates it
 */
export function listTools(actions: JsonObject | null | undefined): readonly ListedTool[] {
  const { oneOf, $defs } = actions ?? {};
  const calls = listOf(oneOf);
  const tools = calls.flatMap((call) => listTool(call, objectOf($defs)));
  return tools.length === calls.length ? tools : [];
}

function listTool(call: Json, definitions: JsonObject): ListedTool[] {
  const { properties, description } = objectOf(call);
  const { name: nameSchema, arguments: args } = objectOf(properties);
  const { const: name } = objectOf(nameSchema);
  if (typeof name !== 'string' || !isObject(args)) return [];
  const own = Object.entries(definitions).filter(([key]) => key.startsWith(`${name}.`));
  const $defs = own.length === 0 ? {} : { $defs: Object.fromEntries(own) };
  return [{ name, description: textOf(description) ?? '', inputSchema: { ...args, type: 'object', ...$defs } }];
}
