import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UNNAMED } from '../../functions/masked.ts';
import { joinTexts } from '../../presentation/plain-text.ts';
import type { ReadableRun } from '../../presentation/runs/readable-run.ts';
import { referenceTo } from '../../presentation/tasks/reference.ts';
import { formatReward } from '../../results/reward.ts';
import { solutionPath } from '../../runs/solutions/solution-file.ts';
import { actionCount, solutionText } from '../../runs/solutions/solution-text.ts';
import { showFile } from '../columns.ts';
import { applyEdit, saveDocument } from '../documents.ts';
import { confirm, showError, showInformation, showWarning } from '../notifications.ts';
import { openDocument } from '../tasks/open-document.ts';
import { noSolutionPath } from './agent-pick.ts';
import type { Runs } from './runs.ts';

/** Saves the actions of a run as the task's solution, and replays it to verify that the reward is the same. */
export async function saveSolution(run: ReadableRun, runs: Runs): Promise<void> {
  const { task, record } = run;
  const steps = await run.steps();
  const refuse = (message: string): void => void showError(message);
  const path = solutionPath(task);
  if (path === null) return refuse(noSolutionPath(task));
  if (!existsSync(dirname(path))) return refuse(l10n.t('The task folder {0} no longer exists.', dirname(path)));
  if (record === null) return refuse(l10n.t('The run is in progress. Stop it first.'));
  if (actionCount(steps, task.env) === 0) return refuse(l10n.t('This run has no actions to save.'));
  const text = solutionText(run.prompt, task.env, steps);
  if (!(await mayWrite(path, text, record.success, record.reward))) return;
  const uri = vscode.Uri.file(path);
  await write(uri, text);
  if (text.includes(UNNAMED)) {
    await showFile(uri);
    return refuse(l10n.t('Text typed into a password field was not recorded. Replace {0} with it.', UNNAMED));
  }
  const replay = await runs.start(referenceTo(task), { agent: `replay:${path}`, seed: run.seed });
  if (replay === undefined) return;
  await runs.waitForEnd(replay);
  const { reward = null } = replay.record ?? {};
  if (reward !== null && reward === record.reward) {
    void showInformation(l10n.t('Saved; replayed: {0}', formatReward(reward)));
    return;
  }
  const rewardText = (value: number | null): string => (value === null ? l10n.t('no reward') : formatReward(value));
  void showWarning(
    l10n.t(
      'Saved {0}, but replayed: {1}; recorded: {2}. Add noop(…) where a page loads slowly, and use selectors instead of coordinates.',
      basename(path),
      rewardText(reward),
      rewardText(record.reward),
    ),
  );
}

/** Asks before overwriting a different solution, and before saving one that does not solve the task. */
async function mayWrite(path: string, text: string, success: boolean, reward: number | null): Promise<boolean> {
  const before = existsSync(path) ? await readFile(path, 'utf8') : null;
  const other = before !== null && before !== text;
  if (!other && success) return true;
  const name = basename(path);
  const rewardDetail =
    reward === null
      ? l10n.t('This run has no reward.')
      : l10n.t('The reward of this run is {0}, not 1.00.', formatReward(reward));
  const detail = joinTexts([success ? '' : rewardDetail, other ? l10n.t('The current content is replaced.') : ''], ' ');
  const confirmLabel = other ? l10n.t('Overwrite') : l10n.t('Save');
  const question = other
    ? l10n.t('Overwrite the solution {0}?', name)
    : l10n.t('Save this run as the solution {0}?', name);
  return confirm(showWarning, question, detail, confirmLabel);
}

/** Edits an open document instead of its file, so that saving the document cannot restore the old text. */
async function write(uri: vscode.Uri, text: string): Promise<void> {
  const open = openDocument(uri);
  if (open === undefined) {
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    return;
  }
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, new vscode.Range(0, 0, open.lineCount, 0), text);
  await applyEdit(edit, uri);
  await saveDocument(open);
}
