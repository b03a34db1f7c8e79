import type { Judgement } from '../../agents/agent.ts';
import { kindOfType } from '../../environments/kinds.ts';
import type { CallOutcome } from '../../server/protocol.ts';
import type { Call, Task } from '../../tasks/task.ts';
import type { NewStep } from '../../traces/new-step.ts';
import type { Grade, RunError } from '../../traces/trace.ts';
import type { RunningCall } from './debugging.ts';
import { callFailure } from './failure.ts';
import { invalidResult, rewardOf, subscoreOf, weightOf } from './grading.ts';
import { emptyFields, outputsOf } from './step-fields.ts';
import type { Timed } from './timing.ts';

/** What an evaluation does with the run that it is part of. */
export interface EvaluatedRun {
  /** Waits until everything so far is written. */
  settled(): Promise<void>;
  /** Runs a call as a part of the run, with its debugger. */
  call(running: RunningCall): Promise<{ call: Call; outcome: CallOutcome; started: Timed }>;
  /** Runs a call of which nothing is recorded. */
  peek(call: Call): Promise<CallOutcome>;
  write(step: NewStep): void;
}

/** The evaluate calls of a task, and what they give. */
export class Evaluation {
  readonly #task: Task;
  readonly #run: EvaluatedRun;
  readonly #anyReward: boolean;
  subscores: Grade['subscores'] = [];
  /** A call returned 0 because of what the agent produced. */
  blamesAgent = false;
  /** Error of the first call without a valid value. */
  error: RunError | null = null;

  constructor(task: Task, run: EvaluatedRun) {
    this.#task = task;
    this.#run = run;
    this.#anyReward = kindOfType(task.env)?.anyReward === true;
  }

  /** Runs all calls, and combines their values to the reward; null if one has no valid value. */
  async reward(): Promise<number | null> {
    const { evaluate, metadata } = this.#task;
    for (const [index, planned] of evaluate.entries()) {
      await this.#run.settled();
      const answer = await this.#run.call({ phase: 'evaluate', index, call: planned }).catch((error: unknown) => {
        // The previous call ended the session and was reported.
        if (this.error === null) throw error;
        return null;
      });
      if (answer === null) break;
      this.#add(answer);
    }
    const values = this.subscores.flatMap(({ value, weight }) => (value === null ? [] : [{ value, weight }]));
    return this.error === null ? rewardOf(values, metadata['combine']) : null;
  }

  #add({ call, outcome, started }: { call: Call; outcome: CallOutcome; started: Timed }): void {
    const failure = invalidResult(outcome, call, this.#anyReward);
    const subscore = subscoreOf(call, outcome, failure);
    const { value, reason, parts } = subscore;
    this.subscores = [...this.subscores, subscore];
    const stack = 'error' in outcome ? outcome.error.stack : undefined;
    this.#run.write({
      ...started,
      source: 'evaluate',
      call,
      ...emptyFields(failure),
      reward: value,
      info: { reason, ...(stack && { stack }), ...(parts && { parts }), ...outputsOf(outcome) },
    });
    if ('blame' in outcome && outcome.blame === 'agent') this.blamesAgent = true;
    if (failure !== null) this.error ??= callFailure(this.#task, call, failure);
  }

  /** What the calls give now. Nothing of it is recorded. */
  async judge(): Promise<Judgement> {
    const { evaluate, metadata, env } = this.#task;
    if (kindOfType(env)?.gradesOnce?.(env) === true) return { reward: null };
    const values: { value: number; weight: number }[] = [];
    for (const call of evaluate) {
      const outcome = await this.#run.peek(call);
      const weight = weightOf(call);
      const isValid = invalidResult(outcome, call, this.#anyReward) === null;
      if (!isValid || !('value' in outcome) || outcome.value === null || weight === null) return { reward: null };
      values.push({ value: outcome.value, weight });
    }
    return { reward: values.length === 0 ? null : rewardOf(values, metadata['combine']) };
  }
}
