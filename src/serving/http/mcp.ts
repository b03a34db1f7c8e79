import type { Json, JsonObject } from '../../base/json.ts';
import type { ListedTool } from '../../environments/mcp/listed-tools.ts';
import { isTruthy } from '../../python/truth.ts';
import { ServedError, type ServedSession } from '../served.ts';
import { RPC, rpcError, rpcResult } from './answers.ts';
import { type Printable, part, repr, str } from './python.ts';
import { AtCapacity, type HeldSession, type Sessions } from './sessions.ts';
import { checkArguments, checkCall, readRpc } from './validation.ts';

/** What an agent can do over MCP: act, and look. Neither tells a reward. `reset` and `step` are names that OpenEnv reserves. */
const TOOLS = [
  {
    name: 'act',
    description: 'Carries out an action and returns what the environment shows then.',
    properties: {
      action_str: {
        type: 'string',
        description: 'An action string, such as click("12"), or an action as a JSON object.',
      },
    },
    required: ['action_str'],
  },
  { name: 'observe', description: 'Returns what the environment shows.', properties: {}, required: [] },
] as const;

/** @param own the tools of the environment that a session has */
function listed(own: readonly ListedTool[]): Json {
  const fixed = TOOLS.filter(({ name }) => !own.some((one) => one.name === name)).map(
    ({ name, description, properties, required }) => ({
      name,
      description,
      inputSchema: { additionalProperties: false, properties, required: [...required], type: 'object' },
    }),
  );
  return [...own, ...fixed].map(({ name, description, inputSchema }) => ({
    name,
    title: null,
    description,
    inputSchema,
    outputSchema: null,
    icons: null,
    annotations: null,
    meta: null,
    execution: null,
  }));
}

/**
 * Answers one request of MCP, as OpenEnv's server does: tools, and sessions over HTTP.
 *
 * @param own the session of the WebSocket that asks; over HTTP the request names one
 * @param printable the request as it was written
 */
export async function answerRpc(
  value: JsonObject,
  sessions: Sessions,
  own: HeldSession | null,
  printable: () => Printable,
): Promise<Printable> {
  const read = readRpc(value, printable);
  if ('wrong' in read) return rpcError(null, RPC.invalidRequest, read.wrong);
  const { method, id, params } = read;
  const unknownSession = (): Printable => {
    const named = part(part(printable(), 'params'), 'session_id');
    return rpcError(id, RPC.invalidParams, `Unknown session_id: ${str(named)}`);
  };
  switch (method) {
    case 'openenv/session/create':
      return createSession(id, sessions, own);
    case 'openenv/session/close':
      return await closeSession(id, params, sessions, own, unknownSession);
    case 'tools/list':
    case 'tools/call': {
      const named = params['session_id'] ?? null;
      const held = own ?? (typeof named === 'string' ? (sessions.get(named) ?? null) : null);
      if (held === null && isTruthy(named)) return unknownSession();
      if (method === 'tools/list') return rpcResult(id, { tools: listed(held?.session.tools() ?? []) });
      return await callTool(id, params, sessions, held, () => part(printable(), 'params'));
    }
    default:
      return rpcError(id, RPC.unknownMethod, `Method not found: ${method}`);
  }
}

/** The error where no session is free. */
export function capacityError(id: Printable, error: AtCapacity): Printable {
  return rpcError(id, RPC.server, error.message, { active_sessions: error.active, max_sessions: error.max });
}

function createSession(id: Printable, sessions: Sessions, own: HeldSession | null): Printable {
  if (own !== null) return rpcResult(id, { session_id: own.id });
  try {
    return rpcResult(id, { session_id: sessions.open().id });
  } catch (error) {
    if (error instanceof AtCapacity) return capacityError(id, error);
    throw error;
  }
}

async function closeSession(
  id: Printable,
  params: JsonObject,
  sessions: Sessions,
  own: HeldSession | null,
  unknown: () => Printable,
): Promise<Printable> {
  const named = params['session_id'] ?? null;
  if (!isTruthy(named)) {
    return rpcError(id, RPC.invalidParams, "Invalid params - 'session_id' is required");
  }
  if (own?.id === named) {
    return rpcError(id, RPC.invalidRequest, 'Cannot close active WebSocket-managed session via MCP method');
  }
  const held = typeof named === 'string' ? sessions.get(named) : undefined;
  if (held === undefined) return unknown();
  if (held.attached) {
    held.closing = true;
    return rpcResult(id, { session_id: named, closed: false, closing: true });
  }
  await sessions.close(held, false);
  return rpcResult(id, { session_id: named, closed: true });
}

async function callTool(
  id: Printable,
  params: JsonObject,
  sessions: Sessions,
  held: HeldSession | null,
  printable: () => Printable,
): Promise<Printable> {
  const { name = null } = params;
  if (!isTruthy(name)) return rpcError(id, RPC.invalidParams, "Missing 'name' in params");
  // Nothing, in any form, is no arguments.
  const given = isTruthy(params['arguments']) ? params : { name, arguments: {} };
  const wrong = checkCall(given, printable);
  if (wrong !== null) return rpcError(id, RPC.internal, wrong);
  const args = given['arguments'] as JsonObject;
  const isOwn = held?.session.tools().some((one) => one.name === name) === true;
  if (!isOwn) {
    const fixed = TOOLS.find((one) => one.name === name);
    if (fixed === undefined) return rpcError(id, RPC.internal, `Unknown tool: ${repr(name)}`);
    const refused = checkArguments(fixed.name, args, fixed.required, () =>
      isTruthy(args) ? part(printable(), 'arguments') : {},
    );
    if (refused !== null) return rpcError(id, RPC.internal, refused);
  }
  const action = isOwn ? JSON.stringify({ name, arguments: args }) : args['action_str'];
  const use = async (session: ServedSession): Promise<string> => {
    if (session.seen() === null) await session.reset({});
    if (typeof action === 'string') await session.step(action);
    return session.seen() ?? '';
  };
  try {
    // A session of its own for one call, as OpenEnv has it: it begins with the next task.
    const seen = await (held === null ? sessions.briefly(use) : held.inTurn(use));
    return rpcResult(id, toolResult(seen));
  } catch (error) {
    if (error instanceof AtCapacity) return capacityError(id, error);
    if (error instanceof ServedError) return rpcError(id, RPC.internal, error.message);
    throw error;
  }
}

function toolResult(text: string): Json {
  return {
    content: [{ type: 'text', text, annotations: null, meta: null }],
    structured_content: { result: text },
    meta: null,
    data: text,
    is_error: false,
  };
}
