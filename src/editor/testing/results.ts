import * as vscode from 'vscode';
import { escapeControls } from '../../base/terminal-text.ts';
import { outcomeOf, type TestOutcome, type TestOutcomeMessage } from '../../presentation/tests/outcome.ts';
import { outputOf } from '../../presentation/tests/output.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { editorRange } from '../ranges.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { Refusal } from '../runs/preparation.ts';

/** A task of a test run. */
export interface TestResult {
  readonly testRun: vscode.TestRun;
  readonly item: vscode.TestItem;
}

/** Shows that a run has started, and its output. */
export function begin({ testRun, item }: TestResult, run: LiveRun): void {
  testRun.started(item);
  // The Testing view has no state for a paused run; the icon of a queued one does not spin.
  run.onPause(() => (run.paused ? testRun.enqueued(item) : testRun.started(item)));
  testRun.token.onCancellationRequested(() => run.cancel());
  run.onEvent((event) => {
    for (const line of outputOf(event)) writeLine({ testRun, item }, line);
  });
}

/** Writes a line to the output of a test run, which VS Code shows in a terminal. */
export function writeLine({ testRun, item }: TestResult, line: string): void {
  testRun.appendOutput(`${escapeControls(line)}\r\n`, undefined, item);
}

/** Sets the result of a task. */
export function conclude(
  { testRun, item }: TestResult,
  { kind, messages }: Pick<TestOutcome, 'kind' | 'messages'>,
  durationMs?: number,
): void {
  const testMessages = messages.map(testMessage);
  if (kind === 'passed') testRun.passed(item, durationMs);
  else if (kind === 'failed') testRun.failed(item, testMessages, durationMs);
  else if (kind === 'errored') testRun.errored(item, testMessages, durationMs);
  else testRun.skipped(item);
}

/** Sets the result of a task whose run has ended. */
export function concludeRun(result: TestResult, { task, record }: LiveRun, changes: Partial<TestOutcome> = {}): void {
  if (record !== null) conclude(result, { ...outcomeOf(task, record), ...changes }, record.duration_ms);
}

/** Shows why a task cannot run as its result. */
export function refuse({ testRun, item }: TestResult, { file, range, message }: Refusal): void {
  testRun.errored(item, testMessage({ text: withoutCodeMarks(message), file, range, compared: null }));
}

function testMessage({ text, file, range, compared }: TestOutcomeMessage): vscode.TestMessage {
  const message =
    compared === null
      ? new vscode.TestMessage(text)
      : vscode.TestMessage.diff(text, compared.expected, compared.actual);
  if (range !== null) message.location = new vscode.Location(vscode.Uri.file(file), editorRange(range));
  return message;
}
