import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { RunEvent } from '../../runs/run/events.ts';
import { MAX_PICTURE_BYTES } from '../../runs/store/new-step.ts';
import { taskName } from '../../tasks/name.ts';
import { jsonSchema } from '../../tasks/task.ts';
import { columnFor } from '../columns.ts';
import { Debouncer, DisposableStore } from '../lifecycle.ts';
import { RUN_PANEL } from '../names.ts';
import { verdictIcon } from '../runs/icons.ts';
import { LiveRun } from '../runs/live-run.ts';
import type { ShownRun } from '../runs/shown-run.ts';
import { verdictOf } from '../runs/verdict.ts';
import { type CallPosition, callPositions } from '../values/track.ts';
import { type CallValues, toRange } from '../values/values.ts';
import { panelMessageSchema } from './incoming.ts';
import { forwardManualInput } from './manual-input.ts';
import type { PanelCurve, PanelMessage, TooLarge } from './messages.ts';
import { type PresentationContext, presentRun, presentSteps } from './present.ts';
import { RunPage } from './run-page.ts';
import { placeOf, showBeside, textsOf } from './step-location.ts';

/** What a panel asks of the rest of the extension. */
export interface PanelTools {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly values: CallValues;
  rerun(run: ShownRun): void;
  saveSolution(run: ShownRun): Promise<void>;
  /** What a run was worth after each of its steps. */
  curve(run: ShownRun): Promise<PanelCurve | null>;
  /** The person has chosen a step of the run; not called for one that the extension shows. */
  chosen(run: ShownRun, step: number): void;
  /** What the panel shows, or how it stands, has changed. */
  changed(panel: RunPanel): void;
}

/** One webview that shows one run at a time, live or recorded. */
export class RunPanel implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #panel: vscode.WebviewPanel;
  readonly #tools: PanelTools;
  readonly #page: RunPage;
  readonly #linesMoved = this.#disposables.add(new Debouncer(400, () => this.#tell()));
  #run: ShownRun | undefined;
  #stopListening: () => void = () => {};
  #failure: string | undefined;
  #select: number | null = null;
  #pinned = false;

  constructor(panel: vscode.WebviewPanel, tools: PanelTools) {
    this.#panel = panel;
    this.#tools = tools;
    this.#disposables.add(panel.onDidDispose(() => this.dispose()));
    this.#disposables.add(panel.onDidChangeViewState(() => this.#viewChanged()));
    this.#disposables.add(panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)));
    this.#disposables.add(tools.values.onDidMove((run) => run === this.#run && this.#linesMoved.schedule()));
    this.#page = new RunPage(panel.webview, tools.extensionUri);
  }

  get run(): ShownRun | undefined {
    return this.#run;
  }

  /** The step that is shown; null: the newest. */
  get selected(): number | null {
    return this.#select;
  }

  get pinned(): boolean {
    return this.#pinned;
  }

  get active(): boolean {
    return this.#panel.active;
  }

  get visible(): boolean {
    return this.#panel.visible;
  }

  reveal(): void {
    this.#panel.reveal(undefined, true);
  }

  /** Puts a run on display. `select`: the step to show; null follows the newest. */
  show(run: ShownRun, select: number | null = null): void {
    if (run !== this.#run) this.#leave();
    this.#run = run;
    this.#failure = undefined;
    this.#select = select;
    this.#page.forget();
    if (run instanceof LiveRun) {
      const stop = run.onEvent((event) => this.#follow(run, event));
      const stopTyping = run.manualInput?.onTyping(() => this.#tellTyping(run));
      this.#stopListening = () => {
        stop();
        stopTyping?.();
      };
      // Before the page has asked: it is about to, and the first frames are the ones that are waited for.
      run.live.turn(this.#panel.visible);
    }
    void this.#tools.values.track(run);
    if (select !== null) void this.#markCall(select);
    this.#dress();
    this.#page.allowPictures(run.traceDir);
    void this.#tell();
    this.#tools.changed(this);
  }

  /** Says why nothing can be shown. */
  fail(message: string): void {
    this.#leave();
    this.#run = undefined;
    this.#failure = message;
    if (this.#panel.viewType === RUN_PANEL) this.#panel.title = 'Run';
    if (this.#page.ready) this.#page.post({ type: 'failed', message });
    this.#tools.changed(this);
  }

  /** Shows a step, as if the person had chosen it. */
  select(index: number): void {
    this.#page.tell({ type: 'select', index });
    this.#chosen(index);
  }

  /** Shows the step `by` further on. */
  async walk(by: number): Promise<void> {
    const steps = (await this.#run?.steps()) ?? [];
    const at = this.#select === null ? steps.length - 1 : steps.findIndex(({ index }) => index === this.#select);
    const to = steps[Math.min(steps.length - 1, Math.max(0, at + by))];
    if (to === undefined) return;
    this.select(to.index);
    this.#tellChoice(to.index);
  }

  /** Shows the step that carried a call out, where there is one. */
  async selectCall(place: CallPosition): Promise<void> {
    const steps = (await this.#run?.steps()) ?? [];
    const at = callPositions(steps).findIndex(
      (other) => other?.source === place.source && other.ordinal === place.ordinal,
    );
    const step = steps[at];
    if (step !== undefined && step.index !== this.#select) this.select(step.index);
  }

  pin(pinned: boolean): void {
    this.#pinned = pinned;
    this.#page.tell({ type: 'pinned', pinned });
    this.#tools.changed(this);
  }

  cancel(): void {
    if (this.#run instanceof LiveRun) this.#run.cancel();
  }

  rerun(): void {
    if (this.#run !== undefined) this.#tools.rerun(this.#run);
  }

  async saveSolution(): Promise<void> {
    if (this.#run !== undefined) await this.#tools.saveSolution(this.#run);
  }

  async openTrace(): Promise<void> {
    const dir = this.#run?.traceDir;
    if (dir === null || dir === undefined) {
      void vscode.window.showInformationMessage('This run has no trace yet.');
      return;
    }
    await vscode.window.showTextDocument(vscode.Uri.file(join(dir, 'trace.jsonl')), {
      viewColumn: columnFor(),
    });
  }

  #leave(): void {
    this.#stopListening();
    this.#stopListening = () => {};
    this.#page.frames.clear();
    const run = this.#run;
    if (run === undefined) return;
    if (run instanceof LiveRun) run.live.turn(false);
    this.#tools.values.release(run);
  }

  /** Title and icon of the tab. */
  #dress(): void {
    const run = this.#run;
    if (run === undefined) return;
    // The editor of a file is named after its file.
    if (this.#panel.viewType === RUN_PANEL) this.#panel.title = `${taskName(run.task)} — run`;
    this.#panel.iconPath = verdictIcon(
      verdictOf(run.record ?? { status: run.status, reward: null, success: false, error: null }).kind,
    );
  }

  #viewChanged(): void {
    if (this.#panel.visible) {
      this.#page.shown();
    } else {
      this.#page.hidden();
      if (this.#run instanceof LiveRun) this.#run.live.turn(false);
    }
    this.#tools.changed(this);
  }

  /** Tells the page everything about the run, from nothing. */
  async #tell(): Promise<void> {
    const run = this.#run;
    if (!this.#page.ready || run === undefined) return;
    const steps = await run.steps();
    if (run !== this.#run || !this.#page.ready) return;
    const live = run instanceof LiveRun && run.record === null;
    this.#page.tellRun({ type: 'run', run: presentRun(run, steps, this.#around(run)), select: this.#select, live });
    if (live) this.#page.post({ type: 'phase', text: run.phase });
  }

  #follow(run: LiveRun, event: RunEvent): void {
    if (event.type === 'frame') {
      const { width, height, data: bytes } = event.picture;
      const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
      this.#page.frames.offer({ type: 'frame', width, height, data });
      return;
    }
    if (event.type === 'hidden') {
      void this.#tell();
      return;
    }
    if (event.type === 'started') {
      this.#page.allowPictures(run.traceDir);
      this.#dress();
      void this.#tell();
      this.#tools.changed(this);
      return;
    }
    if (event.type === 'ended') {
      this.#dress();
      void this.#tellEnd(run);
      this.#tools.changed(this);
      return;
    }
    if (!this.#page.told) return;
    if (event.type === 'phase') this.#page.post({ type: 'phase', text: run.phase });
    if (event.type === 'doing') this.#page.post({ type: 'doing', text: event.text });
    if (event.type === 'retry') void this.#tell();
    if (event.type === 'step') void this.#tellStep(run, event.step.index);
  }

  async #tellStep(run: LiveRun, index: number): Promise<void> {
    // All of them, because which call a step carried out follows from those before it.
    const step = presentSteps(await run.steps(), this.#around(run)).find((one) => one.index === index);
    if (step !== undefined && run === this.#run) this.#page.tell({ type: 'step', step });
  }

  async #tellEnd(run: LiveRun): Promise<void> {
    const steps = await run.steps();
    if (run === this.#run) this.#page.tell({ type: 'ended', run: presentRun(run, steps, this.#around(run)) });
  }

  #tellTyping({ manualInput }: LiveRun): void {
    if (manualInput !== null) this.#page.tell({ type: 'typing', text: manualInput.typing });
  }

  #around(run: ShownRun): PresentationContext {
    return {
      address: (screenshot) => {
        const dir = run.traceDir;
        if (dir === null) return '';
        const path = join(dir, screenshot);
        const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
        const tooLarge: TooLarge = 'data:,too-large';
        return size > MAX_PICTURE_BYTES ? tooLarge : this.#page.addressOf(vscode.Uri.file(path));
      },
      lineOf: (place) => this.#tools.values.rangeOf(run, place)?.start.line ?? null,
      pinned: this.#pinned,
    };
  }

  #receive(raw: unknown): void {
    const parsed = panelMessageSchema.safeParse(raw);
    if (!parsed.success) {
      this.#tools.log.warn(`The run panel said something that is not understood: ${parsed.error.message}`);
      return;
    }
    void this.#answer(parsed.data).catch((error: unknown) => {
      this.#tools.log.error('The run panel could not be answered:', error instanceof Error ? error : String(error));
    });
  }

  async #answer(message: PanelMessage): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.#page.arrived();
        if (this.#failure !== undefined) this.#page.post({ type: 'failed', message: this.#failure });
        await this.#tell();
        if (this.#panel.visible) this.#page.shown();
        return;
      case 'selected':
        this.#chosen(message.index);
        this.#tellChoice(message.index);
        return;
      case 'text':
        await this.#answerText(message.index);
        return;
      case 'raw': {
        const step = await this.#run?.step(message.index);
        this.#page.post({
          type: 'raw',
          index: message.index,
          json: jsonSchema.parse(JSON.parse(JSON.stringify(step ?? null))),
        });
        return;
      }
      case 'openChange':
        if (this.#run !== undefined) await (await import('../changes/changes.ts')).openChange(this.#run, message);
        return;
      case 'reveal':
        await this.#revealCall(message.index);
        return;
      case 'revealLine':
        await this.#revealLine(message.line);
        return;
      case 'rerun':
        this.rerun();
        return;
      case 'cancel':
        this.cancel();
        return;
      case 'pin':
        this.pin(message.pinned);
        return;
      case 'openTrace':
        await this.openTrace();
        return;
      case 'curve':
        await this.#answerCurve();
        return;
      case 'hand':
      case 'answer':
      case 'act':
      case 'done':
        if (this.#run instanceof LiveRun) await forwardManualInput(message, this.#run);
        return;
      case 'saveSolution':
        await this.saveSolution();
        return;
      case 'live':
        if (!(this.#run instanceof LiveRun)) return;
        this.#run.live.turn(message.on && this.#panel.visible);
        // The page cleared its picture when it was told of the run, and may have had the only one by then.
        if (this.#run.live.on) this.#page.frames.open();
        return;
      case 'drawn':
        this.#page.frames.drawn();
        return;
    }
  }

  #chosen(index: number | null): void {
    this.#select = index;
    this.#tools.changed(this);
    void this.#markCall(index);
  }

  #tellChoice(index: number | null): void {
    if (this.#run !== undefined && index !== null) this.#tools.chosen(this.#run, index);
  }

  async #markCall(index: number | null): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    const place = index === null ? undefined : await placeOf(run, index);
    if (run === this.#run && this.#select === index) this.#tools.values.mark(run, place);
  }

  async #answerText(index: number): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    const { text, before } = await textsOf(run, index);
    if (run === this.#run) this.#page.post({ type: 'text', index, text, before });
  }

  async #answerCurve(): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    const curve = await this.#tools.curve(run).catch((error: unknown): PanelCurve => {
      const problem = error instanceof Error ? error.message : String(error);
      return { calls: [], points: [], problem };
    });
    if (run === this.#run) this.#page.post({ type: 'curve', runId: run.runId, curve });
  }

  async #revealCall(index: number): Promise<void> {
    const run = this.#run;
    const place = run === undefined ? undefined : await placeOf(run, index);
    if (run === undefined || place === undefined) return;
    const range = this.#tools.values.rangeOf(run, place);
    if (range === null) {
      void vscode.window.showInformationMessage('This call was changed since the run, or is not in the task any more.');
      return;
    }
    await showBeside(run, toRange(range));
    this.#tools.values.mark(run, place);
  }

  async #revealLine(line: number): Promise<void> {
    if (this.#run !== undefined) await showBeside(this.#run, new vscode.Range(line - 1, 0, line - 1, 0));
  }

  dispose(): void {
    if (this.#disposables.disposed) return;
    this.#leave();
    this.#disposables.dispose();
  }
}
