import * as vscode from 'vscode';
import type { Rescored, RescoreOptions } from '../../runs/rescoring/rescorer.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import { saveAround } from '../runs/before-run.ts';

/**
 * Judges recorded runs again by what is saved in their task files; `told` hears of each as it comes, and
 * of one that cannot be read why. Throws `ServerError` where no environment can be had.
 */
export async function rescoreRuns<Run extends { readonly traceDir: string; readonly run: { readonly file: string } }>(
  placements: WindowPlacements,
  runs: readonly Run[],
  options: RescoreOptions,
  told: (result: Rescored | string, run: Run) => void,
): Promise<void> {
  const [{ Rescorer }, { TraceError }] = await Promise.all([
    import('../../runs/rescoring/rescorer.ts'),
    import('../../runs/store/trace-file.ts'),
  ]);
  const rescorer = new Rescorer(await placements.get('local', false));
  const byFolder = new Map(runs.map((run) => [run.traceDir, run]));
  try {
    await rescorer.rescoreAll([...byFolder.keys()], options, (result, traceDir) => {
      const run = byFolder.get(traceDir);
      if (run !== undefined) told(result instanceof TraceError ? result.message : result, run);
    });
  } finally {
    await rescorer.close();
  }
}

/** What is on disk is what judges: saves the runs' task files and what belongs to their folders. */
export async function saveTasksOf(runs: readonly { readonly run: { readonly file: string } }[]): Promise<void> {
  for (const file of new Set(runs.map(({ run }) => run.file))) await saveAround(vscode.Uri.file(file));
}
