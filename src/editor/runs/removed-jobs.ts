import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { Job } from '../../runs/job/job.ts';
import { offerCommand, showInformation } from '../notifications.ts';

/** Whether a notification has named removed jobs in this session. */
let isNotified = false;

/** Reports which old jobs were removed for a new one: the first time in a notification, and always in the log. */
export async function reportRemoval(job: Pick<Job, 'removal'>, log: vscode.LogOutputChannel): Promise<void> {
  const removal = await job.removal;
  if (removal === null) return;
  const { describeRemoval } = await import('../../runs/job/retention.ts');
  const text = describeRemoval(removal);
  log.info(text);
  if (isNotified) return;
  isNotified = true;
  offerCommand(showInformation, text, l10n.t('Open Settings'), 'workbench.action.openSettings', 'taskwright.runs');
}
