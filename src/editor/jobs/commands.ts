import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { COMMAND } from '../names.ts';
import { plural } from '../plural.ts';
import type { RunHistory } from '../runs/history.ts';
import { type FileSummary, filesBelow, type Node } from '../tasks/model.ts';
import type { TaskReference } from '../tasks/reference.ts';
import type { TaskTree } from '../tasks/tree.ts';
import type { JobPanels } from './job-panels.ts';
import type { JobOptions, Jobs } from './jobs.ts';

/** The features that the job commands use. */
export interface JobCommandParts {
  readonly jobs: Jobs;
  readonly jobPanels: JobPanels;
  readonly history: RunHistory;
  readonly tree: TaskTree;
}

type Command = (argument: unknown, selected?: unknown) => unknown;

/** Job commands. A tree passes the node and all selected nodes. */
export function jobCommands({
  jobs,
  jobPanels,
  history,
  tree,
}: JobCommandParts): Record<
  | typeof COMMAND.runAll
  | typeof COMMAND.runAllWith
  | typeof COMMAND.runJob
  | typeof COMMAND.runJobWith
  | typeof COMMAND.openJob
  | typeof COMMAND.stopJob
  | typeof COMMAND.resumeJob
  | typeof COMMAND.deleteJob,
  Command
> {
  const start = async (tasks: readonly TaskReference[]): Promise<void> => {
    if (tasks.length > 0) await jobs.start(tasks, { group: 1 });
  };
  const startWith = async (tasks: readonly TaskReference[]): Promise<void> => {
    if (tasks.length === 0) return;
    const options = await askJobOptions(tasks.length, tasks[0]?.file);
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
    [COMMAND.openJob]: async (entry) => {
      const folder = folderIn(entry);
      if (folder !== undefined) await jobPanels.open(folder);
    },
    [COMMAND.stopJob]: (entry) => {
      const folder = folderIn(entry);
      for (const job of jobs.active) if (folder === undefined || job.folder === folder) job.cancel();
    },
    [COMMAND.resumeJob]: async (entry) => {
      const folder = folderIn(entry);
      if (folder !== undefined) await jobs.resume(folder);
    },
    [COMMAND.deleteJob]: async (entry) => {
      const folder = folderIn(entry);
      if (folder !== undefined && (await confirmDeletion(folder))) {
        await vscode.workspace.fs.delete(vscode.Uri.file(folder), { recursive: true });
        history.refresh();
      }
    },
  };
}

/** The tasks of the selected nodes in tree order, without duplicates; without a node, all tasks that the tree shows. */
export async function tasksOf(tree: TaskTree, node?: unknown, selected?: unknown): Promise<readonly TaskReference[]> {
  const nodes: readonly unknown[] = Array.isArray(selected) && selected.length > 0 ? selected : [node];
  const chosen = nodes.filter(isNode);
  const found = chosen.length > 0 ? chosen.flatMap(referencesOf) : await everyTask(tree);
  return [...new Map(found.map((reference) => [`${reference.index}#${reference.file}`, reference])).values()];
}

async function everyTask(tree: TaskTree): Promise<TaskReference[]> {
  return (await tree.shown()).flatMap(({ files }) => files.flatMap(ofFile));
}

function referencesOf(node: Node): TaskReference[] {
  if (node.kind === 'task') return [ofTask(node.task)];
  if (node.kind === 'range') return node.children().map(({ task }) => ofTask(task));
  return filesBelow(node).flatMap(ofFile);
}

function ofFile({ tasks }: FileSummary): TaskReference[] {
  return Array.from({ length: tasks.length }, (_, index) => tasks.at(index)).flatMap((task) =>
    task === undefined ? [] : [ofTask(task)],
  );
}

function ofTask({ file, index, name }: TaskReference): TaskReference {
  return { file, index, name };
}

function isNode(value: unknown): value is Node {
  return isRecord(value) && ['folder', 'file', 'range', 'task'].some((kind) => value['kind'] === kind) && 'id' in value;
}

/** Asks for the number of repeats and the agent. Undefined if the user cancels. */
async function askJobOptions(tasks: number, near: string | undefined): Promise<JobOptions | undefined> {
  const title = plural(tasks, l10n.t('Run 1 Task as a Job'), l10n.t('Run {0} Tasks as a Job', tasks));
  const repeats = await vscode.window.showInputBox({
    title,
    prompt: l10n.t('Number of runs of each task'),
    value: '1',
    validateInput: (text) =>
      /^[1-9]\d{0,3}$/.test(text.trim()) ? undefined : l10n.t('Enter a number from 1 to 9999.'),
  });
  if (repeats === undefined) return undefined;
  const { pickAgentOfMany } = await import('../runs/agent-pick.ts');
  const agent = await pickAgentOfMany(near);
  return agent === undefined ? undefined : { group: Number(repeats.trim()), agent };
}

/** Asks before running every task of the tree. */
async function confirmRunAll(tasks: number): Promise<boolean> {
  const run = l10n.t('Run');
  const choice = await vscode.window.showInformationMessage(
    plural(tasks, l10n.t('Run 1 task as a job?'), l10n.t('Run all {0} tasks as a job?', tasks)),
    { modal: true, detail: l10n.t('Each task runs once with the agent last used, otherwise with its solution.') },
    run,
  );
  return choice === run;
}

async function confirmDeletion(folder: string): Promise<boolean> {
  const confirm = l10n.t('Delete');
  const choice = await vscode.window.showWarningMessage(
    l10n.t('Delete the job {0} and all its runs?', basename(folder)),
    { modal: true, detail: l10n.t('Traces and screenshots are permanently deleted.') },
    confirm,
  );
  return choice === confirm;
}

function folderIn(value: unknown): string | undefined {
  const folder = isRecord(value) ? value['folder'] : undefined;
  return typeof folder === 'string' ? folder : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
