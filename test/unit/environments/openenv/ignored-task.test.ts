import { expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json.ts';
import { type EpisodeStart, namesTask, whyIgnored } from '../../../../src/environments/openenv/ignored-task.ts';

const start = (observation: Record<string, Json>, state: Record<string, Json> = {}): EpisodeStart => ({
  observation,
  reward: null,
  done: false,
  state,
});

it('a task that changes nothing is ignored; the number of the episode does not count', () => {
  const one = start({ board: [1, 2] }, { episode_id: 'a' });
  const other = start({ board: [1, 2] }, { episode_id: 'b' });
  expect(whyIgnored(one, [other, one], one)).toBe(
    'its first observation, reward, and state are the same with it, without it, and with another one',
  );
});

it('what differs between two resets with the task is no sign of it', () => {
  const why = whyIgnored(start({ n: 1, b: 0 }), [start({ n: 2, b: 0 })], start({ n: 3, b: 0 }));
  expect(why).toContain('apart from what also differs between two resets with it (observation.n)');
});

it('a task that changes the observation or the state is not ignored', () => {
  expect(whyIgnored(start({ n: 1 }), [start({ n: 1 }), start({ n: 2 })], start({ n: 1 }))).toBeNull();
  expect(whyIgnored(start({}, { goal: 1 }), [start({}, { goal: 2 })], start({}, { goal: 1 }))).toBeNull();
});

it('a task is named by a key with “task” in its name alone', () => {
  expect(namesTask(start({}, { task_name: 'easy' }), 'easy')).toBe(true);
  expect(namesTask(start({ seen: { task: { id: 1 } } }), { id: 1 })).toBe(true);
  expect(namesTask(start({ message: 'easy' }), 'easy')).toBe(false);
  expect(namesTask(start({ task: 'hard' }), 'easy')).toBe(false);
});
