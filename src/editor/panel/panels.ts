import * as vscode from 'vscode';
import { columnFor } from '../columns.ts';
import { DisposableStore } from '../lifecycle.ts';
import { CONTEXT, RUN_PANEL } from '../names.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import { isExpected, report } from '../report.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { Runs } from '../runs/runs.ts';
import type { ShownRun } from '../runs/shown-run.ts';
import { referenceTo } from '../tasks/reference.ts';
import { type CallValues, editorsOf } from '../values/values.ts';
import type { PanelTools, RunPanel } from './run-panel.ts';

/** The open run panels: one that is reused, and those that the person pinned. */
export class RunPanels implements vscode.WebviewPanelSerializer, vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #runs: Runs;
  readonly #tools: PanelTools;
  readonly #panels = new Set<RunPanel>();
  /** Runs that are brought on screen, or were. */
  readonly #showing = new WeakMap<LiveRun, Promise<void>>();
  readonly #choices = this.#disposables.add(
    new vscode.EventEmitter<{ readonly traceDir: string; readonly step: number }>(),
  );
  /** The person has chosen a step of a run. */
  readonly onDidChoose = this.#choices.event;
  #context = '';

  constructor(
    extensionUri: vscode.Uri,
    log: vscode.LogOutputChannel,
    runs: Runs,
    values: CallValues,
    placements: WindowPlacements,
  ) {
    this.#runs = runs;
    this.#tools = {
      extensionUri,
      log,
      values,
      rerun: (run) => {
        if (isForeign(run))
          void vscode.window.showInformationMessage('This run was made by HUD: its task is not here.');
        else void runs.start(referenceTo(run.task), { agent: run.agent });
      },
      saveSolution: (run) => this.saveSolution(run),
      curve: async (run) => (await import('./curve.ts')).curveOf(run, placements),
      chosen: ({ traceDir }, step) => traceDir !== null && this.#choices.fire({ traceDir, step }),
      changed: () => this.#tellContext(),
    };
    this.#disposables.add(vscode.window.registerWebviewPanelSerializer(RUN_PANEL, this));
    this.#disposables.add(runs.onDidStart((run) => run.attended && this.#showing.set(run, this.#showLive(run))));
    this.#disposables.add(vscode.window.onDidChangeTextEditorSelection((event) => void this.#cursorMoved(event)));
  }

  /** The panel that has the focus, else the only one. */
  get current(): RunPanel | undefined {
    const panels = [...this.#panels];
    return panels.find(({ active }) => active) ?? (panels.length === 1 ? panels[0] : undefined);
  }

  /** Whether a run is on screen; of one that is just being brought there this is known when it is there. */
  async shows(run: LiveRun): Promise<boolean> {
    await this.#showing.get(run);
    return [...this.#panels].some((panel) => panel.run === run && panel.visible);
  }

  /** Shows a run of this window, or brings the panel that shows it to the front. */
  async #showLive(run: LiveRun): Promise<void> {
    try {
      const uri = vscode.Uri.file(run.task.file);
      // The panel stands beside the task, so the task has to be there.
      if (editorsOf(uri).length === 0) {
        await vscode.window.showTextDocument(uri, { viewColumn: columnFor(uri), preserveFocus: true });
      }
      await this.show(run);
    } catch (error) {
      report(this.#tools.log, 'Opening the run panel', error);
    }
  }

  /** `column`: where a panel is opened where none can be used. */
  async show(run: ShownRun, select: number | null = null, column = vscode.ViewColumn.Beside): Promise<void> {
    const shown = [...this.#panels].find((panel) => panel.run === run || isSameTrace(panel.run, run));
    const panel = shown ?? [...this.#panels].find(({ pinned }) => !pinned) ?? (await this.#open(column));
    if (panel.run !== run) panel.show(run, select);
    else if (select !== null) panel.select(select);
    panel.reveal();
  }

  /** Opens a recorded run by its folder; one that this window is making is followed live. */
  async openRecorded(traceDir: string, column?: vscode.ViewColumn, select: number | null = null): Promise<void> {
    const live = this.#runs.activeIn(traceDir);
    if (live !== undefined) {
      await this.show(live, select, column);
      return;
    }
    try {
      const [{ openRun }, { recordedRun }] = await Promise.all([
        import('../../runs/store/store.ts'),
        import('../runs/shown-run.ts'),
      ]);
      await this.show(recordedRun(await openRun(traceDir)), select, column);
    } catch (error) {
      report(this.#tools.log, 'Opening the run', error);
    }
  }

  /** Shows a step of a run in the panel that has that run, else in one that is opened for it. */
  async showStep(traceDir: string, step: number): Promise<void> {
    const shown = [...this.#panels].find(({ run }) => run?.traceDir === traceDir);
    if (shown === undefined) await this.openRecorded(traceDir, undefined, step);
    else shown.select(step);
  }

  /** Makes what the agent of a run did the task's solution; the run is the shown one, or recorded in a folder. */
  async saveSolution(of: ShownRun | string | undefined): Promise<void> {
    const [{ saveSolution }, { openRun }, { recordedRun }] = await Promise.all([
      import('../manual/save-solution.ts'),
      import('../../runs/store/store.ts'),
      import('../runs/shown-run.ts'),
    ]);
    const run = typeof of === 'string' ? recordedRun(await openRun(of)) : (of ?? this.current?.run);
    if (run !== undefined) await saveSolution(run, this.#runs);
  }

  /** Shows a recorded run in an editor of its own, which no other run is shown in; or why it cannot be shown. */
  async showIn(panel: vscode.WebviewPanel, traceDir: () => Promise<string>): Promise<void> {
    const ours = await this.#adopt(panel);
    ours.pin(true);
    await this.#showRecorded(ours, traceDir, null);
  }

  async #showRecorded(panel: RunPanel, traceDir: () => Promise<string>, select: number | null): Promise<void> {
    try {
      const [{ openRun }, { recordedRun }] = await Promise.all([
        import('../../runs/store/store.ts'),
        import('../runs/shown-run.ts'),
      ]);
      panel.show(recordedRun(await openRun(await traceDir())), select);
    } catch (error) {
      if (!isExpected(error)) throw error;
      panel.fail(error.message);
    }
  }

  async #open(viewColumn: vscode.ViewColumn): Promise<RunPanel> {
    const panel = vscode.window.createWebviewPanel(RUN_PANEL, 'Run', {
      viewColumn,
      preserveFocus: true,
    });
    return await this.#adopt(panel);
  }

  async #adopt(panel: vscode.WebviewPanel): Promise<RunPanel> {
    const { RunPanel } = await import('./run-panel.ts');
    const ours = new RunPanel(panel, this.#tools);
    this.#panels.add(ours);
    panel.onDidDispose(() => {
      this.#panels.delete(ours);
      this.#tellContext();
    });
    return ours;
  }

  /** After a reload of the window: the run is read from disk again, whatever became of it. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const ours = await this.#adopt(panel);
    const { panelStateSchema } = await import('./incoming.ts');
    const kept = panelStateSchema.safeParse(state);
    if (!kept.success) {
      panel.dispose();
      return;
    }
    const { traceDir, select } = kept.data;
    await this.#showRecorded(ours, async () => traceDir, select);
  }

  /** The person's cursor on a call shows the step that carried it out. */
  async #cursorMoved({ textEditor, selections, kind }: vscode.TextEditorSelectionChangeEvent): Promise<void> {
    // Moves that a command made, our own among them, are not the person's.
    if (kind !== vscode.TextEditorSelectionChangeKind.Mouse && kind !== vscode.TextEditorSelectionChangeKind.Keyboard)
      return;
    const position = selections[0]?.active;
    if (position === undefined || textEditor.document.uri.scheme !== 'file') return;
    for (const panel of this.#panels) {
      if (panel.run === undefined || !panel.visible) continue;
      const place = this.#tools.values.callAt(panel.run, textEditor.document.uri, position);
      if (place !== undefined) await panel.selectCall(place);
    }
  }

  #tellContext(): void {
    const current = [...this.#panels].find(({ active }) => active);
    const running = current?.run !== undefined && current.run.record === null && 'cancel' in current.run;
    const pinned = current?.pinned ?? false;
    const context = `${running} ${pinned}`;
    if (context === this.#context) return;
    this.#context = context;
    void vscode.commands.executeCommand('setContext', CONTEXT.shownRunning, running);
    void vscode.commands.executeCommand('setContext', CONTEXT.shownPinned, pinned);
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

/** A run that came from a file of HUD's. */
function isForeign(run: ShownRun): boolean {
  return run.agent === 'hud-0.2' || run.agent === 'hud-0.6';
}

function isSameTrace(shown: ShownRun | undefined, run: ShownRun): boolean {
  return shown !== undefined && run.traceDir !== null && shown.traceDir === run.traceDir && shown.record !== null;
}
