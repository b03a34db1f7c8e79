import { expect, test } from 'vitest';
import { csvOf } from '../../../src/editor/jobs/csv.ts';
import type { JobRunState } from '../../../src/editor/jobs/present.ts';
import { rerunOf } from '../../../src/editor/jobs/rerun.ts';

function run(task: string, success: boolean, agent = `replay:/w/${task}.actions`): JobRunState {
  return {
    planned: { run_id: `${task}-1`, group_id: task, task_id: task, file: '/w/a.tasks.json', index: 0, seed: 0, agent },
    result: { status: success ? 'completed' : 'error', success, reward: success ? 1 : null, error: null },
    running: false,
  } as unknown as JobRunState;
}

const runs = [run('a', true), run('a', false), run('b', true), run('b', true)];

test('rerunning failures runs each task that has one, as often as before, with the solutions of the tasks', () => {
  const { tasks, options } = rerunOf({ runs }, true);
  expect(tasks.map(({ name }) => name)).toEqual(['a']);
  expect(options).toEqual({ group: 2, agent: 'solution' });
});

test('rerunning all keeps an agent that all runs had, and names none otherwise', () => {
  expect(rerunOf({ runs }, false).tasks.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(rerunOf({ runs: [run('a', true, 'noop')] }, false).options).toEqual({ group: 1, agent: 'noop' });
  expect(rerunOf({ runs: [run('a', true, 'noop'), run('b', true)] }, false).options).toEqual({ group: 1 });
});

test('a job as CSV quotes what needs it and starts no formula', () => {
  const odd = run('=a,"b"', false);
  const [head = '', row = ''] = csvOf({ runs: [odd] }).split('\r\n');
  expect(head).toMatch(/^file,task_id,run_id,agent,seed,status,reward/);
  expect(row).toContain(`,"'=a,""b""",`);
  expect(row).toContain(',error,,false,');
});
