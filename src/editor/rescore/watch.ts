import { dirname, extname, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { plural } from '../../presentation/plural.ts';
import { type CallChanges, changesOf } from '../../presentation/rescoring/changes.ts';
import { afterEdit, valueLine } from '../../presentation/runs/call-tracking.ts';
import type { Rescored } from '../../runs/rescoring/rescorer.ts';
import { Debouncer, Disposable } from '../lifecycle.ts';
import { COLOR } from '../names.ts';
import { report } from '../report.ts';
import type { RunParts } from '../runs/runs.ts';
import { onDidChangeSetting, settings } from '../settings.ts';
import { rescoreRuns } from './rescore-runs.ts';

/** Milliseconds during which saves are collected. */
const SAVES_MS = 200;
/** Number of runs of a file to re-score at each save, newest first. */
const MAX_RUNS = 100;
/** File extensions of evaluate functions and the modules that they import. */
const FUNCTIONS = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.py']);

const COLORS: Record<CallChanges['kind'], string> = {
  changed: COLOR.changed,
  unchanged: COLOR.passed,
  undecided: COLOR.partial,
};

/** The features that re-scoring on save uses. */
export type RescoreWatchParts = Pick<RunParts, 'files' | 'history' | 'placements'>;

/** If the setting is on, re-scores the recorded runs of saved tasks and functions, and shows the changes inline. */
export class RescoreWatch extends Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #parts: RescoreWatchParts;
  readonly #savedPaths = new Set<string>();
  readonly #debouncer = this.register(new Debouncer(SAVES_MS, () => this.#rescore()));
  /** The changed calls of a file, by its path. */
  readonly #changes = new Map<string, readonly CallChanges[]>();
  readonly #endOfLine: vscode.TextEditorDecorationType;
  #ending = new AbortController();

  constructor(log: vscode.LogOutputChannel, parts: RescoreWatchParts) {
    super();
    this.#log = log;
    this.#parts = parts;
    this.#endOfLine = this.register(
      vscode.window.createTextEditorDecorationType({
        after: { margin: '0 0 0 2em' },
        rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      }),
    );
    this.registerAll(
      vscode.workspace.onDidSaveTextDocument((document) => this.#noteSave(document.uri)),
      vscode.workspace.onDidChangeTextDocument((event) => this.#handleEdit(event)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()),
      onDidChangeSetting('rescore.watch', () => {
        if (settings.rescoreWatch()) return;
        this.#ending.abort();
        this.#changes.clear();
        this.#draw();
      }),
    );
  }

  #noteSave(uri: vscode.Uri): void {
    if (uri.scheme !== 'file' || !settings.rescoreWatch() || !vscode.workspace.isTrusted) return;
    if (this.#parts.files.get(uri) === undefined && !FUNCTIONS.has(extname(uri.path))) return;
    this.#savedPaths.add(uri.fsPath);
    // The re-score in progress uses an older version.
    this.#ending.abort();
    this.#debouncer.schedule();
  }

  async #rescore(): Promise<void> {
    const savedPaths = [...this.#savedPaths];
    this.#savedPaths.clear();
    const ending = new AbortController();
    this.#ending = ending;
    const { history, placements } = this.#parts;
    await history.load();
    const isAffected = (file: string): boolean =>
      savedPaths.some(
        (path) => path === file || (FUNCTIONS.has(extname(path)) && path.startsWith(dirname(file) + sep)),
      );
    const affectedRuns = history.entries.filter(({ run, running }) => !running && isAffected(run.file));
    const files = [...new Set(affectedRuns.map(({ run }) => run.file))];
    const runs = files.flatMap((file) => affectedRuns.filter(({ run }) => run.file === file).slice(0, MAX_RUNS));
    if (runs.length === 0) return;
    const results = new Map<string, Rescored>();
    const options = { everyStep: false, signal: ending.signal };
    try {
      const progress = { location: vscode.ProgressLocation.Window, title: runsTitle(runs.length) };
      await vscode.window.withProgress(progress, () =>
        rescoreRuns(placements, runs, options, (result, { traceDir }) => {
          if (typeof result !== 'string') results.set(traceDir, result);
        }),
      );
    } catch (error) {
      if (!ending.signal.aborted) report(this.#log, l10n.t('Re-score on save'), error);
      return;
    }
    if (ending.signal.aborted) return;
    for (const file of files) {
      const inFile = runs.filter(({ run }) => run.file === file);
      const changes = [...new Set(inFile.map(({ run }) => run.task_id))].flatMap((task) =>
        changesOf(
          inFile.filter(({ run }) => run.task_id === task).flatMap(({ traceDir }) => results.get(traceDir) ?? []),
        ),
      );
      this.#changes.set(file, changes);
    }
    this.#draw();
  }

  #handleEdit({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const changes = this.#changes.get(document.uri.fsPath);
    if (changes === undefined || contentChanges.length === 0) return;
    const movedChanges = changes.flatMap((one) => {
      let range: CallChanges['range'] | null = one.range;
      for (const change of contentChanges) range = range && afterEdit(range, change);
      return range === null ? [] : [{ ...one, range }];
    });
    this.#changes.set(document.uri.fsPath, movedChanges);
    this.#draw();
  }

  #draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.scheme !== 'file') continue;
      const changes = this.#changes.get(editor.document.uri.fsPath) ?? [];
      editor.setDecorations(
        this.#endOfLine,
        changes.flatMap((one) => decoration(editor.document, one)),
      );
    }
  }

  override dispose(): void {
    this.#ending.abort();
    super.dispose();
  }
}

function runsTitle(runs: number): string {
  return plural(runs, l10n.t('Re-scoring 1 recorded run'), l10n.t('Re-scoring {0} recorded runs', runs));
}

function decoration(document: vscode.TextDocument, change: CallChanges): vscode.DecorationOptions[] {
  const { range, text, kind, reason } = change;
  if (range.end.line >= document.lineCount) return [];
  const line = valueLine(range, change.function, (at) => document.lineAt(at).text);
  const { end } = document.lineAt(line).range;
  return [
    {
      range: new vscode.Range(end, end),
      hoverMessage: new vscode.MarkdownString().appendText(`${l10n.t('Re-scored: {0}', text)}\n${reason}`),
      renderOptions: { after: { contentText: text, color: new vscode.ThemeColor(COLORS[kind]) } },
    },
  ];
}
