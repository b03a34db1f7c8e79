import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { COMMAND, type CommandId } from './names.ts';
import { offer, showError } from './notifications.ts';

interface Remedy {
  readonly label: string;
  /** `runLocally`: what the caller does. */
  readonly action: CommandId | 'runLocally';
}

const RUN_LOCALLY: Remedy = { label: l10n.t('Run on This Machine'), action: 'runLocally' };
const BUILD_LOG: Remedy = { label: l10n.t('Show Build Log'), action: COMMAND.showBuildLog };
const DOCTOR: Remedy = { label: l10n.t('Doctor'), action: COMMAND.doctor };

/** The buttons that an error message offers, by error code. */
const REMEDIES: Readonly<Record<string, readonly Remedy[]>> = {
  browser_missing: [{ label: l10n.t('Download Browser'), action: COMMAND.downloadBrowser }, DOCTOR],
  docker_missing: [RUN_LOCALLY, DOCTOR],
  image_build_failed: [BUILD_LOG, RUN_LOCALLY],
  container_start_failed: [RUN_LOCALLY, DOCTOR],
};

/** Whether the message for an error code offers a button. */
export function hasRemedy(code: string): boolean {
  return code in REMEDIES;
}

/** Whether the message of an error is written for users. Such errors carry a stable code. */
export function isExpected(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && !('syscall' in error);
}

/** Shows and logs an error. An unexpected one offers the log. `runLocally`: runs the task on this machine instead. */
export function report(log: vscode.LogOutputChannel, doing: string, error: unknown, runLocally?: () => void): void {
  if (isExpected(error)) {
    log.warn(`${doing}: ${error.message} [${error.code}]`);
    showErrorWithActions(error.message, error.code, runLocally);
    return;
  }
  log.error(`${doing}:`, error);
  const message = error instanceof Error ? error.message : String(error);
  void offer(showError, l10n.t('{0} failed: {1}', doing, message), l10n.t('Show Log'), () => log.show());
}

/** Shows an error message with the buttons for its code. */
export function showErrorWithActions(message: string, code: string, runLocally?: () => void): void {
  const buttons = (REMEDIES[code] ?? []).flatMap(({ label, action }) => {
    const act = action === 'runLocally' ? runLocally : () => vscode.commands.executeCommand(action);
    return act === undefined ? [] : [{ label, act }];
  });
  void showError(message, ...buttons.map(({ label }) => label)).then((choice) =>
    buttons.find(({ label }) => label === choice)?.act(),
  );
}
