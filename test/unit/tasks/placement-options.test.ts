import { describe, expect, it } from 'vitest';
import { placementProblems } from '../../../src/tasks/placement-options.ts';

describe('the placement of a task', () => {
  it.each([
    {},
    { placement: 'local' },
    { placement: 'docker', docker: { cpus: 0.5, memory: 256, pids: 32, network: 'none' } },
    { docker: { memory: 1024 } },
  ])('is valid: %j', (metadata) => {
    expect(placementProblems(metadata)).toEqual([]);
  });

  it.each([
    [{ placement: 'container' }, 'bad-placement', ['metadata', 'placement'], 'not "container"'],
    [{ docker: 'debian' }, 'bad-limits', ['metadata', 'docker'], 'an object with cpus, memory, pids, and network'],
    [
      { docker: { memory: '2 GB' } },
      'bad-limits',
      ['metadata', 'docker', 'memory'],
      'an integer of at least 256 (megabytes)',
    ],
    [{ docker: { cpus: 0 } }, 'bad-limits', ['metadata', 'docker', 'cpus'], 'greater than 0'],
    [{ docker: { network: 'host' } }, 'bad-limits', ['metadata', 'docker', 'network'], '"none" or "bridge"'],
  ])('is said to be wrong, at its place: %j', (metadata, code, path, words) => {
    expect(placementProblems(metadata)).toEqual([
      { severity: 'warning', code, path, message: expect.stringContaining(words) },
    ]);
  });
});
