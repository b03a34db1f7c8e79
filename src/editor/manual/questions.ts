import { dirname, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { normaliseAction } from '../../actions/normalise.ts';
import { printAction } from '../../actions/print.ts';
import { pythonString } from '../../actions/python.ts';
import { actionDialect, kindOfType } from '../../environments/kinds.ts';
import { ManualInput, type ManualQuestion } from '../../runs/agents/manual/manual-input.ts';
import { taskName } from '../../tasks/name.ts';
import type { Task } from '../../tasks/task.ts';

/** Input of the user of this window, with questions as VS Code pickers and input boxes. */
export function manualInputOf(task: Task): ManualInput {
  return new ManualInput((question, signal) => ask(task, question, signal));
}

/** The person's answer as the action that gives it; undefined where they left. */
export async function askAnswer(task: Task): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title: `Answer of ${taskName(task)}`,
    prompt:
      kindOfType(task.env)?.responseEnds === true
        ? 'The answer ends the run.'
        : 'The last answer counts; the run goes on.',
    placeHolder: 'The answer, as the agent would give it',
    ignoreFocusOut: true,
  });
  if (text === undefined) return undefined;
  // BrowserGym has its own word for it.
  return actionDialect(task.env).dialect === 'browsergym'
    ? `send_msg_to_user(${pythonString(text)})`
    : printAction({ type: 'response', text });
}

/** An action that the person writes; undefined where they left. */
export async function askAction(task: Task): Promise<string | undefined> {
  const dialect = actionDialect(task.env);
  const text = await vscode.window.showInputBox({
    title: 'Action',
    prompt: 'One or several actions, as in an .actions file.',
    placeHolder: "goto('https://…'), hover('#menu'), go_back(), tab_focus(0), noop(1000)",
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() === '' ? '' : normaliseAction(value, dialect).failure?.message),
  });
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

async function ask(task: Task, question: ManualQuestion, signal: AbortSignal): Promise<readonly string[] | null> {
  const stop = new vscode.CancellationTokenSource();
  signal.addEventListener('abort', () => stop.cancel(), { once: true });
  try {
    switch (question.kind) {
      case 'select':
        return await askOptions(question, stop.token);
      case 'value':
        return await askValue(question, stop.token);
      case 'file':
        return await askFile(task, question.label);
    }
  } finally {
    stop.dispose();
  }
}

async function askOptions(
  { label, options, multiple }: Extract<ManualQuestion, { kind: 'select' }>,
  token: vscode.CancellationToken,
): Promise<readonly string[] | null> {
  const items = options.map((option) => ({
    label: option.label === '' ? '(empty)' : option.label,
    description: option.value === option.label ? '' : option.value,
    picked: option.chosen,
    value: option.value,
  }));
  const looks = { title: label, placeHolder: 'The page’s list opens here', matchOnDescription: true };
  if (multiple) {
    const picked = await vscode.window.showQuickPick(items, { ...looks, canPickMany: true }, token);
    return picked?.map(({ value }) => value) ?? null;
  }
  const picked = await vscode.window.showQuickPick(items, looks, token);
  return picked === undefined ? null : [picked.value];
}

/** How the browser writes the values of fields that have a picker of their own. */
const FORMS: Readonly<Record<string, string>> = {
  date: 'YYYY-MM-DD',
  'datetime-local': 'YYYY-MM-DDTHH:MM',
  month: 'YYYY-MM',
  week: 'YYYY-Www',
  time: 'HH:MM',
  color: '#rrggbb',
};

async function askValue(
  { label, type, value }: Extract<ManualQuestion, { kind: 'value' }>,
  token: vscode.CancellationToken,
): Promise<readonly string[] | null> {
  const form = FORMS[type] ?? '';
  const prompt = `The page’s picker opens here. Write ${form}.`;
  const given = await vscode.window.showInputBox({ title: label, prompt, placeHolder: form, value }, token);
  return given === undefined ? null : [given];
}

async function askFile(task: Task, label: string): Promise<readonly string[] | null> {
  const folder = dirname(task.file);
  const uris = await vscode.window.showOpenDialog({
    title: `File for ${label}`,
    openLabel: 'Upload',
    defaultUri: vscode.Uri.file(folder),
  });
  const path = uris?.[0]?.fsPath;
  if (path === undefined) return null;
  const inside = relative(folder, path);
  if (inside.startsWith('..') || inside === path) {
    void vscode.window.showErrorMessage(`Only files beside the task can be uploaded. Copy it to ${folder}.`);
    return null;
  }
  return [inside.split(sep).join('/')];
}
