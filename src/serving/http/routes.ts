import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The method of a route. */
type Method = 'GET' | 'HEAD' | 'POST';

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** The routes of a server, which also answer requests of other methods and paths as OpenEnv's server does. */
export class Routes {
  readonly #app: FastifyInstance;
  readonly #methods = new Map<string, string[]>();

  constructor(app: FastifyInstance) {
    this.#app = app;
    app.setNotFoundHandler((request, reply) => this.#answerOther(request, reply));
  }

  add(method: Method, url: string, handler: Handler): void {
    this.#methods.set(url, [...(this.#methods.get(url) ?? []), method]);
    this.#app.route({ method, url, handler: async (request, reply) => reply.send(await handler(request, reply)) });
  }

  async #answerOther(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const [path = '', query] = request.url.split(/\?(.*)/s);
    const methods = this.#methodsOf(path);
    if (methods !== undefined) return reply.send(notAllowed(reply, methods));
    const other = path.replace(/\/+$/, '');
    if (other !== path && this.#methodsOf(other) !== undefined) {
      return reply.redirect(query === undefined ? other : `${other}?${query}`, 307);
    }
    return reply.send(notFound(reply, 'Not Found'));
  }

  /** The methods of the route of a path; undefined if there is none. */
  #methodsOf(path: string): readonly string[] | undefined {
    return this.#methods.get(path) ?? this.#methods.get(path.replace(/^\/[^/]+\//, '/:environment/'));
  }
}

export function notFound(reply: FastifyReply, detail: string): { readonly detail: string } {
  reply.code(404);
  return { detail };
}

export function notAllowed(reply: FastifyReply, methods: readonly string[]): { readonly detail: string } {
  reply.code(405).header('allow', methods.join(', '));
  return { detail: 'Method Not Allowed' };
}
