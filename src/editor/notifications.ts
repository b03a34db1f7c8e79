import * as vscode from 'vscode';
import { plainMessage } from '../presentation/plain-text.ts';

/** Shows a message with buttons, and returns the selected one. Options can precede the buttons. */
type Show = (message: string, ...rest: (vscode.MessageOptions | string)[]) => Thenable<string | undefined>;

/**
 * `show` without links to commands and control characters, because messages contain text of tasks, agents, and pages.
 */
function plain(show: (...args: Parameters<Show>) => unknown): Show {
  return (message, ...rest) => {
    const [options] = rest;
    const detail = typeof options === 'object' ? options.detail : undefined;
    const plainRest =
      detail === undefined ? rest : [{ ...(options as object), detail: plainMessage(detail) }, ...rest.slice(1)];
    return show(plainMessage(message), ...plainRest) as ReturnType<Show>;
  };
}

// The functions of `vscode.window` are read at each call because tests replace them.
export const showInformation = plain((...args) => vscode.window.showInformationMessage(...(args as [string])));
export const showWarning = plain((...args) => vscode.window.showWarningMessage(...(args as [string])));
export const showError = plain((...args) => vscode.window.showErrorMessage(...(args as [string])));

/** Shows a message with a button, and calls `act` if the user selects it, which may be hours later. */
export async function offer(show: Show, message: string, button: string, act: () => unknown): Promise<void> {
  if ((await show(message, button)) === button) await act();
}

/** As `offer`, with a button that executes a command. */
export function offerCommand(show: Show, message: string, button: string, ...command: [string, ...unknown[]]): void {
  void offer(show, message, button, () => vscode.commands.executeCommand(...command));
}

/** Asks in a dialog whether to do what the button says. */
export async function confirm(show: Show, question: string, detail: string, button: string): Promise<boolean> {
  return (await show(question, { modal: true, detail }, button)) === button;
}
