import type { ActionInput, Screen } from '../../actions/action.ts';
import { printInputs } from '../../actions/print-input.ts';
import type { Agent, Reply, RunInspector, Turn } from '../../agents/agent.ts';
import { defined } from '../../base/defined.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { StartResult, StepResult } from '../../environments/environment.ts';
import type { KnownFile } from '../../environments/known-file.ts';
import { listTools } from '../../environments/mcp/listed-tools.ts';
import type { Placement } from '../../placement/placement.ts';
import type { CallOutcome } from '../../server/protocol.ts';
import type { Call } from '../../tasks/task.ts';
import type { ModelTurn } from '../../traces/model-turn.ts';
import type { NewStep } from '../../traces/new-step.ts';
import type { Grade, RunError, Step } from '../../traces/trace.ts';
import type { Mask } from '../masking/mask.ts';
import type { RunDebugger, RunningCall } from './debugging.ts';
import { Evaluation } from './evaluation.ts';
import { Cancelled, callFailure, RunFailure, TimeLimit } from './failure.ts';
import type { OrderedEvents } from './ordered-events.ts';
import type { RunPlan, RunSignals } from './plan.ts';
import type { Recorder } from './recorder.ts';
import { maskedOutcome, RunSession } from './run-session.ts';
import { emptyFields, fieldsOf, outputsOf } from './step-fields.ts';
import { startClock, type Timed } from './timing.ts';

const DEFAULT_MAX_STEPS = 100;

/** One attempt at a task in one session: the phases of a run in their order. */
export class Attempt {
  readonly #plan: RunPlan;
  readonly #placement: Placement;
  readonly #events: OrderedEvents;
  readonly #signals: RunSignals;
  readonly #mask: Mask | null;
  #session: RunSession | null = null;
  #recorder: Promise<Recorder> | null = null;
  /** Resolves with the last step when it is on disk. */
  #written: Promise<Step | null> = Promise.resolve(null);
  #prompt = '';
  #last: StepResult | null = null;
  /** The environment's own reward after the last step; 0 before the first. */
  #environmentReward: number | null = null;
  #offered: Pick<RunInspector, 'actions' | 'offers'> & Pick<Turn, 'tools'> = { actions: null, offers: [], tools: [] };
  /** A warning: the task may not run as written. */
  #warning: string | null = null;
  /** Used when neither the user nor the task sets a limit. */
  #maxSteps = DEFAULT_MAX_STEPS;
  #agentEnded = false;
  #response: string | null = null;
  /** Number of the agent's answers. */
  steps = 0;
  /** How many answers the agent has given; the last may not have become a step. */
  answers = 0;
  truncated = false;
  /** Where the environment is, if there are several hosts. */
  host: string | null = null;
  readonly evaluation: Evaluation;

  constructor(plan: RunPlan, placement: Placement, events: OrderedEvents, signals: RunSignals, mask: Mask | null) {
    this.#plan = plan;
    this.#placement = placement;
    this.#events = events;
    this.#signals = signals;
    this.#mask = mask;
    this.evaluation = new Evaluation(plan.task, {
      settled: () => events.settled(),
      call: (running) => this.#call(running),
      peek: async (call) => (await this.#opened().call('evaluate', { call, pause: false })).outcome,
      write: (step) => this.#write(step),
    });
  }

  /** Opens a session and resets it to the start of the task. */
  async reset(withheld: readonly KnownFile[]): Promise<StartResult & { readonly started: Timed }> {
    this.#events.emit({ type: 'phase', phase: 'environment' });
    const { task } = this.#plan;
    const { stop } = this.#signals;
    const clock = startClock();
    stop.throwIfAborted();
    const attachPython = this.#plan.debugger?.attachPython?.(this.#placement.kind);
    const lease = await this.#placement.open(task, {
      signal: stop,
      withheld,
      ...defined({ attachPython }),
      progress: (detail) => this.#events.emit({ type: 'phase', phase: 'environment', detail }),
    });
    if (lease.host !== undefined) {
      this.host = lease.host;
      this.#events.emit({ type: 'host', host: lease.host });
    }
    const session = new RunSession(this.#plan, lease, this.#events.emit, this.#signals);
    this.#session = session;
    // Building an image first does not count against the task's time limit.
    this.#signals.startClock();
    await session.open();
    await this.#pause((runDebugger) => runDebugger.beforeReset(session.unreset()));
    const result = await session.reset();
    this.#observe(result);
    this.#maxSteps = result.max_steps ?? DEFAULT_MAX_STEPS;
    this.#warning = result.warning ?? null;
    if (this.#warning !== null) this.#events.emit({ type: 'log', text: `Warning: ${this.#warning}` });
    const respond = (text: string): void => {
      this.#response = text;
    };
    const { actions = null, offers = [] } = result;
    this.#offered = { actions, offers, tools: listTools(actions) };
    if (actions !== null) this.#events.emit({ type: 'actions', schema: actions });
    this.#plan.debugger?.opened(session.held(result.folder, this.#mask, respond));
    return { ...result, started: clock() };
  }

  /** Starts recording steps. */
  record(recorder: Promise<Recorder>, prompt: string): void {
    this.#recorder = recorder;
    this.#prompt = prompt;
  }

  /** Runs the setup calls. If there are none, records the first observation. */
  async setUp(start: StepResult & { readonly started: Timed }): Promise<void> {
    const { setup } = this.#plan.task;
    if (setup.length === 0) {
      this.#write({ ...start.started, source: 'system', ...fieldsOf(start), error: start.error });
      return;
    }
    this.#events.emit({ type: 'phase', phase: 'setup' });
    for (const [index, planned] of setup.entries()) {
      await this.#events.settled();
      this.#signals.stop.throwIfAborted();
      const { call, outcome, started } = await this.#call({ phase: 'setup', index, call: planned });
      if ('error' in outcome) {
        const failure = callFailure(this.#plan.task, call, outcome.error);
        this.#write({ ...started, source: 'setup', call, ...emptyFields(outcome.error), info: outputsOf(outcome) });
        throw new RunFailure(failure);
      }
      const result = outcome.step ?? this.#last;
      if (result !== null) this.#observe(result);
      const line = result === null ? { ...emptyFields(null), info: {} } : { ...fieldsOf(result), error: result.error };
      this.#write({ ...started, source: 'setup', call, ...line, info: { ...line.info, reason: outcome.reason } });
    }
  }

  /** Alternates between agent and environment until one of them ends the run or a limit is reached. */
  async runAgent(agent: Agent): Promise<void> {
    this.#events.emit({ type: 'phase', phase: 'agent' });
    const { stop } = this.#signals;
    agent.attach?.({
      pointed: (point, signal) => this.#opened().pointed(point, signal),
      actions: this.#offered.actions,
      offers: this.#offered.offers,
      last: () => this.#lastResult(),
      judge: () => this.evaluation.judge(),
      urls: () => this.#opened().urls(),
    });
    const limit = this.#plan.limits?.max_steps ?? this.#plan.task.max_steps ?? this.#maxSteps;
    let last = this.#lastResult();
    while (!last.terminated && !stop.aborted) {
      if (this.steps >= limit) {
        this.truncated = agent.exhausted !== true;
        return;
      }
      const { actions: answer, turn } = await this.#answer(agent, this.#turn(last));
      if (answer === null) {
        if (turn !== undefined) this.#writeTurn(turn);
        this.truncated = stop.reason instanceof TimeLimit;
        this.#agentEnded = !stop.aborted;
        return;
      }
      this.answers += 1;
      const actions = (Array.isArray(answer) ? answer : [answer]) as readonly ActionInput[];
      await this.#events.settled();
      await this.#pause((runDebugger) => runDebugger.beforeAction(actions, this.steps));
      // The run was stopped in the meantime.
      if (stop.aborted) break;
      try {
        last = await this.#step(actions, agent.screen, turn);
      } catch (error) {
        if (!(stop.reason instanceof TimeLimit)) throw error;
        // The step exceeded the time limit; its effects so far are graded.
        break;
      }
    }
    this.truncated = stop.reason instanceof TimeLimit && !last.terminated;
    if (last.terminated) agent.finish?.(this.#turn(last));
  }

  /** Runs the evaluate calls and combines their values to the reward. */
  async grade(): Promise<Grade> {
    if (this.#plan.task.evaluate.length === 0) return this.#environmentGrade();
    this.#events.emit({ type: 'phase', phase: 'evaluate' });
    const reward = await this.evaluation.reward();
    return { ...this.partialGrade, reward };
  }

  /** The grade so far. */
  get partialGrade(): Grade {
    const environmentReward = this.#environmentReward;
    return {
      reward: null,
      done: this.#agentEnded || this.#last?.terminated === true,
      content: this.#response,
      info: {
        ...(environmentReward === null ? {} : { environment_reward: environmentReward }),
        ...(this.#warning === null ? {} : { warning: this.#warning }),
      },
      is_error: false,
      subscores: this.evaluation.subscores,
    };
  }

  /** Called before the session closes. */
  async end(grade: Grade, error: RunError | null): Promise<void> {
    if (this.#session?.isOpen !== true) return;
    const mask = this.#mask;
    await this.#pause((runDebugger) =>
      runDebugger.beforeEnd(grade, mask === null || error === null ? error : mask.error(error)),
    );
  }

  /** Closes the session. Never rejects: failures go to the log. */
  async close(): Promise<void> {
    await this.#session?.close();
  }

  #environmentGrade(): Grade {
    const reward = this.#environmentReward;
    if (reward !== null) return { ...this.partialGrade, reward };
    const warning = 'The run has no reward: the task has no evaluate call, and its environment returns no reward.';
    const { info } = this.partialGrade;
    const warnings = this.#warning === null ? warning : `${this.#warning}\n${warning}`;
    return { ...this.partialGrade, info: { ...info, warning: warnings } };
  }

  #lastResult(): StepResult {
    if (this.#last === null) throw new Error('The environment returned no observation.');
    return this.#last;
  }

  #observe(result: StepResult): void {
    this.#last = result;
    this.#environmentReward = result.reward;
    if (result.info.response !== undefined) this.#response = result.info.response;
  }

  #turn(last: StepResult): Turn {
    const { observation, reward, terminated, error } = last;
    const { tools } = this.#offered;
    return { prompt: this.#prompt, step: this.steps, observation, reward, terminated, error, tools };
  }

  /** The agent's reply; without actions if it is done or the run was stopped. */
  async #answer(agent: Agent, turn: Turn): Promise<Reply> {
    const { stop } = this.#signals;
    try {
      return await untilAborted(agent.act(turn, stop), stop);
    } catch (error) {
      // The state at this point is graded.
      if (stop.reason instanceof Cancelled || stop.reason instanceof TimeLimit) return { actions: null };
      throw error;
    }
  }

  /** Writes the line of an answer without actions. */
  #writeTurn(turn: ModelTurn): void {
    this.answers += 1;
    this.steps += 1;
    this.#write({ ...startClock()(), source: 'agent', turn, ...emptyFields(null), info: {} });
  }

  async #step(
    actions: readonly ActionInput[],
    screen: Screen | undefined,
    turn: ModelTurn | undefined,
  ): Promise<StepResult> {
    const [onlyAction] = actions;
    this.#events.emit({ type: 'doing', text: this.#mask?.doing(actions) ?? printInputs(actions).join('; ') });
    const clock = startClock();
    const result = await this.#opened().step(actions, screen);
    this.#observe(result);
    this.steps += 1;
    const fields = fieldsOf(result);
    const elapsed = clock();
    this.#write(
      {
        ...elapsed,
        source: 'agent',
        action: actions.length === 1 && onlyAction !== undefined ? onlyAction : [...actions],
        ...defined({ turn }),
        ...fields,
        ...(screen === undefined ? {} : { info: { ...fields.info, screen } }),
        error: result.error,
      },
      result.secrets,
    );
    await this.#pause(async (runDebugger) => {
      const step = await this.#written;
      if (step !== null) await runDebugger.afterAction(step);
    });
    return result;
  }

  /** Runs a call, repeatedly if a debugger requests it; the last outcome counts. */
  async #call(running: RunningCall): Promise<{ call: Call; outcome: CallOutcome; started: Timed }> {
    let request = (await this.#pause((runDebugger) => runDebugger.beforeCall(running))) ?? {
      call: running.call,
      pause: false,
    };
    for (;;) {
      const { call } = request;
      const reply = await this.#opened().call(running.phase, request);
      const executed = { ...running, call };
      const again = await this.#pause((runDebugger) =>
        runDebugger.afterCall(executed, maskedOutcome(reply.outcome, this.#mask)),
      );
      if (again === null) return { call, ...reply };
      request = { call: again, pause: false };
    }
  }

  /** Waits for the debugger, if there is one; null when the run is ending. */
  async #pause<T>(ask: (runDebugger: RunDebugger) => Promise<T>): Promise<T | null> {
    const { debugger: runDebugger } = this.#plan;
    const { stop } = this.#signals;
    if (runDebugger === undefined || stop.aborted) return null;
    const resumeClock = this.#signals.stopClock();
    try {
      return await untilAborted(ask(runDebugger), stop);
    } catch (error) {
      if (stop.aborted) return null;
      throw error;
    } finally {
      resumeClock();
    }
  }

  #opened(): RunSession {
    if (this.#session === null) throw new Error('The session is not open.');
    return this.#session;
  }

  /**
   * Starts writing a step. It is on disk before the next action, while the agent already works on its answer.
   *
   * @param secrets text that this step typed into password fields
   */
  #write(step: NewStep, secrets: readonly string[] = []): void {
    const recording = this.#recorder;
    if (recording === null) throw new Error('The trace is not open.');
    const mask = this.#mask;
    const isEdited = this.#plan.debugger?.edited === true;
    const marked = isEdited ? { ...step, info: { ...step.info, edited: true } } : step;
    // Events from here on are masked.
    const hasNewSecrets = mask?.addTyped(secrets, step.action) === true;
    this.#written = this.#events.write(async (emit) => {
      const recorder = await recording;
      if (mask !== null && hasNewSecrets) {
        const hidden = await recorder.hide(mask);
        if (hidden !== null) emit({ type: 'hidden', ...hidden });
      }
      const stored = await recorder.step(mask === null ? marked : mask.step(marked, secrets));
      emit({ type: 'step', step: stored });
      return stored;
    });
  }
}
