import { existsSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type CallPosition, callPositions } from '../../presentation/runs/call-tracking.ts';
import type { HostMessage } from '../../presentation/runs/messages.ts';
import type { ReadableRun } from '../../presentation/runs/readable-run.ts';
import { showFile } from '../columns.ts';
import { showInformation } from '../notifications.ts';
import { editorRange } from '../ranges.ts';
import type { CallValues } from '../values/values.ts';

/** The call of a step; undefined for steps of the agent. */
export async function positionOf(run: ReadableRun, index: number): Promise<CallPosition | undefined> {
  const steps = await run.steps();
  return callPositions(steps)[steps.findIndex((step) => step.index === index)];
}

/** The observation of a step as text and as data, and the previous one that has a text. */
export async function textsOf(
  run: ReadableRun,
  index: number,
): Promise<Omit<Extract<HostMessage, { type: 'text' }>, 'type' | 'index'>> {
  const observation = (await run.step(index))?.observation;
  let earlier: typeof observation = null;
  for (let at = index - 1; at >= 0 && earlier?.text == null; at -= 1) earlier = (await run.step(at))?.observation;
  return {
    text: observation?.text ?? null,
    before: earlier?.text ?? null,
    data: observation?.data ?? null,
    dataBefore: earlier?.data ?? null,
  };
}

/** Shows a range of the run's task file without moving the focus. */
async function showBeside(run: ReadableRun, range: vscode.Range): Promise<void> {
  const editor = await showFile(vscode.Uri.file(run.task.file), { preserveFocus: true });
  editor.selection = new vscode.Selection(range.start, range.start);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Opens a file in the folder of the run's task at a one-based line. */
export async function openTaskFile(run: ReadableRun, path: string, line: number): Promise<void> {
  const folder = dirname(run.task.file);
  const file = resolve(folder, path);
  if (!isBelow(file, folder) || !existsSync(file)) {
    void showInformation(l10n.t('{0} does not exist in the task folder.', path));
    return;
  }
  await showFile(vscode.Uri.file(file), { selection: new vscode.Range(line - 1, 0, line - 1, 0) });
}

/** Whether a path is a folder or inside it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Shows the call of a step in the task file, and highlights it. */
export async function revealCall(run: ReadableRun, index: number, values: CallValues): Promise<void> {
  const position = await positionOf(run, index);
  if (position === undefined) return;
  const range = values.rangeOf(run, position);
  if (range === null) {
    void showInformation(l10n.t('This call was changed or removed since the run.'));
    return;
  }
  await showBeside(run, editorRange(range));
  values.mark(run, position);
}

/** Shows a line of the task file, from 1. */
export async function revealLine(run: ReadableRun, line: number): Promise<void> {
  await showBeside(run, new vscode.Range(line - 1, 0, line - 1, 0));
}
