import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { firstIndexWhere } from '../../base/search.ts';
import { isActive, NOT_RUN } from '../../presentation/runs/verdict.ts';
import { type TaskReference, taskKey } from '../../presentation/tasks/reference.ts';
import type { TaskRow } from '../../tasks/rows.ts';
import { Disposable } from '../lifecycle.ts';
import { COMMAND, type CommandId } from '../names.ts';
import { onDidChangeSetting, settings } from '../settings.ts';
import type { Verdicts } from '../task-tree/tree.ts';
import { openDocument } from '../tasks/open-document.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { verdictSymbol } from '../verdict-icons.ts';

/** In a large file, only the visible tasks and this many before and after them have CodeLenses. */
const MARGIN = 100;

/** `Run | Debug | last 0.67` above each task; `Stop` while it is running. */
export class TaskCodeLenses extends Disposable implements vscode.CodeLensProvider {
  readonly #files: TaskFiles;
  readonly #verdicts: Verdicts;
  /** For each large file, the rows with CodeLenses as a half-open range. */
  readonly #shownRows = new Map<string, readonly [from: number, to: number]>();
  readonly #changeEmitter = this.register(new vscode.EventEmitter<void>());

  readonly onDidChangeCodeLenses = this.#changeEmitter.event;

  constructor(files: TaskFiles, verdicts: Verdicts, selector: vscode.DocumentSelector) {
    super();
    this.#files = files;
    this.#verdicts = verdicts;
    this.registerAll(
      vscode.languages.registerCodeLensProvider(selector, this),
      files.onDidChange((uris) => {
        if (uris.some((uri) => openDocument(uri) !== undefined)) this.#changeEmitter.fire();
      }),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor: { document } }) => {
        const shownRange = this.#shownRows.get(document.uri.toString());
        if (shownRange === undefined) return;
        const [from, to] = this.#visible(document, this.#rows(document));
        if (from < shownRange[0] || to > shownRange[1]) this.#changeEmitter.fire();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#shownRows.delete(uri.toString());
      }),
      verdicts.onDidChangeVerdicts(() => this.#changeEmitter.fire()),
      onDidChangeSetting('codeLens', () => this.#changeEmitter.fire()),
    );
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!settings.codeLens(document.uri)) return [];
    // The parsed rows may lag behind the text; the next update fires a change event.
    return this.#rowsInView(document)
      .filter((row) => row.reading !== null && row.range.start.line < document.lineCount)
      .flatMap((row) => {
        const { line } = row.range.start;
        const start = new vscode.Range(line, 0, line, 0);
        return this.#commands({ file: document.uri.fsPath, index: row.index, name: row.name }, row.label).map(
          (command) => new vscode.CodeLens(start, command),
        );
      });
  }

  #rows({ uri }: vscode.TextDocument): readonly TaskRow[] {
    return this.#files.get(uri)?.file.rows ?? [];
  }

  /** The rows with CodeLenses. VS Code requests those of the whole file after each change. */
  #rowsInView(document: vscode.TextDocument): readonly TaskRow[] {
    const rows = this.#rows(document);
    const key = document.uri.toString();
    if (rows.length <= 2 * MARGIN) {
      this.#shownRows.delete(key);
      return rows;
    }
    const [first, last] = this.#visible(document, rows);
    const shownRange = [Math.max(0, first - MARGIN), Math.min(rows.length, last + MARGIN)] as const;
    this.#shownRows.set(key, shownRange);
    return rows.slice(...shownRange);
  }

  /** The visible rows in all editors of the document, as a half-open range. */
  #visible(document: vscode.TextDocument, rows: readonly TaskRow[]): readonly [from: number, to: number] {
    const inView = vscode.window.visibleTextEditors
      .filter((editor) => editor.document === document)
      .flatMap(({ visibleRanges }) => visibleRanges);
    if (inView.length === 0) return [0, 0];
    const top = Math.min(...inView.map(({ start }) => start.line));
    const bottom = Math.max(...inView.map(({ end }) => end.line));
    return [firstRowFrom(rows, top), firstRowFrom(rows, bottom + 1)];
  }

  #commands(task: TaskReference, label: string): vscode.Command[] {
    const verdict = this.#verdicts.verdict(taskKey(task)) ?? NOT_RUN;
    const command = (id: CommandId, title: string, tooltip: string): vscode.Command => {
      return { command: id, title, tooltip, arguments: [task] };
    };
    const symbol = verdictSymbol(verdict.kind);
    if (isActive(verdict)) {
      return [
        command(COMMAND.stop, `$(debug-stop) ${l10n.t('Stop')}`, l10n.t('Stop the run of {0}', label)),
        command(COMMAND.openRun, `${symbol} ${verdict.text}`, l10n.t('Show the run')),
      ];
    }
    const runTooltip = l10n.t('Run {0} with the agent last used, otherwise its solution, otherwise manually', label);
    const debugTooltip = l10n.t('Run {0} and stop at breakpoints on its calls', label);
    const last = `${symbol} ${l10n.t('last {0}', verdict.text)}`;
    return [
      command(COMMAND.run, `$(play) ${l10n.t('Run')}`, runTooltip),
      command(COMMAND.debug, `$(debug-alt) ${l10n.t('Debug')}`, debugTooltip),
      ...(verdict.kind === 'none' ? [] : [command(COMMAND.openRun, last, l10n.t('Show the last run'))]),
    ];
  }
}

/** The index of the first row that starts at or below a line. */
function firstRowFrom(rows: readonly TaskRow[], line: number): number {
  return firstIndexWhere(rows, ({ range }) => range.start.line >= line);
}
