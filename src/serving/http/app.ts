import websocket from '@fastify/websocket';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { ServedError } from '../served-environment.ts';
import { BadBody } from './body.ts';
import { type Refusal, refuse, type ServerTokens } from './guard.ts';
import { InvalidRequest } from './requests.ts';
import { AtCapacity } from './sessions.ts';

/** The largest body and the largest WebSocket message of a client, in bytes: OpenEnv's own limit. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The status of an error, whose message is the same over WebSockets and MCP. */
const STATUS: Readonly<Record<ServedError['code'], number>> = {
  unknown_task: 404,
  bad_argument: 400,
  not_reset: 409,
  episode_over: 409,
  task_failed: 500,
};
/** The time a client has to send a request, in ms. */
const REQUEST_MS = 60_000;

/** A server without routes: it checks requests, reads bodies, and answers errors. */
export async function createApp(tokens: ServerTokens, log: (text: string) => void): Promise<FastifyInstance> {
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
    const refusal = refuse(request.headers, request.url.split('?', 1)[0] ?? '', tokens, request.method);
    if (refusal !== null) await reply.send(refuseWith(reply, refusal));
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
    // Python treats an invalid type as text.
    const { headers } = request.raw;
    const isType = /^[^\s/,;]+\/[^\s/,;]+\s*(;|$)/.test(headers['content-type'] ?? '');
    if (headers['content-type'] !== undefined && !isType) headers['content-type'] = 'text/plain';
  });
  // Bodies are read by the rules of OpenEnv's server.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler(async (error: Error & { statusCode?: number }, _request, reply) => {
    if (error instanceof BadBody) return reply.code(400).send({ detail: error.message });
    if (error instanceof InvalidRequest) return reply.code(422).send({ detail: error.problems });
    if (error instanceof AtCapacity) return reply.code(503).send({ detail: error.message });
    const { statusCode = 500 } = error;
    if (statusCode < 500) return reply.code(statusCode).send({ detail: error.message });
    if (error instanceof ServedError) {
      if (error.code === 'task_failed') log(error.message);
      return reply.code(STATUS[error.code]).send({ detail: error.message });
    }
    // As OpenEnv's server when an environment raises an exception: the client gets no details.
    log(describeError(error));
    return reply.code(500).type('text/plain; charset=utf-8').send('Internal Server Error');
  });
  return app;
}

/** The body of the answer to a refused request. */
export function refuseWith(reply: FastifyReply, { status, detail }: Refusal): { readonly detail: string } {
  reply.code(status);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return { detail };
}

/** An error of the server itself, for its log. */
export function describeError(error: unknown): string {
  return error instanceof Error ? String(error.stack) : String(error);
}

/**
 * An address whose path is encoded in one way. Python decodes a path before it looks for a route, leaves alone what is no
 * code, and takes bytes that are no UTF-8 for U+FFFD.
 */
function decodedPath(url: string): string {
  if (!url.startsWith('/')) return url;
  const [path = '', query] = url.split(/\?(.*)/s);
  const plainPath = path.replace(/(?:%[\da-f]{2})+/gi, (codes) =>
    String(Buffer.from(codes.replaceAll('%', ''), 'hex')),
  );
  const encodedPath = plainPath.split('/').map(encodeURIComponent).join('/');
  return query === undefined ? encodedPath : `${encodedPath}?${query}`;
}

function noCompiler(): never {
  throw new Error('A route has a schema.');
}
