import * as vscode from 'vscode';
import { COMMAND } from './names.ts';

interface Remedy {
  readonly label: string;
  /** What the button does: a command, or what whoever tells of the error can do about it. */
  readonly act: string | keyof RemedyHandlers;
}

/** What somebody who tells of an error can do about it. */
export interface RemedyHandlers {
  readonly runLocally?: () => void;
}

const RUN_LOCALLY: Remedy = { label: 'Run on This Machine', act: 'runLocally' };
const BUILD_LOG: Remedy = { label: 'Show Build Log', act: COMMAND.showBuildLog };
const DOCTOR: Remedy = { label: 'Doctor', act: COMMAND.doctor };

/** Codes of errors whose way out is one click. */
const REMEDIES: Readonly<Record<string, readonly Remedy[]>> = {
  browser_missing: [{ label: 'Download a Browser', act: COMMAND.downloadBrowser }, DOCTOR],
  docker_missing: [RUN_LOCALLY, DOCTOR],
  image_build_failed: [BUILD_LOG, RUN_LOCALLY],
  container_start_failed: [RUN_LOCALLY, DOCTOR],
};

/** Whether something can be done about an error with one click. */
export function hasRemedy(code: string): boolean {
  return code in REMEDIES;
}

/** An error whose message is written for people: ours carry a stable code. */
export function isExpected(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error === false;
}

/** Tells the person what went wrong: an expected failure in its own words, anything else with the way to the log. */
export function report(log: vscode.LogOutputChannel, doing: string, error: unknown, offers: RemedyHandlers = {}): void {
  if (isExpected(error)) {
    log.warn(`${doing}: ${error.message} [${error.code}]`);
    offer(error.message, error.code, offers);
    return;
  }
  log.error(`${doing}:`, error instanceof Error ? error : String(error));
  const message = error instanceof Error ? error.message : String(error);
  void vscode.window.showErrorMessage(`${doing} failed: ${message}`, 'Show Log').then((choice) => {
    if (choice !== undefined) log.show();
  });
}

/** Shows a message for people, with a button for each way out of its code. */
export function offer(message: string, code: string, offers: RemedyHandlers = {}): void {
  const ways = (REMEDIES[code] ?? []).flatMap(({ label, act }) => {
    const own = act in offers ? offers[act as keyof RemedyHandlers] : undefined;
    if (own !== undefined) return [{ label, go: own }];
    return act === 'runLocally' ? [] : [{ label, go: () => void vscode.commands.executeCommand(act) }];
  });
  void vscode.window.showErrorMessage(message, ...ways.map(({ label }) => label)).then((choice) => {
    ways.find(({ label }) => label === choice)?.go();
  });
}
