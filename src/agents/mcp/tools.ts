import * as z from 'zod';
import { takesObjects } from '../../actions/normal.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { Offer } from '../../environments/environment.ts';
import type { Kind } from '../../environments/kind.ts';
import { actionDialect, kindOfType } from '../../environments/kinds.ts';
import { type InputSchema, type ListedTool, listTools } from '../../environments/mcp/listed-tools.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import { browserTools } from './browser-tools.ts';
import { computerTools } from './computer-tools.ts';
import { fileTools, runIn } from './file-tools.ts';
import { look, step, type Tool, ToolError, tool } from './tool.ts';

/**
 * The tools of an environment: its actions, and the end of the run. None of them resets, or reads state or rewards.
 *
 * @param actions JSON Schema of an action, if the environment publishes one
 * @param offers what agents can act on, if only a running environment knows
 */
export function toolsOf(
  environment: EnvironmentSpec,
  actions: JsonObject | null,
  offers: readonly Offer[] = [],
): readonly Tool[] {
  const ownTools = listTools(actions);
  const surfaceTools = offers.flatMap((offer) => TOOLS_OF_OFFER[offer]);
  if (ownTools.length + surfaceTools.length === 0) return [...actionTools(environment, actions), finish];
  const names = new Set(ownTools.map(({ name }) => name));
  const canLook = offers.includes('page') || offers.includes('desktop');
  const own = [...surfaceTools, ...(canLook ? [] : [observe]), finish];
  return [
    ...ownTools.map(callOf),
    ...own.map((one) => (names.has(one.name) ? { ...one, name: `taskwright_${one.name}` } : one)),
  ];
}

const TOOLS_OF_OFFER: Readonly<Record<Offer, readonly Tool[]>> = {
  page: browserTools,
  desktop: computerTools,
  commands: [runIn('the environment')],
};

function actionTools(environment: EnvironmentSpec, actions: JsonObject | null): readonly Tool[] {
  const kind = kindOfType(environment);
  if (kind?.tools !== undefined) return TOOLS[kind.tools];
  if (actions === null && kind?.responseEnds === true) return [answer];
  return [observe, takesObjects(actionDialect(environment)) ? actOf(actions) : act];
}

const TOOLS: Readonly<Record<NonNullable<Kind['tools']>, readonly Tool[]>> = {
  page: browserTools,
  desktop: computerTools,
  files: fileTools,
};

const finish = tool(
  'finish',
  'Ends the task. Call it when the task is done, or cannot be done.',
  { response: z.string().optional().describe('The answer, if the task asks for one.') },
  ({ response }) => ({ kind: 'finish', response: response ?? null }),
);

const answer = tool(
  'answer',
  'Answers the question. The first answer counts, and ends the task.',
  { response: z.string() },
  ({ response }) => step({ type: 'response', text: response }),
);

const observe = look('observe', 'Shows the environment as it is after the last action.');

/** The action of an environment whose form is unknown: a CLA object, or one of its controller. */
const act = tool(
  'act',
  'Carries out one action, and shows the environment after it.',
  { action: z.looseObject({ type: z.string() }).describe('An action, such as {"type": "type", "text": "Ada"}.') },
  ({ action }) => step(action),
);

/** A call of a tool of the environment, which checks its arguments. */
function callOf(ownTool: ListedTool): Tool {
  const { name } = ownTool;
  return {
    ...ownTool,
    annotations: { readOnlyHint: false },
    use: (args) => step({ name, arguments: objectOf(args ?? {}, name) }),
  };
}

function objectOf(args: unknown, tool: string): JsonObject {
  if (isObject(args)) return args;
  throw new ToolError(`${tool}: the arguments are not an object`);
}

/** One action in the form that the environment publishes; its server checks it. */
function actOf(schema: JsonObject | null): Tool {
  const inputSchema: InputSchema = { ...schema, type: 'object' };
  return { ...act, inputSchema, use: (args) => step(objectOf(args, act.name)) };
}
