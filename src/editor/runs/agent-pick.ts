import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { solutionOf, solutionPath } from '../../runs/solutions/solution-file.ts';
import { taskName } from '../../tasks/name.ts';
import type { Task } from '../../tasks/task.ts';
import { columnFor } from '../columns.ts';
import { agentLabel, MANUAL, SOLUTION, solutionDraft } from './agents.ts';

interface Choice extends vscode.QuickPickItem {
  /** Gives the agent, or undefined where the person went another way. */
  readonly take?: () => Promise<string | undefined> | string;
}

/** Asks which agent a task is to be run with. Undefined: the person left, or writes a solution first. */
export async function pickAgent(task: Task, last: string | undefined): Promise<string | undefined> {
  const solution = solutionOf(task);
  const choices: Choice[] = [];
  const solutionAgent = solution === null ? undefined : `replay:${solution}`;
  if (last !== undefined && last !== solutionAgent) {
    choices.push({ label: `$(history) ${agentLabel(last)}`, description: 'last used for this task', take: () => last });
  }
  if (solution !== null && solutionAgent !== undefined) {
    choices.push({ label: `$(lightbulb) Solution`, description: basename(solution), take: () => solutionAgent });
  }
  if (last !== MANUAL) {
    choices.push({ label: '$(person) By Hand', description: 'you, with mouse and keys', take: () => MANUAL });
  }
  choices.push(
    {
      label: '$(circle-slash) No-op',
      description: 'ends at once: what is the reward of doing nothing?',
      take: () => 'noop',
    },
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    {
      label: '$(list-ordered) Replay…',
      description: 'actions from a file, one a line',
      take: () => askFile(task, 'replay', { Actions: ['actions'], 'All files': ['*'] }),
    },
    {
      label: '$(symbol-function) Module…',
      description: 'a function of yours in JavaScript or TypeScript',
      take: () => askFile(task, 'module', { Agents: ['ts', 'mts', 'js', 'mjs'] }),
    },
    {
      label: '$(terminal) Process…',
      description: 'a program in any language that speaks JSON lines',
      take: () => askCommand(last),
    },
  );
  if (solution === null && solutionPath(task) !== null) {
    choices.push(
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      {
        label: '$(edit) Write a Solution',
        description: `${taskName(task)}.actions`,
        take: async () => {
          await openSolution(task);
          return undefined;
        },
      },
    );
  }
  const picked = await vscode.window.showQuickPick(choices, {
    title: `Run ${taskName(task)}`,
    placeHolder: 'Which agent should do the task?',
    matchOnDescription: true,
  });
  return await picked?.take?.();
}

/** Asks which agent several tasks are to be run with; `near`: the file of one of them. */
export async function pickAgentOfMany(near: string | undefined): Promise<string | undefined> {
  const choices: Choice[] = [
    { label: '$(lightbulb) Solution', description: 'of each task', take: () => SOLUTION },
    {
      label: '$(circle-slash) No-op',
      description: 'ends at once: what is the reward of doing nothing?',
      take: () => 'noop',
    },
    {
      label: '$(symbol-function) Module…',
      description: 'a function of yours in JavaScript or TypeScript',
      take: () => askFile({ file: near ?? '' }, 'module', { Agents: ['ts', 'mts', 'js', 'mjs'] }),
    },
    {
      label: '$(terminal) Process…',
      description: 'a program in any language that speaks JSON lines',
      take: () => askCommand(undefined),
    },
  ];
  const picked = await vscode.window.showQuickPick(choices, {
    title: 'Run Tasks',
    placeHolder: 'Which agent should do the tasks?',
    matchOnDescription: true,
  });
  return await picked?.take?.();
}

/** Opens the task's solution; writes a first draft where there is none. */
export async function openSolution(task: Task): Promise<void> {
  const path = solutionPath(task);
  if (path === null) {
    void vscode.window.showErrorMessage(noSolutionPath(task));
    return;
  }
  if (!existsSync(path)) await writeFile(path, solutionDraft(task.prompt), { flag: 'wx' });
  const uri = vscode.Uri.file(path);
  const editor = await vscode.window.showTextDocument(uri, { viewColumn: columnFor(uri) });
  const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
  editor.selection = new vscode.Selection(end, end);
}

/** Why a task can have no solution beside it. */
export function noSolutionPath(task: Task): string {
  return `The id “${taskName(task)}” cannot be the name of a file, so this task has no solution beside it. Give it an id without / and \\.`;
}

async function askFile(
  task: Pick<Task, 'file'>,
  kind: 'replay' | 'module',
  filters: Record<string, string[]>,
): Promise<string | undefined> {
  const uris = await vscode.window.showOpenDialog({
    defaultUri: vscode.Uri.file(dirname(task.file)),
    filters,
    openLabel: 'Run With This',
    title: kind === 'replay' ? 'Actions to replay' : 'Module of the agent',
  });
  const path = uris?.[0]?.fsPath;
  return path === undefined ? undefined : `${kind}:${path}`;
}

async function askCommand(last: string | undefined): Promise<string | undefined> {
  const command = await vscode.window.showInputBox({
    title: 'Command of the agent',
    prompt: 'It gets an observation a line on its standard input and answers with an action a line.',
    placeHolder: 'python agent.py --model small',
    value: last?.startsWith('process:') ? last.slice('process:'.length) : '',
    validateInput: (value) => (value.trim() === '' ? 'Type the program to start and its arguments.' : undefined),
  });
  return command === undefined ? undefined : `process:${command.trim()}`;
}
