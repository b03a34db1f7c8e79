import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { jsonSchema } from '../../base/json-validator.ts';
import { plainLabel } from '../../presentation/plain-text.ts';
import { type CallPosition, callPositions } from '../../presentation/runs/call-tracking.ts';
import type { PanelCurve, PanelMessage } from '../../presentation/runs/messages.ts';
import { openingStep } from '../../presentation/runs/opening-step.ts';
import { type PresentationContext, presentRun, presentSteps } from '../../presentation/runs/present.ts';
import type { ReadableRun } from '../../presentation/runs/readable-run.ts';
import { verdictOf } from '../../presentation/runs/verdict.ts';
import { taskLabel } from '../../tasks/label.ts';
import { openChange } from '../changes/changes.ts';
import { columnFor } from '../columns.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import { RUN_PANEL } from '../names.ts';
import { showInformation } from '../notifications.ts';
import { copyForAgent } from '../runs/copy-for-agent.ts';
import { LiveRun } from '../runs/live-run.ts';
import type { CallValues } from '../values/values.ts';
import { verdictIcon } from '../verdict-icons.ts';
import { followLiveRun, followOtherRun } from './follow-run.ts';
import { forwardManualInput } from './manual-input.ts';
import { presentationContext } from './presentation-context.ts';
import { RunPage } from './run-page.ts';
import { openTaskFile, positionOf, revealCall, revealLine, textsOf } from './step-location.ts';
import type { PageRequest } from './webview-page.ts';

/** The features that a panel uses. */
export interface PanelTools {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly values: CallValues;
  rerun(run: ReadableRun): void;
  saveSolution(run: ReadableRun): Promise<void>;
  /** The rewards of a run after each of its steps. */
  curve(run: ReadableRun): Promise<PanelCurve | null>;
  /** The user selected a step. Not called if the extension selects one. */
  onChoose(run: ReadableRun, step: number): void;
  /** The run or the state of the panel changed. */
  onChange(panel: RunPanel): void;
}

/** One webview that shows one run at a time, live or recorded. */
export class RunPanel extends Disposable {
  readonly #panel: vscode.WebviewPanel;
  readonly #tools: PanelTools;
  readonly #page: RunPage;
  readonly #linesMoved = this.register(new Debouncer(400, () => this.#postRun()));
  #run: ReadableRun | undefined;
  #stopListening: () => void = () => {};
  #failure: string | undefined;
  #selectedStep: number | null = null;
  #pinned = false;

  constructor(panel: vscode.WebviewPanel, tools: PanelTools) {
    super();
    this.#panel = panel;
    this.#tools = tools;
    this.register(tools.values.onDidMove((run) => run === this.#run && this.#linesMoved.schedule()));
    this.#page = new RunPage(panel, {
      ...{ extensionUri: tools.extensionUri, log: tools.log, label: l10n.t('The run panel'), script: 'panel' },
      messageSchema: async () => (await import('../../presentation/runs/messages.ts')).panelMessageSchema,
      answer: (request) => this.#answer(request),
      renew: () => this.#renew(),
      onStateChange: () => this.#handleStateChange(),
      onClose: () => this.dispose(),
    });
  }

  get run(): ReadableRun | undefined {
    return this.#run;
  }

  /** The shown step; null follows the newest. */
  get selected(): number | null {
    return this.#selectedStep;
  }

  get pinned(): boolean {
    return this.#pinned;
  }

  get active(): boolean {
    return this.#panel.active;
  }

  get column(): vscode.ViewColumn | undefined {
    return this.#panel.viewColumn;
  }

  get visible(): boolean {
    return this.#panel.visible;
  }

  reveal(): void {
    this.#panel.reveal(undefined, true);
  }

  /** Shows a run. `select`: the step to show; null follows the newest. */
  show(run: ReadableRun, select: number | null = null): void {
    if (run !== this.#run) this.#releaseRun();
    this.#run = run;
    this.#failure = undefined;
    this.#selectedStep = select;
    this.#page.clear();
    this.#stopListening = this.#listen(run);
    // The page requests this anyway; starting now avoids waiting for the first frame.
    if (run instanceof LiveRun) run.live.set(this.#panel.visible);
    void this.#read(() => this.#tools.values.track(run));
    if (select !== null) void this.#markCall(select);
    this.#updateTab();
    this.#page.allowPictures(run.traceDir);
    void this.#postRun();
    this.#tools.onChange(this);
  }

  /** Shows why there is no run. */
  fail(message: string): void {
    this.#releaseRun();
    this.#run = undefined;
    this.#failure = message;
    if (this.#panel.viewType === RUN_PANEL) this.#panel.title = l10n.t('Run');
    this.#panel.iconPath = verdictIcon('none');
    this.#page.show({ type: 'failed', message });
    this.#tools.onChange(this);
  }

  /** Shows a step as if the user had selected it. */
  select(index: number): void {
    this.#page.update({ type: 'select', index });
    this.#select(index);
  }

  /** Moves the selection by a number of steps. */
  async walk(by: number): Promise<void> {
    const steps = (await this.#read((run) => run.steps())) ?? [];
    const at =
      this.#selectedStep === null ? steps.length - 1 : steps.findIndex(({ index }) => index === this.#selectedStep);
    const to = steps[Math.min(steps.length - 1, Math.max(0, at + by))];
    if (to === undefined) return;
    this.select(to.index);
    this.#reportChoice(to.index);
  }

  /** Shows the step of a call, if there is one. */
  async selectCall(position: CallPosition): Promise<void> {
    const steps = (await this.#read((run) => run.steps())) ?? [];
    const at = callPositions(steps).findIndex(
      (other) => other?.source === position.source && other.ordinal === position.ordinal,
    );
    const step = steps[at];
    if (step !== undefined && step.index !== this.#selectedStep) this.select(step.index);
  }

  pin(pinned: boolean): void {
    this.#pinned = pinned;
    this.#page.update({ type: 'pinned', pinned });
    this.#tools.onChange(this);
  }

  cancel(): void {
    if (this.#run instanceof LiveRun) this.#run.cancel();
  }

  rerun(): void {
    if (this.#run !== undefined) this.#tools.rerun(this.#run);
  }

  async openTrace(): Promise<void> {
    const dir = this.#run?.traceDir;
    if (dir === null || dir === undefined) {
      void showInformation(l10n.t('This run has no trace yet.'));
      return;
    }
    await vscode.window.showTextDocument(vscode.Uri.file(join(dir, 'trace.jsonl')), { viewColumn: columnFor() });
  }

  #releaseRun(): void {
    this.#stopListening();
    this.#stopListening = () => {};
    this.#page.frames.clear();
    const run = this.#run;
    if (run === undefined) return;
    if (run instanceof LiveRun) run.live.set(false);
    this.#tools.values.release(run);
  }

  /** Updates title and icon of the tab. */
  #updateTab(): void {
    const run = this.#run;
    if (run === undefined) return;
    // The title of a custom editor is its file name.
    if (this.#panel.viewType === RUN_PANEL) this.#panel.title = l10n.t('Run: {0}', plainLabel(taskLabel(run.task)));
    this.#panel.iconPath = verdictIcon(
      verdictOf(run.record ?? { status: run.status, reward: null, success: false, error: null }).kind,
    );
  }

  #handleStateChange(): void {
    this.#page.updateFrames();
    if (!this.#panel.visible && this.#run instanceof LiveRun) this.#run.live.set(false);
    this.#tools.onChange(this);
  }

  async #renew(): Promise<void> {
    if (this.#failure !== undefined) this.#page.show({ type: 'failed', message: this.#failure });
    await this.#postRun();
  }

  /** Posts the whole run to the page. */
  async #postRun(): Promise<void> {
    const run = this.#run;
    if (this.#page.state === 'hidden' || run === undefined) return;
    const steps = await this.#read(() => run.steps());
    if (steps === undefined) return;
    const live = run instanceof LiveRun && run.record === null;
    if (run.record !== null) this.#selectedStep ??= openingStep(steps);
    this.#page.show({ type: 'run', run: presentRun(run, steps, this.#context(run)), select: this.#selectedStep, live });
    if (live) this.#page.update({ type: 'phase', text: run.phase });
  }

  /** Follows a run in progress. Returns a function that stops following it. */
  #listen(run: ReadableRun): () => void {
    const panel = {
      onChange: () => this.#tools.onChange(this),
      updateTab: () => this.#updateTab(),
      postRun: () => this.#postRun(),
      postStep: (index: number) => this.#postStep(run, index),
      postEnd: () => this.#postEnd(run),
    };
    if (run instanceof LiveRun) return followLiveRun(run, this.#page, panel);
    if (run.refresh === undefined) return () => {};
    return followOtherRun(run, run.refresh, panel, (error) => {
      if (run === this.#run) this.#showReadError(run, error);
    });
  }

  async #postStep(run: ReadableRun, index: number): Promise<void> {
    if (run !== this.#run) return;
    const steps = await this.#read(() => run.steps());
    // The call of a step depends on the steps before it.
    const step = steps && presentSteps(steps, this.#context(run)).find((one) => one.index === index);
    if (step !== undefined) this.#page.update({ type: 'step', step });
  }

  async #postEnd(run: ReadableRun): Promise<void> {
    if (run !== this.#run) return;
    const steps = await this.#read(() => run.steps());
    if (steps === undefined) return;
    this.#selectedStep ??= openingStep(steps);
    this.#page.update({ type: 'ended', run: presentRun(run, steps, this.#context(run)), select: this.#selectedStep });
  }

  #context(run: ReadableRun): PresentationContext {
    return presentationContext(run, this.#tools.values, this.#page, this.#pinned);
  }

  /** Reads from the shown run; undefined if it is replaced meanwhile, or cannot be read, which the page then shows. */
  async #read<T>(read: (run: ReadableRun) => Promise<T>): Promise<T | undefined> {
    const run = this.#run;
    if (run === undefined) return undefined;
    try {
      const result = await read(run);
      return run === this.#run ? result : undefined;
    } catch (error) {
      if (run === this.#run) this.#showReadError(run, error);
      return undefined;
    }
  }

  /** Shows why the run cannot be read. */
  #showReadError({ traceDir }: ReadableRun, error: unknown): void {
    this.#tools.log.warn(`The run in ${traceDir} cannot be read: ${String(error)}`);
    this.fail(error instanceof Error ? error.message : String(error));
  }

  async #answer(message: PageRequest<PanelMessage>): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    const live = run instanceof LiveRun ? run : undefined;
    switch (message.type) {
      case 'selected':
        this.#select(message.index);
        return this.#reportChoice(message.index);
      case 'text':
        return this.#answerText(message.index);
      case 'raw':
        return this.#answerRaw(message.index);
      case 'openChange':
        return openChange(run, message);
      case 'reveal':
        return revealCall(run, message.index, this.#tools.values);
      case 'revealLine':
        return revealLine(run, message.line);
      case 'openFile':
        return openTaskFile(run, message.path, message.line);
      case 'rerun':
        return this.rerun();
      case 'cancel':
        return this.cancel();
      case 'pin':
        return this.pin(message.pinned);
      case 'openTrace':
        return this.openTrace();
      case 'curve':
        return this.#answerCurve(run);
      case 'hand':
      case 'answer':
      case 'act':
      case 'answerDialog':
      case 'perform':
      case 'done':
        return live && forwardManualInput(message, live);
      case 'copyForAgent':
        return live && copyForAgent(live, message.what);
      case 'saveSolution':
        return this.#tools.saveSolution(run);
      case 'live':
        live?.live.set(message.on && this.#panel.visible);
        // The page cleared its live view when it received the run, and a static environment sends no other frame.
        if (live?.live.on) this.#page.frames.open();
        return;
      case 'drawn':
        return this.#page.frames.flush();
    }
  }

  #select(index: number | null): void {
    this.#selectedStep = index;
    this.#tools.onChange(this);
    void this.#markCall(index);
  }

  #reportChoice(index: number | null): void {
    if (this.#run !== undefined && index !== null) this.#tools.onChoose(this.#run, index);
  }

  async #markCall(index: number | null): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    const position = index === null ? undefined : await this.#read(() => positionOf(run, index));
    if (run === this.#run && this.#selectedStep === index) this.#tools.values.mark(run, position);
  }

  async #answerText(index: number): Promise<void> {
    const texts = await this.#read((run) => textsOf(run, index));
    if (texts !== undefined) this.#page.post({ type: 'text', index, ...texts });
  }

  async #answerRaw(index: number): Promise<void> {
    const json = await this.#read(async (run) => JSON.stringify((await run.step(index)) ?? null));
    if (json !== undefined) this.#page.post({ type: 'raw', index, json: jsonSchema.parse(JSON.parse(json)) });
  }

  async #answerCurve(run: ReadableRun): Promise<void> {
    const curve = await this.#tools.curve(run).catch((error: unknown): PanelCurve => {
      const problem = error instanceof Error ? error.message : String(error);
      return { calls: [], points: [], problem };
    });
    if (run === this.#run) this.#page.post({ type: 'curve', runId: run.runId, curve });
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.#releaseRun();
    super.dispose();
  }
}
