import { ProtocolError } from '@modelcontextprotocol/client';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Observation, StepResult } from '../environment.ts';
import { type Validator, validatorOf } from '../schema-validator.ts';
import { observationOf, resultSchema } from './observation.ts';
import { resultText } from './reward.ts';
import { schemaOfCalls, type Tool } from './tools.ts';

/** How long a call of a tool by the agent may take, in ms. */
const CALL_LIMIT = 300_000;

/** The outcome of an action. */
export interface ToolOutcome {
  /** What the agent sees now; absent if nothing changed. */
  readonly observation?: Observation;
  /** Why the action was not carried out. */
  readonly error: StepResult['error'];
}

/** The tools of an agent, whose actions are calls of them: `{"name": …, "arguments": {…}}`. */
export class AgentTools {
  readonly #tools: ReadonlyMap<string, { readonly tool: Tool; readonly validate: Validator }>;

  constructor(tools: readonly Tool[], log: (text: string) => void) {
    this.#tools = new Map(tools.map((tool) => [tool.name, { tool, validate: validatorOf(tool.schema, log) }]));
  }

  /** JSON Schema of an action; undefined without tools. */
  get schema(): JsonObject | undefined {
    const tools = [...this.#tools.values()].map(({ tool }) => tool);
    return tools.length === 0 ? undefined : schemaOfCalls(tools);
  }

  /** Carries out one action. Rejects with `EnvironmentError` if its server is lost. */
  async act(action: JsonObject): Promise<ToolOutcome> {
    const { name, arguments: args = {}, ...rest } = action;
    const names = [...this.#tools.keys()].join(', ');
    if (names === '') return invalid('This environment has no tools: the only action is response("…").');
    if (typeof name !== 'string' || Object.keys(rest).length > 0) {
      return invalid('An action is a call of a tool: {"name": …, "arguments": {…}}, or response("…").');
    }
    const entry = this.#tools.get(name);
    if (entry === undefined) return invalid(`There is no tool “${name}”. Tools: ${names}.`);
    const { tool, validate } = entry;
    const wrong = validate(args);
    if (wrong !== null) return invalid(`The arguments do not fit the schema of the tool “${name}”: ${wrong}`);
    return callForAgent(tool, name, args);
  }
}

/** Calls a tool in a step of the agent. Rejects with `EnvironmentError` if the server is lost. */
export async function callForAgent(tool: Tool, name: string, args: Json): Promise<ToolOutcome> {
  try {
    const params = { name: tool.ownName, arguments: args };
    const result = await tool.connection.ask(resultSchema, 'tools/call', params, AbortSignal.timeout(CALL_LIMIT));
    const error = result.isError === true ? toolError(resultText(result) || `“${name}” failed.`) : null;
    return { observation: observationOf(result), error };
  } catch (error) {
    if (error instanceof ProtocolError) return { error: toolError(error.message) };
    if ((error as Error).name !== 'TimeoutError') throw error;
    return { error: toolError(`The tool “${name}” did not return within ${CALL_LIMIT / 1000} s.`) };
  }
}

function invalid(message: string): ToolOutcome {
  return { error: { code: 'invalid_action', message } };
}

function toolError(message: string): NonNullable<StepResult['error']> {
  return { code: 'tool_error', message };
}
