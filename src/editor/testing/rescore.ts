import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { TaskReference } from '../../presentation/tasks/reference.ts';
import type { TestOutcome } from '../../presentation/tests/outcome.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { recordedRuns } from '../rescore/recorded-runs.ts';
import { rescoreRuns, saveTasksOf } from '../rescore/rescore-runs.ts';
import type { RunParts } from '../runs/runs.ts';
import { rescoredOutcome } from './rescored-outcome.ts';
import { conclude, writeLine } from './results.ts';

/** The features that re-scoring in the Testing view uses. */
export type RescoreTestParts = Pick<RunParts, 'history' | 'placements'>;

/** A task of a test run. */
interface TestTask {
  readonly item: vscode.TestItem;
  readonly task: TaskReference;
}

/** Re-scores the last recorded run of each task and shows the rewards as test results. */
export async function rescoreTests(
  testRun: vscode.TestRun,
  tasks: readonly TestTask[],
  { history, placements }: RescoreTestParts,
): Promise<void> {
  await history.load();
  const items = new Map<string, vscode.TestItem>();
  const runs = tasks.flatMap(({ item, task }) => {
    const [last] = recordedRuns(history, [task]);
    if (last === undefined) {
      writeLine({ testRun, item }, `${task.name}: ${l10n.t('no recorded run to re-score')}`);
      testRun.skipped(item);
      return [];
    }
    testRun.started(item);
    items.set(last.traceDir, item);
    return [last];
  });
  const ending = new AbortController();
  const stopping = testRun.token.onCancellationRequested(() => ending.abort());
  if (testRun.token.isCancellationRequested) ending.abort();
  try {
    await saveTasksOf(runs);
    await rescoreRuns(placements, runs, { everyStep: false, signal: ending.signal }, (result, { traceDir, run }) => {
      const item = items.get(traceDir);
      if (item === undefined) return;
      const outcome: TestOutcome =
        typeof result === 'string'
          ? { kind: 'skipped', summary: withoutCodeMarks(result), messages: [] }
          : rescoredOutcome(result, run.file);
      writeLine({ testRun, item }, `${run.task_id}: ${outcome.summary}`);
      conclude({ testRun, item }, outcome);
    });
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  } finally {
    stopping.dispose();
  }
}
