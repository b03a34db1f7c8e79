import { createWriteStream, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { type LocatedMiniwob, locateMiniwob } from '../environments/browser/miniwob/locate.ts';
import { kindOfType } from '../environments/kinds.ts';
import { findBuiltin } from '../functions/catalogue.ts';
import { Channel } from './channel.ts';
import { removeOldCaches } from './compile-cache.ts';
import { RequestFailure } from './failure.ts';
import { clearAbandoned, newFolderPath, ServerFolder } from './folder.ts';
import {
  CALL_ENDINGS,
  type CallOutcome,
  type Method,
  type Params,
  PROTOCOL_VERSION,
  requestSchemas,
} from './protocol.ts';
import type { Results, ServerEvent } from './results.ts';
import { Sessions, type SessionsOptions } from './sessions.ts';
import { Tunnel } from './tunnel.ts';

/** Time limit for a normal shutdown in ms. */
const END_LIMIT = 1_500;

export interface ServerOptions extends Pick<SessionsOptions, 'memoryMb' | 'browserLater' | 'alone'> {
  /** The folder of the server; must not exist. By default a new temporary folder. */
  readonly folder?: string;
}

/**
 * Runs the environment server. It takes requests on standard input, responds on standard output, and ends when standard
 * input closes.
 */
export async function runServer(options: ServerOptions): Promise<void> {
  const output = reserveOutput();
  const server = new Server(options, (secret) => channel.seal(secret));
  // Created first, so that the server notices if its owner ends during the start.
  const channel: Channel = new Channel({
    input: process.stdin,
    output,
    onRequest: (method, params, signal) => server.answer(method, params, signal),
    onClose: (error) => {
      if (error !== null) log(`The control channel failed: ${error.message}`);
      void server.end();
    },
  });
  process.on('SIGTERM', () => void server.end());
  process.on('SIGHUP', () => void server.end());
  // Ctrl+C in a terminal signals every process in it; the owner decides what ends.
  process.on('SIGINT', () => {});
  // A crashed browser leaves unhandled rejections in Playwright, which must not end other sessions.
  process.on('unhandledRejection', (reason) => {
    log(`Unhandled rejection: ${reason instanceof Error ? reason.stack : reason}`);
  });
  process.on('uncaughtException', (error) => {
    log(`Unexpected: ${error.stack ?? error.message}`);
    void server.end(1);
  });
  await server.start(options.folder ?? newFolderPath(), (event, optional) => channel.emit(event, optional));
}

/** Whether the process of a task's session cannot take another one afterwards. */
function usesUpProcess({ env, setup, evaluate }: Params<'session.reset'>['task']): boolean {
  const kind = kindOfType(env);
  if (kind?.reusesProcess === false) return true;
  return (
    kind?.calls !== 'environment' && [...setup, ...evaluate].some((call) => findBuiltin(call.function) === undefined)
  );
}

/** Caches the location once it is found. */
function onceFound(locate: () => Promise<LocatedMiniwob>): () => Promise<LocatedMiniwob> {
  let last: Promise<LocatedMiniwob> | null = null;
  return async () => {
    last ??= locate();
    const location = await last;
    if ('tried' in location) last = null;
    return location;
  };
}

/** Nothing for a request with an empty result. */
type Answer<M extends Method> = Results[M] extends Record<string, never> ? unknown : Results[M];

class Server {
  readonly #options: ServerOptions;
  readonly #seal: (secret: string) => void;
  readonly #whenStarted = Promise.withResolvers<{ sessions: Sessions; tunnel: Tunnel }>();
  #folder: ServerFolder | null = null;
  #sessions: Sessions | null = null;
  #tunnel: Tunnel | null = null;
  #ending = false;

  /** @param seal sets the secret of the control channel */
  constructor(options: ServerOptions, seal: (secret: string) => void) {
    this.#options = options;
    this.#seal = seal;
  }

  async start(path: string, emit: (event: ServerEvent, optional: boolean) => boolean): Promise<void> {
    const folder = await ServerFolder.create(path);
    this.#folder = folder;
    for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder.path;
    const tunnel = new Tunnel((event) => emit(event, false));
    this.#tunnel = tunnel;
    this.#sessions = new Sessions({
      ...this.#options,
      folder,
      whyUnreached: (url) => tunnel.whyUnreached(url),
      miniwob: onceFound(locateMiniwob),
      log,
      onEvent: dropWhenCongested(emit),
    });
    this.#whenStarted.resolve({ sessions: this.#sessions, tunnel });
    if (this.#ending) return;
    this.#sessions.prepare();
    for (const folderPath of await clearAbandoned(dirname(path)))
      log(`Removed ${folderPath}, which a killed server had left behind`);
    await removeOldCaches();
  }

  async answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    if (!isMethod(method))
      throw new RequestFailure('unknown_method', `This server does not support the request ${method}.`);
    const request = requestSchemas[method].safeParse(params);
    if (!request.success) {
      throw new RequestFailure('bad_request', `The request ${method} is malformed: ${request.error.message}`);
    }
    const { sessions, tunnel } = await this.#whenStarted.promise;
    return (await this.#handlers(sessions, tunnel)[method](request.data as never, signal)) ?? {};
  }

  /** Ends everything that the server has started, then the process. */
  async end(exitCode = 0): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    setTimeout(() => process.exit(exitCode), END_LIMIT).unref();
    this.#tunnel?.close();
    await this.#sessions?.closeAll();
    await this.#folder?.remove().catch((error: Error) => log(`The folder could not be removed: ${error.message}`));
    process.exit(exitCode);
  }

  #handlers(
    sessions: Sessions,
    tunnel: Tunnel,
  ): { readonly [M in Method]: (params: Params<M>, signal: AbortSignal) => Promise<Answer<M>> } {
    return {
      hello: async ({ version, secret }) => {
        if (version !== PROTOCOL_VERSION) {
          throw new RequestFailure(
            'version_mismatch',
            `This environment server speaks version ${PROTOCOL_VERSION} of the control channel, not ${version}. Install the same version of Taskwright on both sides.`,
          );
        }
        this.#seal(secret);
        return { version: PROTOCOL_VERSION, server: `Taskwright on Node ${process.version}` };
      },
      'session.open': async (_params, signal) => {
        const session = await sessions.open();
        if (signal.aborted) {
          await sessions.close(session);
          signal.throwIfAborted();
        }
        return { session };
      },
      'session.provideFiles': async (params) => {
        const { folder } = await sessions.provideFiles(sessions.get(params.session), params.files);
        return { folder };
      },
      'session.reset': async (params, signal) => {
        const session = sessions.get(params.session);
        const { env } = params.task;
        const kind = kindOfType(env);
        sessions.expectBrowser(kind?.needsBrowser === true);
        session.customTask = kind?.userTask?.(env) ?? null;
        const files = await sessions.provideFiles(session, params.files);
        try {
          return { ...(await session.enqueue('session.reset', { ...params, files }, signal)), folder: files.folder };
        } finally {
          // Prepared now, when this session no longer needs all processors. If its process is not reused, another one is
          // certainly needed.
          if (usesUpProcess(params.task)) sessions.prepareNext();
          else sessions.prepareSoon();
        }
      },
      'session.step': async (params, signal) => sessions.get(params.session).enqueue('session.step', params, signal),
      'session.finish': async (params, signal) =>
        sessions.get(params.session).enqueue('session.finish', params, signal),
      'session.pointed': async (params, signal) =>
        sessions.get(params.session).enqueue('session.pointed', params, signal),
      'session.inspect': async (params) => sessions.get(params.session).debug('session.inspect', params),
      'session.debugPython': async (params) => sessions.get(params.session).debug('session.debugPython', params),
      'session.toPython': async (params) => sessions.get(params.session).request('session.toPython', params),
      'session.setup': (params, signal) => callIn(sessions, 'session.setup', params, signal),
      'session.evaluate': (params, signal) => callIn(sessions, 'session.evaluate', params, signal),
      'session.restore': async (params, signal) => {
        const session = sessions.get(params.session);
        session.expectNoAbandonedCall();
        const files = await sessions.provideFiles(session, params.files);
        return session.enqueue('session.restore', { ...params, files }, signal);
      },
      'session.evaluateSnapshots': async (params, signal) => {
        const session = sessions.get(params.session);
        session.expectNoAbandonedCall();
        const files = await sessions.provideFiles(session, params.files);
        const limit = { ms: params.limit_ms, name: 'judging' };
        return session.enqueue('session.evaluateSnapshots', { ...params, files }, signal, limit);
      },
      'session.query': async (params, signal) => sessions.get(params.session).query(params, signal),
      'session.urls': async (params) => sessions.get(params.session).request('session.urls', params),
      'session.live': async (params) => sessions.get(params.session).request('session.live', params),
      'session.close': (params) => sessions.close(params.session),
      'tunnel.open': (params) => tunnel.open(params),
      'tunnel.write': (params) => tunnel.write(params),
      'tunnel.taken': async (params) => tunnel.acknowledge(params),
      'tunnel.end': async (params) => tunnel.end(params),
      'tunnel.close': async (params) => tunnel.drop(params),
    };
  }
}

/** Runs a setup or evaluate call. If the session ends during the call, that is the outcome. */
async function callIn(
  sessions: Sessions,
  method: 'session.setup' | 'session.evaluate',
  params: Params<'session.setup'>,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const session = sessions.get(params.session);
  const startedAt = performance.now();
  try {
    return await session.call(method, params, signal);
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    // The reason for the end of the session is the outcome of the call in progress.
    const { message } = error;
    const code = CALL_ENDINGS.find((one) => one === error.code);
    if (code === undefined) throw error;
    return { error: { message, code }, duration_ms: performance.now() - startedAt };
  }
}

/** Drops frames and log lines while the owner does not keep up. The number of dropped lines is reported. */
function dropWhenCongested(emit: (event: ServerEvent, optional: boolean) => boolean): (event: ServerEvent) => void {
  let omittedLines = 0;
  return (event) => {
    if (event.event !== 'log') {
      emit(event, event.event === 'frame');
      return;
    }
    const logEvent = omittedLines === 0 ? event : { ...event, text: `(${omittedLines} lines omitted)\n${event.text}` };
    omittedLines = emit(logEvent, true) ? 0 : omittedLines + 1;
  };
}

function isMethod(method: string): method is Method {
  return Object.hasOwn(requestSchemas, method);
}

/** Writes to the log (standard error). */
function log(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // Standard error is closed.
  }
}

/** Reserves standard output for the control channel. Other output goes to the log. */
function reserveOutput(): Writable {
  let output: Writable;
  try {
    output = new Socket({ fd: 1, readable: false, writable: true });
  } catch {
    // Redirected to a file.
    output = createWriteStream('', { fd: 1 });
  }
  Object.defineProperty(process, 'stdout', { configurable: true, get: () => process.stderr });
  return output;
}
