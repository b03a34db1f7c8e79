import * as l10n from '@vscode/l10n';
import { presentHead } from '../../presentation/jobs/present.ts';
import { recordedJob } from '../../presentation/jobs/recorded-job.ts';
import { plural } from '../../presentation/plural.ts';
import { taskCount } from '../../presentation/tasks/model.ts';
import type { RunEntry } from '../../traces/store.ts';
import { COMMAND } from '../names.ts';
import { confirm, showInformation } from '../notifications.ts';
import { recordedRuns } from '../rescore/recorded-runs.ts';
import { checkTrust } from '../runs/before-run.ts';
import { settings } from '../settings.ts';
import { type Commands, folderIn, traceDirIn } from './arguments.ts';
import type { Features } from './features.ts';
import { tasksOf } from './jobs.ts';

/** Commands that re-score a run, a job, or the runs of the tasks of tree nodes. */
export function rescoreCommands(features: Features) {
  const { panels, history } = features;
  return {
    [COMMAND.rescore]: (node, selected) => rescore(features, node, selected, false),
    [COMMAND.rescoreSteps]: (node, selected) => rescore(features, node, selected, true),
    [COMMAND.rescoreWatch]: () => toggleWatch(),
    [COMMAND.rescoreShown]: async () => {
      await history.load();
      const run = history.entries.find(({ traceDir }) => traceDir === panels.current?.run?.traceDir);
      if (run !== undefined) await show(features, run.run.task_id, [run], false);
    },
  } satisfies Commands;
}

async function toggleWatch(): Promise<void> {
  const isOn = !settings.rescoreWatch();
  if (isOn && !checkTrust()) return;
  await settings.setRescoreWatch(isOn);
  void showInformation(
    isOn
      ? l10n.t('Re-score on save is on. Saving a task or one of its functions re-scores the recorded runs.')
      : l10n.t('Re-score on save is off.'),
  );
}

async function rescore(features: Features, node: unknown, selection: unknown, everyStep: boolean): Promise<void> {
  const { history, tree } = features;
  await history.load();
  const [traceDir, folder] = [traceDirIn(node), folderIn(node)];
  if (traceDir !== undefined) {
    const run = history.entries.find((entry) => entry.traceDir === traceDir);
    await show(features, run?.run.task_id ?? l10n.t('run'), run === undefined ? [] : [run], everyStep);
  } else if (folder !== undefined) {
    const job = history.jobs.find((entry) => entry.folder === folder);
    const state = job === undefined ? null : recordedJob(job);
    await show(features, state === null ? l10n.t('job') : presentHead(state).title, job?.runs ?? [], everyStep);
  } else {
    const tasks = await tasksOf(tree, node, selection);
    if (tasks.length === 0) return;
    const [onlyTask, ...others] = tasks;
    const title = onlyTask !== undefined && others.length === 0 ? onlyTask.name : taskCount(tasks.length);
    const runs = recordedRuns(history, tasks);
    // Without a node, all tasks are meant.
    const all = node === undefined || node === null;
    if (!all || runs.length === 0 || (await confirmAll(runs.length, title)))
      await show(features, title, runs, everyStep);
  }
}

/** Asks before re-scoring the runs of every task. */
function confirmAll(runs: number, tasks: string): Promise<boolean> {
  const question = plural(
    runs,
    l10n.t('Re-score 1 recorded run of {0}?', tasks),
    l10n.t('Re-score {0} recorded runs of {1}?', runs, tasks),
  );
  const detail = l10n.t('Re-scoring runs evaluate calls and your functions, but no agent.');
  return confirm(showInformation, question, detail, l10n.t('Re-score'));
}

async function show(
  { rescorePanel: rescores }: Features,
  title: string,
  runs: readonly RunEntry[],
  everyStep: boolean,
): Promise<void> {
  const endedRuns = runs.filter(({ running }) => !running);
  if (endedRuns.length === 0) {
    void showInformation(l10n.t('No recorded runs to re-score. Run the task first.'));
    return;
  }
  if (checkTrust()) await rescores.show(title, endedRuns, everyStep);
}
