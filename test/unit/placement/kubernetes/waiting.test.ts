import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { readQuantity } from '../../../../src/placement/kubernetes/find.ts';
import { failure, Kubectl } from '../../../../src/placement/kubernetes/kubectl.ts';
import { readPods, whyNoPod } from '../../../../src/placement/kubernetes/waiting.ts';
import { isAlive } from '../../../alive.ts';
import { needsPosix } from '../../../systems.ts';
import { temporaryFolder } from '../../runs/tasks.ts';

const LIMITS = { cpus: 1.5, memory: 1024, pids: 256, network: 'none' } as const;
const pod = (phase: string, more: object = {}) => ({ metadata: { name: 'p' }, status: { phase, ...more } });
const withImage = (reason: string) =>
  pod('Pending', { containerStatuses: [{ state: { waiting: { reason, message: 'not found' } } }] });
const unschedulable = pod('Pending', {
  conditions: [
    { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes: 3 Insufficient cpu.' },
  ],
});
const ended = (exitCode: number) =>
  pod(exitCode === 0 ? 'Succeeded' : 'Failed', { containerStatuses: [{ state: { terminated: { exitCode } } }] });
const why = (items: readonly unknown[], events: unknown = null) => whyNoPod(readPods({ items }), events, LIMITS);

describe('no lane', () => {
  test.each([
    [
      'the cluster has no room',
      [unschedulable],
      'no_room',
      /Insufficient cpu\. A lane requests 1\.5 processors and 1024 MB.*Free or add nodes, or lower/,
    ],
    ['a node cannot get the image', [pod('Running'), withImage('ImagePullBackOff')], 'image_unreachable', /not found/],
    ['all lanes have ended', [ended(0), ended(139)], 'container_start_failed', /exit code 139/],
    ['lanes do not reach the relay', [pod('Running'), pod('Running')], 'overlay_missing', /7000/],
    ['lanes no longer look for the relay', [pod('Running'), ended(0)], 'overlay_missing', /7000/],
  ])('is available because %s', (_, pods, code, message) => {
    expect(why(pods)).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('is available because the cluster rejects pods', () => {
    const events = { items: [{ reason: 'FailedCreate', message: 'pods "p" is forbidden: exceeded quota' }] };
    expect(why([], events)).toMatchObject({
      code: 'no_room',
      message: expect.stringMatching(/exceeded quota\. A lane requests .* Raise what the namespace allows/),
    });
  });

  test.each([
    ['some are still starting', [pod('Running'), withImage('ContainerCreating')]],
    ['some have room', [pod('Running'), unschedulable]],
    ['used ones are replaced', [ended(1), ended(1)]],
    ['nothing is known of them', []],
    ['an answer is not understood', ['Error', { status: null }]],
  ])('is only temporary while %s', (_, pods) => {
    expect(why(pods)).toBeNull();
  });
});

describe('kubectl', () => {
  test('is named in an error if it is missing', async () => {
    vi.stubEnv('PATH', '/nowhere');
    try {
      await expect(new Kubectl(null).get(['pods'])).rejects.toMatchObject({
        code: 'kubernetes_missing',
        message: expect.stringContaining('kubectl was not found'),
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  describe.skipIf(needsPosix('kubectl that waits'))('that waits for a login', () => {
    /** A kubectl that waits, with a program that it has started. Resolves with its process id once it runs. */
    async function waiting(): Promise<() => Promise<number>> {
      const bin = await temporaryFolder();
      const script = `#!/bin/sh\necho $$ > '${bin}/id'\nsleep 20 &\nexec sleep 20\n`;
      await writeFile(join(bin, 'kubectl'), script, { mode: 0o755 });
      vi.stubEnv('PATH', `${bin}${delimiter}${process.env['PATH']}`);
      return () => vi.waitUntil(async () => Number(await readFile(join(bin, 'id'), 'utf8').catch(() => '')), 20_000);
    }

    test('is ended after a time limit', async () => {
      const id = await waiting();
      const late = new AbortController();
      const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
      const asked = new Kubectl(null, 7).get(['pods']);
      void id().then(() => late.abort());

      await expect(asked).rejects.toMatchObject({
        code: 'kubernetes_missing',
        message: expect.stringMatching(/^kubectl did not answer within 12 s\. It may be waiting for a login/),
      });
      expect(limit).toHaveBeenCalledWith(12_000);
      const pid = await id();
      await expect.poll(() => isAlive(pid)).toBe(false);
    });

    test('is ended when nobody waits for its answer', async () => {
      const id = await waiting();
      const cancel = new AbortController();
      const asked = new Kubectl(null).get(['pods'], cancel.signal);
      void id().then(() => cancel.abort(new Error('cancelled')));

      await expect(asked).rejects.toThrow('cancelled');
      const pid = await id();
      await expect.poll(() => isAlive(pid)).toBe(false);
    });
  });

  test.each([
    ['error: current-context is not set', 'kubernetes_missing'],
    ['The connection to the server localhost:8080 was refused - did you specify the right host?', 'kubernetes_missing'],
    ['error: You must be logged in to the server (Unauthorized)', 'kubernetes_missing'],
    ['Error from server (Forbidden): jobs.batch is forbidden', 'container_create_failed'],
    ['Error from server (NotFound): namespaces "x" not found', 'container_create_failed'],
  ])('that says “%s” becomes %s', (said, code) => {
    expect(failure('create', said)).toMatchObject({ code, message: expect.stringContaining(said) });
  });

  test('writes quantities with a suffix', () => {
    expect(['4', '3920m', '16393244Ki', '1.5G'].map(readQuantity)).toEqual([4, 3.92, 16_786_681_856, 1.5e9]);
  });
});
