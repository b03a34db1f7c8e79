import { dirname, relative, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { takesBrowserGymCalls, takesObjects } from '../../actions/normal.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { printAction } from '../../actions/print.ts';
import { ManualInput, type ManualQuestion } from '../../agents/manual-input.ts';
import { actionDialect, kindOfType } from '../../environments/kinds.ts';
import { pythonString } from '../../python/repr.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { taskLabel } from '../../tasks/label.ts';
import type { Task } from '../../tasks/task.ts';
import { showError } from '../notifications.ts';

/** Input of the user of this window, with questions as VS Code pickers and input boxes. */
export function manualInputOf(task: Task): ManualInput {
  return new ManualInput((question, signal) => ask(task, question, signal));
}

/** Asks for an answer and returns the action for it; undefined if the user cancels. */
export async function askAnswer(task: Task): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title: l10n.t('Answer: {0}', taskLabel(task)),
    prompt:
      kindOfType(task.env)?.responseEnds === true
        ? l10n.t('The answer ends the run.')
        : l10n.t('The run continues after the answer. The last answer is graded.'),
    placeHolder: l10n.t('Enter the answer of the agent'),
    ignoreFocusOut: true,
  });
  if (text === undefined) return undefined;
  // BrowserGym has a different action for an answer.
  return takesBrowserGymCalls(actionDialect(task.env))
    ? `send_msg_to_user(${pythonString(text)})`
    : printAction({ type: 'response', text });
}

const SAMPLE_ACTIONS = "goto('https://…'), hover('#menu'), go_back(), tab_focus(0), noop(1000)";

const SAMPLE_OBJECT = '{"move": "UP"}';

/** Asks for an action; undefined if the user cancels. */
export async function askAction(task: Task): Promise<string | undefined> {
  const dialect = actionDialect(task.env);
  const text = await vscode.window.showInputBox({
    title: l10n.t('Action'),
    prompt: l10n.t('One or more actions, as in an .actions file'),
    placeHolder: takesObjects(dialect) ? SAMPLE_OBJECT : SAMPLE_ACTIONS,
    ignoreFocusOut: true,
    validateInput: (value) =>
      value.trim() === '' ? '' : withoutCodeMarks(normaliseAction(value, dialect).failure?.message ?? ''),
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
    label: option.label === '' ? l10n.t('(empty)') : option.label,
    description: option.value === option.label ? '' : option.value,
    picked: option.chosen,
    value: option.value,
  }));
  const pickOptions = { title: label, placeHolder: l10n.t('Select an option of the page'), matchOnDescription: true };
  if (multiple) {
    const selection = await vscode.window.showQuickPick(items, { ...pickOptions, canPickMany: true }, token);
    return selection?.map(({ value }) => value) ?? null;
  }
  const item = await vscode.window.showQuickPick(items, pickOptions, token);
  return item === undefined ? null : [item.value];
}

/** The value formats of input fields for which a browser shows a picker. */
const FORMATS: Readonly<Record<string, string>> = {
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
  const format = FORMATS[type] ?? '';
  const prompt = l10n.t('Enter a value in the format {0}', format);
  const input = await vscode.window.showInputBox({ title: label, prompt, placeHolder: format, value }, token);
  return input === undefined ? null : [input];
}

async function askFile(task: Task, label: string): Promise<readonly string[] | null> {
  const folder = dirname(task.file);
  const uris = await vscode.window.showOpenDialog({
    title: l10n.t('File for {0}', label),
    openLabel: l10n.t('Upload'),
    defaultUri: vscode.Uri.file(folder),
  });
  const path = uris?.[0]?.fsPath;
  if (path === undefined) return null;
  const relativePath = relative(folder, path);
  if (relativePath.startsWith('..') || relativePath === path) {
    void showError(l10n.t('Only files in the task folder can be uploaded. Copy it to {0}.', folder));
    return null;
  }
  return [relativePath.split(sep).join('/')];
}
