import type Docker from 'dockerode';
import { expect, it } from 'vitest';
import type { Images } from '../../../../src/placement/docker/build.ts';
import type { Connection } from '../../../../src/placement/docker/connection.ts';
import { SwarmImages } from '../../../../src/placement/swarm/images.ts';

const NODES = ['manager', 'known', 'unknown-1', 'unknown-2'];

function node(id: string, hasImage: boolean): Docker {
  const inspect = async (): Promise<{ Id: string }> => {
    if (!hasImage) throw Object.assign(new Error('no such image'), { statusCode: 404 });
    return { Id: 'sha256:1' };
  };
  return {
    info: async () => ({ Swarm: { NodeID: id } }),
    getImage: () => ({ inspect }),
    listNodes: async () => NODES.map((ID) => ({ ID })),
  } as unknown as Docker;
}

it('reports once which nodes get no image without a registry because they are not known hosts', async () => {
  const told: [number, number][] = [];
  const known = { docker: node('known', true), host: { address: 'tcp://known' } } as unknown as Connection;
  const images = new SwarmImages({
    images: { ensure: async () => 'taskwright-coding:1' } as unknown as Images,
    registry: null,
    manager: node('manager', true),
    others: async () => [known],
    onNodesWithout: (...numbers) => told.push(numbers),
  });
  const { signal } = new AbortController();

  const image = await images.ensure('coding', () => {}, signal);

  expect(image).toEqual({
    tag: 'taskwright-coding:1',
    reference: 'sha256:1',
    without: ['unknown-1', 'unknown-2'],
    auth: null,
  });
  await images.ensure('qa', () => {}, signal);
  expect(told).toEqual([[2, 4]]);
});
