import type { ActionInput } from '../../actions/action.ts';
import { printInputs } from '../../actions/print-input.ts';
import type { Agent, Answer, Judgement, LateStep, Reply, Turn } from '../../agents/agent.ts';
import { defined } from '../../base/defined.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { StepResult } from '../../environments/environment.ts';
import type { ModelTurn } from '../../traces/model-turn.ts';
import { awaitDebugger } from './debugger-hooks.ts';
import type { EnvironmentState } from './environment-state.ts';
import { Cancelled, TimeLimit } from './failure.ts';
import type { RunContext } from './run-context.ts';
import type { RunSession } from './run-session.ts';
import { emptyFields, fieldsOf, startStopwatch } from './step-fields.ts';

/** Used when neither the user nor the task nor the environment sets a limit. */
const DEFAULT_MAX_STEPS = 100;

/** The part of a run in which the agent and the environment take turns. */
export class AgentLoop {
  /** Number of the agent's steps. */
  steps = 0;
  /** Number of the agent's answers; the last may not have become a step. */
  answers = 0;
  /** A limit ended the loop. */
  truncated = false;
  /** The agent ended the loop. */
  isDone = false;
  readonly #context: RunContext;
  readonly #session: RunSession;
  readonly #state: EnvironmentState;
  #limit = DEFAULT_MAX_STEPS;

  constructor(context: RunContext, session: RunSession, state: EnvironmentState) {
    this.#context = context;
    this.#session = session;
    this.#state = state;
  }

  /** Runs until the agent, the environment, or a limit ends it. `judge`: see `RunInspector`. */
  async run(agent: Agent, judge: () => Promise<Judgement>): Promise<void> {
    const { plan, events, clock } = this.#context;
    const { stop } = clock;
    events.emit({ type: 'phase', phase: 'agent' });
    const { actions = null, offers = [], max_steps = DEFAULT_MAX_STEPS } = this.#state.startResult;
    agent.attach?.({
      findElement: (point, signal) => this.#session.findElement(point, signal),
      last: () => this.#state.last,
      urls: () => this.#session.urls(),
      // A page with an open dialog cannot be read, and the agent is to answer it.
      judge: async () => (this.#state.last.observation.dialog === undefined ? await judge() : { reward: null }),
      ...{ actions, offers },
    });
    this.#limit = plan.limits?.max_steps ?? plan.task.max_steps ?? max_steps;
    while (!this.#state.last.terminated && !stop.aborted) {
      if (this.steps >= this.#limit) {
        this.truncated = agent.exhausted !== true;
        return;
      }
      const { actions: answer, turn } = await this.#reply(agent);
      if (answer === null) {
        if (turn !== undefined) this.#writeTurn(turn);
        this.truncated = stop.reason instanceof TimeLimit;
        this.isDone = !stop.aborted;
        return;
      }
      this.answers += 1;
      const inputs = inputsOf(answer);
      await events.settle();
      await awaitDebugger(this.#context, (runDebugger) => runDebugger.beforeAction(inputs, this.steps));
      // The run was stopped meanwhile.
      if (stop.aborted) break;
      try {
        await this.#step(inputs, agent.screen, turn);
      } catch (error) {
        if (!(stop.reason instanceof TimeLimit)) throw error;
        // The step exceeded the time limit; its effects so far are graded.
        break;
      }
    }
    this.truncated = stop.reason instanceof TimeLimit && !this.#state.last.terminated;
    if (this.#state.last.terminated) agent.finish?.(this.#turn());
  }

  /** Lets an agent that the run has graded go on acting, up to the limit of steps. */
  async linger(agent: Agent, reward: number | null): Promise<void> {
    const { stop } = this.#context.clock;
    let { steps } = this;
    const step: LateStep = async (answer) => {
      const result = await this.#session.step(inputsOf(answer), agent.screen);
      steps += 1;
      return { result, isOver: result.terminated || steps >= this.#limit };
    };
    const isOver = stop.aborted || this.#state.last.terminated || steps >= this.#limit;
    if (!isOver) await agent.linger?.(reward, step, stop);
  }

  #turn(): Turn {
    const { observation, reward, terminated, error } = this.#state.last;
    const { prompt } = this.#context.trace;
    return { prompt, step: this.steps, observation, reward, terminated, error, tools: this.#state.tools };
  }

  /** The agent's reply; without actions if it is done or the run was stopped. */
  async #reply(agent: Agent): Promise<Reply> {
    const { stop } = this.#context.clock;
    try {
      return await untilAborted(agent.act(this.#turn(), stop), stop);
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
    this.#context.trace.write({ ...startStopwatch()(), source: 'agent', turn, ...emptyFields(null), info: {} });
  }

  async #step(actions: readonly ActionInput[], screen: Agent['screen'], turn: ModelTurn | undefined): Promise<void> {
    const { events, mask, trace } = this.#context;
    events.emit({ type: 'doing', text: mask?.doing(actions) ?? printInputs(actions).join('; ') });
    const stopwatch = startStopwatch();
    const result: StepResult = await this.#session.step(actions, screen);
    this.#state.observe(result);
    this.steps += 1;
    const fields = fieldsOf(result);
    const [onlyAction] = actions;
    trace.write(
      {
        ...stopwatch(),
        source: 'agent',
        action: actions.length === 1 && onlyAction !== undefined ? onlyAction : [...actions],
        ...defined({ turn }),
        ...fields,
        info: { ...fields.info, ...defined({ screen }) },
        error: result.error,
      },
      result.secrets,
    );
    await awaitDebugger(this.#context, async (runDebugger) => {
      const step = await trace.lastStep;
      if (step !== null) await runDebugger.afterAction(step);
    });
  }
}

function inputsOf(answer: Exclude<Answer, null>): readonly ActionInput[] {
  return (Array.isArray(answer) ? answer : [answer]) as readonly ActionInput[];
}
