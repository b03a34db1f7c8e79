import * as vscode from 'vscode';
import { COMMAND } from './names.ts';

/** Codes of errors whose way out is one click. */
const WAYS_OUT: Readonly<Record<string, { readonly label: string; readonly command: string }>> = {
  browser_missing: { label: 'Download a Browser', command: COMMAND.downloadBrowser },
};

/** An error whose message is written for people: ours carry a stable code. */
export function isExpected(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error === false;
}

/** Tells the person what went wrong: an expected failure in its own words, anything else with the way to the log. */
export function report(log: vscode.LogOutputChannel, doing: string, error: unknown): void {
  if (isExpected(error)) {
    log.warn(`${doing}: ${error.message} [${error.code}]`);
    offer(error.message, error.code);
    return;
  }
  log.error(`${doing}:`, error instanceof Error ? error : String(error));
  const message = error instanceof Error ? error.message : String(error);
  void vscode.window.showErrorMessage(`${doing} failed: ${message}`, 'Show Log').then((choice) => {
    if (choice !== undefined) log.show();
  });
}

/** Shows a message for people, with a button where its code has a way out. */
export function offer(message: string, code: string): void {
  const way = WAYS_OUT[code];
  void vscode.window.showErrorMessage(message, ...(way === undefined ? [] : [way.label])).then((choice) => {
    if (choice !== undefined && way !== undefined) void vscode.commands.executeCommand(way.command);
  });
}
