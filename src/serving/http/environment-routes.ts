import type { FastifyReply } from 'fastify';
import { isObject, type JsonObject } from '../../base/json.ts';
import { parsePythonJson } from '../../python/json.ts';
import type { ServedEnvironment, ServedResult } from '../served-environment.ts';
import { refuseWith } from './app.ts';
import { jsonText, readBody } from './body.ts';
import { refuseTools, type ServerTokens } from './guard.ts';
import { answerRpc, isRequest } from './mcp.ts';
import { openApi } from './openapi.ts';
import { actionSchema, check, resetSchema, stepSchema } from './requests.ts';
import { httpResult, RPC, rpcError } from './responses.ts';
import type { Routes } from './routes.ts';
import type { Sessions } from './sessions.ts';

/** Adds the routes about the environment, and those of single requests. */
export function addEnvironmentRoutes(
  routes: Routes,
  environment: ServedEnvironment,
  sessions: Sessions,
  tokens: ServerTokens,
): void {
  routes.add('GET', '/health', async () => ({ status: 'healthy' }));
  routes.add('GET', '/metadata', async () => ({
    name: environment.name,
    description: environment.description,
    readme_content: null,
    version: environment.version,
    author: null,
    documentation_url: null,
  }));
  routes.add('GET', '/schema', async () => environment.schemas);
  routes.add('GET', '/openapi.json', async () => openApi(environment));
  routes.add('HEAD', '/openapi.json', async () => openApi(environment));
  routes.add('GET', '/list_environments', async () => [environment.name]);

  // Each of these requests has its own environment, which ends with the answer.
  routes.add('POST', '/reset', async (request, reply) => {
    const args = check(resetSchema.default({}), readBody(request), ['body']) as JsonObject;
    return answer(reply, await sessions.briefly((session) => session.reset(args)));
  });
  routes.add('POST', '/step', async (request, reply) => {
    const { action, timeout_s: _timeout, request_id: _id, ...args } = check(stepSchema, readBody(request), ['body']);
    const { action_str } = check(actionSchema, action);
    const result = await sessions.briefly(async (session) => {
      await session.reset(args as JsonObject);
      return await session.step(action_str);
    });
    return answer(reply, result);
  });
  routes.add('GET', '/state', async () => environment.open().state());
  routes.add('POST', '/mcp', async (request, reply) => {
    let value: unknown;
    try {
      value = parsePythonJson(Buffer.isBuffer(request.body) ? jsonText(request.body) : '');
    } catch {
      // Answered like any other value that is not an object.
    }
    if (!isObject(value)) return rpcError(null, RPC.parse, 'Parse error');
    const refusal = isRequest(value) ? refuseTools(request.headers, tokens) : null;
    return refusal === null ? await answerRpc(value, sessions, null) : refuseWith(reply, refusal);
  });
}

function answer(reply: FastifyReply, result: ServedResult): Buffer {
  reply.type('application/json');
  return httpResult(result);
}
