import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json.ts';
import { parseExactJson } from '../../../../src/base/raw-number.ts';
import { ownTaskId, ownTaskPrompt, ownTaskRow } from '../../../../src/language/actions/own-task.ts';

const own = { split: 'train', index: 12, task: { id: 'train-12', question: 'What is 12 + 1?' } };

describe('the row for one of an environment’s own tasks', () => {
  it('selects the task at reset, uses its prompt, and takes the reward of the environment', () => {
    const row = {
      id: 'any',
      prompt: 'Answer.',
      gym: { type: 'openenv', folder: './dataset', task: 'a', reset: { seed: 3, task: 'b' } },
      evaluate: { function: 'response_is', args: ['1'] },
      metadata: { area: 'sums' },
    };
    expect(ownTaskRow(row, own, 'train-12')).toEqual({
      id: 'train-12',
      prompt: 'What is 12 + 1?',
      metadata: { area: 'sums' },
      gym: { type: 'openenv', folder: './dataset', reset: { seed: 3, split: 'train', index: 12 } },
    });
  });

  it.each([
    [{ task_id: 7 }, '7', null],
    [parseExactJson('{"id": 1610521604143693813}') as Json, '1610521604143693813', null],
    [{ id: 'a/b' }, 'train-12', null],
    ['Add the numbers.', 'train-12', 'Add the numbers.'],
    [{ instruction: 'Go.' }, 'train-12', 'Go.'],
  ])('of %j', (task, id, prompt) => {
    expect([ownTaskId({ ...own, task }), ownTaskPrompt({ ...own, task })]).toEqual([id, prompt]);
  });
});
