import type { Run, RunRecord } from './trace.ts';

/** A run as the command line and lists have it. */
export function withoutDetails(run: Run | RunRecord): Run {
  if (!('grade' in run)) return run;
  const { prompt: _, grade: __, retried: ___, ...plain } = run;
  return plain;
}
