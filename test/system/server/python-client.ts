import type { Json } from '../../../src/base/json.ts';
import type { EnvironmentServer } from '../../../src/placement/placement.ts';
import type { Results } from '../../../src/server/results.ts';

interface Message {
  readonly type: string;
  readonly event?: string;
  readonly command?: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly message?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what debugpy says is looked into by the tests
  readonly body?: any;
}

/** What an editor does with debugpy, over a session's messages. */
export class PythonClient {
  readonly entry: Results['session.debugPython']['entry'];
  /** Resolves when debugpy is there no more. */
  readonly gone: Promise<void>;
  readonly #send: (message: Json) => Promise<unknown>;
  readonly #heard: Message[] = [];
  #seq = 0;
  #arrived = Promise.withResolvers<void>();

  private constructor(
    server: EnvironmentServer,
    session: string,
    entry: Results['session.debugPython']['entry'],
    early: readonly Json[],
  ) {
    this.entry = entry;
    this.#send = (message) => server.request('session.toPython', { session, message });
    const gone = Promise.withResolvers<void>();
    this.gone = gone.promise;
    const hear = (message: Json): void => {
      if (message === null) gone.resolve();
      else this.#heard.push(message as unknown as Message);
      this.#arrived.resolve();
      this.#arrived = Promise.withResolvers<void>();
    };
    for (const message of early) hear(message);
    server.onEvent((event) => {
      if (event.event === 'python' && event.session === session) hear(event.message);
    });
  }

  /** Attaches as an editor does whose task folder is `folder`. */
  static async attach(
    server: EnvironmentServer,
    session: string,
    debug: () => Promise<Results['session.debugPython']>,
    folder: string,
    remote = folder,
  ): Promise<PythonClient> {
    const early: Json[] = [];
    const stop = server.onEvent((event) => {
      if (event.event === 'python' && event.session === session) early.push(event.message);
    });
    const entry = await debug();
    stop();
    const client = new PythonClient(server, session, entry.entry, early);
    await client.ask('initialize', { adapterID: 'test', pathFormat: 'path', linesStartAt1: true });
    const attached = client.ask('attach', {
      pathMappings: [{ localRoot: folder, remoteRoot: remote }],
      ...{ justMyCode: true, rules: entry.programs.map((path) => ({ path, include: false })) },
    });
    await client.#next((one) => one.event === 'initialized');
    await client.ask('configurationDone', {});
    await attached;
    return client;
  }

  async ask(command: string, args: { readonly [key: string]: Json }): Promise<Message['body']> {
    const seq = ++this.#seq;
    await this.#send({ seq, type: 'request', command, arguments: args });
    const { success, message, body } = await this.#next((one) => one.request_seq === seq);
    if (success !== true) throw new Error(`${command}: ${message}`);
    return body;
  }

  async breakAt(path: string, lines: readonly number[]): Promise<void> {
    await this.ask('setBreakpoints', { source: { path }, breakpoints: lines.map((line) => ({ line })) });
  }

  /** Resolves with the thread that has stopped. */
  async stopped(): Promise<number> {
    const { body } = await this.#next((one) => one.event === 'stopped');
    return body.threadId;
  }

  /** `path:line` of each frame. */
  async places(threadId: number): Promise<readonly string[]> {
    return (await this.#frames(threadId)).map(({ source, line }) => `${source.path}:${line}`);
  }

  /** What names the top frame in a request. */
  async frame(threadId: number): Promise<{ readonly frameId: number }> {
    return { frameId: (await this.#frames(threadId))[0]?.id ?? 0 };
  }

  async variables(threadId: number): Promise<Readonly<Record<string, string>>> {
    const { scopes } = await this.ask('scopes', await this.frame(threadId));
    const { variables } = await this.ask('variables', { variablesReference: scopes[0].variablesReference });
    return Object.fromEntries(variables.map((one: { name: string; value: string }) => [one.name, one.value]));
  }

  async #frames(threadId: number): Promise<{ id: number; line: number; source: { path: string } }[]> {
    return (await this.ask('stackTrace', { threadId })).stackFrames;
  }

  /** The next message that is such a one; it is taken away. */
  async #next(wanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const index = this.#heard.findIndex(wanted);
      const [message] = index < 0 ? [] : this.#heard.splice(index, 1);
      if (message !== undefined) return message;
      await this.#arrived.promise;
    }
  }
}
