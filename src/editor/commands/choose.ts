import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { presentHead } from '../../presentation/jobs/present.ts';
import { recordedJob } from '../../presentation/jobs/recorded-job.ts';
import { agentLabel } from '../../presentation/labels.ts';
import { plainLabel, withoutIcons } from '../../presentation/plain-text.ts';
import { age, verdictOf } from '../../presentation/runs/verdict.ts';
import { type TaskReference, taskKey } from '../../presentation/tasks/reference.ts';
import { taskLabel } from '../../tasks/label.ts';
import type { JobEntry, RunEntry } from '../../traces/store.ts';
import { showInformation } from '../notifications.ts';
import type { RunHistory } from '../runs/history.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { KnownFile, TaskFiles } from '../tasks/task-files.ts';

/*
 * What a command that was invoked without a task, run, or job acts on: the user selects one from those that are eligible.
 */

/** Whether a command can act on a task. */
export type Eligible = (candidate: {
  readonly row: KnownFile['file']['rows'][number];
  readonly key: string;
}) => boolean;

export const isReadable: Eligible = ({ row }) => row.task !== null;

export function hasEnded({ running }: RunEntry | JobEntry): boolean {
  return !running;
}

/** Asks for an eligible task of the workspace. */
export async function chooseTask(
  files: TaskFiles,
  question: string,
  eligible: Eligible,
): Promise<TaskReference | undefined> {
  await files.ready();
  const choices = files.all.flatMap(({ uri, file }) =>
    file.rows
      .filter((row) => eligible({ row, key: taskKey({ file: uri.fsPath, name: row.name }) }))
      .map((row) => ({
        label: withoutIcons(row.label),
        description: vscode.workspace.asRelativePath(uri),
        detail: withoutIcons(row.task?.prompt?.replace(/\s+/g, ' ') ?? ''),
        value: { file: uri.fsPath, index: row.index, name: row.name },
      })),
  );
  const none =
    files.all.length === 0
      ? l10n.t('No tasks found in this workspace.')
      : l10n.t('No task is eligible for this command.');
  return await choose(choices, question, none);
}

/** Asks for an eligible recorded run, newest first. Returns its folder. */
export async function chooseRun(
  history: RunHistory,
  question: string,
  eligible: (entry: RunEntry) => boolean = () => true,
): Promise<string | undefined> {
  await history.load();
  const choices = history.entries.filter(eligible).map(({ run, running, agent, traceDir }) => ({
    label: withoutIcons(run.task_id),
    description: [
      verdictOf(running ? { ...run, status: 'running' } : run).text,
      agentLabel(agent, run.task_id),
      ageOf(run.started_at),
    ].join(' · '),
    value: traceDir,
  }));
  return await choose(choices, question, l10n.t('No recorded run. Run the task first.'));
}

/** Asks for an eligible job with several runs, newest first. Returns its folder. */
export async function chooseJob(
  history: RunHistory,
  question: string,
  eligible: (entry: JobEntry) => boolean = () => true,
): Promise<string | undefined> {
  await history.load();
  const choices = history.jobs.filter(eligible).flatMap((entry) => {
    const job = recordedJob(entry);
    if (job === null) return [];
    const { title, headline } = presentHead(job);
    return [{ label: title, description: `${headline.text} · ${ageOf(entry.startedAt)}`, value: entry.folder }];
  });
  return await choose(choices, question, l10n.t('No job is eligible for this command.'));
}

/** Returns the only one of some runs in progress, or asks for one. */
export async function chooseLiveRun(runs: readonly LiveRun[], question: string): Promise<LiveRun | undefined> {
  if (runs.length < 2) return runs[0];
  const items = runs.map((run) => ({ label: plainLabel(taskLabel(run.task)), description: run.phase, run }));
  return (await vscode.window.showQuickPick(items, { placeHolder: question }))?.run;
}

/** Asks for one of several values. `none`: the message if there are none. */
export async function choose<T>(
  choices: readonly (vscode.QuickPickItem & { readonly value: T })[],
  question: string,
  none: string,
): Promise<T | undefined> {
  if (choices.length === 0) {
    void showInformation(none);
    return undefined;
  }
  const options = { placeHolder: question, matchOnDescription: true };
  return (await vscode.window.showQuickPick(choices, options))?.value;
}

function ageOf(startedAt: string): string {
  return age(Date.parse(startedAt), Date.now());
}
