import { afterAll, expect, it, vi } from 'vitest';
import { tasksOf } from '../../../src/editor/commands/jobs.ts';
import type { OwnNode } from '../../../src/editor/own-tasks/nodes.ts';
import { OwnTasks } from '../../../src/editor/own-tasks/own-tasks.ts';
import type { KnownFile } from '../../../src/editor/tasks/known-file.ts';
import type { TaskSummary } from '../../../src/presentation/tasks/model.ts';
import { readTasks } from '../../../src/tasks/read.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

vi.mock('vscode', () => ({
  Uri: { file: (fsPath: string) => ({ fsPath }) },
  workspace: { isTrusted: false },
}));

it('shows the own tasks of an environment without reading the file of the task again', async () => {
  const file = readTasks('/w/any.tasks.json', JSON.stringify([{ id: 'any', prompt: 'Answer.', gym: 'openenv' }]));
  // The tree is drawn again for each file that is read, and then asks for its nodes again.
  const read = vi.fn(() => Promise.resolve(undefined));
  const tasks = new OwnTasks({ get: () => ({ file }) as KnownFile, read }, {} as never);
  const owner = { file: '/w/any.tasks.json', index: 0, name: 'any' } as TaskSummary;
  expect(await tasks.children(owner)).toMatchObject([{ kind: 'ownNote', text: expect.stringContaining('trusted') }]);
  expect(read).not.toHaveBeenCalled();
});

it('runs the selected own tasks as a job, and no others', async () => {
  const owner = { file: '/w/any.tasks.json', index: 0, name: 'any' } as TaskSummary;
  const own = (index: number): OwnNode => ({
    kind: 'ownTask',
    owner,
    own: { split: 'train', index, task: null },
    task: { file: owner.file, index: 0, name: `words/train/${index}` },
  });
  const split: OwnNode = { kind: 'split', owner, environment: 'words', split: 'train', count: 2 };
  const tree = { shown: () => Promise.reject(new Error('not every task is meant')) } as never;
  expect((await tasksOf(tree, own(1), [own(0), own(1), own(1), split])).map(({ name }) => name)).toEqual([
    'words/train/0',
    'words/train/1',
  ]);
  expect(await tasksOf(tree, split, [split])).toEqual([]);
});
