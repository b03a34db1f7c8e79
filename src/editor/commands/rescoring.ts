import * as l10n from '@vscode/l10n';
import { presentHead } from '../../presentation/jobs/present.ts';
import { recordedJob } from '../../presentation/jobs/recorded-job.ts';
import { plural } from '../../presentation/plural.ts';
import { taskCount } from '../../presentation/tasks/model.ts';
import type { RunEntry } from '../../traces/store.ts';
import { COMMAND } from '../names.ts';
import { showInformation } from '../notifications.ts';
import type { RunPanels } from '../panel/panels.ts';
import { recordedRuns } from '../rescore/recorded-runs.ts';
import type { RescorePanel } from '../rescore/rescore-panel.ts';
import { trusted } from '../runs/before-run.ts';
import type { RunHistory } from '../runs/history.ts';
import { settings } from '../settings.ts';
import type { TaskTree } from '../task-tree/tree.ts';
import type { Command } from './arguments.ts';
import { tasksOf } from './jobs.ts';

/** The features that the commands use. */
export interface RescoreCommandParts {
  readonly history: RunHistory;
  readonly tree: TaskTree;
  readonly panels: RunPanels;
  readonly rescores: RescorePanel;
}

/** Commands that re-score a run, a job, or the runs of the tasks of tree nodes. */
export function rescoreCommands(
  parts: RescoreCommandParts,
): Record<
  typeof COMMAND.rescore | typeof COMMAND.rescoreSteps | typeof COMMAND.rescoreShown | typeof COMMAND.rescoreWatch,
  Command
> {
  const { panels, history } = parts;
  return {
    [COMMAND.rescore]: (node, selected) => rescore(parts, node, selected, false),
    [COMMAND.rescoreSteps]: (node, selected) => rescore(parts, node, selected, true),
    [COMMAND.rescoreWatch]: () => toggleWatch(),
    [COMMAND.rescoreShown]: async () => {
      await history.load();
      const run = history.entries.find(({ traceDir }) => traceDir === panels.current?.run?.traceDir);
      if (run !== undefined) await show(parts, run.run.task_id, [run], false);
    },
  };
}

async function toggleWatch(): Promise<void> {
  const enabled = !settings.rescoreWatch();
  if (enabled && !trusted()) return;
  await settings.setRescoreWatch(enabled);
  void showInformation(
    enabled
      ? l10n.t('Re-score on save is on. Saving a task or one of its functions re-scores the recorded runs.')
      : l10n.t('Re-score on save is off.'),
  );
}

async function rescore(
  parts: RescoreCommandParts,
  node: unknown,
  selected: unknown,
  everyStep: boolean,
): Promise<void> {
  const { history, tree } = parts;
  await history.load();
  const { traceDir, folder, runs } = (typeof node === 'object' && node !== null ? node : {}) as Record<string, unknown>;
  if (typeof traceDir === 'string') {
    const run = history.entries.find((entry) => entry.traceDir === traceDir);
    await show(parts, run?.run.task_id ?? l10n.t('run'), run === undefined ? [] : [run], everyStep);
  } else if (typeof folder === 'string' && Array.isArray(runs)) {
    const job = history.jobs.find((entry) => entry.folder === folder);
    const state = job === undefined ? null : recordedJob(job);
    await show(parts, state === null ? l10n.t('job') : presentHead(state).title, job?.runs ?? [], everyStep);
  } else {
    const tasks = await tasksOf(tree, node, selected);
    if (tasks.length === 0) return;
    const [onlyTask, ...others] = tasks;
    const title = onlyTask !== undefined && others.length === 0 ? onlyTask.name : taskCount(tasks.length);
    const runs = recordedRuns(history, tasks);
    // Without a node, all tasks are meant.
    const all = node === undefined || node === null;
    if (!all || runs.length === 0 || (await confirmAll(runs.length, title))) await show(parts, title, runs, everyStep);
  }
}

/** Asks before re-scoring the runs of every task. */
async function confirmAll(runs: number, tasks: string): Promise<boolean> {
  const rescoreLabel = l10n.t('Re-score');
  const choice = await showInformation(
    plural(
      runs,
      l10n.t('Re-score 1 recorded run of {0}?', tasks),
      l10n.t('Re-score {0} recorded runs of {1}?', runs, tasks),
    ),
    { modal: true, detail: l10n.t('Re-scoring runs evaluate calls and your functions, but no agent.') },
    rescoreLabel,
  );
  return choice === rescoreLabel;
}

async function show(
  { rescores }: RescoreCommandParts,
  title: string,
  runs: readonly RunEntry[],
  everyStep: boolean,
): Promise<void> {
  const ended = runs.filter(({ running }) => !running);
  if (ended.length === 0) {
    void showInformation(l10n.t('No recorded runs to re-score. Run the task first.'));
    return;
  }
  if (trusted()) await rescores.show(title, ended, everyStep);
}
