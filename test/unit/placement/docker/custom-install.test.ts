import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type Docker from 'dockerode';
import { expect, it, vi } from 'vitest';
import { openController } from '../../../../src/placement/docker/custom/open.ts';
import { DEFAULT_LIMITS } from '../../../../src/placement/docker/limits.ts';
import { task, temporaryFolder } from '../../runs/tasks.ts';

/** A daemon in whose containers dependencies must be installed; `pip` writes to the stream of that program. */
function daemon(pip: (stream: PassThrough) => void): Docker {
  const demuxStream = (stream: Readable, output: PassThrough) => void stream.pipe(output);
  const dial = (_request: unknown, done: (error: null, body: Readable) => void) =>
    done(null, Readable.from(['{"StatusCode": 0}']));
  const container = {
    id: 'c',
    modem: { demuxStream },
    attach: async () => new PassThrough(),
    start: async () => {},
    inspect: async () => ({ State: { Running: true }, Config: {} }),
    putArchive: async () => {},
    exec: async ({ Cmd }: { readonly Cmd: readonly string[] }) => {
      const stream = new PassThrough();
      const start = async () => {
        if (Cmd.includes('pip')) pip(stream);
        else stream.end().resume();
        return stream;
      };
      return { start, modem: { demuxStream }, inspect: async () => ({ ExitCode: 3 }) };
    },
    remove: async () => {},
  };
  return {
    createContainer: async () => container,
    getContainer: () => container,
    getImage: () => ({ inspect: async () => ({ Config: {} }) }),
    modem: { demuxStream, dial },
  } as unknown as Docker;
}

async function open(docker: Docker, signal = new AbortController().signal) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'controller'));
  await writeFile(join(folder, 'controller', 'Dockerfile'), 'FROM scratch');
  await writeFile(join(folder, 'controller', 'pyproject.toml'), '[project]');
  const env = { type: 'public', location: 'local', image_or_build_context: './controller' };
  return openController(task({ file: join(folder, 'some.task.json'), env }), {
    ...{ docker, images: { make: async () => {} } as never, limits: DEFAULT_LIMITS, owner: 'us', withheld: [] },
    ...{ progress: () => {}, log: () => {}, signal },
  });
}

it('reports what to do if the dependencies of a controller take too long', async () => {
  const late = new AbortController();
  const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);

  await expect(open(daemon(() => late.abort()))).rejects.toMatchObject({
    code: 'start_failed',
    message:
      'The controller cannot be called: the dependencies in its pyproject.toml were not installed within 600 s. Install them in the Dockerfile.',
  });
  expect(limit).toHaveBeenCalledWith(600_000);
});

it('reports why the dependencies of a controller cannot be installed', async () => {
  await expect(open(daemon((stream) => stream.end('No matching distribution')))).rejects.toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining(
      'could not be installed: No matching distribution. Install them in the Dockerfile.',
    ),
  });
});

it('does not wait for the dependencies of a controller after the run is cancelled', async () => {
  const cancel = new AbortController();

  await expect(
    open(
      daemon(() => cancel.abort(new Error('cancelled'))),
      cancel.signal,
    ),
  ).rejects.toThrow('cancelled');
});
