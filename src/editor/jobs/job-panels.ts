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
import { openPanel, type PageRequest, restorePanels, WebviewPage } from '../panel/webview-page.ts';
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
export class JobPanels extends Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #log: vscode.LogOutputChannel;
  readonly #parts: JobPanelParts;
  readonly #progressed = this.register(new Throttler(UPDATE_MS, () => this.#update()));
  readonly #listed = this.register(new Debouncer(50, () => this.#reread()));
  #page: WebviewPage<JobHostMessage, JobPageMessage> | undefined;
  #job: JobState | undefined;
  #failure: string | undefined;
  /** The rows that the page has; undefined if it has none of this job. */
  #sent: Map<string, JobRow> | undefined;

  constructor(extensionUri: vscode.Uri, log: vscode.LogOutputChannel, parts: JobPanelParts) {
    super();
    this.#extensionUri = extensionUri;
    this.#log = log;
    this.#parts = parts;
    this.registerAll(
      restorePanels(
        JOB_PANEL,
        async () => (await import('./incoming.ts')).jobPageStateSchema,
        (panel, state) => this.#restore(panel, state),
      ),
      parts.jobs.onDidStart((job) => this.#show(job)),
      parts.jobs.onDidChange((job) => job === this.#job && this.#progressed.schedule()),
      parts.history.onDidChange(() => this.#listed.schedule()),
    );
  }

  /** Whether a job is on screen. */
  shows(job: JobState): boolean {
    return this.#job === job && this.#page?.panel.visible === true;
  }

  /** Opens a job by its folder. A job of this window is shown live. */
  async open(folder: string): Promise<void> {
    const job = this.#find(folder);
    if (job !== undefined) this.#show(job);
    else void showInformation(l10n.t('This job no longer exists.'));
  }

  async #restore(panel: vscode.WebviewPanel, { folder }: JobPageState): Promise<void> {
    if (this.#page !== undefined) return panel.dispose();
    await this.#parts.history.load();
    this.#job = this.#find(folder);
    this.#failure = this.#job === undefined ? l10n.t('This job no longer exists.') : undefined;
    this.#adopt(panel);
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
    if (this.#page === undefined) this.#adopt(openPanel(JOB_PANEL, l10n.t('Job'), this.#parts.panels.column));
    else {
      this.#page.panel.reveal(undefined, true);
      this.#renew();
    }
  }

  #adopt(panel: vscode.WebviewPanel): void {
    panel.iconPath = new vscode.ThemeIcon('layers');
    this.#page = new WebviewPage<JobHostMessage, JobPageMessage>(panel, {
      ...{ extensionUri: this.#extensionUri, log: this.#log, label: l10n.t('The job panel'), script: 'job' },
      messageSchema: async () => (await import('./incoming.ts')).jobPageMessageSchema,
      answer: (request) => this.#answer(request),
      renew: () => this.#renew(),
      closed: () => {
        this.#page = undefined;
        this.#job = undefined;
      },
    });
    this.#renew();
  }

  async #answer(message: PageRequest<JobPageMessage>): Promise<void> {
    const job = this.#job;
    switch (message.type) {
      case 'open': {
        const live = job instanceof LiveJob ? job.liveRun(message.runId) : undefined;
        if (live !== undefined) {
          await this.#parts.panels.show(live, null, this.#columnOfRuns());
          return;
        }
        const run = job?.runs.find(({ planned }) => planned.run_id === message.runId);
        if (job === undefined || run === undefined) return;
        // A run in progress in another process.
        const dir = run.running ? join(job.folder, run.planned.run_id) : run.result?.trace_dir;
        if (typeof dir === 'string') await this.#parts.panels.openRecorded(dir, this.#columnOfRuns());
        return;
      }
      case 'stop':
        if (job instanceof LiveJob) job.cancel();
        return;
      case 'resume':
        if (job !== undefined) await this.#parts.jobs.resume(job.folder);
        return;
      case 'rerun':
        if (job !== undefined) await this.#rerun(job, message.failures);
        return;
      case 'exportCsv':
        if (job !== undefined) await exportCsv(job);
        return;
    }
  }

  async #rerun(job: JobState, failures: boolean): Promise<void> {
    const { tasks, options } = rerunOf(job, failures);
    if (tasks.length > 0) await this.#parts.jobs.start(tasks, options);
    else void showInformation(l10n.t('This job has no failures.'));
  }

  /** Runs open beside the grid, or in its group if that is already beside another. */
  #columnOfRuns(): vscode.ViewColumn {
    const column = this.#page?.panel.viewColumn;
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
    if (this.#page !== undefined) this.#page.panel.title = l10n.t('Job');
    this.#page?.show({ type: 'failed', message });
  }

  /** Posts the whole job. */
  #renew(): void {
    this.#sent = undefined;
    if (this.#failure !== undefined) this.#page?.show({ type: 'failed', message: this.#failure });
    this.#update();
  }

  #update(): void {
    const job = this.#job;
    const page = this.#page;
    if (page === undefined || job === undefined) return;
    const head = presentHead(job);
    page.panel.title = l10n.t('Job: {0}', head.title);
    if (page.state === 'hidden') return;
    const rows = presentRows(job);
    const sent = this.#sent;
    if (sent === undefined) page.show({ type: 'job', head, rows });
    else page.update({ type: 'progress', head, rows: rows.filter((row) => !isSame(row, sent.get(row.key))) });
    this.#sent = new Map(rows.map((row) => [row.key, row]));
  }

  override dispose(): void {
    this.#page?.dispose();
    super.dispose();
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

function isSame(row: JobRow, sent: JobRow | undefined): boolean {
  return sent !== undefined && JSON.stringify(row) === JSON.stringify(sent);
}

/** Runs `work` at most once in `intervalMs`. */
class Throttler implements vscode.Disposable {
  readonly #intervalMs: number;
  readonly #work: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs: number, work: () => void) {
    this.#intervalMs = intervalMs;
    this.#work = work;
  }

  schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#work();
    }, this.#intervalMs);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
