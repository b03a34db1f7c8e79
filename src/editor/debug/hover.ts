import * as vscode from 'vscode';
import { callAt } from '../../debugger/call-locations.ts';
import { printCall } from '../../tasks/print.ts';
import { editorRange } from '../ranges.ts';
import type { TaskFiles } from '../tasks/task-files.ts';

/** While a run is stopped, hovering over an evaluate call evaluates it on the current page. */
export class CallHovers implements vscode.EvaluatableExpressionProvider {
  readonly #files: TaskFiles;

  constructor(files: TaskFiles) {
    this.#files = files;
  }

  provideEvaluatableExpression(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): vscode.EvaluatableExpression | undefined {
    const file = this.#files.get(document.uri)?.file;
    const located = file === undefined ? undefined : callAt(file, position.line, position.character);
    if (located === undefined || located.phase !== 'evaluate') return undefined;
    const range = editorRange(located.call.range);
    return range.contains(position) ? new vscode.EvaluatableExpression(range, printCall(located.call)) : undefined;
  }
}
