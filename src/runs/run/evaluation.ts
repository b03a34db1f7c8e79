import type { Judgement } from '../../agents/agent.ts';
import { kindOfType } from '../../environments/kinds.ts';
import type { Grade, RunError } from '../../traces/trace.ts';
import { runCall } from './debugger-hooks.ts';
import { callFailure } from './failure.ts';
import { invalidResult, rewardOf, subscoreOf, weightOf } from './grading.ts';
import type { RunContext } from './run-context.ts';
import type { FinishedCall, RunSession } from './run-session.ts';
import { emptyFields, outputsOf } from './step-fields.ts';

/** The evaluate calls of a task, and what they give. */
export class Evaluation {
  readonly #context: RunContext;
  readonly #session: RunSession;
  readonly #anyReward: boolean;
  subscores: Grade['subscores'] = [];
  /** A call returned 0 because of what the agent produced. */
  blamesAgent = false;
  /** Error of the first call without a valid value. */
  error: RunError | null = null;

  constructor(context: RunContext, session: RunSession) {
    this.#context = context;
    this.#session = session;
    this.#anyReward = kindOfType(context.plan.task.env)?.anyReward === true;
  }

  /** Runs all calls, and combines their values to the reward; null if one has no valid value. */
  async reward(): Promise<number | null> {
    const { evaluate, metadata } = this.#context.plan.task;
    for (const [index, call] of evaluate.entries()) {
      await this.#context.events.settle();
      const running = { phase: 'evaluate', index, call } as const;
      const finishedCall = await runCall(this.#context, this.#session, running).catch((error: unknown) => {
        // The previous call ended the session and was reported.
        if (this.error === null) throw error;
        return null;
      });
      if (finishedCall === null) break;
      this.#add(finishedCall);
    }
    const values = this.subscores.flatMap(({ value, weight }) => (value === null ? [] : [{ value, weight }]));
    return this.error === null ? rewardOf(values, metadata['combine']) : null;
  }

  #add({ call, outcome, timing }: FinishedCall): void {
    const failure = invalidResult(outcome, call, this.#anyReward);
    const subscore = subscoreOf(call, outcome, failure);
    const { value, reason, parts } = subscore;
    this.subscores = [...this.subscores, subscore];
    const stack = 'error' in outcome ? outcome.error.stack : undefined;
    this.#context.trace.write({
      ...timing,
      source: 'evaluate',
      call,
      ...emptyFields(failure),
      reward: value,
      info: { reason, ...(stack && { stack }), ...(parts && { parts }), ...outputsOf(outcome) },
    });
    if ('blame' in outcome && outcome.blame === 'agent') this.blamesAgent = true;
    if (failure !== null) this.error ??= callFailure(this.#context.plan.task, call, failure);
  }

  /** What the calls give now. Nothing of it is recorded. */
  async judge(): Promise<Judgement> {
    const { evaluate, metadata, env } = this.#context.plan.task;
    if (kindOfType(env)?.gradesOnce?.(env) === true) return { reward: null };
    const values: { value: number; weight: number }[] = [];
    for (const call of evaluate) {
      const { outcome } = await this.#session.call('evaluate', { call, pause: false });
      const weight = weightOf(call);
      const isValid = invalidResult(outcome, call, this.#anyReward) === null;
      if (!isValid || !('value' in outcome) || outcome.value === null || weight === null) return { reward: null };
      values.push({ value: outcome.value, weight });
    }
    return { reward: values.length === 0 ? null : rewardOf(values, metadata['combine']) };
  }
}
