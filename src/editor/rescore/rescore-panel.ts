import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { plainLabel } from '../../presentation/plain-text.ts';
import type {
  RescoredRunRow,
  RescoreHead,
  RescoreHostMessage,
  RescorePageMessage,
} from '../../presentation/rescoring/messages.ts';
import { inOrder, presentRescored, presentUnread } from '../../presentation/rescoring/present.ts';
import { summarizeChanges } from '../../results/rescore-change.ts';
import type { RunEntry } from '../../traces/store.ts';
import { columnFor } from '../columns.ts';
import { Debouncer, DisposableStore } from '../lifecycle.ts';
import { RESCORE_PANEL } from '../names.ts';
import { loadPage } from '../panel/page.ts';
import type { RunPanels } from '../panel/panels.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import { editorRange } from '../ranges.ts';
import { report } from '../report.ts';
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
export class RescorePanel implements vscode.WebviewPanelSerializer, vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #extensionUri: vscode.Uri;
  readonly #log: vscode.LogOutputChannel;
  readonly #parts: RescoreParts;
  readonly #more = this.#disposables.add(new Debouncer(BATCH_MS, () => this.#postProgress()));
  #panel: vscode.WebviewPanel | undefined;
  #ready = false;
  #title = '';
  #runs: readonly RunEntry[] = [];
  #everyStep = false;
  #status: RescoreHead['status'] = 'ended';
  #rows: RescoredRunRow[] = [];
  /** Number of rows that the page has. */
  #sent = 0;
  #ending = new AbortController();

  constructor(extensionUri: vscode.Uri, log: vscode.LogOutputChannel, parts: RescoreParts) {
    this.#extensionUri = extensionUri;
    this.#log = log;
    this.#parts = parts;
    this.#disposables.add(vscode.window.registerWebviewPanelSerializer(RESCORE_PANEL, this));
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
    this.#postAll();
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
    if (this.#panel !== undefined) {
      this.#panel.title = l10n.t('Re-score: {0}', plainLabel(this.#title));
      this.#panel.reveal(undefined, true);
      return;
    }
    this.#adopt(
      vscode.window.createWebviewPanel(RESCORE_PANEL, l10n.t('Re-score: {0}', plainLabel(this.#title)), {
        viewColumn: this.#parts.panels.column ?? vscode.ViewColumn.Beside,
        preserveFocus: true,
      }),
    );
  }

  /** Restores the table after a window reload, without re-scoring. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { rescorePageStateSchema } = await import('./incoming.ts');
    const saved = rescorePageStateSchema.safeParse(state);
    if (!saved.success || this.#panel !== undefined) {
      panel.dispose();
      return;
    }
    const { head, traceDirs, runs } = saved.data;
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
    this.#panel = panel;
    panel.iconPath = new vscode.ThemeIcon('checklist');
    panel.onDidDispose(() => {
      this.#panel = undefined;
      this.#ready = false;
      this.#ending.abort();
    });
    panel.onDidChangeViewState(() => {
      // VS Code destroys a hidden page. It posts `ready` when it is loaded again.
      if (!panel.visible) this.#ready = false;
    });
    panel.webview.onDidReceiveMessage((raw: unknown) => {
      this.#receive(raw).catch((error: unknown) => report(this.#log, l10n.t('Re-score'), error));
    });
    loadPage(panel.webview, this.#extensionUri, [vscode.Uri.joinPath(this.#extensionUri, 'dist')], 'rescore');
  }

  async #receive(raw: unknown): Promise<void> {
    const { rescorePageMessageSchema } = await import('./incoming.ts');
    const message = rescorePageMessageSchema.safeParse(raw);
    if (message.success) await this.#answer(message.data);
    else this.#log.warn(`The re-score panel posted an invalid message: ${message.error.message}`);
  }

  async #answer(message: RescorePageMessage): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.#ready = true;
        this.#postAll();
        return;
      case 'open': {
        const column = this.#panel?.viewColumn;
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
    this.#post({ type: 'results', head: this.#head(), traceDirs, runs: this.#rows });
  }

  #postProgress(): void {
    if (this.#status === 'running')
      this.#post({ type: 'progress', head: this.#head(), runs: this.#rows.slice(this.#sent) });
  }

  #post(message: RescoreHostMessage): void {
    if (!this.#ready) return;
    this.#sent = this.#rows.length;
    void this.#panel?.webview.postMessage(message);
  }

  dispose(): void {
    this.#ending.abort();
    this.#panel?.dispose();
    this.#disposables.dispose();
  }
}
