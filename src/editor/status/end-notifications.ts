import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { verdictOf } from '../../presentation/runs/verdict.ts';
import { taskLabel } from '../../tasks/label.ts';
import type { JobPanel } from '../jobs/job-panel.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { LiveJob } from '../jobs/live-job.ts';
import { COMMAND } from '../names.ts';
import { offerCommand, showInformation, showWarning } from '../notifications.ts';
import type { RunPanels } from '../panel/panels.ts';
import { hasRemedy } from '../report.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { Runs } from '../runs/runs.ts';

/** The panels that may show a run or a job. */
export interface Screen {
  readonly panels: Pick<RunPanels, 'shows'>;
  readonly jobPanel: Pick<JobPanel, 'shows'>;
}

/** Notifies of the end of runs and jobs that no visible panel shows. */
export function notifyOfEnds(runs: Runs, jobs: Jobs, { panels, jobPanel }: Screen): vscode.Disposable {
  const notifiedJobs = new WeakSet<LiveJob>();
  return vscode.Disposable.from(
    runs.onDidEnd((run) => run.foreground && void notifyOfRun(run, panels)),
    jobs.onDidChange((job) => {
      if (job.endedAt === null || notifiedJobs.has(job)) return;
      notifiedJobs.add(job);
      if (!jobPanel.shows(job)) notifyOfJob(job);
    }),
  );
}

async function notifyOfRun(run: LiveRun, panels: Screen['panels']): Promise<void> {
  if (await panels.shows(run)) return;
  const { record } = run;
  // The user has stopped the run, or an error message with buttons is already visible.
  if (record === null || record.status === 'cancelled' || hasRemedy(record.error?.code ?? '')) return;
  const message = `“${taskLabel(run.task)}” ${verdictOf(record).accessibleText}`;
  const open = l10n.t('Open Run');
  const buttons = record.trace_dir === null ? [] : [open];
  const choice = record.success ? await showInformation(message, ...buttons) : await showWarning(message, ...buttons);
  if (choice === open) await vscode.commands.executeCommand(COMMAND.openRun, { traceDir: record.trace_dir });
}

function notifyOfJob(job: LiveJob): void {
  // A stopped job can be resumed.
  if (job.status !== 'ended') return;
  const passedCount = job.runs.filter(({ result }) => result?.success === true).length;
  const message = l10n.t('Job ended: {0} of {1} passed.', passedCount, job.runs.length);
  const show = passedCount === job.runs.length ? showInformation : showWarning;
  offerCommand(show, message, l10n.t('Open Job'), COMMAND.openJob, { folder: job.folder });
}
