import type { ActionInput, Screen } from '../../actions/action.ts';
import type { StartResult, StepResult } from '../../environments/environment.ts';
import type { ErrorCode } from '../../environments/faults.ts';
import type { KnownFile } from '../../environments/known-file.ts';
import type { Placement } from '../../placement/placement.ts';
import type { CallOutcome } from '../../server/protocol.ts';
import { printCall } from '../../tasks/print.ts';
import type { Call, Json } from '../../tasks/task.ts';
import type { Agent, Answer, Turn } from '../agents/agent.ts';
import type { Mask } from '../masking/mask.ts';
import { rewardOf, weightOf } from '../results/reward.ts';
import type { NewStep } from '../store/new-step.ts';
import type { Recorder } from '../store/recorder.ts';
import type { Grade, RunError, Step } from '../store/trace.ts';
import type { RunDebugger, RunningCall } from './debugging.ts';
import { Cancelled, callFailure, RunFailure, TimeLimit } from './failure.ts';
import type { OrderedEvents } from './ordered-events.ts';
import type { Endings, RunPlan } from './plan.ts';
import { maskedOutcome, RunSession } from './run-session.ts';
import { startClock, type Timed, untilAborted } from './timing.ts';

const DEFAULT_MAX_STEPS = 100;

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
function wrongWith(outcome: CallOutcome, call: Call): { message: string; code: ErrorCode } | null {
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
  readonly #events: OrderedEvents;
  readonly #endings: Endings;
  readonly #mask: Mask | null;
  #session: RunSession | null = null;
  #recorder: Promise<Recorder> | null = null;
  /** The last step, once it is on disk. */
  #written: Promise<Step | null> = Promise.resolve(null);
  #prompt = '';
  #last: StepResult | null = null;
  /** The environment's own reward at the last step: 0 before any. */
  #environmentReward: number | null = null;
  /** Where neither the person nor the task file says. */
  #maxSteps = DEFAULT_MAX_STEPS;
  #agentEnded = false;
  #response: string | null = null;
  #subscores: Grade['subscores'] = [];
  /** Answers of the agent so far. */
  steps = 0;
  truncated = false;
  /** An evaluate call gave 0 because of what the agent made. */
  blamesAgent = false;
  /** The first evaluate call that gave no value. */
  callError: RunError | null = null;

  constructor(plan: RunPlan, placement: Placement, events: OrderedEvents, endings: Endings, mask: Mask | null) {
    this.#plan = plan;
    this.#placement = placement;
    this.#events = events;
    this.#endings = endings;
    this.#mask = mask;
  }

  /** Opens a session and resets it to the start of the task. */
  async reset(withheld: readonly KnownFile[]): Promise<StartResult & { readonly started: Timed }> {
    this.#events.tell({ type: 'phase', phase: 'environment' });
    const { task } = this.#plan;
    const { soon } = this.#endings;
    const clock = startClock();
    soon.throwIfAborted();
    const lease = await this.#placement.open(task, {
      signal: soon,
      withheld,
      progress: (detail) => this.#events.tell({ type: 'phase', phase: 'environment', detail }),
    });
    const session = new RunSession(this.#plan, lease, this.#events.tell, this.#endings);
    this.#session = session;
    // An image that has to be built first is nothing that a task can be blamed for.
    this.#endings.startClock();
    const result = await session.start();
    this.#see(result);
    this.#maxSteps = result.max_steps ?? DEFAULT_MAX_STEPS;
    const respond = (text: string): void => {
      this.#response = text;
    };
    this.#plan.debugger?.opened(session.held(result.folder, this.#mask, respond));
    return { ...result, started: clock() };
  }

  /** From here on steps are written down. */
  record(recorder: Promise<Recorder>, prompt: string): void {
    this.#recorder = recorder;
    this.#prompt = prompt;
  }

  /** Runs the setup calls; without any the first observation stands in a line of its own. */
  async setUp(start: StepResult & { readonly started: Timed }): Promise<void> {
    const { setup } = this.#plan.task;
    if (setup.length === 0) {
      this.#write({ ...start.started, source: 'system', ...recorded(start), error: start.error });
      return;
    }
    this.#events.tell({ type: 'phase', phase: 'setup' });
    for (const [index, planned] of setup.entries()) {
      await this.#events.settled();
      this.#endings.soon.throwIfAborted();
      const { call, outcome, started } = await this.#call({ phase: 'setup', index, call: planned });
      if ('error' in outcome) {
        const failure = callFailure(this.#plan.task, call, outcome.error);
        this.#write({ ...started, source: 'setup', call, ...nothing(outcome.error), info: writtenBy(outcome) });
        throw new RunFailure(failure);
      }
      const result = outcome.step ?? this.#last;
      if (result !== null) this.#see(result);
      const line = result === null ? { ...nothing(null), info: {} } : { ...recorded(result), error: result.error };
      this.#write({ ...started, source: 'setup', call, ...line, info: { ...line.info, reason: outcome.reason } });
    }
  }

  /** Lets agent and environment take turns until one of them ends it or the limit is reached. */
  async follow(agent: Agent): Promise<void> {
    this.#events.tell({ type: 'phase', phase: 'agent' });
    const { soon } = this.#endings;
    agent.attach?.({ pointed: (point, signal) => this.#opened().pointed(point, signal) });
    const limit = this.#plan.maxSteps ?? this.#plan.task.max_steps ?? this.#maxSteps;
    let last = this.#known();
    while (!last.terminated && !soon.aborted) {
      if (this.steps >= limit) {
        this.truncated = agent.exhausted !== true;
        return;
      }
      const answer = await this.#answer(agent, this.#turn(last));
      if (answer === null) {
        this.truncated = soon.reason instanceof TimeLimit;
        this.#agentEnded = !this.truncated;
        return;
      }
      const actions = (Array.isArray(answer) ? answer : [answer]) as readonly ActionInput[];
      await this.#events.settled();
      await this.#hold((holder) => holder.beforeAction(actions, this.steps));
      // The person stopped it meanwhile.
      if (soon.aborted) break;
      try {
        last = await this.#step(actions, agent.screen);
      } catch (error) {
        if (!(soon.reason instanceof TimeLimit)) throw error;
        // The step did not end in time; what it did until then is graded.
        break;
      }
    }
    this.truncated = soon.reason instanceof TimeLimit && !last.terminated;
    if (last.terminated) agent.finish?.(this.#turn(last));
  }

  /** Runs the evaluate calls and makes the reward of their values. */
  async grade(): Promise<Grade> {
    const { evaluate, metadata } = this.#plan.task;
    if (evaluate.length === 0) return this.#environmentGrade();
    this.#events.tell({ type: 'phase', phase: 'evaluate' });
    for (const [index, planned] of evaluate.entries()) {
      await this.#events.settled();
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
      this.#write({
        ...started,
        source: 'evaluate',
        call,
        ...nothing(failure),
        reward: value,
        info: { reason, ...(stack === undefined ? {} : { stack }), ...parts, ...writtenBy(outcome) },
      });
      if ('blame' in outcome && outcome.blame === 'agent') this.blamesAgent = true;
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
    if (this.#session?.isOpen !== true) return;
    const mask = this.#mask;
    await this.#hold((holder) => holder.beforeEnd(grade, mask === null || error === null ? error : mask.error(error)));
  }

  /** Gives the session back. Never rejects: what could not be closed goes to the log. */
  async close(): Promise<void> {
    await this.#session?.close();
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
      if (soon.reason instanceof Cancelled || soon.reason instanceof TimeLimit) return null;
      throw error;
    }
  }

  async #step(actions: readonly ActionInput[], screen: Screen | undefined): Promise<StepResult> {
    const [only] = actions;
    this.#events.tell({ type: 'doing', text: this.#mask?.doing(actions) ?? actions.map(printInput).join('; ') });
    const clock = startClock();
    const result = await this.#opened().step(actions, screen);
    this.#see(result);
    this.steps += 1;
    const written = recorded(result);
    const taken = clock();
    this.#write(
      {
        ...taken,
        source: 'agent',
        action: actions.length === 1 && only !== undefined ? only : [...actions],
        ...written,
        ...(screen === undefined ? {} : { info: { ...written.info, screen } }),
        error: result.error,
      },
      result.secrets,
    );
    await this.#hold(async (holder) => {
      const step = await this.#written;
      if (step !== null) await holder.afterAction(step);
    });
    return result;
  }

  /** Carries a call out, as often as a debugger wants it; the last outcome counts. */
  async #call(running: RunningCall): Promise<{ call: Call; outcome: CallOutcome; started: Timed }> {
    let wished = (await this.#hold((holder) => holder.beforeCall(running))) ?? { call: running.call, pause: false };
    for (;;) {
      const { call } = wished;
      const asked = await this.#opened().call(running.phase, wished);
      const carriedOut = { ...running, call };
      const again = await this.#hold((holder) =>
        holder.afterCall(carriedOut, maskedOutcome(asked.outcome, this.#mask)),
      );
      if (again === null) return { call, ...asked };
      wished = { call: again, pause: false };
    }
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

  #opened(): RunSession {
    if (this.#session === null) throw new Error('The session is not open.');
    return this.#session;
  }

  /**
   * Begins to write a step, which is on disk before anything else is done: the agent thinks meanwhile.
   *
   * @param secrets what this step typed into password fields
   */
  #write(step: NewStep, secrets: readonly string[] = []): void {
    const recording = this.#recorder;
    if (recording === null) throw new Error('The trace is not open.');
    const mask = this.#mask;
    // From here on nobody is told of them.
    const learned = mask?.learn(secrets) === true;
    this.#written = this.#events.write(async (tell) => {
      const recorder = await recording;
      if (mask !== null && learned) {
        const hidden = await recorder.hide(mask);
        if (hidden !== null) tell({ type: 'hidden', ...hidden });
      }
      const written = await recorder.step(mask === null ? step : mask.step(step, secrets));
      tell({ type: 'step', step: written });
      return written;
    });
  }
}
