import { basename } from 'node:path';
import type { ActionInput, Point, Screen } from '../actions/action.ts';
import type { Pointed, StartResult, StepResult } from '../environments/environment.ts';
import type { Phase } from '../functions/declaration.ts';
import type { PageLink } from '../functions/page/questions.ts';
import { timeOf } from '../functions/time.ts';
import type { EnvironmentServer, Lease, Placement } from '../placement/placement.ts';
import type { CallOutcome } from '../server/protocol.ts';
import { printCall } from '../tasks/print.ts';
import type { Call, Json } from '../tasks/task.ts';
import type { Agent, Answer, Turn } from './agents/agent.ts';
import type { DebuggedPython, Inspected, RunDebugger, RunningCall, WishedCall } from './debugging.ts';
import type { RunListener } from './events.ts';
import { Cancelled, callFailure, RunFailure, toRunError } from './failure.ts';
import type { Mask } from './mask.ts';
import type { NewStep } from './new-step.ts';
import type { Endings, RunPlan } from './plan.ts';
import type { Recorder } from './recorder.ts';
import { rewardOf, weightOf } from './reward.ts';
import type { Grade, RunError, Step } from './trace.ts';

const DEFAULT_MAX_STEPS = 100;
const DEFAULT_CALL_MS = 30_000;
/** A session that does not end when it is told to is left to its server, which kills it. */
const CLOSE_MS = 5_000;

/** The observation, reward and rest of an environment's answer, as they are recorded. */
function recorded(
  result: StepResult,
): Pick<NewStep, 'observation' | 'reward' | 'terminated' | 'info' | 'contents' | 'recorded'> {
  return {
    observation: result.observation,
    reward: result.reward,
    terminated: result.terminated,
    info: result.info as unknown as Record<string, Json>,
    ...(result.contents === undefined ? {} : { contents: result.contents }),
    ...(result.recorded === undefined ? {} : { recorded: result.recorded }),
  };
}

/** An action as it is said to a watcher before it is carried out. */
function printInput(action: ActionInput): string {
  return typeof action === 'string' ? action : JSON.stringify(action);
}

type Timed = Pick<Step, 'started_at' | 'duration_ms'>;

function startClock(): () => Timed {
  const started_at = new Date().toISOString();
  const begun = performance.now();
  return () => ({ started_at, duration_ms: Math.round((performance.now() - begun) * 10) / 10 });
}

/** Rejects with the signal's reason once that is aborted, whatever becomes of the promise. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** What the commands of a call wrote, as it stands in its line. */
function writtenBy({ outputs }: CallOutcome): Record<string, Json> {
  return outputs === undefined ? {} : { outputs: outputs as unknown as Json };
}

/** A line without an observation. */
function nothing(error: Step['error']): Pick<NewStep, 'observation' | 'reward' | 'terminated' | 'error'> {
  return {
    observation: null,
    reward: null,
    terminated: false,
    error: error && { message: error.message, code: error.code },
  };
}

/** Why an evaluate call's answer cannot count; null where it can. */
function wrongWith(outcome: CallOutcome, call: Call): { message: string; code: string } | null {
  if ('error' in outcome) return outcome.error;
  if (outcome.value === null)
    return { code: 'call_returned_nothing', message: 'it returned nothing; a number from 0 to 1 is needed.' };
  if (!(outcome.value >= 0 && outcome.value <= 1)) {
    return { code: 'call_out_of_range', message: `it returned ${outcome.value}; a number from 0 to 1 is needed.` };
  }
  if (weightOf(call) === null) return { code: 'invalid_weight', message: 'its weight must be a number above 0.' };
  return null;
}

/** One attempt at a task in one session of its environment: the phases of a run, in their order. */
export class Attempt {
  readonly #plan: RunPlan;
  readonly #placement: Placement;
  readonly #listen: RunListener;
  readonly #endings: Endings;
  readonly #mask: Mask | null;
  readonly #closers: (() => void)[] = [];
  #lease: Lease | null = null;
  #server: EnvironmentServer | null = null;
  #session: string | null = null;
  #recorder: Recorder | null = null;
  #prompt = '';
  #last: StepResult | null = null;
  /** The environment's own reward at the last step: 0 before any. */
  #environmentReward: number | null = null;
  /** Where neither the person nor the task file says. */
  #maxSteps = DEFAULT_MAX_STEPS;
  #agentEnded = false;
  #response: string | null = null;
  /** What a debugger put in place of the agent's response. */
  #putResponse: string | undefined;
  /** A debugger may hold the session up in the middle of a call. */
  #debugged = false;
  /** Hears what a debugger in Python says. */
  #hearPython: (message: Json) => void = () => {};
  #subscores: Grade['subscores'] = [];
  /** Answers of the agent so far. */
  steps = 0;
  truncated = false;
  /** The first evaluate call that gave no value. */
  callError: RunError | null = null;

  constructor(plan: RunPlan, placement: Placement, listen: RunListener, endings: Endings, mask: Mask | null) {
    this.#plan = plan;
    this.#placement = placement;
    this.#listen = listen;
    this.#endings = endings;
    this.#mask = mask;
  }

  /** Opens a session and takes it to the start of the task. */
  async reset(): Promise<StartResult & { readonly started: Timed }> {
    this.#listen({ type: 'phase', phase: 'environment' });
    const { task, seed } = this.#plan;
    const { soon } = this.#endings;
    const clock = startClock();
    soon.throwIfAborted();
    const lease = await this.#placement.open(task, {
      signal: soon,
      progress: (detail) => this.#listen({ type: 'phase', phase: 'environment', detail }),
    });
    this.#lease = lease;
    // An image that has to be built first is nothing that a task can be blamed for.
    this.#endings.startClock();
    const { server, files } = lease;
    this.#server = server;
    const { session } = await server.request('session.open', {}, soon);
    this.#session = session;
    this.#watchEvents(server, session);
    const result = await server.request('session.reset', { session, task, files, seed }, soon);
    this.#see(result);
    this.#maxSteps = result.max_steps ?? DEFAULT_MAX_STEPS;
    this.#plan.debugger?.opened({
      ask: async (phase, call) => this.#masked(await this.#request(phase, { call, pause: false })),
      look: (links) => this.#look(links),
      inspect: () => this.#inspect(result.folder),
      debugPython: (name, hear) => this.#debugPython(result.folder, name, hear),
      respond: (text) => {
        this.#putResponse = text;
        this.#response = text;
      },
    });
    this.#watchPicture();
    return { ...result, started: clock() };
  }

  /** From here on steps are written down. */
  record(recorder: Recorder, prompt: string): void {
    this.#recorder = recorder;
    this.#prompt = prompt;
  }

  /** Runs the setup calls; without any the first observation stands in a line of its own. */
  async setUp(start: StepResult & { readonly started: Timed }): Promise<void> {
    const { setup } = this.#plan.task;
    if (setup.length === 0) {
      await this.#write({ ...start.started, source: 'system', ...recorded(start), error: start.error });
      return;
    }
    this.#listen({ type: 'phase', phase: 'setup' });
    for (const [index, planned] of setup.entries()) {
      this.#endings.soon.throwIfAborted();
      const { call, outcome, started } = await this.#call({ phase: 'setup', index, call: planned });
      if ('error' in outcome) {
        const failure = callFailure(this.#plan.task, call, outcome.error);
        await this.#write({ ...started, source: 'setup', call, ...nothing(outcome.error), info: writtenBy(outcome) });
        throw new RunFailure(failure);
      }
      const result = outcome.step ?? this.#last;
      if (result !== null) this.#see(result);
      const line = result === null ? { ...nothing(null), info: {} } : { ...recorded(result), error: result.error };
      await this.#write({ ...started, source: 'setup', call, ...line, info: { ...line.info, reason: outcome.reason } });
    }
  }

  /** Lets agent and environment take turns until one of them ends it or the limit is reached. */
  async follow(agent: Agent): Promise<void> {
    this.#listen({ type: 'phase', phase: 'agent' });
    const { soon } = this.#endings;
    agent.meet?.({ pointed: (point, signal) => this.#pointed(point, signal) });
    const limit = this.#plan.maxSteps ?? this.#plan.task.max_steps ?? this.#maxSteps;
    let last = this.#known();
    while (!last.terminated && !soon.aborted) {
      if (this.steps >= limit) {
        this.truncated = agent.exhausted !== true;
        return;
      }
      const answer = await this.#answer(agent, this.#turn(last));
      if (answer === null) {
        this.#agentEnded = true;
        return;
      }
      const actions = (Array.isArray(answer) ? answer : [answer]) as readonly ActionInput[];
      await this.#hold((holder) => holder.beforeAction(actions, this.steps));
      // The person stopped it while it was held.
      if (soon.aborted) return;
      last = await this.#step(actions, agent.screen);
    }
    if (last.terminated) agent.finish?.(this.#turn(last));
  }

  /** Runs the evaluate calls and makes the reward of their values. */
  async grade(): Promise<Grade> {
    const { evaluate, metadata } = this.#plan.task;
    if (evaluate.length === 0) return this.#environmentGrade();
    this.#listen({ type: 'phase', phase: 'evaluate' });
    for (const [index, planned] of evaluate.entries()) {
      const answer = await this.#call({ phase: 'evaluate', index, call: planned }).catch((error: unknown) => {
        // The call before took the session with it, and has been named.
        if (this.callError === null) throw error;
        return null;
      });
      if (answer === null) break;
      const { call, outcome, started } = answer;
      const failure = wrongWith(outcome, call);
      const value = failure === null && 'value' in outcome ? outcome.value : null;
      const reason = failure?.message ?? ('reason' in outcome ? outcome.reason : '');
      const stack = 'error' in outcome ? outcome.error.stack : undefined;
      const weight = weightOf(call) ?? 1;
      const parts =
        'parts' in outcome && outcome.parts !== undefined ? { parts: outcome.parts.map((part) => ({ ...part })) } : {};
      this.#subscores = [
        ...this.#subscores,
        { name: printCall(call), value, weight, reason, range: call.range, ...parts },
      ];
      await this.#write({
        ...started,
        source: 'evaluate',
        call,
        ...nothing(failure),
        reward: value,
        info: { reason, ...(stack === undefined ? {} : { stack }), ...parts, ...writtenBy(outcome) },
      });
      if (failure !== null) this.callError ??= callFailure(this.#plan.task, call, failure);
    }
    const values = this.#subscores.flatMap(({ value, weight }) => (value === null ? [] : [{ value, weight }]));
    const reward = this.callError === null ? rewardOf(values, metadata['combine']) : null;
    return { ...this.partialGrade, reward };
  }

  /** What is known of the grade before its end. */
  get partialGrade(): Grade {
    const own = this.#environmentReward;
    return {
      reward: null,
      done: this.#agentEnded || this.#last?.terminated === true,
      content: this.#response,
      info: own === null ? {} : { environment_reward: own },
      is_error: false,
      subscores: this.#subscores,
    };
  }

  /** The last moment at which the session can be asked something. */
  async end(grade: Grade, error: RunError | null): Promise<void> {
    if (this.#session === null) return;
    const mask = this.#mask;
    await this.#hold((holder) => holder.beforeEnd(grade, mask === null || error === null ? error : mask.error(error)));
  }

  /** Gives the session back. Never rejects: what could not be closed goes to the log. */
  async close(): Promise<void> {
    for (const closer of this.#closers.splice(0)) closer();
    await this.#closeSession();
    await this.#lease?.release();
  }

  async #closeSession(): Promise<void> {
    if (this.#server === null || this.#session === null) return;
    const closed = this.#server.request('session.close', { session: this.#session });
    try {
      await untilAborted(closed, AbortSignal.timeout(CLOSE_MS));
    } catch (error) {
      // A session that has ended is closed already.
      if (!this.#endings.now.aborted) {
        this.#listen({ type: 'log', text: `The session did not close: ${(error as Error).message}` });
      }
    }
  }

  #environmentGrade(): Grade {
    const reward = this.#environmentReward;
    if (reward !== null) return { ...this.partialGrade, reward };
    const warning = 'The task has no evaluate call and its environment gives no reward of its own, so there is none.';
    return { ...this.partialGrade, info: { warning } };
  }

  #known(): StepResult {
    if (this.#last === null) throw new Error('The environment gave no observation.');
    return this.#last;
  }

  #see(result: StepResult): void {
    this.#last = result;
    this.#environmentReward = result.reward;
    if (result.info.response !== undefined) this.#response = result.info.response;
  }

  #turn(last: StepResult): Turn {
    const { observation, reward, terminated, error } = last;
    return { prompt: this.#prompt, step: this.steps, observation, reward, terminated, error };
  }

  /** The agent's answer, or null where it is done or was stopped by the person. */
  async #answer(agent: Agent, turn: Turn): Promise<Answer> {
    const { soon } = this.#endings;
    try {
      return await untilAborted(agent.act(turn, soon), soon);
    } catch (error) {
      // What was done until then is graded.
      if (soon.reason instanceof Cancelled) return null;
      throw error;
    }
  }

  async #pointed(point: Point | null, signal: AbortSignal): Promise<Pointed | null> {
    const { server, session } = this.#opened();
    return (await server.request('session.pointed', { session, point }, signal)).pointed;
  }

  async #step(actions: readonly ActionInput[], screen: Screen | undefined): Promise<StepResult> {
    const [only] = actions;
    this.#listen({ type: 'doing', text: this.#mask?.doing(actions) ?? actions.map(printInput).join('; ') });
    const clock = startClock();
    const { server, session } = this.#opened();
    const asked = { session, actions: [...actions], ...(screen === undefined ? {} : { screen }) };
    // A debugger may stand in the class of a custom task.
    const goOn = this.#debugged ? this.#endings.stopClock() : () => {};
    const result = await server.request('session.step', asked, this.#endings.now).finally(goOn);
    this.#see(result);
    this.steps += 1;
    const written = recorded(result);
    const step = await this.#write(
      {
        ...clock(),
        source: 'agent',
        action: actions.length === 1 && only !== undefined ? only : [...actions],
        ...written,
        ...(screen === undefined ? {} : { info: { ...written.info, screen } }),
        error: result.error,
      },
      result.secrets,
    );
    await this.#hold((holder) => holder.afterAction(step));
    return result;
  }

  /** Carries a call out, as often as a debugger wants it; the last outcome counts. */
  async #call(running: RunningCall): Promise<{ call: Call; outcome: CallOutcome; started: Timed }> {
    let wished = (await this.#hold((holder) => holder.beforeCall(running))) ?? { call: running.call, pause: false };
    for (;;) {
      const { call } = wished;
      const asked = await this.#ask(running.phase, wished);
      const carriedOut = { ...running, call };
      const again = await this.#hold((holder) => holder.afterCall(carriedOut, this.#masked(asked.outcome)));
      if (again === null) return { call, ...asked };
      wished = { call: again, pause: false };
    }
  }

  async #ask(phase: Phase, wished: WishedCall): Promise<{ outcome: CallOutcome; started: Timed }> {
    const { call } = wished;
    this.#listen({ type: 'doing', text: printCall(call) });
    const clock = startClock();
    const goOn = this.#debugged ? this.#endings.stopClock() : () => {};
    try {
      const outcome = await this.#request(phase, wished);
      const { started_at } = clock();
      return { outcome, started: { started_at, duration_ms: outcome.duration_ms } };
    } catch (error) {
      const reason: unknown = this.#endings.now.aborted ? this.#endings.now.reason : error;
      if (reason instanceof Cancelled) throw reason;
      // The session has gone while this call ran: the call is named.
      throw new RunFailure(callFailure(this.#plan.task, call, toRunError(reason)), { cause: error });
    } finally {
      goOn();
    }
  }

  async #look(links: readonly PageLink[]): Promise<Json> {
    const { server, session } = this.#opened();
    const { answer } = await server.request('session.look', { session, links: [...links] }, this.#endings.now);
    return this.#mask?.value(answer) ?? answer;
  }

  async #inspect(folder: string): Promise<Inspected> {
    const { server, session } = this.#opened();
    const file = basename(this.#plan.task.file);
    const { port } = await server.request('session.inspect', { session, file }, this.#endings.now);
    this.#debugged = true;
    return { port: await server.reach(port), folder };
  }

  async #debugPython(folder: string, name: string, hear: (message: Json) => void): Promise<DebuggedPython> {
    const { server, session } = this.#opened();
    this.#hearPython = hear;
    const asked = { session, file: basename(this.#plan.task.file), function: name };
    const opened = await server.request('session.debugPython', asked, this.#endings.now);
    this.#debugged = true;
    const send = async (message: Json): Promise<void> => {
      await server.request('session.toPython', { session, message });
    };
    return { folder, ...opened, send };
  }

  #request(phase: Phase, { call, pause }: WishedCall): Promise<CallOutcome> {
    const { server, session } = this.#opened();
    const limit_ms = this.#plan.evaluateTimeoutMs ?? Math.max(DEFAULT_CALL_MS, timeOf(call));
    const asked = { session, call, limit_ms, ...(pause ? { pause } : {}) };
    if (phase === 'setup') return server.request('session.setup', asked, this.#endings.now);
    const response = this.#putResponse;
    return server.request(
      'session.evaluate',
      { ...asked, ...(response === undefined ? {} : { response }) },
      this.#endings.now,
    );
  }

  /** An outcome as it may be shown: of the observation the trace has the masked form. */
  #masked(outcome: CallOutcome): CallOutcome {
    const mask = this.#mask;
    if (mask === null) return outcome;
    if ('error' in outcome) return { ...outcome, error: mask.value(outcome.error) };
    return { ...outcome, reason: mask.text(outcome.reason), step: null };
  }

  /** Waits for the debugger, where there is one; null where the run is being ended. */
  async #hold<T>(ask: (holder: RunDebugger) => Promise<T>): Promise<T | null> {
    const { debugger: holder } = this.#plan;
    const { soon } = this.#endings;
    if (holder === undefined || soon.aborted) return null;
    const goOn = this.#endings.stopClock();
    try {
      return await untilAborted(ask(holder), soon);
    } catch (error) {
      if (soon.aborted) return null;
      throw error;
    } finally {
      goOn();
    }
  }

  #opened(): { server: EnvironmentServer; session: string } {
    if (this.#server === null || this.#session === null) throw new Error('The session is not open.');
    return { server: this.#server, session: this.#session };
  }

  /** @param secrets what this step typed into password fields */
  async #write(step: NewStep, secrets: readonly string[] = []): Promise<Step> {
    if (this.#recorder === null) throw new Error('The trace is not open.');
    const mask = this.#mask;
    if (mask?.learn(secrets) === true) {
      const hidden = await this.#recorder.hide(mask);
      if (hidden !== null) this.#listen({ type: 'hidden', ...hidden });
    }
    const written = await this.#recorder.step(mask === null ? step : mask.step(step, secrets));
    this.#listen({ type: 'step', step: written });
    return written;
  }

  #watchEvents(server: EnvironmentServer, session: string): void {
    const end = (code: string, message: string): void => this.#endings.fail(new RunFailure({ code, message }));
    let over = false;
    this.#closers.push(
      () => {
        over = true;
      },
      server.onEvent((event) => {
        if (!('session' in event) || event.session !== session) return;
        if (event.event === 'frame') {
          if (this.#plan.live?.on === true) this.#listen({ type: 'frame', picture: event.picture });
        } else if (event.event === 'log') this.#listen({ type: 'log', text: event.text });
        else if (event.event === 'functions') this.#listen({ type: 'functions', schemas: event.schemas });
        else if (event.event === 'python') this.#hearPython(event.message);
        else end(event.code, event.message);
      }),
    );
    void server.ended.then(({ code, message }) => {
      if (!over) end(code, message);
    });
  }

  /** Asks for the live picture while somebody watches it. */
  #watchPicture(): void {
    const { live } = this.#plan;
    if (live === undefined) return;
    const { server, session } = this.#opened();
    const turn = (on: boolean): void => {
      server.request('session.live', { session, on }).catch((error: Error) => {
        this.#listen({
          type: 'log',
          text: `The live picture could not be turned ${on ? 'on' : 'off'}: ${error.message}`,
        });
      });
    };
    this.#closers.push(live.onChange(turn));
    if (live.on) turn(true);
  }
}
