import type { AddressInfo } from 'node:net';
import websocket from '@fastify/websocket';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { isObject, type JsonObject } from '../../base/json.ts';
import { type ServedEnvironment, ServedError, type ServedResult } from '../served.ts';
import { httpResult, RPC, rpcError } from './answers.ts';
import { BadBody, type Body, jsonText, readBody } from './body.ts';
import { refuse } from './guard.ts';
import { answerRpc } from './mcp.ts';
import { openApi } from './openapi.ts';
import { hasJson, JsonFault, jsonOf, type Printable, part, readJson, readPrintable, repr } from './python.ts';
import { AtCapacity, Sessions } from './sessions.ts';
import { checkAction, checkReset, checkStep, checkTaskRequest, exactly, type Invalid } from './validation.ts';
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
    // The second is a body of too many arrays and objects in each other.
    if (error instanceof BadBody || error instanceof JsonFault) {
      return reply.code(400).send({ detail: 'There was an error parsing the body' });
    }
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
    const read = bodyOf(request);
    const checked = 'errors' in read ? read : checkReset(read.value);
    if ('errors' in checked) return invalid(reply, checked.errors, read);
    return answer(reply, await sessions.briefly((session) => session.reset(checked.args)));
  });
  route('POST', '/step', async (request, reply) => {
    const read = bodyOf(request);
    const checked = 'errors' in read ? read : checkStep(read.value);
    if ('errors' in checked) return invalid(reply, checked.errors, read);
    const errors = checkAction(checked.action);
    if (errors.length > 0) return invalid(reply, errors, read, 'action');
    const { action: _action, timeout_s: _timeout, request_id: _id, ...args } = checked.body;
    const result = await sessions.briefly(async (session) => {
      await session.reset(args);
      return await session.step(String(checked.action['action_str']));
    });
    return answer(reply, result);
  });
  route('GET', '/state', async () => environment.open().state());

  const taskRoute = (
    name: string,
    numbers: Readonly<Record<string, 'required' | 'optional'>>,
    act: (tasks: readonly JsonObject[], body: JsonObject, reply: FastifyReply) => unknown,
  ): void =>
    route('POST', `/:environment/${name}`, async (request, reply) => {
      const unknown = unknownEnvironment(request, environment);
      const read = bodyOf(request);
      const checked = 'errors' in read ? read : checkTaskRequest(read.value, numbers);
      if ('errors' in checked) return invalid(reply, checked.errors, read);
      if (unknown !== null) return notFound(reply, unknown);
      const split = String(checked.body['split']);
      if (!(await environment.splits()).includes(split)) {
        reply.code(400);
        return { detail: `unknown split ${repr(split)}` };
      }
      return act(await environment.tasks(split), checked.body, reply);
    });
  route('GET', '/:environment/splits', async (request, reply) => {
    const unknown = unknownEnvironment(request, environment);
    if (unknown !== null) return notFound(reply, unknown);
    const names = await environment.splits();
    return names.map((name) => ({ name, type: /^(train|validation|test)$/.test(name) ? name : 'validation' }));
  });
  taskRoute('tasks', {}, (tasks) => ({ tasks, env_name: environment.name }));
  taskRoute('num_tasks', {}, (tasks) => ({ num_tasks: tasks.length }));
  taskRoute('task', { index: 'required' }, (tasks, body, reply) => {
    const task = tasks.at(Number(body['index']));
    if (task !== undefined) return { task };
    reply.code(400);
    return { detail: 'Invalid task index' };
  });
  taskRoute('task_range', { start: 'optional', stop: 'optional' }, (tasks, { start, stop }) => ({
    tasks: tasks.slice(Number(start ?? 0), typeof stop === 'number' ? stop : undefined),
  }));

  route('POST', '/mcp', async (request, reply) => {
    reply.type('application/json');
    const answered = async (): Promise<Printable> => {
      const text = Buffer.isBuffer(request.body) ? jsonText(request.body) : '';
      const value = readJson(text);
      if (!isObject(value)) return rpcError(null, RPC.parse, 'Parse error');
      return await answerRpc(value, sessions, null, () => readPrintable(text));
    };
    return jsonOf(
      await answered().catch((error: unknown) => {
        if (error instanceof BadBody || error instanceof JsonFault) return rpcError(null, RPC.parse, 'Parse error');
        throw error;
      }),
    );
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

function bodyOf({ body, headers }: FastifyRequest): Body {
  return readBody(body, headers['content-type']);
}

/**
 * Answers with the errors of a body. FastAPI fails where JSON has no words for what an error repeats.
 *
 * @param key the part of the body that was checked; without it, all of it
 */
function invalid(reply: FastifyReply, errors: readonly Invalid[], body: Body, key?: string): string {
  const whole = 'errors' in body ? null : body.printable();
  const detail = 'errors' in body ? body.errors : exactly(errors, key === undefined ? whole : part(whole, key));
  const answer = { detail };
  if (!hasJson(answer)) throw new ServedError('bad_argument', 'A value in the body is no JSON.');
  reply.code(422).type('application/json');
  return jsonOf(answer);
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
  return asked.toLowerCase() === name.toLowerCase() ? null : `unknown environment ${repr(asked)}`;
}
