import * as vscode from 'vscode';
import type { JobPanels } from '../jobs/job-panels.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { LiveJob } from '../jobs/live-job.ts';
import { DisposableStore } from '../lifecycle.ts';
import { COMMAND } from '../names.ts';
import type { RunPanels } from '../panel/panels.ts';
import { hasRemedy } from '../report.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { Runs } from '../runs/runs.ts';
import { verdictOf } from '../runs/verdict.ts';
import { count } from '../tasks/model.ts';

/** What is on screen. */
export interface Screen {
  readonly panels: Pick<RunPanels, 'shows'>;
  readonly jobPanels: Pick<JobPanels, 'shows'>;
}

/** Tells of runs and jobs that ended while nobody looked at them; of what is on screen nothing needs to be said. */
export class EndNotifications implements vscode.Disposable {
  readonly #disposables = new DisposableStore();

  constructor(runs: Runs, jobs: Jobs, { panels, jobPanels }: Screen) {
    this.#disposables.add(runs.onDidEnd((run) => run.attended && void tellUnseen(run, panels)));
    const told = new WeakSet<LiveJob>();
    this.#disposables.add(
      jobs.onDidChange((job) => {
        if (job.endedAt === null || told.has(job)) return;
        told.add(job);
        if (!jobPanels.shows(job)) void tellJob(job);
      }),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

async function tellUnseen(run: LiveRun, panels: Screen['panels']): Promise<void> {
  if (!(await panels.shows(run))) await tellRun(run);
}

async function tellRun({ record }: LiveRun): Promise<void> {
  // Who stopped it knows, and who is offered a way out has been told.
  if (record === null || record.status === 'cancelled' || hasRemedy(record.error?.code ?? '')) return;
  const words = `“${record.task_id}” ${verdictOf(record).spoken}`;
  const open = 'Open Run';
  const buttons = record.trace_dir === null ? [] : [open];
  const choice = record.success
    ? await vscode.window.showInformationMessage(words, ...buttons)
    : await vscode.window.showWarningMessage(words, ...buttons);
  if (choice === open) await vscode.commands.executeCommand(COMMAND.openRun, { traceDir: record.trace_dir });
}

async function tellJob(job: LiveJob): Promise<void> {
  // What was stopped is not over.
  if (job.status !== 'ended') return;
  const passed = job.runs.filter(({ result }) => result?.success === true).length;
  const others = job.runs.length - passed;
  const words = `The job has ended: ${passed} of ${count(job.runs.length, 'run')} passed.`;
  const open = 'Open Job';
  const choice = await (others === 0
    ? vscode.window.showInformationMessage(words, open)
    : vscode.window.showWarningMessage(words, open));
  if (choice === open) await vscode.commands.executeCommand(COMMAND.openJob, { folder: job.folder });
}
