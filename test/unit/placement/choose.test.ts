import { describe, expect, it } from 'vitest';
import { choosePlacement } from '../../../src/placement/choose.ts';
import { task } from '../runs/tasks.ts';

const plain = task();
const wishing = task({ metadata: { placement: 'docker' } });

function ofImage(image_or_build_context: string, location = 'local') {
  return task({ env: { type: 'public', location, image_or_build_context } });
}

describe('where a task runs', () => {
  it.each([
    ['as it was asked for', wishing, { requested: 'local', setting: 'docker' }, 'local'],
    ['else as the settings say', wishing, { requested: null, setting: 'local' }, 'local'],
    ['else as the task wishes', wishing, { requested: null, setting: null }, 'docker'],
    ['else on this machine', plain, { requested: null, setting: null }, 'local'],
    [
      'and not where a wish names no place',
      task({ metadata: { placement: 'moon' } }),
      { requested: null, setting: null },
      'local',
    ],
    [
      'in Docker where its environment is an image',
      ofImage('org/shop:1'),
      { requested: null, setting: null },
      'docker',
    ],
    ['or the Docker host is meant', ofImage('./shop', 'remote'), { requested: null, setting: null }, 'docker'],
    ['on this machine where it is a folder', ofImage('./shop'), { requested: null, setting: null }, 'local'],
    ['and always as it was asked for', ofImage('org/shop:1'), { requested: 'local', setting: null }, 'local'],
  ] as const)('%s', (_, of, said, kind) => {
    expect(choosePlacement(of, said)).toBe(kind);
  });
});
