import { dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { kindAt } from '../../base/file-kind.ts';
import type { ReadableRun } from '../../presentation/runs/readable-run.ts';
import { referenceTo } from '../../presentation/tasks/reference.ts';
import { isImported } from '../../traces/origin.ts';
import { showFile } from '../columns.ts';
import { Disposable } from '../lifecycle.ts';
import { CONTEXT, RUN_PANEL } from '../names.ts';
import { showInformation } from '../notifications.ts';
import { isExpected, report } from '../report.ts';
import type { RunHistory } from '../runs/history.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { Runs } from '../runs/runs.ts';
import { type CallValues, editorsOf } from '../values/values.ts';
import type { PanelTools, RunPanel } from './run-panel.ts';
import { openPanel, restorePanels } from './webview-page.ts';

/** The features that the run panels use. */
export interface RunPanelsParts {
  readonly runs: Runs;
  readonly history: RunHistory;
  readonly values: CallValues;
  readonly curve: PanelTools['curve'];
}

/** The open run panels: one that is reused, and those that the user pinned. */
export class RunPanels extends Disposable {
  readonly #runs: Runs;
  readonly #history: RunHistory;
  readonly #tools: PanelTools;
  readonly #panels = new Set<RunPanel>();
  /** Runs that were shown or are being shown. */
  readonly #showing = new WeakMap<LiveRun, Promise<void>>();
  readonly #choices = this.register(new vscode.EventEmitter<{ readonly traceDir: string; readonly step: number }>());
  /** The user selected a step of a run. */
  readonly onDidChoose = this.#choices.event;
  #context = '';

  constructor(
    extensionUri: vscode.Uri,
    log: vscode.LogOutputChannel,
    { runs, history, values, curve }: RunPanelsParts,
  ) {
    super();
    this.#runs = runs;
    this.#history = history;
    this.#tools = {
      extensionUri,
      log,
      values,
      rerun: (run) => {
        if (isImported(run))
          void showInformation(l10n.t('Cannot rerun an imported HUD run: its task is not available.'));
        else void runs.start(referenceTo(run.task), { agent: run.agent, seed: run.seed });
      },
      saveSolution: (run) => this.saveSolution(run),
      curve,
      onChoose: ({ traceDir }, step) => traceDir !== null && this.#choices.fire({ traceDir, step }),
      onChange: () => this.#updateContext(),
    };
    this.registerAll(
      restorePanels(
        RUN_PANEL,
        async () => (await import('../../presentation/runs/messages.ts')).panelStateSchema,
        async (panel, { traceDir, select }) =>
          this.#showRecorded(await this.#adopt(panel), async () => traceDir, select),
      ),
      runs.onDidStart((run) => run.foreground && this.#showing.set(run, this.#showLive(run))),
      history.onDidChange(() => {
        void this.#followEnds();
        void this.#followDeletions();
        this.#updateContext();
      }),
      vscode.window.onDidChangeTextEditorSelection((event) => void this.#followCursor(event)),
    );
  }

  /** The focused panel, otherwise the only one. */
  get current(): RunPanel | undefined {
    const panels = [...this.#panels];
    return panels.find(({ active }) => active) ?? (panels.length === 1 ? panels[0] : undefined);
  }

  /** The column of the run panels; undefined if there is none. */
  get column(): vscode.ViewColumn | undefined {
    return [...this.#panels].find(({ column }) => column !== undefined)?.column;
  }

  /** Whether a visible panel shows a run. Waits for a panel that is being opened. */
  async shows(run: LiveRun): Promise<boolean> {
    await this.#showing.get(run);
    return [...this.#panels].some((panel) => panel.run === run && panel.visible);
  }

  /** Shows a run of this window with its task file. */
  async #showLive(run: LiveRun): Promise<void> {
    try {
      const uri = vscode.Uri.file(run.task.file);
      // The panel opens beside the task file.
      if (editorsOf(uri).length === 0) {
        await showFile(uri, { preserveFocus: true });
      }
      await this.show(run);
    } catch (error) {
      report(this.#tools.log, l10n.t('Opening the run panel'), error);
    }
  }

  /** Shows a run in its panel, or in the reusable one. `column`: where to open a panel if there is none. */
  async show(run: ReadableRun, select: number | null = null, column = vscode.ViewColumn.Beside): Promise<void> {
    const panelOfRun = [...this.#panels].find((panel) => panel.run === run || isSameTrace(panel.run, run));
    const panel =
      panelOfRun ??
      [...this.#panels].find(({ pinned }) => !pinned) ??
      (await this.#adopt(openPanel(RUN_PANEL, l10n.t('Run'), column)));
    if (panel.run !== run) panel.show(run, select);
    else if (select !== null) panel.select(select);
    panel.reveal();
  }

  /** Opens a recorded run by its folder. A run in progress in this window is shown live. */
  async openRecorded(traceDir: string, column?: vscode.ViewColumn, select: number | null = null): Promise<void> {
    try {
      await this.show(this.#runs.activeIn(traceDir) ?? (await this.#readRun(traceDir)), select, column);
    } catch (error) {
      report(this.#tools.log, l10n.t('Opening the run'), error);
    }
  }

  /** Shows a step of a run, and opens the run if necessary. */
  async showStep(traceDir: string, step: number): Promise<void> {
    const panel = [...this.#panels].find(({ run }) => run?.traceDir === traceDir);
    if (panel === undefined) await this.openRecorded(traceDir, undefined, step);
    else panel.select(step);
  }

  /** Saves the actions of a run as the task's solution. `of`: a run or its folder; default: the shown run. */
  async saveSolution(of: ReadableRun | string | undefined): Promise<void> {
    const run = typeof of === 'string' ? await this.#readRun(of) : (of ?? this.current?.run);
    if (run !== undefined) await (await import('../runs/save-solution.ts')).saveSolution(run, this.#runs);
  }

  /** Shows a recorded run in a custom editor, or why it cannot be shown. */
  async showIn(panel: vscode.WebviewPanel, traceDir: () => Promise<string>): Promise<void> {
    const runPanel = await this.#adopt(panel);
    runPanel.pin(true);
    await this.#showRecorded(runPanel, traceDir, null);
  }

  async #showRecorded(panel: RunPanel, traceDir: () => Promise<string>, select: number | null): Promise<void> {
    try {
      panel.show(await this.#readRun(await traceDir()), select);
    } catch (error) {
      if (!isExpected(error)) this.#tools.log.error('Opening a run:', error);
      panel.fail(error instanceof Error ? error.message : String(error));
    }
  }

  async #readRun(traceDir: string): Promise<ReadableRun> {
    const [{ openRun }, { recordedRun }] = await Promise.all([
      import('../../traces/store.ts'),
      import('../../presentation/runs/readable-run.ts'),
    ]);
    const run = recordedRun(await openRun(traceDir));
    // The history reports the end of a run in progress in another process, once it is loaded.
    if (run.record === null) void this.#history.load();
    return run;
  }

  /** Shows the end of runs in progress in other processes. */
  async #followEnds(): Promise<void> {
    for (const panel of this.#panels) {
      const { run } = panel;
      if (run === undefined || run.record !== null || 'cancel' in run) continue;
      const entry = this.#history.entries.find(({ traceDir }) => traceDir === run.traceDir);
      if (entry !== undefined && !entry.running)
        await this.#showRecorded(panel, async () => entry.traceDir, panel.selected);
    }
  }

  /** Shows that ended runs were deleted. The panel of a run in progress in another process follows it. */
  async #followDeletions(): Promise<void> {
    for (const panel of this.#panels) {
      const { run } = panel;
      if (run === undefined || run.record === null || run.traceDir === null) continue;
      if ((await kindAt(run.traceDir)) === 'absent' && panel.run === run) panel.fail(l10n.t('The run was deleted.'));
    }
  }

  async #adopt(panel: vscode.WebviewPanel): Promise<RunPanel> {
    const { RunPanel } = await import('./run-panel.ts');
    const runPanel = new RunPanel(panel, this.#tools);
    this.#panels.add(runPanel);
    panel.onDidDispose(() => {
      this.#panels.delete(runPanel);
      this.#updateContext();
    });
    return runPanel;
  }

  /** Moving the cursor to a call selects its step. */
  async #followCursor({ textEditor, selections, kind }: vscode.TextEditorSelectionChangeEvent): Promise<void> {
    // Ignore moves by commands, including the extension's own.
    if (kind !== vscode.TextEditorSelectionChangeKind.Mouse && kind !== vscode.TextEditorSelectionChangeKind.Keyboard)
      return;
    const position = selections[0]?.active;
    if (position === undefined || textEditor.document.uri.scheme !== 'file') return;
    for (const panel of this.#panels) {
      if (panel.run === undefined || !panel.visible) continue;
      const call = this.#tools.values.callAt(panel.run, textEditor.document.uri, position);
      if (call !== undefined) await panel.selectCall(call);
    }
  }

  #updateContext(): void {
    const current = [...this.#panels].find(({ active }) => active);
    const running = current?.run !== undefined && current.run.record === null && 'cancel' in current.run;
    const context = {
      [CONTEXT.showsRun]: current?.run !== undefined,
      [CONTEXT.shownRunning]: running,
      [CONTEXT.shownPinned]: current?.pinned ?? false,
      [CONTEXT.shownKept]: this.#keepStateOf(current?.run),
    };
    if (JSON.stringify(context) === this.#context) return;
    this.#context = JSON.stringify(context);
    for (const [key, value] of Object.entries(context)) void vscode.commands.executeCommand('setContext', key, value);
  }

  /** Whether the user keeps a run; empty if nothing would remove it: it has not ended, or is elsewhere. */
  #keepStateOf(run: ReadableRun | undefined): 'yes' | 'no' | '' {
    const { traceDir = null, record = null } = run ?? {};
    if (traceDir === null || record === null || !isInJobs(traceDir)) return '';
    const entry = this.#history.entries.find((one) => one.traceDir === traceDir);
    if (entry !== undefined && entry.writtenAt === null) return '';
    return (entry?.run ?? record).kept === true ? 'yes' : 'no';
  }
}

/** Whether a run is in the folder of jobs of its workspace folder, where old jobs are removed. */
function isInJobs(traceDir: string): boolean {
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(traceDir));
  return folder !== undefined && dirname(dirname(traceDir)) === join(folder.uri.fsPath, '.taskwright', 'jobs');
}

function isSameTrace(shownRun: ReadableRun | undefined, run: ReadableRun): boolean {
  return (
    shownRun !== undefined && run.traceDir !== null && shownRun.traceDir === run.traceDir && shownRun.record !== null
  );
}
