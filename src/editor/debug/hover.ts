import * as vscode from 'vscode';
import { callAt } from '../../debugger/call-locations.ts';
import { printCall } from '../../tasks/print.ts';
import { editorRange } from '../ranges.ts';
import type { TaskFiles } from '../tasks/task-files.ts';

/** While a run is stopped, hovering over an evaluate call evaluates it on the current page. */
export function provideCallExpression(
  files: TaskFiles,
  document: vscode.TextDocument,
  position: vscode.Position,
): vscode.EvaluatableExpression | undefined {
  const file = files.get(document.uri)?.file;
  const location = file && callAt(file, position.line, position.character);
  if (location?.phase !== 'evaluate') return undefined;
  const range = editorRange(location.call.range);
  return range.contains(position) ? new vscode.EvaluatableExpression(range, printCall(location.call)) : undefined;
}
