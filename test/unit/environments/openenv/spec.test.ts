import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json.ts';
import { openEnvProblems } from '../../../../src/environments/openenv/problems.ts';
import { readOpenEnv } from '../../../../src/environments/openenv/spec.ts';

const read = (keys: Readonly<Record<string, Json>>) => readOpenEnv({ type: 'openenv', ...keys });
const url = 'http://localhost:8000';

describe('an openenv environment', () => {
  it.each([
    [{ url }, { kind: 'url', url }],
    [{ image: 'echo-env' }, { kind: 'image', image: 'echo-env' }],
    [
      { folder: './maze', python: 'p' },
      { kind: 'folder', folder: './maze', python: 'p' },
    ],
  ])('is at one place: %j', (keys, place) => {
    expect(read(keys)).toMatchObject({ place, reset: {}, task: undefined, answerMs: 60_000 });
  });

  it('has arguments of reset, a task, and a time limit', () => {
    expect(read({ url, reset: { seed: 1, level: 'a' }, task: { id: 'x' }, timeout: 2 })).toMatchObject({
      reset: { seed: 1, level: 'a' },
      task: { id: 'x' },
      answerMs: 2000,
    });
  });

  it.each([
    [1e10, 2 ** 31 - 1],
    [0.0005, 1],
  ])('whose time limit is %d s has one that timers take', (timeout, answerMs) => {
    expect(read({ url, timeout })).toMatchObject({ answerMs });
  });

  it.each<[Readonly<Record<string, Json>>, string, string]>([
    [{}, '', 'needs one of "url", "image", and "folder"'],
    [{ url, folder: './a' }, 'folder', 'both name the environment'],
    [{ url: 'localhost:8000' }, 'url', 'is not one'],
    [{ url: 5 }, 'url', '"url" is the address'],
    [{ url, python: 'p' }, 'python', 'there is none'],
    [{ url, reset: [] }, 'reset', 'is an object'],
    [{ url, reset: { seed: -1 } }, 'reset.seed', 'whole number from 0'],
    [{ url, reset: { seed: 2 ** 53 } }, 'reset.seed', 'only integers from'],
    [{ url, reset: { options: { ids: [1, 2 ** 60] } } }, 'reset.options.ids.1', 'keep all digits'],
    [{ url, task: { id: 2 ** 60 } }, 'task.id', 'keep all digits'],
    [{ url, reset: { episode_id: 'e'.repeat(256) } }, 'reset.episode_id', 'at most 255'],
    [{ url, reset: { task: 'a' }, task: 'b' }, 'reset.task', 'keep one of them'],
    [{ url, task: 5 }, 'task', 'the id of a task'],
    [{ url, timeout: 0 }, 'timeout', 'greater than 0'],
  ])('is refused as %j', (keys, path, message) => {
    const spec = read(keys);
    const [problem] = 'problems' in spec ? spec.problems : [];
    expect(problem?.path.join('.')).toBe(path);
    expect(problem?.message).toContain(message);
  });
});

describe('problems of an openenv task', () => {
  const problems = (gym: Json, entries: Readonly<Record<string, 'file' | 'folder'>> = {}) =>
    openEnvProblems({
      row: { gym },
      fields: { env: gym as never, initial_state: null, prompt: '' } as never,
      evaluate: [],
      user: Object.assign(new Map(), { beside: (path: string) => entries[path] ?? null }),
    }).map(({ path, severity, message }) => `${severity} ${path.join('.')}: ${message}`);

  it.each([
    [{}, 'does not exist'],
    [{ maze: 'file' }, 'is a file'],
    [{ maze: 'folder' }, 'it has no openenv.yaml'],
  ] as const)('name a folder that is none: %j', (entries, words) => {
    const [first] = problems({ type: 'openenv', folder: 'maze' }, entries);
    expect(first).toMatch(/^error gym\.folder: /);
    expect(first).toContain(words);
  });

  it('are none of a folder with an openenv.yaml', () => {
    const entries = { maze: 'folder', 'maze/openenv.yaml': 'file' } as const;
    expect(problems({ type: 'openenv', folder: 'maze' }, entries)).toEqual([]);
  });

  it('name a key that nothing reads', () => {
    expect(problems({ type: 'openenv', url, tasks: 'a' })[0]).toMatch(/^warning gym\.tasks: /);
  });

  it('ask for an object', () => {
    expect(problems('openenv')[0]).toContain('“openenv” needs an object');
  });
});
