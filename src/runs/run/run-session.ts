import { dirname } from 'node:path';
import type { ActionInput, Point, Screen } from '../../actions/action.ts';
import { defined } from '../../base/defined.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { EnvironmentUrls, Pointed, StartResult, StepResult } from '../../environments/environment.ts';
import type { ErrorCode } from '../../environments/faults.ts';
import { kindOfType } from '../../environments/kinds.ts';
import type { KnownFile } from '../../environments/known-file.ts';
import { valuesOf } from '../../environments/mcp/variables.ts';
import type { Phase } from '../../functions/declaration.ts';
import { isServerError, type Lease, ServerError } from '../../placement/placement.ts';
import type { CallOutcome } from '../../server/protocol.ts';
import { printCall } from '../../tasks/print.ts';
import type { Call } from '../../tasks/task.ts';
import { callLimit } from './call-limit.ts';
import type { CallToRun } from './debugging.ts';
import { Cancelled, callFailure, RunFailure, toRunError } from './failure.ts';
import type { RunContext } from './run-context.ts';
import { type OpenSession, SessionDebugger } from './session-debugger.ts';
import { startStopwatch, type Timing } from './step-fields.ts';

/** For a call in an environment that a debugger may pause: a timer takes no more than 24 days. */
const DEBUGGED_CALL_MS = 24 * 60 * 60_000;
/** Time that a session has to close. After that, its server kills it. */
const CLOSE_MS = 5_000;

/** The outcome of a call. `call`: as it was made, because a debugger can change its arguments. */
export interface FinishedCall {
  readonly call: Call;
  readonly outcome: CallOutcome;
  readonly timing: Timing;
}

/** The session of a run on its environment server. */
export class RunSession {
  readonly debugger: SessionDebugger;
  readonly #context: RunContext;
  readonly #closers: (() => void)[] = [];
  #lease: Lease | null = null;
  #id: string | null = null;

  constructor(context: RunContext) {
    this.#context = context;
    const request = (phase: Phase, call: Call) => this.#request(phase, { call, pause: false });
    this.debugger = new SessionDebugger(context, () => this.#requireOpen(), request);
  }

  /** Gets an environment server, and opens the session. Reset it next. */
  async open(withheld: readonly KnownFile[]): Promise<void> {
    const { plan, placement, events, clock } = this.#context;
    const attachPython = plan.debugger?.attachPython?.(placement.kind);
    const lease = await placement.open(plan.task, {
      signal: clock.stop,
      withheld,
      ...defined({ attachPython }),
      progress: (detail) => events.emit({ type: 'phase', phase: 'environment', detail }),
    });
    this.#lease = lease;
    this.debugger.mayPause = lease.debugged === true;
    if (lease.host !== undefined) events.emit({ type: 'host', host: lease.host });
    // Building an image first does not count against the task's time limit.
    clock.start();
    const { session } = await lease.server.request('session.open', {}, clock.stop);
    this.#id = session;
    this.#watchEvents(lease, session);
  }

  /** Resets the session to the start of the task. */
  async reset(): Promise<StartResult & { readonly folder: string }> {
    const { plan, clock } = this.#context;
    const { task, seed, client, limits: { evaluate_timeout_ms: limit_ms } = {} } = plan;
    const debugged = plan.debugger?.debugged === true ? (true as const) : undefined;
    const { lease, server, session } = this.#requireOpen();
    const { address, verifier, debugged: unlimited } = lease;
    const html = client?.readsHtml;
    const variables = await valuesOf(kindOfType(task.env)?.variables?.(task.env) ?? [], dirname(task.file));
    const files = this.debugger.providedFiles ?? lease.files;
    const limits = { debugged, unlimited, limit_ms };
    const request = { session, task, files, seed, address, verifier, html, variables, ...limits };
    // A debugger may be stopped in the class of a custom task.
    const resumeClock = this.#suspendClock();
    const result = await server
      .request('session.reset', request, clock.stop)
      .catch((error: unknown) => this.#rethrow(error))
      .finally(resumeClock);
    this.#watchLiveView();
    return result;
  }

  /** Where the environment is, if there are several hosts. */
  get host(): string | undefined {
    return this.#lease?.host;
  }

  get isOpen(): boolean {
    return this.#id !== null;
  }

  async findElement(point: Point | null, signal: AbortSignal): Promise<Pointed | null> {
    const { server, session } = this.#requireOpen();
    return (await server.request('session.pointed', { session, point }, signal)).pointed;
  }

  async urls(): Promise<EnvironmentUrls> {
    const { server, session } = this.#requireOpen();
    return await server.request('session.urls', { session }, this.#context.clock.abort);
  }

  async step(actions: readonly ActionInput[], screen: Screen | undefined): Promise<StepResult> {
    const { server, session } = this.#requireOpen();
    const request = { session, actions: [...actions], ...defined({ screen }) };
    // A debugger may be stopped in the class of a custom task.
    const resumeClock = this.#suspendClock();
    return await server
      .request('session.step', request, this.#context.clock.step)
      .catch((error: unknown) => this.#rethrow(error))
      .finally(resumeClock);
  }

  /** Ends what the agent has left open. */
  async finish(): Promise<StepResult> {
    const { server, session } = this.#requireOpen();
    return await server.request('session.finish', { session }, this.#context.clock.abort);
  }

  /** Runs a call of the task. Rejects with `RunFailure` if the session ends meanwhile. */
  async call(phase: Phase, request: CallToRun): Promise<Omit<FinishedCall, 'call'>> {
    const { call } = request;
    this.#context.events.emit({ type: 'doing', text: printCall(call) });
    const stopwatch = startStopwatch();
    const resumeClock = this.#suspendClock();
    try {
      const outcome = await this.#withStack(
        await this.#request(phase, request).catch((error: unknown) => this.#rethrow(error)),
      );
      const { started_at } = stopwatch();
      return { outcome, timing: { started_at, duration_ms: outcome.duration_ms } };
    } catch (error) {
      const reason: unknown = this.#context.clock.abort.aborted ? this.#context.clock.abort.reason : error;
      if (reason instanceof Cancelled) throw reason;
      // The session ended during this call, so the error names the call.
      throw new RunFailure(callFailure(this.#context.plan.task, call, toRunError(reason)), { cause: error });
    } finally {
      resumeClock();
    }
  }

  /** Closes the session. Never rejects: failures go to the log. */
  async close(): Promise<void> {
    for (const close of this.#closers.splice(0)) close();
    if (this.#id !== null) await this.#close();
    await this.#lease?.release();
  }

  async #close(): Promise<void> {
    const { server, session } = this.#requireOpen();
    try {
      await untilAborted(server.request('session.close', { session }), AbortSignal.timeout(CLOSE_MS));
    } catch (error) {
      // A session that has ended is already closed.
      if (!this.#context.clock.abort.aborted) {
        this.#context.events.emit({ type: 'log', text: `The session did not close: ${(error as Error).message}` });
      }
    }
  }

  /** Throws the error, with the explanation of the environment's server. */
  async #rethrow(error: unknown): Promise<never> {
    if (!isServerError(error)) throw error;
    const explanation = (await this.#lease?.explain?.(error)) ?? null;
    if (explanation === null) throw error;
    throw new ServerError(error.code, withExplanation(error.message, explanation), { cause: error });
  }

  async #withStack(outcome: CallOutcome): Promise<CallOutcome> {
    if (!('error' in outcome) || outcome.error.stack !== undefined) return outcome;
    const stack = await this.#lease?.explain?.(outcome.error);
    return stack === null || stack === undefined ? outcome : { ...outcome, error: { ...outcome.error, stack } };
  }

  #request(phase: Phase, { call, pause }: CallToRun): Promise<CallOutcome> {
    const { lease, server, session } = this.#requireOpen();
    const { plan, clock } = this.#context;
    const limit_ms =
      lease.debugged === true ? DEBUGGED_CALL_MS : callLimit(call, plan.task, plan.limits?.evaluate_timeout_ms);
    const request = { session, call, limit_ms, ...(pause ? { pause } : {}) };
    if (phase === 'setup') return server.request('session.setup', request, clock.abort);
    const { response } = this.debugger;
    return server.request('session.evaluate', { ...request, ...defined({ response }) }, clock.abort);
  }

  /** Suspends the run's time limit while a debugger may have paused the session. */
  #suspendClock(): () => void {
    return this.debugger.mayPause ? this.#context.clock.suspend() : () => {};
  }

  #requireOpen(): OpenSession {
    if (this.#lease === null || this.#id === null) throw new Error('The session is not open.');
    return { lease: this.#lease, server: this.#lease.server, session: this.#id };
  }

  #watchEvents({ server, explain }: Lease, session: string): void {
    const { clock, events, plan } = this.#context;
    const end = async (code: ErrorCode, message: string): Promise<void> => {
      // The explanation of the environment's server takes a moment.
      const explanation = (await explain?.({ code, message })) ?? null;
      clock.fail(new RunFailure({ code, message: withExplanation(message, explanation) }));
    };
    this.#closers.push(
      whileOpen(server.whenEnded, ({ code, message }) => void end(code, message)),
      server.onEvent((event) => {
        if (!('session' in event) || event.session !== session) return;
        if (event.event === 'frame') {
          if (plan.live?.on === true) events.emit({ type: 'frame', picture: event.picture });
        } else if (event.event === 'log') events.emit({ type: 'log', text: event.text });
        else if (event.event === 'functions') events.emit({ type: 'functions', schemas: event.schemas });
        else if (event.event === 'python') this.debugger.onPythonMessage(event.message);
        else void end(event.code, event.message);
      }),
    );
  }

  /** Requests live frames while a live view is visible. */
  #watchLiveView(): void {
    const { live } = this.#context.plan;
    if (live === undefined) return;
    const { server, session } = this.#requireOpen();
    const turn = (on: boolean): void => {
      server.request('session.live', { session, on }).catch((error: Error) => {
        const text = `The live view could not be turned ${on ? 'on' : 'off'}: ${error.message}`;
        this.#context.events.emit({ type: 'log', text });
      });
    };
    this.#closers.push(live.onChange(turn));
    if (live.on) turn(true);
  }
}

function withExplanation(message: string, explanation: string | null): string {
  return explanation === null ? message : `${message}\n${explanation}`;
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
