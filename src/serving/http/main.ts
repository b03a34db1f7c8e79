import type { AddressInfo } from 'node:net';
import websocket from '@fastify/websocket';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import type * as z from 'zod';
import { isObject, type JsonObject } from '../../base/json.ts';
import { parsePythonJson } from '../../python/json.ts';
import { type ServedEnvironment, ServedError, type ServedResult } from '../served.ts';
import { httpResult, RPC, rpcError } from './answers.ts';
import { BadBody, jsonText, readBody } from './body.ts';
import { refuse } from './guard.ts';
import { answerRpc } from './mcp.ts';
import { openApi } from './openapi.ts';
import {
  actionSchema,
  check,
  InvalidRequest,
  rangeSchema,
  resetSchema,
  splitSchema,
  stepSchema,
  taskSchema,
} from './requests.ts';
import { AtCapacity, Sessions } from './sessions.ts';
import { endConnection, serveEnvironment, serveTools } from './web-socket.ts';

/** The largest body and the largest WebSocket message of a client, in bytes: OpenEnv's own limit. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The time a client has to send a request, in ms. */
const REQUEST_MS = 60_000;

export interface ListenOptions {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /** Required of every request, if there is one. */
  readonly token: string | null;
  readonly maxSessions: number;
  /** After this time without a message a session ends, in ms. */
  readonly idleMs: number;
  /** Gets what went wrong in the server itself. */
  log(text: string): void;
}

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** Ends all sessions and stops listening. */
  close(): Promise<void>;
}

/** Serves an environment as OpenEnv's server does. Rejects with a system error if it cannot listen. */
export async function listen(environment: ServedEnvironment, options: ListenOptions): Promise<Listening> {
  const sessions = new Sessions(environment, { max: options.maxSessions, idleMs: options.idleMs });
  sessions.onIdle = endConnection;
  const app = fastify({
    bodyLimit: MAX_BYTES,
    requestTimeout: REQUEST_MS,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MAX_BYTES },
    rewriteUrl: ({ url = '/' }) => decodedPath(url),
    // No route has a schema, and the compilers for them are not part of the bundle.
    schemaController: {
      compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
    },
  });
  await app.register(websocket, { options: { maxPayload: MAX_BYTES, perMessageDeflate: false } });
  app.addHook('onRequest', async (request, reply) => {
    const refused = refuse(request.headers, request.url.split('?', 1)[0] ?? '', options.token);
    if (refused === null) return;
    if (refused.status === 401) reply.header('www-authenticate', 'Bearer');
    await reply.code(refused.status).send({ detail: refused.detail });
  });
  // As OpenEnv's server: JSON without a character set, WebSockets on their two routes alone.
  app.addHook('onSend', async (_request, reply, payload) => {
    const type = String(reply.getHeader('content-type') ?? '');
    if (type.startsWith('application/json')) reply.header('content-type', 'application/json');
    return payload;
  });
  app.addHook('onRequest', async (request, reply) => {
    const [path] = request.url.split('?', 1);
    if (request.ws && path !== '/ws' && path !== '/mcp') await reply.code(403).send();
    // Python takes a type that it cannot read for text.
    const { headers } = request.raw;
    const isType = /^[^\s/,;]+\/[^\s/,;]+\s*(;|$)/.test(headers['content-type'] ?? '');
    if (headers['content-type'] !== undefined && !isType) headers['content-type'] = 'text/plain';
  });
  // Bodies are read by the rules of OpenEnv's server.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const report = (error: unknown): void => options.log(error instanceof Error ? String(error.stack) : String(error));
  app.setErrorHandler(async (error: Error & { statusCode?: number }, _request, reply) => {
    if (error instanceof BadBody) return reply.code(400).send({ detail: error.message });
    if (error instanceof InvalidRequest) return reply.code(422).send({ detail: error.problems });
    if (error instanceof AtCapacity) return reply.code(503).send({ detail: error.message });
    const { statusCode = 500 } = error;
    if (statusCode < 500) return reply.code(statusCode).send({ detail: error.message });
    // OpenEnv's server answers so where an environment raises an exception, and the client learns no more.
    if (error instanceof ServedError) options.log(error.message);
    else report(error);
    return reply.code(500).type('text/plain; charset=utf-8').send('Internal Server Error');
  });

  const routes = new Map<string, string[]>();
  type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  const route = (method: 'GET' | 'HEAD' | 'POST', url: string, handler: Handler): void => {
    routes.set(url, [...(routes.get(url) ?? []), method]);
    app.route({ method, url, handler: async (request, reply) => reply.send(await handler(request, reply)) });
  };

  route('GET', '/health', async () => ({ status: 'healthy' }));
  route('GET', '/metadata', async () => ({
    name: environment.name,
    description: environment.description,
    readme_content: null,
    version: environment.version,
    author: null,
    documentation_url: null,
  }));
  route('GET', '/schema', async () => environment.schemas);
  route('GET', '/openapi.json', async () => openApi(environment));
  route('HEAD', '/openapi.json', async () => openApi(environment));
  route('GET', '/list_environments', async () => [environment.name]);

  // Each of these has an environment of its own, which ends with the answer.
  const answer = (reply: FastifyReply, result: ServedResult): Buffer => {
    reply.type('application/json');
    return httpResult(result);
  };
  route('POST', '/reset', async (request, reply) => {
    const args = check(resetSchema.default({}), readBody(request), ['body']) as JsonObject;
    return answer(reply, await sessions.briefly((session) => session.reset(args)));
  });
  route('POST', '/step', async (request, reply) => {
    const { action, timeout_s: _timeout, request_id: _id, ...args } = check(stepSchema, readBody(request), ['body']);
    const { action_str } = check(actionSchema, action);
    const result = await sessions.briefly(async (session) => {
      await session.reset(args as JsonObject);
      return await session.step(action_str);
    });
    return answer(reply, result);
  });
  route('GET', '/state', async () => environment.open().state());

  const taskRoute = <Body extends z.infer<typeof splitSchema>>(
    name: string,
    schema: z.ZodType<Body>,
    act: (tasks: readonly JsonObject[], body: Body, reply: FastifyReply) => unknown,
  ): void =>
    route('POST', `/:environment/${name}`, async (request, reply) => {
      const body = check(schema, readBody(request), ['body']);
      const unknown = unknownEnvironment(request, environment);
      if (unknown !== null) return notFound(reply, unknown);
      if (!(await environment.splits()).includes(body.split)) {
        reply.code(400);
        return { detail: `unknown split '${body.split}'` };
      }
      return act(await environment.tasks(body.split), body, reply);
    });
  route('GET', '/:environment/splits', async (request, reply) => {
    const unknown = unknownEnvironment(request, environment);
    if (unknown !== null) return notFound(reply, unknown);
    const names = await environment.splits();
    return names.map((name) => ({ name, type: /^(train|validation|test)$/.test(name) ? name : 'validation' }));
  });
  taskRoute('tasks', splitSchema, (tasks) => ({ tasks, env_name: environment.name }));
  taskRoute('num_tasks', splitSchema, (tasks) => ({ num_tasks: tasks.length }));
  taskRoute('task', taskSchema, (tasks, { index }, reply) => {
    const task = tasks.at(index);
    if (task !== undefined) return { task };
    reply.code(400);
    return { detail: 'Invalid task index' };
  });
  taskRoute('task_range', rangeSchema, (tasks, { start, stop }) => ({
    tasks: tasks.slice(start ?? 0, stop ?? undefined),
  }));

  route('POST', '/mcp', async (request) => {
    let value: unknown;
    try {
      value = parsePythonJson(Buffer.isBuffer(request.body) ? jsonText(request.body) : '');
    } catch {
      // Answered like any other value that is no object.
    }
    return isObject(value) ? await answerRpc(value, sessions, null) : rpcError(null, RPC.parse, 'Parse error');
  });
  // A request of a route for WebSockets that is none is not found.
  const noSocket: Handler = async (_request, reply) => notFound(reply, 'Not Found');
  app.route({
    method: 'GET',
    url: '/ws',
    handler: noSocket,
    wsHandler: (socket, request) => {
      const { session_id: named } = request.query as { session_id?: string | string[] };
      serveEnvironment(socket, sessions, Array.isArray(named) ? named.at(-1) : named, report);
    },
  });
  app.route({
    method: 'GET',
    url: '/mcp',
    handler: async (_request, reply) => notAllowed(reply, ['POST']),
    wsHandler: (socket) => serveTools(socket, sessions, report),
  });
  app.setNotFoundHandler(async (request, reply) => {
    const [path = '', query] = request.url.split(/\?(.*)/s);
    const methods = methodsOf(routes, path);
    if (methods !== undefined) return reply.send(notAllowed(reply, methods));
    const other = path.replace(/\/+$/, '');
    if (other !== path && methodsOf(routes, other) !== undefined) {
      return reply.redirect(query === undefined ? other : `${other}?${query}`, 307);
    }
    return reply.send(notFound(reply, 'Not Found'));
  });

  await app.listen({ host: options.host, port: options.port });
  return {
    port: (app.server.address() as AddressInfo).port,
    close: async () => {
      await sessions.closeAll();
      await app.close();
    },
  };
}

/**
 * An address whose path is encoded in one way. Python decodes a path before it looks for a route, leaves alone what is no
 * code, and takes bytes that are no UTF-8 for U+FFFD.
 */
function decodedPath(url: string): string {
  if (!url.startsWith('/')) return url;
  const [path = '', query] = url.split(/\?(.*)/s);
  const decoded = path.replace(/(?:%[\da-f]{2})+/gi, (codes) => String(Buffer.from(codes.replaceAll('%', ''), 'hex')));
  const encoded = decoded.split('/').map(encodeURIComponent).join('/');
  return query === undefined ? encoded : `${encoded}?${query}`;
}

/** The methods of the route of a path; undefined if there is none. */
function methodsOf(routes: ReadonlyMap<string, readonly string[]>, path: string): readonly string[] | undefined {
  return routes.get(path) ?? routes.get(path.replace(/^\/[^/]+\//, '/:environment/'));
}

function noCompiler(): never {
  throw new Error('A route has a schema.');
}

function notFound(reply: FastifyReply, detail: string): { readonly detail: string } {
  reply.code(404);
  return { detail };
}

function notAllowed(reply: FastifyReply, methods: readonly string[]): { readonly detail: string } {
  reply.code(405).header('allow', methods.join(', '));
  return { detail: 'Method Not Allowed' };
}

/** The names of environments are compared without case. */
function unknownEnvironment({ params }: FastifyRequest, { name }: ServedEnvironment): string | null {
  const { environment: asked = '' } = params as { environment?: string };
  return asked.toLowerCase() === name.toLowerCase() ? null : `unknown environment '${asked}'`;
}
