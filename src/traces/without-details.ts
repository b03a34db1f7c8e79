import type { Run, RunRecord } from './trace.ts';

/** The fields of a run that the command line and lists show. */
export function withoutDetails(run: Run | RunRecord): Run {
  if (!('grade' in run)) return run;
  const { prompt: _, grade: __, retried: ___, ...plain } = run;
  return plain;
}
