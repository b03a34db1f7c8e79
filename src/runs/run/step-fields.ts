import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import type { StepResult } from '../../environments/environment.ts';
import type { CallOutcome } from '../../server/protocol.ts';
import type { NewStep } from '../../traces/new-step.ts';
import type { Step } from '../../traces/trace.ts';

/** The fields of a trace line that come from an environment's result. */
export function fieldsOf(
  result: StepResult,
): Pick<NewStep, 'observation' | 'reward' | 'terminated' | 'info' | 'contents' | 'recorded'> {
  return {
    observation: result.observation,
    reward: result.reward,
    terminated: result.terminated,
    info: result.info as unknown as Record<string, Json>,
    ...defined({ contents: result.contents, recorded: result.recorded }),
  };
}

/** Output of a call's commands, for its trace line. */
export function outputsOf({ outputs }: CallOutcome): Record<string, Json> {
  return outputs === undefined ? {} : { outputs: outputs as unknown as Json };
}

/** The fields of a trace line without an observation. */
export function emptyFields(error: Step['error']): Pick<NewStep, 'observation' | 'reward' | 'terminated' | 'error'> {
  return {
    observation: null,
    reward: null,
    terminated: false,
    error: error && { message: error.message, code: error.code },
  };
}

/** When a step started, and its duration in milliseconds. */
export type Timing = Pick<Step, 'started_at' | 'duration_ms'>;

/** Starts a stopwatch. The returned function gives the start time and the duration so far. */
export function startStopwatch(): () => Timing {
  const started_at = new Date().toISOString();
  const startedAt = performance.now();
  return () => ({ started_at, duration_ms: Math.round((performance.now() - startedAt) * 10) / 10 });
}
