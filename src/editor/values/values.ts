import * as vscode from 'vscode';
import type { Range } from '../../base/range.ts';
import {
  afterEdit,
  type CallPosition,
  callPositions,
  contains,
  lineText,
  matchCalls,
  type Outcome,
  outcomeOf,
  valueLine,
} from '../../presentation/runs/call-tracking.ts';
import type { ReadableRun } from '../../presentation/runs/readable-run.ts';
import { findRow, referenceTo, taskKey } from '../../presentation/tasks/reference.ts';
import { isSameCall } from '../../tasks/same-call.ts';
import type { Call } from '../../tasks/task.ts';
import { Disposable } from '../lifecycle.ts';
import { COLOR } from '../names.ts';
import { editorRange } from '../ranges.ts';
import type { LiveRun } from '../runs/live-run.ts';
import { onDidChangeSetting, settings } from '../settings.ts';
import type { TaskFiles } from '../tasks/task-files.ts';

interface TrackedCall extends CallPosition {
  /** As in the task, and after its step as it was executed: a debugger may have changed its arguments. */
  call: Call;
  /** Null if the call was edited since, or is no longer in the file. */
  range: Range | null;
  outcome: Outcome | null;
}

interface TrackedRun {
  readonly run: ReadableRun;
  readonly uri: vscode.Uri;
  readonly calls: readonly TrackedCall[];
  stop(): void;
}

const COLORS: Record<Outcome['kind'], vscode.ThemeColor> = {
  passed: new vscode.ThemeColor(COLOR.passed),
  partial: new vscode.ThemeColor(COLOR.partial),
  failed: new vscode.ThemeColor(COLOR.failed),
  error: new vscode.ThemeColor(COLOR.failed),
};

/**
 * Tracks the positions of the calls of shown runs in their task files through edits, and shows their inline values. The
 * run of a task that was shown last provides the values.
 */
export class CallValues extends Disposable {
  readonly #files: TaskFiles;
  readonly #trackedRuns = new Map<ReadableRun, TrackedRun>();
  readonly #shownRuns = new Map<string, ReadableRun>();
  readonly #movedEmitter = this.register(new vscode.EventEmitter<ReadableRun>());
  readonly #endOfLine: vscode.TextEditorDecorationType;
  readonly #mark: vscode.TextEditorDecorationType;
  #highlight: { readonly run: ReadableRun; readonly position: CallPosition } | undefined;

  /** Calls of a run moved to other lines. */
  readonly onDidMove = this.#movedEmitter.event;

  constructor(files: TaskFiles) {
    super();
    this.#files = files;
    this.#endOfLine = this.register(
      vscode.window.createTextEditorDecorationType({
        after: { margin: '0 0 0 2em', fontStyle: 'italic' },
        rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      }),
    );
    this.#mark = this.register(
      vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        backgroundColor: new vscode.ThemeColor(COLOR.selectedBackground),
        borderColor: new vscode.ThemeColor(COLOR.selectedBorder),
        borderStyle: 'solid',
        borderWidth: '0 0 0 3px',
        overviewRulerColor: new vscode.ThemeColor(COLOR.selectedBorder),
        overviewRulerLane: vscode.OverviewRulerLane.Center,
      }),
    );
    this.registerAll(
      vscode.workspace.onDidChangeTextDocument((event) => this.#handleEdit(event)),
      files.onDidChange((uris) => this.#handleRead(uris)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()),
      onDidChangeSetting('inlineValues', () => this.#draw()),
    );
  }

  /** Tracks a run's calls and shows its values instead of those of another run of the task. */
  async track(run: ReadableRun): Promise<void> {
    const key = taskKey(referenceTo(run.task));
    const before = this.#shownRuns.get(key);
    this.#shownRuns.set(key, run);
    if (before !== undefined && before !== run) this.#drop(before);
    if (this.#trackedRuns.has(run)) return;
    const calls = [...callsOf('setup', run.task.setup), ...callsOf('evaluate', run.task.evaluate)];
    const stop = isLive(run) ? run.onEvent((event) => event.type === 'step' && void this.#evaluate(run)) : () => {};
    const trackedRun: TrackedRun = { run, uri: vscode.Uri.file(run.task.file), calls, stop };
    this.#trackedRuns.set(run, trackedRun);
    this.#locate(trackedRun);
    await this.#evaluate(run);
  }

  /** No panel shows the run anymore; its values stay until another run of the task has some. */
  release(run: ReadableRun): void {
    if (this.#highlight?.run === run) this.mark(run, undefined);
    if (this.#shownRuns.get(taskKey(referenceTo(run.task))) !== run) this.#drop(run);
  }

  #drop(run: ReadableRun): void {
    this.#trackedRuns.get(run)?.stop();
    this.#trackedRuns.delete(run);
  }

  /** The current range of a call; null if it was edited since. */
  rangeOf(run: ReadableRun, callPosition: CallPosition): Range | null {
    return this.#call(run, callPosition)?.range ?? null;
  }

  /** The call of a run at a position. */
  callAt(run: ReadableRun, uri: vscode.Uri, position: vscode.Position): CallPosition | undefined {
    const trackedRun = this.#trackedRuns.get(run);
    if (trackedRun === undefined || trackedRun.uri.toString() !== uri.toString()) return undefined;
    return trackedRun.calls.find(({ range }) => range !== null && contains(range, position));
  }

  /** Highlights only this call in the editors of its file; undefined removes the highlight. */
  mark(run: ReadableRun, callPosition: CallPosition | undefined): void {
    this.#highlight = callPosition === undefined ? undefined : { run, position: callPosition };
    this.#draw();
    const range = callPosition === undefined ? null : this.rangeOf(run, callPosition);
    if (range === null) return;
    for (const editor of editorsOf(vscode.Uri.file(run.task.file))) {
      editor.revealRange(editorRange(range), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  #call(run: ReadableRun, { source, ordinal }: CallPosition): TrackedCall | undefined {
    return this.#trackedRuns.get(run)?.calls.find((call) => call.source === source && call.ordinal === ordinal);
  }

  async #evaluate(run: ReadableRun): Promise<void> {
    const steps = await run.steps();
    let isOther = false;
    for (const [index, callPosition] of callPositions(steps).entries()) {
      const step = steps[index];
      const call = callPosition === undefined ? undefined : this.#call(run, callPosition);
      if (call === undefined || step === undefined) continue;
      call.outcome = outcomeOf(step);
      if (step.call === undefined || isSameCall(step.call, call.call)) continue;
      call.call = step.call;
      isOther = true;
    }
    const trackedRun = this.#trackedRuns.get(run);
    if (isOther && trackedRun !== undefined) this.#locate(trackedRun);
    this.#draw();
  }

  /** Finds the run's calls in the last parsed version of the file, if there is one. */
  #locate(trackedRun: TrackedRun): void {
    const knownFile = this.#files.get(trackedRun.uri);
    if (knownFile === undefined) return;
    const task = findRow(knownFile.file.rows, referenceTo(trackedRun.run.task))?.task;
    if (task === null || task === undefined) return;
    const recordedCalls = (phase: CallPosition['source']) =>
      trackedRun.calls.filter(({ source }) => source === phase).map(({ call }) => call);
    const ranges = [
      ...matchCalls(recordedCalls('setup'), task.setup),
      ...matchCalls(recordedCalls('evaluate'), task.evaluate),
    ];
    this.#move(trackedRun, ranges);
  }

  #move(trackedRun: TrackedRun, ranges: readonly (Range | null)[]): void {
    const lines = trackedRun.calls.map(({ range }) => range?.start.line);
    for (const [index, call] of trackedRun.calls.entries()) call.range = ranges[index] ?? null;
    if (trackedRun.calls.some(({ range }, index) => range?.start.line !== lines[index]))
      this.#movedEmitter.fire(trackedRun.run);
  }

  #handleRead(uris: readonly vscode.Uri[]): void {
    for (const uri of uris) {
      const knownFile = this.#files.get(uri);
      const document = editorsOf(uri)[0]?.document;
      // The document has changed since: the edits were tracked, and the next version follows.
      if (knownFile === undefined || (document !== undefined && document.version !== knownFile.version)) continue;
      for (const trackedRun of this.#of(uri)) this.#locate(trackedRun);
    }
    if (uris.length > 0) this.#draw();
  }

  #handleEdit({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) return;
    const affectedRuns = this.#of(document.uri);
    for (const trackedRun of affectedRuns) {
      const ranges = trackedRun.calls.map(({ range }) =>
        contentChanges.reduce<Range | null>((at, change) => (at === null ? null : afterEdit(at, change)), range),
      );
      this.#move(trackedRun, ranges);
    }
    if (affectedRuns.length > 0) this.#draw();
  }

  #of(uri: vscode.Uri): readonly TrackedRun[] {
    return [...this.#trackedRuns.values()].filter((tracked) => tracked.uri.toString() === uri.toString());
  }

  #draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.scheme !== 'file') continue;
      const trackedRuns = this.#of(editor.document.uri);
      const shownTracked = trackedRuns.filter(({ run }) => this.#shownRuns.get(taskKey(referenceTo(run.task))) === run);
      editor.setDecorations(
        this.#endOfLine,
        settings.inlineValues(editor.document.uri) ? this.#values(editor.document, shownTracked) : [],
      );
      const highlight = trackedRuns.some(({ run }) => run === this.#highlight?.run) ? this.#highlight : undefined;
      const range = highlight === undefined ? null : this.rangeOf(highlight.run, highlight.position);
      editor.setDecorations(this.#mark, range === null ? [] : [editorRange(range)]);
    }
  }

  #values(document: vscode.TextDocument, trackedRuns: readonly TrackedRun[]): vscode.DecorationOptions[] {
    const lines = new Map<number, Outcome[]>();
    for (const { range, outcome, call } of trackedRuns.flatMap(({ calls }) => calls)) {
      if (range === null || outcome === null || range.end.line >= document.lineCount) continue;
      const line = valueLine(range, call.function, (at) => document.lineAt(at).text);
      lines.set(line, [...(lines.get(line) ?? []), outcome]);
    }
    return [...lines].map(([line, outcomes]) => {
      const worst = outcomes.find(({ kind }) => kind !== 'passed') ?? outcomes[0];
      const end = document.lineAt(line).range.end;
      const reasons = outcomes.map(({ mark, reason }) => (reason === '' ? mark : `${mark}  ${reason}`));
      return {
        range: new vscode.Range(end, end),
        hoverMessage: new vscode.MarkdownString().appendText(reasons.join('\n')),
        renderOptions: {
          after: { contentText: outcomes.map(lineText).join(' · '), color: COLORS[worst?.kind ?? 'passed'] },
        },
      };
    });
  }

  override dispose(): void {
    for (const { stop } of this.#trackedRuns.values()) stop();
    super.dispose();
  }
}

function callsOf(source: CallPosition['source'], calls: readonly Call[]): TrackedCall[] {
  return calls.map((call, ordinal) => ({ source, ordinal, call, range: call.range, outcome: null }));
}

function isLive(run: ReadableRun): run is LiveRun {
  return 'onEvent' in run;
}

export function editorsOf(uri: vscode.Uri): readonly vscode.TextEditor[] {
  const key = uri.toString();
  return vscode.window.visibleTextEditors.filter((editor) => editor.document.uri.toString() === key);
}
