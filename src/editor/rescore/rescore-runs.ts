import * as vscode from 'vscode';
import type { Rescored, RescoreOptions } from '../../runs/rescoring/rescorer.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import { saveAround } from '../runs/before-run.ts';

/**
 * Re-scores recorded runs with the saved task files. Calls `onResult` for each run with its result, or with the reason
 * if it cannot be read. Throws `ServerError` if no environment is available.
 */
export async function rescoreRuns<Run extends { readonly traceDir: string; readonly run: { readonly file: string } }>(
  placements: WindowPlacements,
  runs: readonly Run[],
  options: RescoreOptions,
  onResult: (result: Rescored | string, run: Run) => void,
): Promise<void> {
  const [{ Rescorer }, { TraceError }] = await Promise.all([
    import('../../runs/rescoring/rescorer.ts'),
    import('../../traces/trace-file.ts'),
  ]);
  const byFolder = new Map(runs.map((run) => [run.traceDir, run]));
  const placementsInUse = placements.use();
  try {
    const rescorer = new Rescorer(await placementsInUse.get('local'));
    try {
      await rescorer.rescoreAll([...byFolder.keys()], options, (result, traceDir) => {
        const run = byFolder.get(traceDir);
        if (run !== undefined) onResult(result instanceof TraceError ? result.message : result, run);
      });
    } finally {
      await rescorer.close();
    }
  } finally {
    placementsInUse.dispose();
  }
}

/** Saves the task files of the runs and the files next to them: re-scoring reads from disk. */
export async function saveTasksOf(runs: readonly { readonly run: { readonly file: string } }[]): Promise<void> {
  for (const file of new Set(runs.map(({ run }) => run.file))) await saveAround(vscode.Uri.file(file));
}
