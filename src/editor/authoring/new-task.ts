import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { SuggestedCall } from '../../environments/kind.ts';
import type { TaskTemplate } from '../../language/actions/new-task.ts';
import { workspaceEdit } from '../ranges.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { type Destination, destinationItems, fileOf, folderOf, takenIds } from './destination.ts';
import { askAll, type Question, type Step } from './questions.ts';
import { showTask } from './show.ts';

/** What has been answered so far. */
interface Answers {
  readonly beginning?: TaskTemplate;
  readonly destination?: Destination;
  readonly id?: string;
  /** The page file or the address. */
  readonly start?: string;
  /** The page file does not exist yet. */
  readonly freshPage?: boolean;
  readonly prompt?: string;
  readonly check?: SuggestedCall;
}

const TITLE = 'New Task';

/**
 * Asks for what a task needs and writes it, with its page where that is new.
 * @param near a task file or a folder to offer first
 */
export async function newTask(files: TaskFiles, near?: string): Promise<void> {
  if ((vscode.workspace.workspaceFolders ?? []).length === 0) {
    void vscode.window.showInformationMessage('Open a folder first: that is where the task will be written.');
    return;
  }
  await files.ready();
  const answers = await askAll(TITLE, await steps(files, near), {});
  if (answers !== undefined) await write(files, answers);
}

async function steps(files: TaskFiles, near: string | undefined): Promise<readonly Step<Answers>[]> {
  const { TASK_TEMPLATES, idProblem } = await import('../../language/actions/new-task.ts');
  const { findBuiltin } = await import('../../functions/catalogue.ts');
  return [
    (answers) => ({
      kind: 'choice',
      placeholder: 'What does the agent work in?',
      items: TASK_TEMPLATES.map((beginning) => ({
        label: beginning.label,
        description: beginning.gym,
        detail: beginning.detail,
        answers: { ...answers, beginning },
      })),
    }),
    (answers) => {
      const { ends, fresh } = destinationItems(files, near);
      const item = <T extends { readonly destination: Destination }>(choice: T) => ({
        ...choice,
        answers: { ...answers, destination: choice.destination },
      });
      return {
        kind: 'choice',
        placeholder: 'Where should it be written?',
        items: [
          ...ends.map(item),
          { label: 'new file', kind: vscode.QuickPickItemKind.Separator } as const,
          ...fresh.map(item),
        ],
      };
    },
    (answers) => {
      const { destination } = answers;
      if (destination === undefined) return undefined;
      const taken = takenIds(files, folderOf(destination));
      return {
        kind: 'text',
        prompt: 'What is it called? The id names the task in reports, and its solution.',
        value: answers.id ?? '',
        check: (id) => idProblem(id, taken),
        answer: (id) => ({ ...answers, id }),
      };
    },
    async (answers) => {
      const { beginning, destination, id } = answers;
      if (destination === undefined || id === undefined) return undefined;
      if (beginning?.kind === 'page') return pageQuestion(answers, id, await pagesIn(folderOf(destination)));
      return beginning?.kind === 'site' ? addressQuestion(answers) : undefined;
    },
    (answers) => ({
      kind: 'text',
      prompt: 'What should the agent do? These words are all that it is told.',
      value: '',
      check: (prompt) => (prompt.trim() === '' ? 'The agent needs to be told what to do' : undefined),
      answer: (prompt) => ({ ...answers, prompt: prompt.trim() }),
    }),
    (answers) => ({
      kind: 'choice',
      placeholder: 'How is the result judged? Its words can be changed in the file, and more checks added.',
      items: (answers.beginning?.evaluate ?? []).map((check) => ({
        label: check.function,
        description: `(${findBuiltin(check.function)?.parameters.join(', ') ?? ''})`,
        detail: findBuiltin(check.function)?.doc ?? '',
        answers: { ...answers, check },
      })),
    }),
  ];
}

function pageQuestion(answers: Answers, id: string, pages: readonly string[]): Question<Answers> {
  const fresh = `${id}.html`;
  return {
    kind: 'choice',
    placeholder: 'Which page does it begin on?',
    items: [
      ...(pages.includes(fresh)
        ? []
        : [
            {
              label: `$(new-file) ${fresh}`,
              description: 'a new page with a button',
              answers: { ...answers, start: fresh, freshPage: true },
            },
          ]),
      ...pages.map((page) => ({ label: page, answers: { ...answers, start: page, freshPage: false } })),
    ],
  };
}

function addressQuestion(answers: Answers): Question<Answers> {
  return {
    kind: 'text',
    prompt: 'Which address does it begin on?',
    value: 'https://',
    check: addressProblem,
    answer: (start) => ({ ...answers, start, freshPage: false }),
  };
}

async function write(files: TaskFiles, answers: Answers): Promise<void> {
  const { beginning, destination, id, prompt, check, start = '', freshPage } = answers;
  if (beginning === undefined || destination === undefined || id === undefined || check === undefined) return;
  const { newPage, newTask: taskOf, PROMPT_PLACEHOLDER } = await import('../../language/actions/new-task.ts');
  const task = taskOf({ beginning, id, prompt: prompt ?? '', start, check });
  const path = fileOf(destination, id);
  const uri = vscode.Uri.file(path);
  const there = await exists(path);
  const file = there ? (await readOpen(files, uri))?.file : (await import('../../tasks/read.ts')).readTasks(path, '');
  const index = file?.rows.length ?? 0;
  const edits = file?.insertRow(index, task) ?? null;
  if (edits === null) {
    const fresh = 'Put It in a New File';
    const message = `${basename(path)} cannot take another task: it holds a single one, or its text is broken.`;
    if ((await vscode.window.showWarningMessage(message, fresh)) !== fresh) return;
    await write(files, { ...answers, destination: { kind: 'new', folder: folderOf(destination), format: 'json' } });
    return;
  }
  const edit = workspaceEdit(uri, there ? edits : []);
  if (!there) edit.createFile(uri, { contents: new TextEncoder().encode(edits.map(({ text }) => text).join('')) });
  if (freshPage === true) {
    const page = vscode.Uri.file(join(folderOf(destination), start));
    edit.createFile(page, { contents: new TextEncoder().encode(newPage(id)), ignoreIfExists: true });
  }
  if (!(await vscode.workspace.applyEdit(edit))) {
    void vscode.window.showErrorMessage(`${basename(path)} could not be written.`);
    return;
  }
  await showTask(files, uri, index, PROMPT_PLACEHOLDER);
}

/** Edits are made in the open document, so that what is not saved yet counts. */
async function readOpen(files: TaskFiles, uri: vscode.Uri): ReturnType<TaskFiles['read']> {
  await vscode.workspace.openTextDocument(uri);
  return files.read(uri);
}

function addressProblem(text: string): string | undefined {
  if (!/^https?:\/\//.test(text)) return 'An address begins with https:// or http://';
  return URL.canParse(text) && new URL(text).hostname !== '' ? undefined : 'This is no address';
}

async function pagesIn(folder: string): Promise<string[]> {
  const found = await vscode.workspace.findFiles(new vscode.RelativePattern(folder, '*.{html,htm}'), undefined, 200);
  return found.map(({ path }) => basename(path)).sort();
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    // Where it only cannot be looked at, creating it fails and says so.
    return false;
  }
}
