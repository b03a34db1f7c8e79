import * as vscode from 'vscode';
import { Owned } from '../lifecycle.ts';
import { COMMAND } from '../names.ts';
import { verdictSymbol } from '../runs/icons.ts';
import { NOT_RUN } from '../runs/verdict.ts';
import { affects, settings } from '../settings.ts';
import { type TaskReference, taskKey } from '../tasks/reference.ts';
import { openDocument, type TaskFiles } from '../tasks/task-files.ts';
import type { Verdicts } from '../tasks/tree.ts';

/** `Run | last 0.67` above each task; `Stop` while it runs. */
export class TaskLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #owned = new Owned();
  readonly #files: TaskFiles;
  readonly #verdicts: Verdicts;
  readonly #changed = this.#owned.add(new vscode.EventEmitter<void>());

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(files: TaskFiles, verdicts: Verdicts, selector: vscode.DocumentSelector) {
    this.#files = files;
    this.#verdicts = verdicts;
    this.#owned.add(vscode.languages.registerCodeLensProvider(selector, this));
    this.#owned.add(
      files.onDidChange((uris) => {
        if (uris.some((uri) => openDocument(uri) !== undefined)) this.#changed.fire();
      }),
    );
    this.#owned.add(verdicts.onDidChangeVerdicts(() => this.#changed.fire()));
    this.#owned.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (affects(event, 'codeLens')) this.#changed.fire();
      }),
    );
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!settings.codeLens()) return [];
    // What was read may be a keystroke behind; the reading that is on its way asks for the lenses again.
    return (this.#files.get(document.uri)?.file.rows ?? [])
      .filter((row) => row.task !== null && row.range.start.line < document.lineCount)
      .flatMap((row) => {
        const { line } = row.range.start;
        const at = new vscode.Range(line, 0, line, 0);
        return this.#commands({ file: document.uri.fsPath, index: row.index, name: row.name }).map(
          (command) => new vscode.CodeLens(at, command),
        );
      });
  }

  #commands(task: TaskReference): vscode.Command[] {
    const verdict = this.#verdicts.verdict(taskKey(task)) ?? NOT_RUN;
    if (verdict.kind === 'running') {
      return [
        {
          title: '$(debug-stop) Stop',
          tooltip: `Stop the run of ${task.name}`,
          command: COMMAND.stop,
          arguments: [task],
        },
        { title: '$(loading~spin) running', tooltip: 'Show the run', command: COMMAND.openRun, arguments: [task] },
      ];
    }
    const run: vscode.Command = {
      title: '$(play) Run',
      tooltip: `Run ${task.name} with the agent it was last run with, else its solution`,
      command: COMMAND.run,
      arguments: [task],
    };
    if (verdict.kind === 'none') return [run];
    const last: vscode.Command = {
      title: `${verdictSymbol(verdict.kind)} last ${verdict.text}`,
      tooltip: 'Show the last run',
      command: COMMAND.openRun,
      arguments: [task],
    };
    return [run, last];
  }

  dispose(): void {
    this.#owned.dispose();
  }
}
