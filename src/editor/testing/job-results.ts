import type * as vscode from 'vscode';
import { bareOutcome, isWorse, outcomeOf, type TestOutcome } from '../../presentation/tests/outcome.ts';
import type { LiveJob } from '../jobs/live-job.ts';
import { begin, conclude, writeLine } from './results.ts';

/**
 * Shows the runs of a job as results of a test run. The worst repeat of a task is its result. Resolves at the end of the
 * job.
 * @param itemOf returns the item for an index in the job's plan
 */
export function followJob(
  job: LiveJob,
  testRun: vscode.TestRun,
  itemOf: (index: number) => vscode.TestItem | undefined,
): Promise<void> {
  const startedIndexes = new Set<number>();
  const outcomes = new Map<number, TestOutcome>();
  const worstOutcomes = new Map<vscode.TestItem, TestOutcome>();
  testRun.token.onCancellationRequested(() => job.cancel());

  const updateRun = (index: number): void => {
    const item = itemOf(index);
    const state = job.runs[index];
    if (item === undefined || state === undefined) return;
    const run = job.liveRun(state.plannedRun.run_id);
    if (run !== undefined && !startedIndexes.has(index)) {
      startedIndexes.add(index);
      begin({ testRun, item }, run);
      run.onEvent((event) => {
        if (event.type === 'ended') outcomes.set(index, outcomeOf(run.task, event.record));
      });
    }
    if (state.result === null) return;
    const outcome = outcomes.get(index) ?? bareOutcome(state.result);
    const before = worstOutcomes.get(item);
    if (!startedIndexes.has(index)) writeLine({ testRun, item }, `${state.plannedRun.task_id}: ${outcome.summary}`);
    if (before !== undefined && !isWorse(outcome, before)) return;
    worstOutcomes.set(item, outcome);
    conclude({ testRun, item }, outcome, state.result.duration_ms);
  };
  for (const index of job.runs.keys()) updateRun(index);
  if (job.endedAt !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = job.onChange((index) => {
      if (index !== null) updateRun(index);
      else if (job.endedAt !== null) {
        stop();
        resolve();
      }
    });
  });
}
