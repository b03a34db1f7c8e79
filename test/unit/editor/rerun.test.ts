import { expect, test } from 'vitest';
import { rerunOf } from '../../../src/editor/jobs/rerun.ts';
import { csvOf } from '../../../src/presentation/jobs/csv.ts';
import type { JobRunState } from '../../../src/presentation/jobs/present.ts';
import { seedOf, seedsOf } from '../../../src/runs/job/seeds.ts';

function run(task: string, success: boolean, agent = `replay:/w/${task}.actions`): JobRunState {
  return {
    plannedRun: {
      run_id: `${task}-1`,
      group_id: task,
      task_id: task,
      file: '/w/a.tasks.json',
      index: 0,
      seed: 0,
      agent,
    },
    result: { status: success ? 'completed' : 'error', success, reward: success ? 1 : null, error: null },
    reasons: 'page_contains: not on the page',
    running: false,
  } as unknown as JobRunState;
}

const SAME = { first: 0, consecutive: false };
const runs = [run('a', true), run('a', false), run('b', true), run('b', true)];

test('rerunning failures runs each task that has one, as often as before, with the solutions of the tasks', () => {
  const { tasks, options } = rerunOf({ runs }, true);
  expect(tasks.map(({ name }) => name)).toEqual(['a']);
  expect(options).toEqual({ group: 2, seeds: SAME, agent: 'solution' });
});

test('rerunning all keeps an agent that all runs had, and names none otherwise', () => {
  expect(rerunOf({ runs }, false).tasks.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(rerunOf({ runs: [run('a', true, 'noop')] }, false).options).toEqual({ group: 1, seeds: SAME, agent: 'noop' });
  expect(rerunOf({ runs: [run('a', true, 'noop'), run('b', true)] }, false).options).toEqual({ group: 1, seeds: SAME });
});

test('rerunning keeps the seeds of the job', () => {
  const seeded = [4, 5, 6].map((seed) => {
    const made = run('a', true);
    return { ...made, plannedRun: { ...made.plannedRun, seed } };
  });
  expect(rerunOf({ runs: [run('b', true), ...seeded] }, false).options.seeds).toEqual({ first: 4, consecutive: true });
});

test.each([
  { first: 3, consecutive: false },
  { first: 3, consecutive: true },
])('the seeds of repeats are found in their plan: %o', (seeds) => {
  const plan = [0, 1, 2].map((repeat) => ({ seed: seedOf(seeds, repeat) }));
  expect(plan.map(({ seed }) => seed)).toEqual(seeds.consecutive ? [3, 4, 5] : [3, 3, 3]);
  expect(seedsOf(plan)).toEqual(seeds);
});

test('a job as CSV quotes what needs it and starts no formula', () => {
  const odd = run('=a,"b"', false);
  const [head = '', row = ''] = csvOf({ runs: [odd] }).split('\r\n');
  expect(head).toMatch(/^file,task_id,run_id,agent,seed,status,reward/);
  expect(row).toContain(`,"'=a,""b""",`);
  expect(row).toContain(',error,,false,');
  expect(head).toMatch(/,error,reasons$/);
  expect(row).toMatch(/,page_contains: not on the page$/);
});

test('a job without runs as CSV has the names of the columns', () => {
  expect(csvOf({ runs: [] })).toBe(
    'file,task_id,run_id,agent,seed,status,reward,success,steps,duration_ms,error,reasons\r\n',
  );
});

test('a job as CSV has the relative rewards of repeated tasks', () => {
  const repeated = [1, 0].map((reward, index) => {
    const one = run('a', reward === 1);
    const result = { ...one.result, group_id: 'a', status: 'completed', reward } as typeof one.result;
    return { ...one, plannedRun: { ...one.plannedRun, run_id: `a-${index}` }, result };
  });
  const rows = csvOf({ runs: [...repeated, run('b', false)] }).split('\r\n');
  expect(rows[0]).toContain(',reward,group_relative,success,');
  expect(rows[1]).toContain(',completed,1,1,true,');
  expect(rows[2]).toContain(',completed,0,-1,false,');
  expect(rows[3]).toContain(',error,,,false,');
  expect(csvOf({ runs: repeated.slice(0, 1) })).not.toContain('group_relative');
});
