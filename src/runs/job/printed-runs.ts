import { defined } from '../../base/defined.ts';
import { relativeRewards } from '../../results/group-relative.ts';
import type { Run, RunRecord } from '../../traces/trace.ts';
import { withoutDetails } from '../../traces/without-details.ts';

/** A run as `--json` and the library return it. */
export type PrintedRun = Run & {
  /** For a repeated task: the reward relative to those of its other runs. */
  readonly group_relative?: number;
};

/** The runs of a job without their details. Those of a repeated task have their reward relative to its other runs. */
export function printedRuns(runs: readonly (Run | RunRecord)[]): PrintedRun[] {
  const relative = relativeRewards(runs);
  return runs.map((run) => {
    const group_relative = relative.get(run);
    return { ...withoutDetails(run), ...defined({ group_relative }) };
  });
}
