import { expect, it } from 'vitest';
import { customCreateOptions } from '../../../../src/placement/docker/custom/create-options.ts';

const limits = { cpus: 2, memory: 1024, pids: 100, network: 'bridge' } as const;
const of = { image: 'i', start: { entrypoint: [], command: ['serve'] }, hostConfig: {}, limits, owner: 'me' };

it('publishes no port of a user-provided image, or one port on the loopback interface only', () => {
  const { HostConfig, ExposedPorts } = customCreateOptions(of);
  expect([HostConfig?.PortBindings, ExposedPorts]).toEqual([undefined, undefined]);

  const published = customCreateOptions({ ...of, publish: 8000 });
  expect(published.ExposedPorts).toEqual({ '8000/tcp': {} });
  expect(published.HostConfig?.PortBindings).toEqual({ '8000/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] });
  expect(published.HostConfig).toMatchObject({ Memory: 1024 * 1024 * 1024, PidsLimit: 100, AutoRemove: true });
});
