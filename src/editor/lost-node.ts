import * as vscode from 'vscode';

/** Stands for a node of a tree that was drawn anew while its menu was open: VS Code knows no longer which one it was. */
export const LOST = Symbol('lost node');

/** Said instead of doing something to another node. */
export function sayLost(): void {
  void vscode.window.showInformationMessage('The list of tasks has just changed. Choose the task once more.');
}
