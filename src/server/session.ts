import { Socket } from 'node:net';
import type { Json } from '../base/json.ts';
import { describeMissingPages } from '../environments/browser/miniwob/locate.ts';
import { createEnvironment } from '../environments/create.ts';
import { type Environment, EnvironmentError, type StepResult } from '../environments/environment.ts';
import type { ErrorCode } from '../environments/faults.ts';
import type { Kind } from '../environments/kind.ts';
import { environmentKind, kindNamed } from '../environments/kinds.ts';
import { findBuiltin } from '../functions/catalogue.ts';
import type { Phase } from '../functions/declaration.ts';
import { askPage } from '../functions/page/questions.ts';
import { forgetUserFunctions, scriptFiles, type UserFunctionSet } from '../functions/user/load.ts';
import { forgetPython } from '../functions/user/python/functions.ts';
import { argumentSchemas } from '../functions/user/schemas.ts';
import { runCallWithLimit } from './calls.ts';
import { Channel } from './channel.ts';
import { SessionDebugging } from './debugging.ts';
import { RequestFailure } from './failure.ts';
import { type CallOutcome, type Method, type Params, requestSchemas } from './protocol.ts';
import { SessionBrowser } from './session-browser.ts';
import { miniwobRequest, PING, type SessionEvent, unreachedRequest } from './session-protocol.ts';
import { judgeSnapshots } from './snapshots.ts';
import type { SessionSpawnOptions } from './spawn-session.ts';
import { CHANNEL_FD, watchOwner } from './watch.ts';

/** Failures of what an environment depends on. The session cannot continue. */
const CRASHES: ReadonlySet<string> = new Set([
  'page_crashed',
  'visited_page_crashed',
  'browser_crashed',
  'browser_failed',
  'desktop_crashed',
  'environment_lost',
]);

/** A process that uses more memory than this, in bytes, is not reused, because its limit is meant for one session. */
const REUSABLE_MEMORY = 300 * 1024 * 1024;

/** Runs a session process: one environment, controlled by the server over a pipe. */
export function runSession({ memoryMb, browserLater, withoutSandbox }: SessionSpawnOptions): void {
  // Allows half as much again for memory outside the JavaScript heap.
  watchOwner((memoryMb * 1.5 + 256) * 1024 * 1024);
  const stream = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
  const session = new Session(withoutSandbox);
  const channel = new Channel({
    input: stream,
    output: stream,
    onRequest: (method, params) => session.answer(method, params),
    onClose: () => {
      // Skips the teardown of the process, for which the server would have to wait.
      process.once('exit', () => process.kill(process.pid, 'SIGKILL'));
      process.exit(0);
    },
  });
  session.start(channel, browserLater);
  // Unhandled errors of user code are logged and do not end the session.
  process.on('uncaughtException', (error) => {
    console.error('Unhandled error:', error);
  });
  // Ctrl+C in a terminal signals every process in it; the server decides when a session ends.
  process.on('SIGINT', () => {});
}

type SessionMethod = Exclude<Extract<Method, `session.${string}`>, 'session.open' | 'session.provideFiles'>;
type Handlers = { readonly [M in SessionMethod]: (params: Params<M>) => unknown };

class Session {
  #channel: Channel | null = null;
  #environment: { readonly kind: Kind; readonly environment: Environment; readonly folder: string } | null = null;
  /** An environment between two tasks, which may have cached what speeds up the next one. */
  #idleEnvironment: { readonly kind: Kind; readonly environment: Environment } | null = null;
  readonly #browser: SessionBrowser;
  #stopLive: (() => Promise<void>) | null = null;
  #broken = false;
  /** Whether the process can be reused: no user-defined function has run here, and no call is in progress. */
  #clean = true;
  /** Whether a user-defined function ran on the last restored snapshot. */
  #ranUserCode = false;
  /** Resources of recorded pages that this session has received. */
  #resources: Record<string, Uint8Array> = {};
  /** Number of requests in progress. */
  #pending = 0;
  #reportedFunctions: UserFunctionSet | null = null;
  readonly #debugging = new SessionDebugging();
  readonly #handlers: Handlers = {
    'session.reset': (params) => this.#reset(params),
    'session.step': (params) => this.#step(params),
    'session.finish': () => this.#finish(),
    'session.pointed': async ({ point }) => ({
      pointed: (await this.#current().environment.pointed?.(point)) ?? null,
    }),
    'session.inspect': (params) => this.#inspect(params),
    'session.debugPython': (params) => this.#debugPython(params),
    'session.toPython': ({ message }) => this.#debugging.toPython(message),
    'session.setup': (params) => this.#call('setup', params),
    'session.evaluate': (params) => this.#call('evaluate', params),
    'session.restore': (params) => this.#restore(params),
    'session.evaluateSnapshots': (params) => this.#evaluateSnapshots(params),
    'session.query': (params) => this.#query(params),
    'session.urls': async () => (await this.#current().environment.urls?.()) ?? { url: null, live_url: null },
    'session.live': ({ on }) => this.#live(on),
    'session.close': () => this.#close(),
  };

  constructor(withoutSandbox: boolean) {
    this.#browser = new SessionBrowser({
      sandbox: !withoutSandbox,
      emit: (event) => this.#emit(event),
      onEnded: () => this.#browserEnded(),
    });
  }

  start(channel: Channel, browserLater: boolean): void {
    this.#channel = channel;
    this.#emit({ event: 'ready' });
    if (browserLater) return;
    // Before the first task: most tasks need a browser, and others are not delayed. The first task that needs it
    // reports an error.
    this.#browser.open().catch(() => {});
  }

  async answer(method: string, params: unknown): Promise<unknown> {
    if (method !== PING) this.#pending += 1;
    try {
      if (method === PING) return null;
      if (!isAnswered(method, this.#handlers))
        throw new RequestFailure('unknown_method', `The request ${method} is not supported.`);
      return await this.#handlers[method](requestSchemas[method].parse(params) as never);
    } catch (error) {
      throw await this.#attribute(error);
    } finally {
      if (method !== PING) this.#pending -= 1;
    }
  }

  async #reset(params: Params<'session.reset'>) {
    const answer = environmentKind(params.task.env);
    if ('unsupported' in answer) throw new RequestFailure('unsupported_environment', answer.unsupported);
    if (params.debugged === true && (await hasScripts(params.files))) await this.#browser.useThread();
    const { environment, folder } = await this.#make(answer.kind, params.files);
    const withheld = 'folder' in params.files ? params.files.withheld : undefined;
    // The class of a custom task is user code.
    if ((answer.kind.userTask?.(params.task.env) ?? null) !== null) this.#clean = false;
    const { task, seed, address, verifier, html, variables, unlimited, limit_ms: limitMs } = params;
    const files = { folder, withheld };
    return environment.reset({ task, files, seed, address, verifier, html, variables, unlimited, limitMs });
  }

  async #restore({ kind, files, page, resources, ...snapshot }: Params<'session.restore'>) {
    const { environment } = await this.#make(kindOf(kind), files);
    const reload = this.#shouldReload();
    Object.assign(this.#resources, resources);
    if (environment.restore === undefined) {
      throw new EnvironmentError(
        'not_recorded',
        'nothing of this environment is recorded: run the task again to score it',
      );
    }
    return { gaps: await environment.restore({ ...snapshot, page, resources: this.#resources, fresh: reload }) };
  }

  /**
   * Whether a user-defined function ran on the last snapshot. If so, its modules are reloaded to discard their state.
   */
  #shouldReload(): boolean {
    const reload = this.#ranUserCode;
    this.#ranUserCode = false;
    if (reload) {
      forgetUserFunctions();
      forgetPython();
    }
    return reload;
  }

  async #evaluateSnapshots({ kind, files, resources, moments }: Params<'session.evaluateSnapshots'>) {
    const { environment } = await this.#make(kindOf(kind), files);
    Object.assign(this.#resources, resources);
    const judged = await judgeSnapshots(moments, async (requested) => {
      const reload = this.#shouldReload();
      const read = await environment.readEach?.({ moments: requested, resources: this.#resources, fresh: reload });
      return read ?? requested.map(() => null);
    });
    return { judged };
  }

  /** The environment of this kind; reused if the previous task had the same kind. */
  async #make(kind: Kind, files: Params<'session.reset'>['files']) {
    if (!('folder' in files)) throw new RequestFailure('bad_files', 'The files of the task are missing.');
    if (this.#environment !== null && this.#environment.kind !== kind) await this.#close();
    const idleEnvironment = this.#idleEnvironment;
    this.#idleEnvironment = null;
    if (idleEnvironment !== null && idleEnvironment.kind !== kind) await idleEnvironment.environment.close();
    const environment =
      this.#environment?.environment ??
      (idleEnvironment?.kind === kind ? idleEnvironment.environment : null) ??
      (await createEnvironment(kind, {
        browser: () => this.#browser.open(),
        log: (text) => this.#emit({ event: 'log', level: 'info', text }),
        whyUnreached: (url) => this.#askWhyUnreached(url),
        miniwob: () => this.#askForMiniwob(),
      }));
    // Processes that a controller has started may still run.
    if (!kind.reusesProcess) this.#clean = false;
    const current = { kind, environment, folder: files.folder };
    this.#environment = current;
    return current;
  }

  async #step({ actions, screen }: Params<'session.step'>): Promise<StepResult> {
    const result = await this.#current().environment.step(actions, screen);
    if (result.error !== null) await this.#failIfBrowserEnded();
    return result;
  }

  #finish(): Promise<StepResult> {
    const { environment } = this.#current();
    if (environment.finish === undefined) {
      throw new RequestFailure('unknown_method', 'This environment has nothing to finish.');
    }
    return environment.finish();
  }

  async #call(
    phase: Phase,
    { call, limit_ms, pause = false, response }: Omit<Params<'session.evaluate'>, 'session'>,
  ): Promise<CallOutcome> {
    const { environment, folder, kind } = this.#current();
    const isBuiltin = findBuiltin(call.function) !== undefined;
    this.#ranUserCode ||= !isBuiltin;
    const clean = this.#clean && (isBuiltin || kind.calls === 'environment');
    this.#clean = false;
    const outcome = await runCallWithLimit({
      phase,
      call,
      environment,
      folder,
      limitMs: this.#debugging.open ? null : limit_ms,
      isSuspended: () => this.#debugging.open,
      callUser: this.#debugging.callerAt(call.range, pause),
      response,
      onFunctions: (functions) => this.#reportFunctions(functions),
    });
    if ('error' in outcome) await this.#failIfBrowserEnded();
    // A call that was abandoned at its time limit may still be in progress.
    this.#clean = clean && outcome.duration_ms < limit_ms;
    return outcome;
  }

  async #query({ links }: Params<'session.query'>) {
    const page = this.#current().environment.functionContext?.().page;
    if (page === undefined) throw new RequestFailure('no_page', 'This environment has no page.');
    try {
      return { answer: await askPage(page, links) };
    } catch (error) {
      await this.#failIfBrowserEnded();
      // Playwright appends its call log to the first line.
      throw new RequestFailure('not_answered', (error as Error).message.split('\n')[0] ?? '');
    }
  }

  #inspect({ file, folder = this.#current().folder }: Params<'session.inspect'>) {
    this.#clean = false;
    return this.#debugging.inspect(
      folder,
      file,
      () => this.#environment?.environment.functionContext?.().page,
      (query) => this.#browser.ask(query),
    );
  }

  async #debugPython({ file, folder = this.#current().folder, function: name }: Params<'session.debugPython'>) {
    this.#clean = false;
    const listen = (message: Json): void => this.#emit({ event: 'python', message });
    return await this.#debugging.debugPython(folder, file, name, listen);
  }

  /** Reports the arguments of user-defined functions each time they are loaded. */
  #reportFunctions(functions: UserFunctionSet): void {
    if (functions === this.#reportedFunctions || functions.functions.size === 0) return;
    this.#reportedFunctions = functions;
    this.#emit({ event: 'functions', schemas: argumentSchemas(functions) });
  }

  async #live(on: boolean): Promise<void> {
    const stop = this.#stopLive;
    this.#stopLive = null;
    await stop?.();
    if (!on) return;
    const stopLive = await this.#current().environment.live?.((picture) => {
      this.#channel?.emit({ event: 'frame', picture } as SessionEvent, true);
    });
    this.#stopLive = stopLive ?? null;
  }

  /** Closes the environment. `reusable`: whether the process can take another session. */
  async #close(): Promise<{ reusable: boolean }> {
    const current = this.#environment;
    this.#environment = null;
    this.#stopLive = null;
    this.#resources = {};
    const clean = this.#clean && !this.#broken;
    if (clean && current?.environment.rest !== undefined) {
      await current.environment.rest();
      this.#idleEnvironment = current;
    } else await current?.environment.close();
    const isOnlyRequest = this.#pending === 1;
    return { reusable: clean && isOnlyRequest && process.memoryUsage.rss() < REUSABLE_MEMORY };
  }

  #current() {
    if (this.#environment === null) {
      throw new RequestFailure('not_reset', 'The session has no task yet. Reset it first.');
    }
    return this.#environment;
  }

  async #askWhyUnreached(url: string): Promise<string | null> {
    const answer = await this.#channel?.request(unreachedRequest.method, { url });
    return unreachedRequest.result.parse(answer).why;
  }

  async #askForMiniwob(): Promise<string> {
    const answer = miniwobRequest.result.parse(await this.#channel?.request(miniwobRequest.method, null));
    if ('tried' in answer) throw new EnvironmentError('pages_missing', describeMissingPages(answer.tried));
    return answer.folder;
  }

  /** The error to send to the server. An error that ends the session is also reported as an event. */
  async #attribute(error: unknown): Promise<unknown> {
    if (!(error instanceof EnvironmentError)) {
      try {
        await this.#failIfBrowserEnded();
      } catch (crash) {
        return this.#attribute(crash);
      }
      return error;
    }
    if (CRASHES.has(error.code)) this.#break(error.code, error.message);
    return error;
  }

  #break(code: ErrorCode, message: string): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#emit({ event: 'broken', code, message });
  }

  /** Many errors are consequences of the end of the browser; this reports the cause. */
  async #failIfBrowserEnded(): Promise<void> {
    if (this.#environment?.kind.needsBrowser !== true || !(await this.#browser.hasEnded())) return;
    const crashReason = this.#environment?.environment.browserGone?.();
    if (crashReason !== undefined) throw crashReason;
  }

  /** Between two tasks this has no effect: the next one gets a new browser. */
  #browserEnded(): void {
    const crashReason = this.#environment?.environment.browserGone?.();
    if (crashReason !== undefined) this.#break(crashReason.code, crashReason.message);
  }

  #emit(event: SessionEvent): void {
    this.#channel?.emit(event);
  }
}

function isAnswered(method: string, handlers: Handlers): method is SessionMethod {
  return Object.hasOwn(handlers, method);
}

/** Whether a folder has code in JavaScript or TypeScript in which a debugger can stop this process. */
async function hasScripts(files: Params<'session.reset'>['files']): Promise<boolean> {
  return 'folder' in files && (await scriptFiles(files.folder)).length > 0;
}

function kindOf(name: string): Kind {
  const kind = kindNamed(name);
  if (kind === null) throw new RequestFailure('unsupported_environment', `There is no environment of kind ${name}.`);
  return kind;
}
