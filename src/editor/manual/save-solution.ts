import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { UNNAMED } from '../../runs/masking/mask.ts';
import { solutionPath } from '../../runs/solutions/solution-file.ts';
import { actionCount, solutionText } from '../../runs/solutions/solution-text.ts';
import { taskName } from '../../tasks/name.ts';
import { columnFor } from '../columns.ts';
import { noSolutionPath } from '../runs/agent-pick.ts';
import type { Runs } from '../runs/runs.ts';
import type { ShownRun } from '../runs/shown-run.ts';
import { formatReward } from '../runs/verdict.ts';
import { referenceTo } from '../tasks/reference.ts';

/**
 * Writes what the agent of a run did as the task's solution, after asking where there is one, and replays it: a solution
 * counts when it gives its reward again.
 */
export async function saveSolution(run: ShownRun, runs: Runs): Promise<void> {
  const { task, record } = run;
  const steps = await run.steps();
  const refused = (message: string): void => void vscode.window.showErrorMessage(message);
  const path = solutionPath(task);
  if (path === null) return refused(noSolutionPath(task));
  if (!existsSync(dirname(path))) return refused(`The task's folder ${dirname(path)} is not there any more.`);
  if (record === null) return refused('The run goes on. End it first.');
  if (actionCount(steps) === 0) return refused('The agent of this run did nothing, so there is nothing to save.');
  const text = solutionText(run.prompt, task.env, steps);
  if (!(await mayWrite(path, text, record.success, record.reward))) return;
  await write(vscode.Uri.file(path), text);
  if (text.includes(UNNAMED)) {
    await vscode.window.showTextDocument(vscode.Uri.file(path), { viewColumn: columnFor(vscode.Uri.file(path)) });
    return refused(
      `The recording does not have what was typed into a password field. Write it in place of ${UNNAMED}.`,
    );
  }
  const replay = await runs.start(referenceTo(task), { agent: `replay:${path}` });
  if (replay === undefined) return;
  await runs.ended(replay);
  const { reward = null } = replay.record ?? {};
  const name = basename(path);
  if (reward !== null && reward === record.reward) {
    const words = `${name} is the solution of “${taskName(task)}”: replayed, it gives ${formatReward(reward)} again.`;
    vscode.window.setStatusBarMessage(words, 10_000);
    return;
  }
  const says = (value: number | null): string => (value === null ? 'no reward' : formatReward(value));
  void vscode.window.showWarningMessage(
    `${name} gave ${says(reward)} when it was replayed, and ${says(record.reward)} when it was recorded. Look at the steps: a page that is late needs a noop(…), a point that moved needs a selector.`,
  );
}

/** Asks before another solution is lost, and before one is kept that does not solve the task. */
async function mayWrite(path: string, text: string, success: boolean, reward: number | null): Promise<boolean> {
  const before = existsSync(path) ? await readFile(path, 'utf8') : null;
  const other = before !== null && before !== text;
  if (!other && success) return true;
  const name = basename(path);
  const detail = [
    ...(success ? [] : [`This run got ${reward === null ? 'no reward' : formatReward(reward)}, not 1.00.`]),
    ...(other ? ['What it holds now is replaced.'] : []),
  ].join(' ');
  const yes = other ? 'Overwrite' : 'Save';
  const question = other ? `Overwrite the solution ${name}?` : `Save this run as the solution ${name}?`;
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}

/** Through the editor where the file is open, so that what is unsaved there does not come back over it. */
async function write(uri: vscode.Uri, text: string): Promise<void> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open === undefined) {
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    return;
  }
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, new vscode.Range(0, 0, open.lineCount, 0), text);
  await vscode.workspace.applyEdit(edit);
  await open.save();
}
