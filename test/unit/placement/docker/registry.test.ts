import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type Docker from 'dockerode';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { askHelper, pushImage } from '../../../../src/placement/docker/registry.ts';
import { needsPosix } from '../../../systems.ts';
import { temporaryFolder } from '../../runs/tasks.ts';

const DIGEST = 'registry.example.com/me/taskwright-browser@sha256:1';

/** A daemon to which images are pushed, and the credentials that it was given. */
function daemon(failure?: string): { readonly docker: Docker; readonly given: unknown[] } {
  const given: unknown[] = [];
  const image = {
    tag: async () => {},
    push: async ({ authconfig }: { authconfig: unknown }) => void given.push(authconfig),
    inspect: async () => ({ RepoDigests: ['other@sha256:2', DIGEST] }),
  };
  const modem = {
    followProgress: (_events: unknown, done: (error: null, events: unknown[]) => void) =>
      done(null, failure === undefined ? [] : [{ status: 'Waiting' }, { error: failure }]),
  };
  return { docker: { getImage: () => image, modem } as unknown as Docker, given };
}

const push = (docker: Docker) =>
  pushImage(docker, 'taskwright-browser:1', 'registry.example.com/me/', () => {}, new AbortController().signal);

const stored = { auths: { 'registry.example.com': { auth: Buffer.from('ada:love:lace').toString('base64') } } };
const ada = { username: 'ada', password: 'love:lace', serveraddress: 'registry.example.com' };

let folder: string;
/** Writes Docker's configuration. */
const configure = (text: string) => writeFile(join(folder, 'config.json'), text);

beforeEach(async () => {
  folder = await temporaryFolder();
  vi.stubEnv('DOCKER_CONFIG', folder);
});

describe('pushing an image', () => {
  it('uses the credentials of docker login, and returns a name with a digest', async () => {
    const { docker, given } = daemon();
    await configure(JSON.stringify(stored));
    expect(await push(docker)).toEqual({ reference: DIGEST, auth: ada });
    expect(given).toEqual([ada]);
  });

  it('uses no credentials if there are none', async () => {
    const { docker, given } = daemon();
    expect((await push(docker)).auth).toBeNull();
    await configure(JSON.stringify({ auths: { 'other.example.com': { auth: 'YTpi' } } }));
    expect((await push(docker)).auth).toBeNull();
    expect(given).toEqual([{}, {}]);
  });

  it('reports the error of the registry', async () => {
    await expect(push(daemon('denied: no access').docker)).rejects.toMatchObject({
      code: 'image_unreachable',
      message: 'The image could not be pushed to the registry registry.example.com/me: denied: no access.',
    });
  });

  it('names a file that is not a configuration', async () => {
    await configure('{');
    await expect(push(daemon().docker)).rejects.toThrow(/config\.json is not a configuration of Docker/);
  });
});

// The credential helper is a shell script.
describe.skipIf(needsPosix('the credentials of a credential helper'))('the credentials of a credential helper', () => {
  async function helper(script: string): Promise<void> {
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'docker-credential-test'), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, 'docker-credential-test'), 0o755);
    vi.stubEnv('PATH', `${bin}${delimiter}${process.env['PATH']}`);
  }

  it.each([
    ['of all registries', { credsStore: 'test' }],
    ['of this one', { ...stored, credsStore: 'other', credHelpers: { 'registry.example.com': 'test' } }],
  ])('uses the helper %s', async (_which, config) => {
    await configure(JSON.stringify(config));
    await helper(`read server; echo "{\\"Username\\": \\"$1\\", \\"Secret\\": \\"$server\\"}"`);
    const { docker, given } = daemon();
    await push(docker);
    expect(given).toEqual([
      { username: 'get', password: 'registry.example.com', serveraddress: 'registry.example.com' },
    ]);
  });

  it('returns null if a helper has no credentials', async () => {
    await configure(JSON.stringify({ credsStore: 'test' }));
    await helper('echo "credentials not found in native keychain"; exit 1');
    expect((await push(daemon().docker)).auth).toBeNull();
  });

  it.each([
    ['fails', 'echo "the keychain is locked"; exit 1', /docker-credential-test failed: the keychain is locked/],
    ['prints something else', 'echo hello', /docker-credential-test did not answer with credentials/],
  ])('reports a helper that %s', async (_what, script, message) => {
    await configure(JSON.stringify({ credsStore: 'test' }));
    await helper(script);
    await expect(push(daemon().docker)).rejects.toThrow(message);
  });

  it('reports a helper that takes too long', async () => {
    await helper('exec sleep 20');
    await expect(askHelper('test', 'registry.example.com', 100)).rejects.toThrow(
      'docker-credential-test did not answer within 0.1 s',
    );
  });

  it('reports a helper that does not exist', async () => {
    await configure(JSON.stringify({ credsStore: 'nowhere' }));
    await expect(push(daemon().docker)).rejects.toThrow(/docker-credential-nowhere failed: no such file/);
  });
});
