import { basename, dirname } from 'node:path';
import type { ActionInput, Point, Screen } from '../../actions/action.ts';
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { EnvironmentUrls, Pointed, StartResult, StepResult } from '../../environments/environment.ts';
import type { ErrorCode } from '../../environments/faults.ts';
import { kindOfType } from '../../environments/kinds.ts';
import { valuesOf } from '../../environments/mcp/variables.ts';
import type { Phase } from '../../functions/declaration.ts';
import type { PageLink } from '../../functions/page/page-link.ts';
import { isServerError, type Lease, ServerError } from '../../placement/placement.ts';
import type { CallOutcome } from '../../server/protocol.ts';
import { printCall } from '../../tasks/print.ts';
import type { RunListener } from '../events.ts';
import type { Mask } from '../masking/mask.ts';
import { callLimit } from './call-limit.ts';
import type { CallToRun, DebuggedPython, DebuggedSession, Inspected, UnresetSession } from './debugging.ts';
import { Cancelled, callFailure, RunFailure, toRunError } from './failure.ts';
import type { RunPlan, RunSignals } from './plan.ts';
import { startClock, type Timed } from './timing.ts';

/** For a call in an environment that a debugger may pause: a timer takes no more than 24 days. */
const DEBUGGED_CALL_MS = 24 * 60 * 60_000;
/** Time that a session has to close. After that, its server kills it. */
const CLOSE_MS = 5_000;

/** The session of a run on its environment server. */
export class RunSession {
  readonly #plan: RunPlan;
  readonly #lease: Lease;
  readonly #listen: RunListener;
  readonly #signals: RunSignals;
  readonly #closers: (() => void)[] = [];
  #id: string | null = null;
  /** What a debugger put in place of the agent's response. */
  #putResponse: string | undefined;
  /** A debugger may pause the session in the middle of a call. */
  #debugged: boolean;
  /** The files of the task, if a debugger needed them before the reset. */
  #provided: Lease['files'] | undefined;
  /** Receives debugpy messages. */
  #onPythonMessage: (message: Json) => void = () => {};

  constructor(plan: RunPlan, lease: Lease, listen: RunListener, signals: RunSignals) {
    this.#plan = plan;
    this.#lease = lease;
    this.#debugged = lease.debugged === true;
    this.#listen = listen;
    this.#signals = signals;
  }

  /** Opens the session. Reset it next. */
  async open(): Promise<void> {
    const { session } = await this.#lease.server.request('session.open', {}, this.#signals.stop);
    this.#id = session;
    this.#watchEvents(session);
  }

  /** Resets the session to the start of the task. */
  async reset(): Promise<StartResult & { readonly folder: string }> {
    const { task, seed, client, limits: { evaluate_timeout_ms: limit_ms } = {} } = this.#plan;
    const debugged = this.#plan.debugger?.debugged === true ? (true as const) : undefined;
    const { server, session } = this.#opened();
    const { files, address, verifier, debugged: unlimited } = this.#lease;
    const html = client?.readsHtml;
    const variables = await valuesOf(kindOfType(task.env)?.variables?.(task.env) ?? [], dirname(task.file));
    const given = this.#provided ?? files;
    const limits = { debugged, unlimited, limit_ms };
    const request = { session, task, files: given, seed, address, verifier, html, variables, ...limits };
    // A debugger may be stopped in the class of a custom task.
    const resumeClock = this.#stopClock();
    const started = await server
      .request('session.reset', request, this.#signals.stop)
      .catch((error: unknown) => this.#explained(error))
      .finally(resumeClock);
    this.#watchLiveView();
    return started;
  }

  get isOpen(): boolean {
    return this.#id !== null;
  }

  async pointed(point: Point | null, signal: AbortSignal): Promise<Pointed | null> {
    const { server, session } = this.#opened();
    return (await server.request('session.pointed', { session, point }, signal)).pointed;
  }

  async urls(): Promise<EnvironmentUrls> {
    const { server, session } = this.#opened();
    return await server.request('session.urls', { session }, this.#signals.abort);
  }

  async step(actions: readonly ActionInput[], screen: Screen | undefined): Promise<StepResult> {
    const { server, session } = this.#opened();
    const asked = { session, actions: [...actions], ...defined({ screen }) };
    // A debugger may be stopped in the class of a custom task.
    const resumeClock = this.#stopClock();
    return await server
      .request('session.step', asked, this.#signals.step)
      .catch((error: unknown) => this.#explained(error))
      .finally(resumeClock);
  }

  /** Runs a call of the task. Rejects with `RunFailure` if the session ends in the meantime. */
  async call(phase: Phase, request: CallToRun): Promise<{ outcome: CallOutcome; started: Timed }> {
    const { call } = request;
    this.#listen({ type: 'doing', text: printCall(call) });
    const clock = startClock();
    const resumeClock = this.#stopClock();
    try {
      const outcome = await this.#withStack(
        await this.#request(phase, request).catch((error: unknown) => this.#explained(error)),
      );
      const { started_at } = clock();
      return { outcome, started: { started_at, duration_ms: outcome.duration_ms } };
    } catch (error) {
      const reason: unknown = this.#signals.abort.aborted ? this.#signals.abort.reason : error;
      if (reason instanceof Cancelled) throw reason;
      // The session ended during this call, so the error names the call.
      throw new RunFailure(callFailure(this.#plan.task, call, toRunError(reason)), { cause: error });
    } finally {
      resumeClock();
    }
  }

  /** The session as a debugger has it before the reset. */
  unreset(): UnresetSession {
    return {
      inspect: async () => this.#inspect(await this.#provideFiles(), true),
      debugPython: async (name, onMessage) => this.#debugPython(await this.#provideFiles(), name, onMessage, true),
    };
  }

  /** The session as a debugger has it. `folder`: the task's, as the session sees it. */
  held(folder: string, mask: Mask | null, responded: (text: string) => void): DebuggedSession {
    return {
      runCall: async (phase, call) => maskedOutcome(await this.#request(phase, { call, pause: false }), mask),
      queryPage: async (links) => {
        const answer = await this.#queryPage(links);
        return mask?.value(answer) ?? answer;
      },
      inspect: () => this.#inspect(folder),
      debugPython: (name, onMessage) => this.#debugPython(folder, name, onMessage),
      setResponse: (text) => {
        this.#putResponse = text;
        responded(text);
      },
    };
  }

  /** Closes the session. Never rejects: failures go to the log. */
  async close(): Promise<void> {
    for (const close of this.#closers.splice(0)) close();
    await this.#close();
    await this.#lease.release();
  }

  async #close(): Promise<void> {
    if (this.#id === null) return;
    const closed = this.#lease.server.request('session.close', { session: this.#id });
    try {
      await untilAborted(closed, AbortSignal.timeout(CLOSE_MS));
    } catch (error) {
      // A session that has ended is already closed.
      if (!this.#signals.abort.aborted) {
        this.#listen({ type: 'log', text: `The session did not close: ${(error as Error).message}` });
      }
    }
  }

  async #queryPage(links: readonly PageLink[]): Promise<Json> {
    const { server, session } = this.#opened();
    return (await server.request('session.query', { session, links: [...links] }, this.#signals.abort)).answer;
  }

  /** Returns the folder of the task, as the session sees it. */
  async #provideFiles(): Promise<string> {
    const { server, session } = this.#opened();
    const { files } = this.#lease;
    const { folder } = await server.request('session.provideFiles', { session, files }, this.#signals.abort);
    this.#provided = 'folder' in files ? files : { folder };
    return folder;
  }

  async #inspect(folder: string, isBeforeReset = false): Promise<Inspected> {
    const { server, session } = this.#opened();
    const asked = { session, file: basename(this.#plan.task.file), ...(isBeforeReset ? { folder } : {}) };
    const { port } = await server.request('session.inspect', asked, this.#signals.abort);
    this.#debugged = true;
    return { port: await server.reach(port), folder };
  }

  async #debugPython(
    folder: string,
    name: string | null,
    onMessage: (message: Json) => void,
    isBeforeReset = false,
  ): Promise<DebuggedPython> {
    const { server, session } = this.#opened();
    this.#onPythonMessage = onMessage;
    const file = basename(this.#plan.task.file);
    const asked = { session, file, function: name, ...(isBeforeReset ? { folder } : {}) };
    const opened = await server.request('session.debugPython', asked, this.#signals.abort);
    this.#debugged = true;
    const send = async (message: Json): Promise<void> => {
      await server.request('session.toPython', { session, message });
    };
    return { folder, ...opened, send, queryPage: (links) => this.#queryPage(links) };
  }

  /** Throws the error, with what the server of the environment says of it. */
  async #explained(error: unknown): Promise<never> {
    if (!isServerError(error)) throw error;
    const explanation = (await this.#lease.explain?.(error)) ?? null;
    if (explanation === null) throw error;
    throw new ServerError(error.code, withExplanation(error.message, explanation), { cause: error });
  }

  async #withStack(outcome: CallOutcome): Promise<CallOutcome> {
    if (!('error' in outcome) || outcome.error.stack !== undefined) return outcome;
    const stack = await this.#lease.explain?.(outcome.error);
    return stack === null || stack === undefined ? outcome : { ...outcome, error: { ...outcome.error, stack } };
  }

  #request(phase: Phase, { call, pause }: CallToRun): Promise<CallOutcome> {
    const { server, session } = this.#opened();
    const { task, limits } = this.#plan;
    const limit_ms =
      this.#lease.debugged === true ? DEBUGGED_CALL_MS : callLimit(call, task, limits?.evaluate_timeout_ms);
    const asked = { session, call, limit_ms, ...(pause ? { pause } : {}) };
    if (phase === 'setup') return server.request('session.setup', asked, this.#signals.abort);
    const response = this.#putResponse;
    return server.request('session.evaluate', { ...asked, ...defined({ response }) }, this.#signals.abort);
  }

  /** Pauses the run's time limit while a debugger may have paused the session. */
  #stopClock(): () => void {
    return this.#debugged ? this.#signals.stopClock() : () => {};
  }

  #opened() {
    if (this.#id === null) throw new Error('The session is not open.');
    return { server: this.#lease.server, session: this.#id };
  }

  #watchEvents(session: string): void {
    const { server } = this.#lease;
    const end = async (code: ErrorCode, message: string): Promise<void> => {
      const { explain } = this.#lease;
      // What the server of the environment says of it takes a moment.
      const explanation = explain === undefined ? null : await explain({ code, message });
      this.#signals.fail(new RunFailure({ code, message: withExplanation(message, explanation) }));
    };
    this.#closers.push(
      whileOpen(server.ended, ({ code, message }) => void end(code, message)),
      server.onEvent((event) => {
        if (!('session' in event) || event.session !== session) return;
        if (event.event === 'frame') {
          if (this.#plan.live?.on === true) this.#listen({ type: 'frame', picture: event.picture });
        } else if (event.event === 'log') this.#listen({ type: 'log', text: event.text });
        else if (event.event === 'functions') this.#listen({ type: 'functions', schemas: event.schemas });
        else if (event.event === 'python') this.#onPythonMessage(event.message);
        else void end(event.code, event.message);
      }),
    );
  }

  /** Requests live frames while a live view is visible. */
  #watchLiveView(): void {
    const { live } = this.#plan;
    if (live === undefined) return;
    const { server, session } = this.#opened();
    const turn = (on: boolean): void => {
      server.request('session.live', { session, on }).catch((error: Error) => {
        this.#listen({
          type: 'log',
          text: `The live view could not be turned ${on ? 'on' : 'off'}: ${error.message}`,
        });
      });
    };
    this.#closers.push(live.onChange(turn));
    if (live.on) turn(true);
  }
}

function withExplanation(message: string, explanation: string | null): string {
  return explanation === null ? message : `${message}\n${explanation}`;
}

/** The outcome with secrets masked and without the observation, which the trace has in masked form. */
export function maskedOutcome(outcome: CallOutcome, mask: Mask | null): CallOutcome {
  if (mask === null) return outcome;
  if ('error' in outcome) return { ...outcome, error: mask.value(outcome.error) };
  return { ...outcome, reason: mask.text(outcome.reason), step: null };
}

/**
 * Calls `listener` with the value of a promise, until the returned function is called. The promise then no longer keeps
 * what the listener refers to in memory: a server outlives thousands of runs.
 */
function whileOpen<T>(promise: Promise<T>, listener: (value: T) => void): () => void {
  let current: ((value: T) => void) | null = listener;
  void promise.then((value) => current?.(value));
  return () => {
    current = null;
  };
}
