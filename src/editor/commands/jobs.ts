import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { recordedJob } from '../../presentation/jobs/recorded-job.ts';
import { plural } from '../../presentation/plural.ts';
import { eachTask, type FileSummary, filesBelow, type Node } from '../../presentation/tasks/model.ts';
import { bareReference, type TaskReference, taskKey } from '../../presentation/tasks/reference.ts';
import type { Seeds } from '../../runs/job/seeds.ts';
import type { JobEntry } from '../../traces/store.ts';
import type { JobOptions } from '../jobs/jobs.ts';
import { COMMAND } from '../names.ts';
import { confirm, showInformation, showWarning } from '../notifications.ts';
import { isOwnNode, type OwnNode } from '../own-tasks/nodes.ts';
import { settings } from '../settings.ts';
import type { TaskTree } from '../task-tree/tree.ts';
import { type Command, type Commands, folderIn, isRecord } from './arguments.ts';
import { chooseJob, hasEnded } from './choose.ts';
import type { Features } from './features.ts';

/** Job commands. A tree passes the node and all selected nodes. */
export function jobCommands({ jobs, jobPanel, history, tree }: Features) {
  /** A command for the job that is passed, otherwise for one that the user selects. */
  const ofJob =
    (question: string, act: (folder: string) => unknown, eligible?: (job: JobEntry) => boolean): Command =>
    async (entry) => {
      const folder = folderIn(entry) ?? (await chooseJob(history, question, eligible));
      if (folder !== undefined) await act(folder);
    };
  const start = async (tasks: readonly TaskReference[]): Promise<void> => {
    if (tasks.length > 0) await jobs.start(tasks, { group: 1 });
  };
  const startWith = async (tasks: readonly TaskReference[]): Promise<void> => {
    const [first] = tasks;
    if (first === undefined) return;
    const options = await askJobOptions(tasks.length, first.file);
    if (options !== undefined) await jobs.start(tasks, options);
  };
  return {
    // The title menu of a view passes the focused node, which does not limit these commands.
    [COMMAND.runAll]: async () => {
      const tasks = await tasksOf(tree);
      if (tasks.length > 0 && (await confirmRunAll(tasks.length))) await start(tasks);
    },
    [COMMAND.runAllWith]: async () => startWith(await tasksOf(tree)),
    [COMMAND.runJob]: async (node, selected) => start(await tasksOf(tree, node, selected)),
    [COMMAND.runJobWith]: async (node, selected) => startWith(await tasksOf(tree, node, selected)),
    [COMMAND.openJob]: ofJob(l10n.t('Select a job to open'), (folder) => jobPanel.open(folder)),
    [COMMAND.stopJob]: async (entry) => {
      const [onlyJob, ...others] = jobs.active;
      const folder =
        folderIn(entry) ??
        (others.length === 0
          ? onlyJob?.folder
          : await chooseJob(history, l10n.t('Select a job to stop'), (job) => jobs.activeIn(job.folder) !== undefined));
      if (folder !== undefined) jobs.activeIn(folder)?.cancel();
    },
    [COMMAND.resumeJob]: ofJob(
      l10n.t('Select a job to resume'),
      (folder) => jobs.resume(folder),
      (job) => recordedJob(job)?.status === 'unfinished',
    ),
    [COMMAND.deleteJob]: ofJob(
      l10n.t('Select a job to delete'),
      async (folder) => {
        if (!(await confirmDeletion(folder))) return;
        const { deleteJob } = await import('../../runs/job/job.ts');
        await deleteJob(folder);
        history.refresh();
      },
      hasEnded,
    ),
  } satisfies Commands;
}

/** The tasks of the selected nodes in tree order, without duplicates; without a node, all tasks that the tree shows. */
export async function tasksOf(tree: TaskTree, node?: unknown, selection?: unknown): Promise<readonly TaskReference[]> {
  const nodes: readonly unknown[] = Array.isArray(selection) && selection.length > 0 ? selection : [node];
  const selectedNodes = nodes.filter(isNode);
  const references =
    selectedNodes.length > 0
      ? selectedNodes.flatMap(referencesOf)
      : (await tree.filteredRoots()).flatMap(({ files }) => files.flatMap(ofFile));
  return [...new Map(references.map((reference) => [`${reference.index}#${taskKey(reference)}`, reference])).values()];
}

function referencesOf(node: Node | OwnNode): TaskReference[] {
  // The tasks of a split are known only to the server.
  if (isOwnNode(node)) return node.kind === 'ownTask' ? [node.task] : [];
  if (node.kind === 'task') return [bareReference(node.task)];
  if (node.kind === 'range') return node.children().map(({ task }) => bareReference(task));
  return filesBelow(node).flatMap(ofFile);
}

function ofFile({ tasks }: FileSummary): TaskReference[] {
  return Array.from(eachTask(tasks), bareReference);
}

function isNode(value: unknown): value is Node | OwnNode {
  if (!isRecord(value) || typeof value['kind'] !== 'string') return false;
  const { kind } = value;
  return isOwnNode({ kind }) || (['folder', 'file', 'range', 'task'].includes(kind) && 'id' in value);
}

/** Asks for the number of repeats, the seeds, and the agent. Undefined if the user cancels. */
async function askJobOptions(tasks: number, nearFile: string): Promise<JobOptions | undefined> {
  const title = plural(tasks, l10n.t('Run 1 Task as a Job'), l10n.t('Run {0} Tasks as a Job', tasks));
  const repeats = await vscode.window.showInputBox({
    title,
    prompt: l10n.t('Number of runs of each task'),
    value: '1',
    validateInput: (text) =>
      /^[1-9]\d{0,3}$/.test(text.trim()) ? undefined : l10n.t('Enter a number from 1 to 9999.'),
  });
  if (repeats === undefined) return undefined;
  const group = Number(repeats.trim());
  const seeds = await askSeeds(title, group, settings.seeds(vscode.Uri.file(nearFile)));
  if (seeds === undefined) return undefined;
  const { pickAgentOfMany } = await import('../runs/agent-pick.ts');
  const agent = await pickAgentOfMany(nearFile, title);
  return agent === undefined ? undefined : { group, agent, seeds };
}

/** Asks for the seeds of the runs of each task. `defaults`: offered first. Undefined if the user cancels. */
async function askSeeds(title: string, group: number, defaults: Seeds): Promise<Seeds | undefined> {
  const { first } = defaults;
  const fixedSeed = { label: l10n.t('Seed {0}', first), description: '', seeds: { first, consecutive: false } };
  const rising = {
    label: l10n.t('Seeds {0} to {1}', first, first + group - 1),
    description: l10n.t('A different seed for each run of a task'),
    seeds: { first, consecutive: true },
  };
  const other = { label: `$(edit) ${l10n.t('Other Seed…')}`, description: '', seeds: null };
  const seedItems =
    group === 1
      ? [fixedSeed]
      : [{ ...fixedSeed, description: l10n.t('The same seed for all runs of a task') }, rising].toSorted(
          (a, b) =>
            Number(b.seeds.consecutive === defaults.consecutive) - Number(a.seeds.consecutive === defaults.consecutive),
        );
  const options = { title, placeHolder: l10n.t('Select the seeds of the environment') };
  const item = await vscode.window.showQuickPick([...seedItems, other], options);
  if (item === undefined || item.seeds !== null) return item?.seeds ?? undefined;
  const text = await vscode.window.showInputBox({
    title,
    prompt: group === 1 ? l10n.t('Seed of the environment') : l10n.t('First seed of the environment'),
    value: String(first),
    validateInput: (value) => (/^-?\d{1,15}$/.test(value.trim()) ? undefined : l10n.t('Enter a whole number.')),
  });
  if (text === undefined) return undefined;
  const seeds = { first: Number(text.trim()), consecutive: defaults.consecutive };
  return group === 1 ? seeds : await askSeeds(title, group, seeds);
}

/** Asks before running every task of the tree. */
function confirmRunAll(tasks: number): Promise<boolean> {
  const question = plural(tasks, l10n.t('Run 1 task as a job?'), l10n.t('Run all {0} tasks as a job?', tasks));
  const detail = l10n.t('Each task runs once with the agent last used, otherwise with its solution.');
  return confirm(showInformation, question, detail, l10n.t('Run'));
}

function confirmDeletion(folder: string): Promise<boolean> {
  const question = l10n.t('Delete the job {0} and all its runs?', basename(folder));
  const detail = l10n.t('Traces and screenshots are permanently deleted.');
  return confirm(showWarning, question, detail, l10n.t('Delete'));
}
