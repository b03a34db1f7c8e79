import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AgentKind } from '../../agents/agent-kind.ts';
import { AGENT_KINDS } from '../../agents/registry.ts';
import { agentLabel } from '../../presentation/labels.ts';
import { solutionAgent } from '../../runs/solutions/solution-agent.ts';
import { solutionName, solutionPath } from '../../runs/solutions/solution-file.ts';
import { taskLabel } from '../../tasks/label.ts';
import { taskName } from '../../tasks/name.ts';
import type { Task } from '../../tasks/task.ts';
import { showFile } from '../columns.ts';
import { showError } from '../notifications.ts';
import { SOLUTION, solutionDraft } from './agents.ts';

interface Choice extends vscode.QuickPickItem {
  /** Resolves with the agent; undefined if the user cancelled. */
  readonly choose?: () => Promise<string | undefined> | string;
}

/** Asks which agent to run a task with. Undefined: the user cancelled, or writes a solution first. */
export async function pickAgent(task: Task, last: string | undefined): Promise<string | undefined> {
  const solution = solutionAgent(task);
  const file = solution?.startsWith('replay:') === true ? solution.slice('replay:'.length) : null;
  const choices: Choice[] = [];
  if (last !== undefined && last !== solution) {
    choices.push(choiceOf('history', agentLabel(last), l10n.t('Last used for this task'), () => last));
  }
  if (file !== null && solution !== null) {
    choices.push(choiceOf('lightbulb', l10n.t('Solution'), basename(file), () => solution));
  }
  const immediate = AGENT_KINDS.filter(
    ({ name, argument, isOfferedFor }) => argument === null && name !== last && isOfferedFor?.(task.env) !== false,
  );
  choices.push(
    ...immediate.map((kind) => choiceOfKind(kind, task.file, last)),
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    ...AGENT_KINDS.filter(({ argument }) => argument !== null).map((kind) => choiceOfKind(kind, task.file, last)),
  );
  if (file === null && solutionPath(task) !== null) {
    choices.push(
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      choiceOf('edit', l10n.t('Write a Solution'), solutionName(taskName(task)), async () => {
        await openSolution(task);
        return undefined;
      }),
    );
  }
  return await pick(choices, l10n.t('Run {0}', taskLabel(task)));
}

/** Asks which agent to run several tasks with. `near`: the file of one of them. `title`: what the agent is asked for. */
export async function pickAgentOfMany(nearPath: string | undefined, title: string): Promise<string | undefined> {
  const choices: Choice[] = [
    choiceOf('lightbulb', l10n.t('Solution'), l10n.t('The solution of each task'), () => SOLUTION),
    ...AGENT_KINDS.filter(({ forManyTasks }) => forManyTasks).map((kind) =>
      choiceOfKind(kind, nearPath ?? '', undefined),
    ),
  ];
  return await pick(choices, title);
}

async function pick(choices: readonly Choice[], title: string): Promise<string | undefined> {
  const options = { title, placeHolder: l10n.t('Select an agent'), matchOnDescription: true };
  return await (await vscode.window.showQuickPick(choices, options))?.choose?.();
}

/** Opens the task's solution, and creates a draft if there is none. */
export async function openSolution(task: Task): Promise<void> {
  const path = solutionPath(task);
  if (path === null) {
    void showError(noSolutionPath(task));
    return;
  }
  if (!existsSync(path)) await writeFile(path, solutionDraft(task.prompt), { flag: 'wx' });
  const editor = await showFile(vscode.Uri.file(path));
  const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
  editor.selection = new vscode.Selection(end, end);
}

/** Why a task cannot have a solution file. */
export function noSolutionPath(task: Task): string {
  return l10n.t(
    'The id “{0}” is not a valid file name. Remove / and \\ from the id to save a solution.',
    taskName(task),
  );
}

/** `near`: a file next to which file dialogs open. `last`: the agent whose command is offered again. */
function choiceOfKind(kind: AgentKind, nearPath: string, last: string | undefined): Choice {
  return choiceOf(kind.icon, kind.label, kind.description, () => complete(kind, nearPath, last));
}

function choiceOf(icon: string, label: string, description: string, choose: NonNullable<Choice['choose']>): Choice {
  return { label: `$(${icon}) ${label}`, description, choose };
}

/** Asks for the argument of an agent, if it takes one. */
async function complete({ name, argument }: AgentKind, nearPath: string, last: string | undefined) {
  if (argument === null) return name;
  if (argument.type === 'file') {
    const uris = await vscode.window.showOpenDialog({
      defaultUri: vscode.Uri.file(dirname(nearPath)),
      filters: argument.filters,
      openLabel: l10n.t('Run'),
      title: argument.title,
    });
    const path = uris?.[0]?.fsPath;
    return path === undefined ? undefined : `${name}:${path}`;
  }
  const command = await vscode.window.showInputBox({
    title: argument.title,
    prompt: argument.prompt,
    placeHolder: argument.placeholder,
    value: last?.startsWith(`${name}:`) ? last.slice(name.length + 1) : '',
    validateInput: (value) => (value.trim() === '' ? l10n.t('Enter a program and its arguments.') : undefined),
  });
  return command === undefined ? undefined : `${name}:${command.trim()}`;
}
