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
import { showFile } from '../columns.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import { RESCORE_PANEL } from '../names.ts';
import type { RunPanels } from '../panel/panels.ts';
import { SinglePanel } from '../panel/single-panel.ts';
import type { PageRequest } from '../panel/webview-page.ts';
import { editorRange } from '../ranges.ts';
import type { RunParts } from '../runs/runs.ts';
import { rescoreRuns, saveTasksOf } from './rescore-runs.ts';

/** Milliseconds during which results are collected before they are posted. */
const BATCH_MS = 100;

/** The features that the panel uses. */
export interface RescoreParts extends Pick<RunParts, 'history' | 'placements'> {
  readonly panels: RunPanels;
}

/** The panel that shows the rewards of recorded runs with the current tasks. */
export class RescorePanel extends Disposable {
  readonly #parts: RescoreParts;
  readonly #panel: SinglePanel<RescoreHostMessage, RescorePageMessage, RescorePageState>;
  readonly #more = this.register(new Debouncer(BATCH_MS, () => this.#postProgress()));
  #title = '';
  #runs: readonly RunEntry[] = [];
  #everyStep = false;
  #status: RescoreHead['status'] = 'ended';
  #rows: RescoredRunRow[] = [];
  /** Number of rows that the page has. */
  #sentCount = 0;
  #ending = new AbortController();

  constructor(extensionUri: vscode.Uri, log: vscode.LogOutputChannel, parts: RescoreParts) {
    super();
    this.#parts = parts;
    this.#panel = this.register(
      new SinglePanel({
        ...{ viewType: RESCORE_PANEL, icon: 'checklist', script: 'rescore', label: l10n.t('Re-score') },
        ...{ extensionUri, log },
        stateSchema: async () => (await import('../../presentation/rescoring/messages.ts')).rescorePageStateSchema,
        messageSchema: async () => (await import('../../presentation/rescoring/messages.ts')).rescorePageMessageSchema,
        restore: (state) => this.#restore(state),
        answer: (request) => this.#answer(request),
        renew: () => this.#postAll(),
        onClose: () => this.#ending.abort(),
      }),
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
    this.#panel.reveal(l10n.t('Re-score: {0}', plainLabel(title)), this.#parts.panels.column);
    const options = { everyStep, signal: ending.signal };
    try {
      await saveTasksOf(runs);
      await rescoreRuns(this.#parts.placements, runs, options, (result, run) => {
        if (this.#ending !== ending) return;
        const now = Date.now();
        this.#rows.push(
          typeof result === 'string' ? presentUnread(result, run, now) : presentRescored(result, run, now),
        );
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

  /** Restores the table after a window reload, without re-scoring. */
  async #restore({ head, traceDirs, runs }: RescorePageState): Promise<() => void> {
    await this.#parts.history.load();
    const entries = new Map(this.#parts.history.entries.map((run) => [run.traceDir, run]));
    return () => {
      this.#title = head.title;
      this.#everyStep = head.everyStep;
      this.#runs = traceDirs.flatMap((traceDir) => entries.get(traceDir) ?? []);
      this.#rows = runs.filter(({ traceDir }) => entries.has(traceDir));
      this.#status = head.status === 'running' ? 'stopped' : head.status;
    };
  }

  async #answer(message: PageRequest<RescorePageMessage>): Promise<void> {
    switch (message.type) {
      case 'open':
        return this.#parts.panels.openRecorded(message.traceDir, this.#panel.page?.panel.viewColumn);
      case 'reveal':
        return this.#revealCall(message.traceDir, message.call);
      case 'again':
        return this.show(this.#title, this.#runs, message.everyStep);
      case 'stop':
        return this.#ending.abort();
    }
  }

  async #revealCall(traceDir: string, index: number): Promise<void> {
    const file = this.#runs.find((run) => run.traceDir === traceDir)?.run.file;
    const call = this.#rows.find((row) => row.traceDir === traceDir)?.calls[index];
    if (file === undefined || call === undefined) return;
    await showFile(vscode.Uri.file(file), { selection: editorRange(call.range) });
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
    this.#panel.page?.show({ type: 'results', head: this.#head(), traceDirs, runs: [...this.#rows] });
    this.#sentCount = this.#rows.length;
  }

  #postProgress(): void {
    if (this.#status !== 'running') return;
    this.#panel.page?.update({ type: 'progress', head: this.#head(), runs: this.#rows.slice(this.#sentCount) });
    this.#sentCount = this.#rows.length;
  }

  override dispose(): void {
    this.#ending.abort();
    super.dispose();
  }
}
