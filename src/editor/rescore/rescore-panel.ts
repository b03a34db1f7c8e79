import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { plainLabel } from '../../presentation/plain-text.ts';
import type {
  RescoredRunRow,
  RescoreHead,
  RescoreHostMessage,
  RescorePageMessage,
  RescorePageState,
} from '../../presentation/rescoring/messages.ts';
import { inOrder, presentRescored, presentUnread } from '../../presentation/rescoring/present.ts';
import { summarizeChanges } from '../../results/rescore-change.ts';
import type { RunEntry } from '../../traces/store.ts';
import { columnFor } from '../columns.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import { RESCORE_PANEL } from '../names.ts';
import type { RunPanels } from '../panel/panels.ts';
import { openPanel, type PageRequest, restorePanels, WebviewPage } from '../panel/webview-page.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import { editorRange } from '../ranges.ts';
import type { RunHistory } from '../runs/history.ts';
import { rescoreRuns, saveTasksOf } from './rescore-runs.ts';

/** Milliseconds during which results are collected before they are posted. */
const BATCH_MS = 100;

/** The features that the panel uses. */
export interface RescoreParts {
  readonly placements: WindowPlacements;
  readonly panels: RunPanels;
  readonly history: RunHistory;
}

/** The panel that shows the rewards of recorded runs with the current tasks. */
export class RescorePanel extends Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #log: vscode.LogOutputChannel;
  readonly #parts: RescoreParts;
  readonly #more = this.register(new Debouncer(BATCH_MS, () => this.#postProgress()));
  #page: WebviewPage<RescoreHostMessage, RescorePageMessage> | undefined;
  #title = '';
  #runs: readonly RunEntry[] = [];
  #everyStep = false;
  #status: RescoreHead['status'] = 'ended';
  #rows: RescoredRunRow[] = [];
  /** Number of rows that the page has. */
  #sent = 0;
  #ending = new AbortController();

  constructor(extensionUri: vscode.Uri, log: vscode.LogOutputChannel, parts: RescoreParts) {
    super();
    this.#extensionUri = extensionUri;
    this.#log = log;
    this.#parts = parts;
    this.register(
      restorePanels(
        RESCORE_PANEL,
        async () => (await import('./incoming.ts')).rescorePageStateSchema,
        (panel, state) => this.#restore(panel, state),
      ),
    );
  }

  /** Re-scores runs and shows the progress. Resolves at the end. */
  async show(title: string, runs: readonly RunEntry[], everyStep = false): Promise<void> {
    this.#ending.abort();
    const ending = new AbortController();
    this.#ending = ending;
    this.#title = title;
    this.#runs = runs;
    this.#everyStep = everyStep;
    this.#status = 'running';
    this.#rows = [];
    this.#reveal();
    const options = { everyStep, signal: ending.signal };
    try {
      await saveTasksOf(runs);
      await rescoreRuns(this.#parts.placements, runs, options, (result, run) => {
        if (this.#ending !== ending) return;
        const row =
          typeof result === 'string'
            ? presentUnread(result, run, Date.now())
            : presentRescored(result, run, Date.now());
        this.#rows.push(row);
        this.#more.schedule();
      });
      if (this.#ending === ending) this.#end('ended');
    } catch (error) {
      if (this.#ending !== ending) return;
      this.#end(ending.signal.aborted ? 'stopped' : 'failed');
      if (!ending.signal.aborted) throw error;
    }
  }

  #end(status: RescoreHead['status']): void {
    this.#status = status;
    this.#rows = [...inOrder(this.#rows)];
    this.#postAll();
  }

  #reveal(): void {
    const title = l10n.t('Re-score: {0}', plainLabel(this.#title));
    if (this.#page === undefined) this.#adopt(openPanel(RESCORE_PANEL, title, this.#parts.panels.column));
    else {
      this.#page.panel.title = title;
      this.#page.panel.reveal(undefined, true);
      this.#postAll();
    }
  }

  /** Restores the table after a window reload, without re-scoring. */
  async #restore(panel: vscode.WebviewPanel, { head, traceDirs, runs }: RescorePageState): Promise<void> {
    if (this.#page !== undefined) return panel.dispose();
    await this.#parts.history.load();
    const entries = new Map(this.#parts.history.entries.map((run) => [run.traceDir, run]));
    this.#title = head.title;
    this.#everyStep = head.everyStep;
    this.#runs = traceDirs.flatMap((traceDir) => entries.get(traceDir) ?? []);
    this.#rows = runs.filter(({ traceDir }) => entries.has(traceDir));
    this.#status = head.status === 'running' ? 'stopped' : head.status;
    this.#adopt(panel);
  }

  #adopt(panel: vscode.WebviewPanel): void {
    panel.iconPath = new vscode.ThemeIcon('checklist');
    this.#page = new WebviewPage<RescoreHostMessage, RescorePageMessage>(panel, {
      ...{ extensionUri: this.#extensionUri, log: this.#log, label: l10n.t('Re-score'), script: 'rescore' },
      messageSchema: async () => (await import('./incoming.ts')).rescorePageMessageSchema,
      answer: (request) => this.#answer(request),
      renew: () => this.#postAll(),
      closed: () => {
        this.#page = undefined;
        this.#ending.abort();
      },
    });
    this.#postAll();
  }

  async #answer(message: PageRequest<RescorePageMessage>): Promise<void> {
    switch (message.type) {
      case 'open': {
        const column = this.#page?.panel.viewColumn;
        await this.#parts.panels.openRecorded(message.traceDir, column ?? vscode.ViewColumn.Beside);
        return;
      }
      case 'reveal':
        await this.#revealCall(message.traceDir, message.call);
        return;
      case 'again':
        await this.show(this.#title, this.#runs, message.everyStep);
        return;
      case 'stop':
        this.#ending.abort();
        return;
    }
  }

  async #revealCall(traceDir: string, index: number): Promise<void> {
    const file = this.#runs.find((run) => run.traceDir === traceDir)?.run.file;
    const call = this.#rows.find((row) => row.traceDir === traceDir)?.calls[index];
    if (file === undefined || call === undefined) return;
    const uri = vscode.Uri.file(file);
    await vscode.window.showTextDocument(uri, { viewColumn: columnFor(uri), selection: editorRange(call.range) });
  }

  #head(): RescoreHead {
    return {
      title: this.#title,
      total: this.#runs.length,
      done: this.#rows.length,
      status: this.#status,
      everyStep: this.#everyStep,
      summary: summarizeChanges(this.#rows.map(({ change }) => change)),
    };
  }

  #postAll(): void {
    const traceDirs = this.#runs.map(({ traceDir }) => traceDir);
    this.#page?.show({ type: 'results', head: this.#head(), traceDirs, runs: [...this.#rows] });
    this.#sent = this.#rows.length;
  }

  #postProgress(): void {
    if (this.#status !== 'running') return;
    this.#page?.update({ type: 'progress', head: this.#head(), runs: this.#rows.slice(this.#sent) });
    this.#sent = this.#rows.length;
  }

  override dispose(): void {
    this.#ending.abort();
    this.#page?.dispose();
    super.dispose();
  }
}
