import { EnvironmentError, type ResetOptions } from './environment.ts';

/** How long the code of an environment may take to start a task if the user has set no limit, in ms. */
const START_LIMIT = 600_000;

/** Aborts, with an `EnvironmentError` as the reason, when an environment has taken too long to start a task. */
export function startLimit({ limitMs = START_LIMIT, unlimited }: ResetOptions): AbortSignal {
  const late = new AbortController();
  if (unlimited === true) return late.signal;
  const message = `The environment did not start the task within ${limitMs / 1000} s. To allow more time, use the option --evaluate-timeout or the setting taskwright.run.evaluateTimeout.`;
  setTimeout(() => late.abort(new EnvironmentError('start_failed', message)), limitMs).unref();
  return late.signal;
}
