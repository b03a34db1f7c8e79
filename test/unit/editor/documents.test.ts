import { basename, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deleteTask } from '../../../src/editor/authoring/copies.ts';
import { saveAround, saveDocuments } from '../../../src/editor/runs/before-run.ts';
import { RunPreparation } from '../../../src/editor/runs/preparation.ts';
import { saveSolution } from '../../../src/editor/runs/save-solution.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { fileIn, task, temporaryFolder } from '../runs/tasks.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const editor = vi.hoisted(() => ({
  documents: [] as unknown[],
  edits: true,
  /** The selected buttons, in turn. */
  answers: [] as string[],
  /** What an automatic save that comes in between does to the document. */
  automaticSave: (_document: { isDirty: boolean }): void => {},
  remove: vi.fn<(uri: { fsPath: string }, options: { useTrash: boolean }) => Promise<void>>(),
}));

vi.mock('vscode', () => ({
  Uri: { file: (fsPath: string) => ({ fsPath, path: fsPath, scheme: 'file', toString: () => `file://${fsPath}` }) },
  Range: class {},
  TextEdit: { replace: () => ({}) },
  WorkspaceEdit: class {
    set(): void {}
    replace(): void {}
  },
  window: { showWarningMessage: () => Promise.resolve(editor.answers.shift()) },
  workspace: {
    get textDocuments() {
      return editor.documents;
    },
    getWorkspaceFolder: () => FOLDER,
    onDidSaveTextDocument(saved: (document: unknown) => void) {
      for (const document of editor.documents as { isDirty: boolean }[]) {
        setImmediate(() => {
          editor.automaticSave(document);
          saved(document);
        });
      }
      return { dispose() {} };
    },
    openTextDocument: () => Promise.resolve(editor.documents[0]),
    applyEdit() {
      for (const document of editor.documents as { isDirty: boolean }[]) document.isDirty ||= editor.edits;
      return Promise.resolve(editor.edits);
    },
    fs: { delete: editor.remove },
  },
}));

const FOLDER = vi.hoisted(() => ({}) as never);
const NOT_SAVED = 'shop.tasks.json could not be saved. Save it first.';
const TASKS = JSON.stringify([
  { id: 'buy', prompt: 'Buy it.', gym: 'hud-browser' },
  { id: 'leave', prompt: 'Leave.', gym: 'hud-browser' },
]);
let path: string;
let solution: string;

/** An open document that VS Code cannot save. */
function unsaved(fsPath: string, isDirty = true) {
  const uri = { fsPath, path: fsPath, scheme: 'file', toString: () => `file://${fsPath}` };
  return { uri, isDirty, lineCount: 1, save: vi.fn(() => Promise.resolve(false)) };
}

const reference = () => ({ file: path, index: 0, name: 'buy' });
const files = (text = TASKS) => ({ read: () => Promise.resolve({ file: readTasks(path, text) }) }) as never;

beforeEach(async () => {
  const folder = await temporaryFolder();
  path = join(folder, 'shop.tasks.json');
  solution = await fileIn(folder, 'buy.actions', 'noop()');
  Object.assign(editor, { documents: [unsaved(path)], edits: true, answers: [], automaticSave: () => {} });
  editor.remove.mockReset();
});

it('does not run files that could not be saved', async () => {
  await expect(saveAround(unsaved(path).uri as never)).rejects.toThrow(NOT_SAVED);
  await expect(saveDocuments(FOLDER)).rejects.toThrow(NOT_SAVED);
});

it('waits for an automatic save, during which VS Code refuses to save', async () => {
  editor.automaticSave = (document) => {
    document.isDirty = false;
  };
  await saveDocuments(FOLDER);
  expect(editor.documents).toMatchObject([{ isDirty: false }]);
});

it('saves a file that has changed during an automatic save', async () => {
  const document = unsaved(path);
  document.save.mockResolvedValueOnce(false).mockResolvedValueOnce(true);
  editor.documents = [document];
  await saveDocuments(FOLDER);
  expect(document.save).toHaveBeenCalledTimes(2);
});

it('refuses to run a task whose file could not be saved', async () => {
  const preparation = new RunPreparation({} as never, files(), {} as never, {} as never);
  expect(await preparation.savedTask(reference())).toMatchObject({ code: 'not_saved', message: NOT_SAVED });
});

it.each([
  ['changed', false, 'Could not write shop.tasks.json.'],
  ['saved', true, NOT_SAVED],
])('keeps the solution of a task whose file could not be %s', async (_what, edits, message) => {
  Object.assign(editor, { documents: [unsaved(path, false)], edits, answers: ['Delete Task and Solution'] });
  await expect(deleteTask(files(), reference())).rejects.toThrow(message);
  expect(editor.remove).not.toHaveBeenCalled();
});

it.each([
  ['changed', false, 'Could not write buy.actions.'],
  ['saved', true, 'buy.actions could not be saved. Save it first.'],
])('does not replay a solution that could not be %s', async (_what, edits, message) => {
  Object.assign(editor, { documents: [unsaved(solution)], edits, answers: ['Overwrite'] });
  const step = { index: 1, source: 'agent', action: 'response("Paris")', error: null, info: { acted: [{}] } };
  const run = {
    task: task({ file: path, id: 'buy' }),
    prompt: 'Buy it.',
    record: { success: true, reward: 1 },
    steps: () => Promise.resolve([step]),
  };
  const start = vi.fn();
  await expect(saveSolution(run as never, { start } as never)).rejects.toThrow(message);
  expect(start).not.toHaveBeenCalled();
});

describe('where there is no trash', () => {
  const only = () => files(JSON.stringify({ id: 'buy', prompt: 'Buy it.', gym: 'hud-browser' }));
  const removed = () =>
    editor.remove.mock.calls.map(([uri, { useTrash }]) => [
      basename(uri.fsPath),
      useTrash ? 'to the trash' : 'for good',
    ]);

  beforeEach(() => {
    editor.remove.mockImplementation((_uri, { useTrash }) =>
      useTrash ? Promise.reject(new Error('There is no trash.')) : Promise.resolve(),
    );
  });

  it('keeps a task and its solution unless the user agrees', async () => {
    editor.answers = ['Delete Task and Solution'];
    await deleteTask(only(), reference());
    expect(removed()).toEqual([['shop.tasks.json', 'to the trash']]);
  });

  it('deletes them permanently if the user agrees', async () => {
    editor.answers = ['Delete Task and Solution', 'Delete Permanently', 'Delete Permanently'];
    await deleteTask(only(), reference());
    expect(removed()).toEqual([
      ['shop.tasks.json', 'to the trash'],
      ['shop.tasks.json', 'for good'],
      ['buy.actions', 'to the trash'],
      ['buy.actions', 'for good'],
    ]);
  });
});
