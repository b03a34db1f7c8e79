import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type OwnTask, ownTaskId, ownTaskPrompt } from '../../language/actions/own-task.ts';
import { MAX_SIBLINGS, type TaskSummary, taskCount } from '../tasks/model.ts';

/** A node below a task: its environment's own tasks. */
export type OwnNode =
  | { readonly kind: 'split'; readonly owner: TaskSummary; readonly split: string; readonly count: number }
  /** Some tasks of a split with too many to list. */
  | {
      readonly kind: 'ownRange';
      readonly owner: TaskSummary;
      readonly split: string;
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: 'ownTask'; readonly owner: TaskSummary; readonly own: OwnTask }
  /** Why there are none. */
  | { readonly kind: 'ownNote'; readonly owner: TaskSummary; readonly text: string };

export function isOwnNode(node: { readonly kind: string }): node is OwnNode {
  return ['split', 'ownRange', 'ownTask', 'ownNote'].includes(node.kind);
}

/** The parts of a split that are read at once. */
export function rangesOf({ owner, split, count }: Extract<OwnNode, { kind: 'split' }>): OwnNode[] {
  return Array.from({ length: Math.ceil(count / MAX_SIBLINGS) }, (_, at) => {
    const from = at * MAX_SIBLINGS;
    return { kind: 'ownRange', owner, split, from, to: Math.min(from + MAX_SIBLINGS, count) };
  });
}

export function ownItem(node: OwnNode, id: (node: OwnNode) => string): vscode.TreeItem {
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const opens = node.kind === 'split' || node.kind === 'ownRange';
  const item = new vscode.TreeItem(labelOf(node), opens ? Collapsed : None);
  item.id = id(node);
  item.contextValue = node.kind;
  if (node.kind === 'split') item.description = taskCount(node.count);
  if (node.kind === 'split') item.iconPath = new vscode.ThemeIcon('list-unordered');
  if (node.kind === 'ownNote') item.iconPath = new vscode.ThemeIcon('info');
  if (node.kind === 'ownTask') {
    const prompt = ownTaskPrompt(node.own);
    item.iconPath = new vscode.ThemeIcon('circle-outline');
    item.description = prompt ?? '';
    item.tooltip = new vscode.MarkdownString().appendCodeblock(JSON.stringify(node.own.task, null, 2), 'json');
    item.accessibilityInformation = { label: l10n.t('task of the environment {0}', labelOf(node)) };
  }
  return item;
}

export function ownId(node: OwnNode): string {
  const { owner } = node;
  const base = `own:${owner.file}#${owner.name}`;
  switch (node.kind) {
    case 'split':
      return `${base}:${node.split}`;
    case 'ownRange':
      return `${base}:${node.split}:${node.from}-`;
    case 'ownTask':
      return `${base}:${node.own.split}:${node.own.index}`;
    case 'ownNote':
      return `${base}:note`;
  }
}

function labelOf(node: OwnNode): string {
  switch (node.kind) {
    case 'split':
      return node.split;
    case 'ownRange':
      return `${node.from}–${node.to - 1}`;
    case 'ownTask':
      return ownTaskId(node.own);
    case 'ownNote':
      return node.text;
  }
}
