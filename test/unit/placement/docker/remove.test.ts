import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { clientOf } from '../../../../src/placement/docker/connection.ts';
import { removeContainer } from '../../../../src/placement/docker/remove.ts';
import { temporaryFolder } from '../../runs/tasks.ts';

it('stops waiting for a daemon that does not respond to the removal of a container', async () => {
  const path = join(await temporaryFolder(), 'docker.sock');
  const server = createServer((socket) => void socket.resume());
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const limit = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort());
  const docker = clientOf({ address: `unix://${path}`, by: 'test', tls: null });

  await expect(removeContainer(docker, '0123456789abcdef')).rejects.toMatchObject({
    code: 'docker_gone',
    message: 'Docker did not remove the container 0123456789ab within 60 s.',
  });
  expect(limit).toHaveBeenCalledWith(60_000);
});
