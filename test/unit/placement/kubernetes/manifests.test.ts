import { describe, expect, test } from 'vitest';
import { laneObjects, relayExtras, relayJob } from '../../../../src/placement/kubernetes/manifests.ts';

// What they may hold is checked by their types, which are made of the published schemas of Kubernetes.
const OWNER = { name: 'taskwright-relay', uid: 'u1' };
const LIMITS = { cpus: 1.5, memory: 1024, pids: 256, network: 'none' } as const;

function lanes(kind = 'browser', limits: Partial<Record<'network', 'none' | 'bridge'>> = {}) {
  const group = {
    name: 'taskwright-1',
    image: 'r/x@sha256:1',
    kind,
    limits: { ...LIMITS, ...limits },
    lanes: 24,
    secret: 's',
  };
  const [job, policy] = laneObjects(OWNER, group, '10.1.2.3');
  return { job, policy, pod: job.spec?.template.spec };
}

describe('lanes', () => {
  test('are the pods of an indexed job, and request what their limits are', () => {
    const { job, pod } = lanes();

    expect(job.spec).toMatchObject({ completionMode: 'Indexed', parallelism: 24, completions: 24 });
    expect(job.spec?.backoffLimitPerIndex).toBeGreaterThan(0);
    expect(pod?.restartPolicy).toBe('Never');
    const quantities = { cpu: '1500m', memory: '1024Mi' };
    expect(pod?.containers[0]?.resources).toEqual({ requests: quantities, limits: quantities });
  });

  test('are restricted like containers, and cannot access the cluster', () => {
    const { pod } = lanes();

    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsUser: 10_001, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    });
    expect(pod?.containers[0]?.securityContext?.capabilities).not.toHaveProperty('add');
    expect(pod?.volumes?.every(({ emptyDir }) => emptyDir?.medium === 'Memory')).toBe(true);
  });

  test('get the secret by reference, and only to the lane itself', () => {
    const { job, pod } = lanes();

    expect(JSON.stringify(job)).not.toContain('"s"');
    const secret = pod?.containers[0]?.env?.find(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined);
    expect(secret?.name).toMatch(/^LANE_/);
    expect(relayExtras(OWNER, 's')[0]).toMatchObject({ kind: 'Secret', stringData: { secret: 's' } });
  });

  test('reach the relay only, and others only with the network “bridge”', () => {
    const relay = expect.objectContaining({ ports: [{ protocol: 'TCP', port: 7000 }] });

    expect(lanes().policy.spec?.egress).toEqual([relay]);
    expect(lanes('browser', { network: 'bridge' }).policy.spec?.egress).toEqual([relay, {}]);
    expect(lanes().policy.spec?.ingress).toEqual([]);
  });

  test.each([
    ['browser', false],
    ['coding', true],
    ['desktop', true],
  ])('start afresh for each run where agents run commands: %s', (kind, afresh) => {
    const { job, pod } = lanes(kind);

    expect(pod?.containers[0]?.command?.includes('--once')).toBe(afresh);
    expect(pod?.initContainers !== undefined).toBe(afresh);
    expect(pod?.containers[0]?.securityContext?.capabilities?.add !== undefined).toBe(afresh);
    // A lane that was used is no failure.
    expect(job.spec?.podFailurePolicy?.rules).toContainEqual({
      action: 'Ignore',
      onExitCodes: { operator: 'In', values: [1] },
    });
  });
});

test('everything belongs to the job of the relay, which Kubernetes removes once the relay has ended', () => {
  const job = relayJob(OWNER.name, 'r/x@sha256:1');
  const { job: lane, policy } = lanes();

  expect(job.spec).toMatchObject({ backoffLimit: 0, ttlSecondsAfterFinished: 30 });
  expect(job.spec?.template.spec?.containers[0]).toMatchObject({ stdin: true, stdinOnce: true });
  for (const { metadata } of [...relayExtras(OWNER, 's'), lane, policy]) {
    expect(metadata).toMatchObject({
      labels: { 'taskwright/lanes': OWNER.name },
      ownerReferences: [{ kind: 'Job', name: OWNER.name, uid: 'u1' }],
    });
  }
});
