import * as l10n from '@vscode/l10n';
import type { PanelCurve } from '../../presentation/runs/messages.ts';
import type { ReadableRun } from '../../presentation/runs/readable-run.ts';
import type { RescoredStep } from '../../runs/rescoring/rescorer.ts';
import { printCall } from '../../tasks/print.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import { checkTrust } from '../runs/before-run.ts';
import { rescoreRuns, saveTasksOf } from './rescore-runs.ts';

const EMPTY = { calls: [], points: [] };

/** The rewards of a run after each of its steps with the current task. Null if the workspace is not trusted. */
export async function curveOf(run: ReadableRun, placements: WindowPlacements): Promise<PanelCurve | null> {
  const { traceDir, task } = run;
  if (traceDir === null) return { ...EMPTY, problem: l10n.t('The run is not recorded.') };
  if (!checkTrust()) return null;
  const curves: PanelCurve[] = [];
  const options = { everyStep: true, signal: new AbortController().signal };
  const runs = [{ traceDir, run: { file: task.file } }];
  await saveTasksOf(runs);
  await rescoreRuns(placements, runs, options, (result) => {
    if (typeof result === 'string') curves.push({ ...EMPTY, problem: result });
    else {
      const calls = result.calls.map(({ call, reason }) => ({ text: printCall(call), reason }));
      curves.push({
        calls,
        points: result.steps ?? [],
        problem: result.problem ?? reasonUndetermined(result.steps ?? [], calls),
      });
    }
  });
  return curves[0] ?? { ...EMPTY, problem: l10n.t('The run could not be re-scored.') };
}

/** Why no step could be decided; null if one could. */
function reasonUndetermined(
  points: readonly RescoredStep[],
  calls: readonly { readonly reason: string }[],
): string | null {
  if (points.some(({ reward }) => reward !== null)) return null;
  return calls[0]?.reason ?? l10n.t('The recording does not contain what the evaluate calls need.');
}
