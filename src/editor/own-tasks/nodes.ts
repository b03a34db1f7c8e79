import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type OwnTask, ownTaskId, ownTaskPrompt } from '../../language/actions/own-task.ts';
import { joinTexts } from '../../presentation/plain-text.ts';
import { isActive, type RunVerdict } from '../../presentation/runs/verdict.ts';
import { MAX_SIBLINGS, type TaskSummary, taskCount } from '../../presentation/tasks/model.ts';
import type { TaskReference } from '../../presentation/tasks/reference.ts';
import { verdictIcon } from '../verdict-icons.ts';

/** A node below a task: its environment's own tasks. */
export type OwnNode = { readonly owner: TaskSummary } & (
  | { readonly kind: 'split'; readonly environment: string; readonly split: string; readonly count: number }
  /** Some tasks of a split with too many to list. */
  | {
      readonly kind: 'ownRange';
      readonly environment: string;
      readonly split: string;
      readonly from: number;
      readonly to: number;
    }
  /** `task` names it in the file of `owner`, where no row has this name. */
  | { readonly kind: 'ownTask'; readonly own: OwnTask; readonly task: TaskReference }
  /** Why there are no tasks. */
  | { readonly kind: 'ownNote'; readonly text: string }
);

export function isOwnNode(node: { readonly kind: string }): node is OwnNode {
  return ['split', 'ownRange', 'ownTask', 'ownNote'].includes(node.kind);
}

/** The parts of a split, each of which is read in one request. */
export function rangesOf({ owner, environment, split, count }: Extract<OwnNode, { kind: 'split' }>): OwnNode[] {
  return Array.from({ length: Math.ceil(count / MAX_SIBLINGS) }, (_, at) => {
    const from = at * MAX_SIBLINGS;
    return { kind: 'ownRange', owner, environment, split, from, to: Math.min(from + MAX_SIBLINGS, count) };
  });
}

/** @param verdictOf the result of the last run of a task */
export function ownItem(
  node: OwnNode,
  id: (node: OwnNode) => string,
  verdictOf: (task: TaskReference) => RunVerdict,
): vscode.TreeItem {
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const opens = node.kind === 'split' || node.kind === 'ownRange';
  const item = new vscode.TreeItem(labelOf(node), opens ? Collapsed : None);
  item.id = id(node);
  item.contextValue = node.kind;
  if (node.kind === 'split') item.description = taskCount(node.count);
  if (node.kind === 'split') item.iconPath = new vscode.ThemeIcon('list-unordered');
  if (node.kind === 'ownNote') item.iconPath = new vscode.ThemeIcon('info');
  if (node.kind === 'ownTask') {
    const verdict = verdictOf(node.task);
    item.iconPath = verdictIcon(verdict.kind);
    item.contextValue = `ownTask ${isActive(verdict) ? 'running' : 'idle'}`;
    item.description = joinTexts([verdict.text, ownTaskPrompt(node.own) ?? ''], ' · ');
    item.tooltip = new vscode.MarkdownString().appendCodeblock(JSON.stringify(node.own.task, null, 2), 'json');
    const label = l10n.t('task of the environment {0}', labelOf(node));
    item.accessibilityInformation = { label: `${label}, ${verdict.accessibleText}` };
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
