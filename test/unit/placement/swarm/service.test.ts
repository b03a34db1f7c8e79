import { describe, expect, test } from 'vitest';
import { laneService } from '../../../../src/placement/swarm/service.ts';
import { whyNoLane } from '../../../../src/placement/swarm/waiting.ts';

const LIMITS = { cpus: 1.5, memory: 1024, pids: 256, network: 'none' } as const;
const SECURITY = { owner: '{"pid":1}', seccomp: '{}', user: { uid: 10_001, gid: 10_001 } };

const serviceOf = (kind: string, limits: typeof LIMITS | { network: 'bridge' } = LIMITS) =>
  laneService(
    {
      name: 'taskwright-1',
      image: 'sha256:1',
      kind,
      limits: { ...LIMITS, ...limits },
      lanes: 24,
      network: 'internal',
      secret: 's',
      without: ['other'],
    },
    SECURITY,
  );

describe('the service of lanes', () => {
  test('reserves what the limits are, and is restricted like a container', () => {
    const service = serviceOf('browser');

    expect(service).toMatchObject({
      Mode: { Replicated: { Replicas: 24 } },
      Labels: { 'taskwright.owner': '{"pid":1}' },
      TaskTemplate: {
        ContainerSpec: {
          User: '10001:10001',
          ReadOnly: true,
          CapabilityDrop: ['ALL'],
          Privileges: { NoNewPrivileges: true, Seccomp: { Mode: 'custom', Profile: 'e30=' } },
        },
        Resources: {
          Limits: { NanoCPUs: 1.5e9, MemoryBytes: 1_073_741_824, Pids: 256 },
          Reservations: { NanoCPUs: 1.5e9, MemoryBytes: 1_073_741_824 },
        },
        Placement: { Constraints: ['node.id!=other'] },
      },
    });
    expect(service.TaskTemplate).not.toHaveProperty('ContainerSpec.CapabilityAdd');
    expect(service).not.toHaveProperty('EndpointSpec.Ports');
  });

  test('leads out only with the network “bridge”', () => {
    const networks = [serviceOf('browser'), serviceOf('browser', { network: 'bridge' })].map(
      ({ TaskTemplate }) => (TaskTemplate as { Networks: { Target: string }[] }).Networks,
    );

    expect(networks).toEqual([[{ Target: 'internal' }], [{ Target: 'internal' }, { Target: 'bridge' }]]);
  });

  test.each([
    ['browser', false],
    ['coding', true],
    ['desktop', true],
  ])('starts lanes afresh for each run where agents run commands: %s', (kind, afresh) => {
    const { TaskTemplate } = serviceOf(kind);
    const { Command, Mounts } = (TaskTemplate as { ContainerSpec: { Command: string[]; Mounts: { Target: string }[] } })
      .ContainerSpec;

    expect(Command.includes('--once')).toBe(afresh);
    expect(Command.some((word) => word.endsWith('supervisor.js'))).toBe(afresh);
    expect(Mounts.some(({ Target }) => Target === '/home/agent')).toBe(afresh);
  });
});

describe('no lane', () => {
  const task = (State: string, Err = '', DesiredState = 'running') => ({ DesiredState, Status: { State, Err } });

  test.each([
    ['the swarm has no room', [task('pending', 'no suitable node (insufficient resources on 3 nodes)')], 'no_room'],
    [
      'a node cannot get the image',
      [task('preparing'), task('rejected', 'No such image: r.example.com/x', 'shutdown')],
      'image_unreachable',
    ],
    ['lanes do not reach the relay', [task('running'), task('running')], 'overlay_missing'],
    ['lanes no longer look for the relay', [task('complete', '', 'shutdown')], 'overlay_missing'],
  ])('comes because %s', (_, tasks, code) => {
    expect(whyNoLane(tasks, LIMITS)).toMatchObject({ code });
  });

  test.each([
    ['some are still starting', [task('running'), task('starting')]],
    ['some have room', [task('running'), task('pending', 'no suitable node'), task('starting')]],
    ['nothing is known of them', []],
    ['an answer is not understood', ['Error grabbing logs', { Status: null }]],
  ])('is no reason to give up while %s', (_, tasks) => {
    expect(whyNoLane(tasks, LIMITS)).toBeNull();
  });

  test('reports the message of Docker, what a lane reserves, and what to do', () => {
    expect(whyNoLane([task('pending', 'no suitable node (insufficient resources on 3 nodes)')], LIMITS)?.message).toBe(
      'no suitable node (insufficient resources on 3 nodes). A lane reserves 1.5 processors and 1024 MB (metadata.docker). Give tasks smaller limits, or add nodes to the swarm',
    );
  });
});
