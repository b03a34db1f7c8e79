import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { kindAt } from '../../base/file-kind.ts';
import { csvOf } from '../../presentation/jobs/csv.ts';
import type { JobHostMessage, JobPageMessage, JobPageState, JobRow } from '../../presentation/jobs/messages.ts';
import { type JobState, presentHead, presentRows } from '../../presentation/jobs/present.ts';
import { recordedJob } from '../../presentation/jobs/recorded-job.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import { JOB_PANEL } from '../names.ts';
import { offer, showInformation } from '../notifications.ts';
import type { RunPanels } from '../panel/panels.ts';
import { SinglePanel } from '../panel/single-panel.ts';
import type { PageRequest } from '../panel/webview-page.ts';
import type { RunHistory } from '../runs/history.ts';
import type { Jobs } from './jobs.ts';
import { LiveJob } from './live-job.ts';
import { rerunOf } from './rerun.ts';

/** Milliseconds between two updates of a running job. */
const UPDATE_MS = 150;

/** The features that the panel uses. */
export interface JobPanelParts {
  readonly jobs: Jobs;
  readonly history: RunHistory;
  readonly panels: RunPanels;
}

/** The one panel that shows a job as a grid of its runs. */
export class JobPanel extends Disposable {
  readonly #parts: JobPanelParts;
  readonly #panel: SinglePanel<JobHostMessage, JobPageMessage, JobPageState>;
  readonly #progressUpdate = this.register(new Debouncer(UPDATE_MS, () => this.#update()));
  readonly #listUpdate = this.register(new Debouncer(50, () => this.#reread()));
  #job: JobState | undefined;
  #failure: string | undefined;
  /** The rows that the page has; undefined if it has none of this job. */
  #sentRows: Map<string, JobRow> | undefined;

  constructor(extensionUri: vscode.Uri, log: vscode.LogOutputChannel, parts: JobPanelParts) {
    super();
    this.#parts = parts;
    this.#panel = this.register(
      new SinglePanel({
        ...{ viewType: JOB_PANEL, icon: 'layers', script: 'job', label: l10n.t('The job panel'), extensionUri, log },
        stateSchema: async () => (await import('../../presentation/jobs/messages.ts')).jobPageStateSchema,
        messageSchema: async () => (await import('../../presentation/jobs/messages.ts')).jobPageMessageSchema,
        restore: ({ folder }) => this.#restore(folder),
        answer: (request) => this.#answer(request),
        renew: () => this.#renew(),
        onClose: () => {
          this.#job = undefined;
        },
      }),
    );
    this.registerAll(
      parts.jobs.onDidStart((job) => this.#show(job)),
      parts.jobs.onDidChange((job) => job === this.#job && this.#progressUpdate.scheduleOnce()),
      parts.history.onDidChange(() => this.#listUpdate.schedule()),
    );
  }

  /** Whether a job is on screen. */
  shows(job: JobState): boolean {
    return this.#job === job && this.#panel.page?.panel.visible === true;
  }

  /** Opens a job by its folder. A job of this window is shown live. */
  async open(folder: string): Promise<void> {
    const job = this.#find(folder);
    if (job !== undefined) this.#show(job);
    else void showInformation(l10n.t('This job no longer exists.'));
  }

  async #restore(folder: string): Promise<() => void> {
    await this.#parts.history.load();
    return () => {
      this.#job = this.#find(folder);
      this.#failure = this.#job === undefined ? l10n.t('This job no longer exists.') : undefined;
    };
  }

  #find(folder: string): JobState | undefined {
    const live = this.#parts.jobs.activeIn(folder);
    if (live !== undefined) return live;
    const entry = this.#parts.history.jobs.find((job) => job.folder === folder);
    return entry === undefined ? undefined : (recordedJob(entry) ?? undefined);
  }

  #show(job: JobState): void {
    this.#job = job;
    this.#failure = undefined;
    this.#panel.reveal(l10n.t('Job'), this.#parts.panels.column);
  }

  async #answer(message: PageRequest<JobPageMessage>): Promise<void> {
    const job = this.#job;
    if (job === undefined) return;
    switch (message.type) {
      case 'open':
        return this.#openRun(job, message.runId);
      case 'stop':
        if (job instanceof LiveJob) job.cancel();
        return;
      case 'resume':
        await this.#parts.jobs.resume(job.folder);
        return;
      case 'rerun':
        return this.#rerun(job, message.failures);
      case 'exportCsv':
        return exportCsv(job);
    }
  }

  async #openRun(job: JobState, runId: string): Promise<void> {
    const { panels } = this.#parts;
    const live = job instanceof LiveJob ? job.liveRun(runId) : undefined;
    if (live !== undefined) return panels.show(live, null, this.#columnOfRuns());
    const run = job.runs.find(({ plannedRun }) => plannedRun.run_id === runId);
    // A run in progress in another process has no result.
    const dir = run?.running ? join(job.folder, runId) : run?.result?.trace_dir;
    if (typeof dir === 'string') await panels.openRecorded(dir, this.#columnOfRuns());
  }

  async #rerun(job: JobState, failures: boolean): Promise<void> {
    const { tasks, options } = rerunOf(job, failures);
    if (tasks.length > 0) await this.#parts.jobs.start(tasks, options);
    else void showInformation(l10n.t('This job has no failures.'));
  }

  /** Runs open beside the grid, or in its group if that is already beside another. */
  #columnOfRuns(): vscode.ViewColumn {
    const column = this.#panel.page?.panel.viewColumn;
    return column === undefined || column === vscode.ViewColumn.One ? vscode.ViewColumn.Beside : column;
  }

  /** Reads a job again that does not run in this window. */
  async #reread(): Promise<void> {
    const job = this.#job;
    if (job === undefined || (job instanceof LiveJob && job.endedAt === null)) return;
    const again = this.#find(job.folder);
    if (again !== undefined) {
      this.#job = again;
      this.#update();
    } else if ((await kindAt(job.folder)) === 'absent' && this.#job === job) this.#fail(l10n.t('The job was deleted.'));
  }

  /** Shows why there is no job. */
  #fail(message: string): void {
    this.#job = undefined;
    this.#failure = message;
    const { page } = this.#panel;
    if (page !== undefined) page.panel.title = l10n.t('Job');
    page?.show({ type: 'failed', message });
  }

  /** Posts the whole job. */
  #renew(): void {
    this.#sentRows = undefined;
    if (this.#failure !== undefined) this.#panel.page?.show({ type: 'failed', message: this.#failure });
    this.#update();
  }

  #update(): void {
    const job = this.#job;
    const { page } = this.#panel;
    if (page === undefined || job === undefined) return;
    const head = presentHead(job);
    page.panel.title = l10n.t('Job: {0}', head.title);
    if (page.state === 'hidden') return;
    const rows = presentRows(job);
    const sentRows = this.#sentRows;
    if (sentRows === undefined) page.show({ type: 'job', head, rows });
    else page.update({ type: 'progress', head, rows: rows.filter((row) => !isSame(row, sentRows.get(row.key))) });
    this.#sentRows = new Map(rows.map((row) => [row.key, row]));
  }
}

async function exportCsv(job: JobState): Promise<void> {
  // Not next to the job, whose folder is hidden and removed when it is old.
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(job.folder))?.uri.fsPath ?? homedir();
  const target = await vscode.window.showSaveDialog({
    title: l10n.t('Export Job as CSV'),
    defaultUri: vscode.Uri.file(join(folder, `${basename(job.folder)}.csv`)),
    filters: { CSV: ['csv'] },
  });
  if (target === undefined) return;
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(csvOf(job)));
  const message = l10n.t('Exported to {0}.', vscode.workspace.asRelativePath(target));
  await offer(showInformation, message, l10n.t('Open'), () => vscode.commands.executeCommand('vscode.open', target));
}

function isSame(row: JobRow, sentRow: JobRow | undefined): boolean {
  return sentRow !== undefined && JSON.stringify(row) === JSON.stringify(sentRow);
}
