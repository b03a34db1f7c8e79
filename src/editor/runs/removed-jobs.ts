import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Job } from '../../runs/job/job.ts';
import { showInformation } from '../notifications.ts';

/** The user was told of removed jobs in this session. */
let told = false;

/** Says which old jobs were removed for a new one: the first time in a notification, and always in the log. */
export async function tellRemoved(job: Job, log: vscode.LogOutputChannel): Promise<void> {
  const removed = await job.removed;
  if (removed === null) return;
  const { describeRemoved } = await import('../../runs/job/retention.ts');
  const text = describeRemoved(removed);
  log.info(text);
  if (told) return;
  told = true;
  void offerSettings(text);
}

/** The user may answer at any time. */
async function offerSettings(text: string): Promise<void> {
  const open = l10n.t('Open Settings');
  if ((await showInformation(text, open)) === open) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'taskwright.runs');
  }
}
