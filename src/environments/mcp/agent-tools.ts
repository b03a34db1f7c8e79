import { ProtocolError } from '@modelcontextprotocol/client';
import type { Json, JsonObject } from '../../base/json.ts';
import type { StepResult } from '../environment.ts';
import { type Validator, validatorOf } from '../schema-validator.ts';
import { observationOf, resultSchema, type Seen } from './observation.ts';
import { textOf } from './reward.ts';
import { schemaOfCalls, type Tool } from './tools.ts';

/** How long a call of a tool by the agent may take, in ms. */
const CALL_LIMIT = 300_000;

/** What came of an action: what the agent sees now, and why the action was not carried out. */
export interface Acting {
  /** Absent where nothing changed. */
  readonly seen?: Seen;
  readonly error: StepResult['error'];
}

/** The tools of an agent, whose actions are calls of them: `{"name": …, "arguments": {…}}`. */
export class AgentTools {
  readonly #tools: ReadonlyMap<string, { readonly tool: Tool; readonly validate: Validator }>;

  constructor(tools: readonly Tool[], log: (text: string) => void) {
    this.#tools = new Map(tools.map((tool) => [tool.name, { tool, validate: validatorOf(tool.schema, log) }]));
  }

  /** JSON Schema of an action; null without tools. */
  get schema(): JsonObject | null {
    const tools = [...this.#tools.values()].map(({ tool }) => tool);
    return tools.length === 0 ? null : schemaOfCalls(tools);
  }

  /** Carries out one action. Rejects with `EnvironmentError` if its server is lost. */
  async act(action: JsonObject): Promise<Acting> {
    const { name, arguments: args = {}, ...rest } = action;
    const names = [...this.#tools.keys()].join(', ');
    if (names === '') return invalid('This environment has no tools: the only action is response("…").');
    if (typeof name !== 'string' || Object.keys(rest).length > 0) {
      return invalid('An action is a call of a tool: {"name": …, "arguments": {…}}, or response("…").');
    }
    const known = this.#tools.get(name);
    if (known === undefined) return invalid(`There is no tool “${name}”. Tools: ${names}.`);
    const { tool, validate } = known;
    const wrong = validate(args);
    if (wrong !== null) return invalid(`The arguments do not fit the schema of the tool “${name}”: ${wrong}`);
    return callForAgent(tool, name, args);
  }
}

/** Calls a tool in a step of the agent. Rejects with `EnvironmentError` if the server is lost. */
export async function callForAgent(tool: Tool, name: string, args: Json): Promise<Acting> {
  try {
    const params = { name: tool.ownName, arguments: args };
    const result = await tool.connection.ask(resultSchema, 'tools/call', params, AbortSignal.timeout(CALL_LIMIT));
    const seen = observationOf(result);
    return result.isError === true
      ? { seen, error: toolError(textOf(result) || `“${name}” failed.`) }
      : { seen, error: null };
  } catch (error) {
    if (error instanceof ProtocolError) return { error: toolError(error.message) };
    if ((error as Error).name !== 'TimeoutError') throw error;
    return { error: toolError(`The tool “${name}” did not return within ${CALL_LIMIT / 1000} s.`) };
  }
}

function invalid(message: string): Acting {
  return { error: { code: 'invalid_action', message } };
}

function toolError(message: string): NonNullable<StepResult['error']> {
  return { code: 'tool_error', message };
}
