import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ServedEnvironment } from '../served-environment.ts';
import { createApp, describeError } from './app.ts';
import { addEnvironmentRoutes } from './environment-routes.ts';
import type { ServerTokens } from './guard.ts';
import { notAllowed, notFound, Routes } from './routes.ts';
import { Sessions } from './sessions.ts';
import { addTaskRoutes } from './task-routes.ts';
import { endConnection, serveEnvironment, serveTools } from './web-socket.ts';

export interface ListenOptions extends ServerTokens {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  readonly maxSessions: number;
  /** After this time without a message a session ends, in ms. */
  readonly idleMs: number;
  /** Receives errors of the server itself. */
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
  const app = await createApp(options, options.log);
  const routes = new Routes(app);
  addEnvironmentRoutes(routes, environment, sessions, options);
  addTaskRoutes(routes, environment);
  addSockets(app, sessions, (error) => options.log(describeError(error)));
  await app.listen({ host: options.host, port: options.port });
  return {
    port: (app.server.address() as AddressInfo).port,
    close: async () => {
      await sessions.closeAll();
      await app.close();
    },
  };
}

function addSockets(app: FastifyInstance, sessions: Sessions, report: (error: unknown) => void): void {
  app.route({
    method: 'GET',
    url: '/ws',
    // Only WebSockets use this route.
    handler: async (_request, reply) => notFound(reply, 'Not Found'),
    wsHandler: (socket, request) => {
      const { session_id: sessionId } = request.query as { session_id?: string | string[] };
      serveEnvironment(socket, sessions, Array.isArray(sessionId) ? sessionId.at(-1) : sessionId, report);
    },
  });
  app.route({
    method: 'GET',
    url: '/mcp',
    handler: async (_request, reply) => notAllowed(reply, ['POST']),
    wsHandler: (socket) => serveTools(socket, sessions, report),
  });
}
