import * as z from 'zod';
import type { Json, JsonObject } from '../../base/json.ts';
import type { ListedTool } from '../../environments/mcp/listed-tools.ts';
import { isTruthy } from '../../python/truth.ts';
import { ServedError, type ServedSession } from '../served-environment.ts';
import { objectSchema, rpcSchema } from './requests.ts';
import { RPC, rpcError, rpcResult } from './responses.ts';
import { AtCapacity, type OpenSession, type Sessions } from './sessions.ts';

/** What an agent can do over MCP: act, and look. Neither reveals a reward. OpenEnv reserves the names `reset` and `step`. */
const TOOLS: readonly { readonly name: string; readonly description: string; readonly input: z.ZodType<JsonObject> }[] =
  [
    {
      name: 'act',
      description: 'Carries out an action and returns what the environment shows then.',
      input: z.strictObject({
        action_str: z.string().describe('An action string, such as click("12"), or an action as a JSON object.'),
      }),
    },
    { name: 'observe', description: 'Returns what the environment shows.', input: z.strictObject({}) },
  ];

/** @param own the tools of the environment that a session has */
function listTools(own: readonly ListedTool[]): Json {
  const tools = TOOLS.filter(({ name }) => !own.some((one) => one.name === name)).map(
    ({ name, description, input }) => ({ name, description, inputSchema: z.toJSONSchema(input) as JsonObject }),
  );
  return [...own, ...tools].map(({ name, description, inputSchema }) => ({
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
 * @param own the session of the requesting WebSocket; over HTTP the request names one
 */
export async function answerRpc(value: JsonObject, sessions: Sessions, own: OpenSession | null): Promise<Json> {
  const { data: request, error } = rpcSchema.safeParse(value);
  if (error !== undefined) return rpcError(null, RPC.invalidRequest, `Invalid request: ${z.prettifyError(error)}`);
  const { method, id, params } = request;
  switch (method) {
    case 'openenv/session/create':
      return createSession(id, sessions, own);
    case 'openenv/session/close':
      return await closeSession(id, params, sessions, own);
    case 'tools/list':
    case 'tools/call': {
      const sessionId = params['session_id'] ?? null;
      const open = own ?? (typeof sessionId === 'string' ? (sessions.get(sessionId) ?? null) : null);
      if (open === null && isTruthy(sessionId)) return unknownSession(id, sessionId);
      if (method === 'tools/list') return rpcResult(id, { tools: listTools(open?.session.tools() ?? []) });
      return await callTool(id, params, sessions, open);
    }
    default:
      return rpcError(id, RPC.unknownMethod, `Method not found: ${method}`);
  }
}

/** Whether a value is a request of JSON-RPC; others are answered with an error alone. */
export function isRequest(value: JsonObject): boolean {
  return rpcSchema.safeParse(value).success;
}

/** The error where no session is free. */
export function capacityError(id: Json, error: AtCapacity): Json {
  return rpcError(id, RPC.server, error.message, { active_sessions: error.active, max_sessions: error.max });
}

function createSession(id: Json, sessions: Sessions, own: OpenSession | null): Json {
  if (own !== null) return rpcResult(id, { session_id: own.id });
  try {
    return rpcResult(id, { session_id: sessions.open().id });
  } catch (error) {
    if (error instanceof AtCapacity) return capacityError(id, error);
    throw error;
  }
}

async function closeSession(id: Json, params: JsonObject, sessions: Sessions, own: OpenSession | null): Promise<Json> {
  const sessionId = params['session_id'] ?? null;
  if (!isTruthy(sessionId)) {
    return rpcError(id, RPC.invalidParams, "Invalid params - 'session_id' is required");
  }
  if (own?.id === sessionId) {
    return rpcError(id, RPC.invalidRequest, 'Cannot close active WebSocket-managed session via MCP method');
  }
  const open = typeof sessionId === 'string' ? sessions.get(sessionId) : undefined;
  if (open === undefined) return unknownSession(id, sessionId);
  if (open.attached) {
    open.closing = true;
    return rpcResult(id, { session_id: sessionId, closed: false, closing: true });
  }
  await sessions.close(open, false);
  return rpcResult(id, { session_id: sessionId, closed: true });
}

async function callTool(id: Json, params: JsonObject, sessions: Sessions, open: OpenSession | null): Promise<Json> {
  const { name } = params;
  if (typeof name !== 'string' || name === '') return rpcError(id, RPC.invalidParams, "Missing 'name' in params");
  const isOwn = open?.session.tools().some((one) => one.name === name) === true;
  const schema = isOwn ? objectSchema : TOOLS.find((one) => one.name === name)?.input;
  if (schema === undefined) return rpcError(id, RPC.internal, `Unknown tool: '${name}'`);
  // Any falsy value means no arguments.
  const requestArgs = params['arguments'] ?? null;
  const { data: args, error: wrong } = schema.safeParse(isTruthy(requestArgs) ? requestArgs : {});
  if (wrong !== undefined) return rpcError(id, RPC.internal, z.prettifyError(wrong));
  const action = isOwn ? JSON.stringify({ name, arguments: args }) : args['action_str'];
  const use = async (session: ServedSession): Promise<string> => {
    if (session.observe() === null) await session.reset({});
    if (typeof action === 'string') await session.act(action);
    return session.observe() ?? '';
  };
  try {
    // As in OpenEnv, a single call gets its own session, which begins with the next task.
    const text = await (open === null ? sessions.briefly(use) : open.inTurn(use));
    return rpcResult(id, toolResult(text));
  } catch (error) {
    if (error instanceof AtCapacity) return capacityError(id, error);
    if (error instanceof ServedError) return rpcError(id, RPC.internal, error.message);
    throw error;
  }
}

function unknownSession(id: Json, sessionId: Json): Json {
  const why = typeof sessionId === 'string' ? `Unknown session_id: ${sessionId}` : 'A session_id is a text.';
  return rpcError(id, RPC.invalidParams, why);
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
