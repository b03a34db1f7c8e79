import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { composeStamp, startComposeServer } from '../../../../src/placement/docker/compose-server.ts';
import { needsPosix } from '../../../systems.ts';
import { temporaryFolder } from '../../runs/tasks.ts';

it.skipIf(needsPosix('a Compose that cannot be used')).each([
  [
    'is missing',
    'echo "docker: unknown command: docker compose" >&2; exit 1',
    /fails: docker: unknown command: docker/,
  ],
  ['is too old', 'echo v2.20.3', /Compose 2\.24 or newer; this is v2\.20\.3\. Install it \(Debian 13: apt-get install/],
])('a Compose that %s is an error that says what to install', async (_what, program, message) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'docker'), `#!/bin/sh\n${program}\n`);
  await chmod(join(folder, 'docker'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const source = { hudCompose: join(folder, 'compose.yaml'), startMs: 60_000, resources: {} };
  const options = { docker: {} as never, host: 'unix:///nowhere', owner: '', progress: () => {}, log: () => {} };
  await expect(startComposeServer(source, { ...options, signal: new AbortController().signal })).rejects.toMatchObject({
    code: 'start_failed',
    message: expect.stringMatching(message),
  });
});

it('rejects a Compose file that cannot be read, and gives a changed one another version', async () => {
  const folder = await temporaryFolder();
  const document = join(folder, 'compose.yaml');
  await expect(composeStamp(document)).rejects.toThrow(/^The Compose file .* cannot be read: /);
  await writeFile(document, '{}');
  const first = await composeStamp(document);
  expect(await composeStamp(document)).toBe(first);
  await writeFile(join(folder, '.env'), 'A=1\n');
  expect(await composeStamp(document)).not.toBe(first);
});
