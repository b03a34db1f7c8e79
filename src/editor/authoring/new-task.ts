import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { kindAt } from '../../base/file-kind.ts';
import type { SuggestedCall } from '../../environments/kind.ts';
import type { TaskTemplate } from '../../language/actions/new-task.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { applyEdit } from '../documents.ts';
import { offer, showInformation, showWarning } from '../notifications.ts';
import { workspaceEdit } from '../ranges.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { cannotAddTask, type Destination, destinationItems, fileOf, folderOf, usedIdsIn } from './destination.ts';
import { askAll, type Question, type Step } from './questions.ts';
import { showTask } from './show-task.ts';

/** The answers so far. */
interface Answers {
  readonly beginning?: TaskTemplate;
  readonly destination?: Destination;
  readonly id?: string;
  /** The page file or the URL. */
  readonly start?: string;
  /** The page file does not exist yet. */
  readonly freshPage?: boolean;
  readonly prompt?: string;
  readonly call?: SuggestedCall;
}

/**
 * Asks for the properties of a task and writes it, together with its page if that is new.
 * @param nearPath a task file or a folder to offer first
 */
export async function newTask(files: TaskFiles, nearPath?: string): Promise<void> {
  if ((vscode.workspace.workspaceFolders ?? []).length === 0) {
    void showInformation(l10n.t('Open a folder for the task first.'));
    return;
  }
  await files.ready();
  const answers = await askAll(l10n.t('New Task'), await steps(files, nearPath), {});
  if (answers !== undefined) await write(files, answers);
}

async function steps(files: TaskFiles, nearPath: string | undefined): Promise<readonly Step<Answers>[]> {
  const { TASK_TEMPLATES, idProblem } = await import('../../language/actions/new-task.ts');
  const { findBuiltin } = await import('../../functions/catalogue.ts');
  return [
    (answers) => ({
      kind: 'choice',
      placeholder: l10n.t('Select the environment'),
      items: TASK_TEMPLATES.map((beginning) => ({
        label: beginning.label,
        description: beginning.environment,
        detail: withoutCodeMarks(beginning.detail),
        answers: { ...answers, beginning },
      })),
    }),
    (answers) => {
      const { existingFiles, newFiles } = destinationItems(files, nearPath);
      const item = <T extends { readonly destination: Destination }>(choice: T) => ({
        ...choice,
        answers: { ...answers, destination: choice.destination },
      });
      return {
        kind: 'choice',
        placeholder: l10n.t('Select a file for the task'),
        items: [
          ...existingFiles.map(item),
          { label: l10n.t('new file'), kind: vscode.QuickPickItemKind.Separator } as const,
          ...newFiles.map(item),
        ],
      };
    },
    (answers) => {
      const { destination } = answers;
      if (destination === undefined) return undefined;
      const usedIds = usedIdsIn(files, folderOf(destination));
      return {
        kind: 'text',
        prompt: l10n.t('Task id, used in reports and as the name of the solution file'),
        value: answers.id ?? '',
        check: (id) => idProblem(id, usedIds),
        answer: (id) => ({ ...answers, id }),
      };
    },
    async (answers) => {
      const { beginning, destination, id } = answers;
      if (destination === undefined || id === undefined) return undefined;
      if (beginning?.kind === 'page') return pageQuestion(answers, id, await pagesIn(folderOf(destination)));
      if (beginning?.kind !== 'site') return undefined;
      return {
        kind: 'text',
        prompt: l10n.t('URL of the start page'),
        value: 'https://',
        check: addressProblem,
        answer: (start) => ({ ...answers, start, freshPage: false }),
      };
    },
    (answers) =>
      givesReward(answers)
        ? undefined
        : {
            kind: 'text',
            prompt: l10n.t('Prompt: what the agent should do'),
            value: '',
            check: (prompt) => (prompt.trim() === '' ? l10n.t('Enter a prompt.') : undefined),
            answer: (prompt) => ({ ...answers, prompt: prompt.trim() }),
          },
    (answers) =>
      givesReward(answers)
        ? undefined
        : {
            kind: 'choice',
            placeholder: l10n.t('Select an evaluate function. You can edit its arguments and add others in the file.'),
            items: (answers.beginning?.evaluate ?? []).map((call) => ({
              label: call.function,
              description: `(${findBuiltin(call.function)?.parameters.join(', ') ?? ''})`,
              detail: withoutCodeMarks(findBuiltin(call.function)?.doc ?? ''),
              answers: { ...answers, call },
            })),
          },
  ];
}

/** Whether the environment gives the prompt and the reward of the task. */
function givesReward({ beginning }: Answers): boolean {
  return beginning?.evaluate.length === 0;
}

function pageQuestion(answers: Answers, id: string, pages: readonly string[]): Question<Answers> {
  const pageName = `${id}.html`;
  return {
    kind: 'choice',
    placeholder: l10n.t('Select the start page'),
    items: [
      ...(pages.includes(pageName)
        ? []
        : [
            {
              label: `$(new-file) ${pageName}`,
              description: l10n.t('new page with a button'),
              answers: { ...answers, start: pageName, freshPage: true },
            },
          ]),
      ...pages.map((page) => ({ label: page, answers: { ...answers, start: page, freshPage: false } })),
    ],
  };
}

async function write(files: TaskFiles, answers: Answers): Promise<void> {
  const { beginning, destination, id, prompt, call = null, start = '', freshPage } = answers;
  if (beginning === undefined || destination === undefined || id === undefined) return;
  if (call === null && !givesReward(answers)) return;
  const { newPage, newTask: taskOf, placeholderOf } = await import('../../language/actions/new-task.ts');
  const task = taskOf({ beginning, id, prompt: prompt ?? '', start, call });
  const path = fileOf(destination, id);
  const uri = vscode.Uri.file(path);
  const fileExists = (await kindAt(path)) !== 'absent';
  // Opened first, so that the edits apply to its unsaved text.
  if (fileExists) await vscode.workspace.openTextDocument(uri);
  const file = fileExists ? (await files.read(uri))?.file : (await import('../../tasks/read.ts')).readTasks(path, '');
  const index = file?.rows.length ?? 0;
  const edits = file?.insertRow(index, task) ?? null;
  if (edits === null) {
    const createNewLabel = l10n.t('Create New File');
    if ((await showWarning(cannotAddTask(path), createNewLabel)) !== createNewLabel) return;
    await write(files, { ...answers, destination: { kind: 'new', folder: folderOf(destination), format: 'json' } });
    return;
  }
  const edit = workspaceEdit(uri, fileExists ? edits : []);
  if (!fileExists) edit.createFile(uri, { contents: new TextEncoder().encode(edits.map(({ text }) => text).join('')) });
  if (freshPage === true) {
    const page = vscode.Uri.file(join(folderOf(destination), start));
    edit.createFile(page, { contents: new TextEncoder().encode(newPage(id)), ignoreIfExists: true });
  }
  if (call === null) await createEnvironment(edit, folderOf(destination));
  await applyEdit(edit, uri);
  await showTask(files, uri, index, placeholderOf({ call }));
  if (call === null) await reportMissingHud(folderOf(destination));
}

/** Creates the HUD environment of a new task where HUD looks for it: as `env.py`, or in its own folder. */
async function createEnvironment(edit: vscode.WorkspaceEdit, folder: string): Promise<void> {
  const { NEW_ENVIRONMENT, NEW_ENVIRONMENT_CODE } = await import('../../language/actions/new-task.ts');
  const beside = join(folder, 'env.py');
  const isTaken = (await kindAt(beside)) !== 'absent';
  // A file that cannot be read belongs to the user.
  if (isTaken && (await readFile(beside, 'utf8').catch(() => '')).includes(`"${NEW_ENVIRONMENT}"`)) return;
  const path = isTaken ? join(folder, NEW_ENVIRONMENT, 'env.py') : beside;
  const contents = new TextEncoder().encode(NEW_ENVIRONMENT_CODE);
  edit.createFile(vscode.Uri.file(path), { contents, ignoreIfExists: true });
}

/** Shows how to install HUD if the Python of a folder does not have it. */
async function reportMissingHud(folder: string): Promise<void> {
  // Python can be a program of the folder.
  if (!vscode.workspace.isTrusted) return;
  const { examinePython } = await import('../../functions/user/python/locate.ts');
  const python = await examinePython(folder);
  if (python?.hud === true) return;
  const command = `"${python?.path ?? 'python3'}" -m pip install hud`;
  const message = l10n.t('To run this task, install HUD 0.6, which needs Python 3.11 or 3.12: {0}', 'pip install hud');
  await offer(showInformation, message, l10n.t('Open Terminal'), () => {
    const terminal = vscode.window.createTerminal({ cwd: folder });
    terminal.show();
    terminal.sendText(command, false);
  });
}

function addressProblem(text: string): string | undefined {
  if (!/^https?:\/\//.test(text)) return l10n.t('Enter a URL that starts with https:// or http://.');
  return URL.canParse(text) && new URL(text).hostname !== '' ? undefined : l10n.t('Enter a valid URL.');
}

async function pagesIn(folder: string): Promise<string[]> {
  const uris = await vscode.workspace.findFiles(new vscode.RelativePattern(folder, '*.{html,htm}'), undefined, 200);
  return uris.map(({ path }) => basename(path)).sort();
}
