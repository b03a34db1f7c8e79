import { expect, it } from 'vitest';
import { taskOfSolution } from '../../../src/language/solutions/task-of.ts';
import { readTasks } from '../../../src/tasks/read.ts';

const files = [
  readTasks('/w/other/a.task.json', '{"id": "ask", "prompt": "p", "gym": "qa"}'),
  readTasks(
    '/w/a.tasks.json',
    JSON.stringify([
      { id: 'ask', prompt: 'p', gym: 'qa' },
      { prompt: 'q', gym: 'qa' },
      { env: 'letters', id: 'count', args: {}, slug: 'berry' },
      { id: 'play', prompt: 'p', gym: { type: 'openenv', folder: './words' } },
    ]),
  ),
];

it.each([
  ['/w/ask.actions', { index: 0, file: '/w/a.tasks.json' }],
  ['/w/1.actions', { index: 1 }],
  // A task of HUD 0.6 is named by its slug.
  ['/w/berry.actions', { index: 2 }],
  ['/w/count.actions', null],
  // One of an environment's own tasks.
  ['/w/words-train-12.actions', { id: 'play' }],
  ['/w/other/words-train-12.actions', null],
  ['/w/words.actions', null],
])('%s is the solution of %o', (path, expected) => {
  const task = taskOfSolution(path, files);
  if (expected === null) expect(task).toBeNull();
  else expect(task).toMatchObject(expected);
});
