import { describe, expect, test } from 'vitest';
import { describeLoads, type EnvironmentUsage } from '../../../src/presentation/placement/loads.ts';
import { readTasks } from '../../../src/tasks/read.ts';

const [row] = readTasks('/tasks/one.tasks.json', '[{ "id": "one", "prompt": "Do it.", "gym": "qa" }]').rows;
const USAGE = { cpus: 0.75, memory: 600 * 1024 * 1024, memoryLimit: null };

const on = (
  placement: EnvironmentUsage['environment']['placement'],
  host: string | undefined,
  state: 'busy' | 'ready',
  usage: EnvironmentUsage['usage'] = null,
): EnvironmentUsage => ({
  environment: { placement, host, tasks: state === 'busy' && row?.task ? [row.task] : [] },
  usage,
});

/** The rows as they are read. */
const describeAll = (all: readonly EnvironmentUsage[]): string[] =>
  describeLoads(all).map(({ label, description }) => [label, description].filter((part) => part !== '').join(': '));

describe('the load', () => {
  test('of Docker hosts is what their containers use together', () => {
    const loads = describeAll([
      on('docker', 'ssh://me@build-1', 'busy', USAGE),
      on('docker', 'tcp://10.0.0.2:2376', 'ready'),
      on('docker', 'ssh://me@build-1', 'ready', USAGE),
    ]);

    expect(loads).toEqual([
      'build-1: 1 of 2 containers in use · 150 % · 1.2 GB',
      '10.0.0.2:2376: 0 of 1 container in use',
    ]);
  });

  test('of nodes is how many of their lanes are in use, after all lanes of the swarm', () => {
    const loads = describeAll([
      on('swarm', 'node-10', 'busy'),
      on('swarm', 'node-2', 'ready'),
      on('swarm', 'node-10', 'busy'),
    ]);

    expect(loads).toEqual([
      'Docker Swarm: 2 of 3 lanes in use on 2 nodes',
      'node-2: 0 of 1 lane in use',
      'node-10: 2 of 2 lanes in use',
    ]);
  });

  test('of many nodes is that of the first, and how many more there are', () => {
    const lanes = Array.from({ length: 40 }, (_, node) => on('kubernetes', `node-${node}`, 'busy'));

    const lines = describeAll(lanes);

    expect(lines[0]).toBe('Kubernetes: 40 of 40 lanes in use on 40 nodes');
    expect(lines.slice(-2)).toEqual(['node-9: 1 of 1 lane in use', '30 more']);
  });

  test('is not described where there is one place', () => {
    expect(describeAll([on('docker', undefined, 'busy', USAGE), on('local', undefined, 'busy')])).toEqual([]);
  });
});
