import type { StartResult } from '../../environments/environment.ts';
import type { KnownFile } from '../../environments/known-file.ts';
import { NO_REWARD } from '../../results/reasons.ts';
import type { Grade, RunError } from '../../traces/trace.ts';
import { AgentLoop } from './agent-loop.ts';
import { awaitDebugger, runCall } from './debugger-hooks.ts';
import { EnvironmentState } from './environment-state.ts';
import { Evaluation } from './evaluation.ts';
import { callFailure, RunFailure } from './failure.ts';
import type { RunContext } from './run-context.ts';
import { RunSession } from './run-session.ts';
import { emptyFields, fieldsOf, outputsOf, startStopwatch, type Timing } from './step-fields.ts';

/** One attempt at a task in one session: the phases of a run in their order. */
export class Attempt {
  readonly session: RunSession;
  readonly loop: AgentLoop;
  readonly evaluation: Evaluation;
  readonly #context: RunContext;
  readonly #state = new EnvironmentState();

  constructor(context: RunContext) {
    this.#context = context;
    this.session = new RunSession(context);
    this.loop = new AgentLoop(context, this.session, this.#state);
    this.evaluation = new Evaluation(context, this.session);
  }

  /** Opens a session and resets it to the start of the task. */
  async reset(withheld: readonly KnownFile[]): Promise<StartResult & { readonly timing: Timing }> {
    const { plan, events, clock } = this.#context;
    events.emit({ type: 'phase', phase: 'environment' });
    const stopwatch = startStopwatch();
    clock.stop.throwIfAborted();
    await this.session.open(withheld);
    await awaitDebugger(this.#context, (runDebugger) => runDebugger.beforeReset(this.session.debugger.unreset()));
    const result = await this.session.reset();
    this.#state.start(result);
    const { warning, actions } = result;
    if (warning !== undefined) events.emit({ type: 'log', text: `Warning: ${warning}` });
    if (actions !== undefined) events.emit({ type: 'actions', schema: actions });
    const setResponse = (text: string): void => {
      this.#state.response = text;
    };
    plan.debugger?.afterReset(this.session.debugger.toDebugged(result.folder, setResponse));
    return { ...result, timing: stopwatch() };
  }

  /** Runs the setup calls. If there are none, records the first observation. */
  async setUp(start: StartResult & { readonly timing: Timing }): Promise<void> {
    const { plan, events, clock, trace } = this.#context;
    const { setup } = plan.task;
    if (setup.length === 0) {
      trace.write({ ...start.timing, source: 'system', ...fieldsOf(start), error: start.error });
      return;
    }
    events.emit({ type: 'phase', phase: 'setup' });
    for (const [index, plannedCall] of setup.entries()) {
      await events.settle();
      clock.stop.throwIfAborted();
      const running = { phase: 'setup', index, call: plannedCall } as const;
      const { call, outcome, timing } = await runCall(this.#context, this.session, running);
      if ('error' in outcome) {
        const { error } = outcome;
        trace.write({ ...timing, source: 'setup', call, ...emptyFields(error), info: outputsOf(outcome) });
        throw new RunFailure(callFailure(plan.task, call, error));
      }
      if (outcome.step !== null) this.#state.observe(outcome.step);
      const { last } = this.#state;
      const fields = fieldsOf(last);
      const info = { ...fields.info, reason: outcome.reason };
      trace.write({ ...timing, source: 'setup', call, ...fields, error: last.error, info });
    }
  }

  /** Runs the evaluate calls and combines their values to the reward. */
  async grade(): Promise<Grade> {
    if (this.#context.plan.task.evaluate.length === 0) return this.#environmentGrade();
    this.#context.events.emit({ type: 'phase', phase: 'evaluate' });
    await this.#finish();
    const reward = await this.evaluation.reward();
    return { ...this.partialGrade, reward };
  }

  /** Ends what the agent has left open, a dialog or a download, and records the page after that, which the evaluate calls judge. */
  async #finish(): Promise<void> {
    const { observation, info } = this.#state.last;
    const isDownloading = info.downloads?.some(({ state }) => state === 'started') === true;
    if (observation.dialog === undefined && !isDownloading) return;
    const stopwatch = startStopwatch();
    const result = await this.session.finish();
    this.#state.observe(result);
    this.#context.trace.write({ ...stopwatch(), source: 'system', ...fieldsOf(result), error: result.error });
  }

  /** The grade so far. */
  get partialGrade(): Grade {
    return {
      reward: null,
      done: this.loop.isDone || this.#state.isTerminated,
      content: this.#state.response,
      info: this.#state.gradeInfo,
      is_error: false,
      subscores: this.evaluation.subscores,
    };
  }

  /** Called before the session closes. */
  async end(grade: Grade, error: RunError | null): Promise<void> {
    if (!this.session.isOpen) return;
    const maskedError = error && (this.#context.mask?.error(error) ?? error);
    await awaitDebugger(this.#context, (runDebugger) => runDebugger.beforeEnd(grade, maskedError));
  }

  /** The grade of a task without evaluate calls. */
  #environmentGrade(): Grade {
    const { reward } = this.#state;
    if (reward !== null) return { ...this.partialGrade, reward };
    const { info } = this.partialGrade;
    const warning = info['warning'] === undefined ? NO_REWARD : `${String(info['warning'])}\n${NO_REWARD}`;
    return { ...this.partialGrade, info: { ...info, warning } };
  }
}
