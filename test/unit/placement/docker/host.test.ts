import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { clientOf, isLocal } from '../../../../src/placement/docker/connection.ts';
import { findHost, namedHost } from '../../../../src/placement/docker/host.ts';
import { sshArguments } from '../../../../src/placement/docker/ssh.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'home-'));
  onTestFinished(() => rm(home, { recursive: true }));
});

/** Where Docker is for somebody with this home and these variables. */
function find(env: NodeJS.ProcessEnv = {}, platform: NodeJS.Platform = 'linux') {
  return findHost({ env, home, platform });
}

async function configure(config: unknown, folder = join(home, '.docker')): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config));
}

/** A context as `docker context create` leaves it. */
async function context(name: string, docker: object, certificates: Record<string, string> = {}): Promise<void> {
  const id = createHash('sha256').update(name).digest('hex');
  const [meta, tls] = [join(home, '.docker/contexts/meta', id), join(home, '.docker/contexts/tls', id, 'docker')];
  await mkdir(meta, { recursive: true });
  await mkdir(tls, { recursive: true });
  await writeFile(join(meta, 'meta.json'), JSON.stringify({ Name: name, Metadata: {}, Endpoints: { docker } }));
  for (const [file, text] of Object.entries(certificates)) await writeFile(join(tls, file), text);
}

describe('Docker is looked for', () => {
  test('where DOCKER_HOST says, before all else', async () => {
    await configure({ currentContext: 'far' });
    await context('far', { Host: 'ssh://far' });

    const found = await find({ DOCKER_HOST: 'tcp://build:2375', DOCKER_CONTEXT: 'far' });

    expect(found).toEqual({ address: 'tcp://build:2375', by: 'DOCKER_HOST', tls: null });
  });

  test('with the certificates that DOCKER_CERT_PATH names', async () => {
    await writeFile(join(home, 'ca.pem'), 'authority');

    const found = await find({ DOCKER_HOST: 'build:2376', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: home });

    expect(found).toMatchObject({ address: 'tcp://build:2376', tls: { verify: true, ca: Buffer.from('authority') } });
    expect(found.tls).not.toHaveProperty('key');
  });

  test('in the context that DOCKER_CONTEXT names, before the current one', async () => {
    await configure({ currentContext: 'near' });
    await context('near', { Host: 'unix:///near.sock' });
    await context('far', { Host: 'ssh://me@far' });

    expect(await find({ DOCKER_CONTEXT: 'far' })).toEqual({
      address: 'ssh://me@far',
      by: 'the context “far”',
      tls: null,
    });
    expect(await find()).toMatchObject({ address: 'unix:///near.sock', by: 'the context “near”' });
  });

  test('with the certificates of the context', async () => {
    await context('safe', { Host: 'tcp://safe:2376', SkipTLSVerify: false }, { 'ca.pem': 'a', 'key.pem': 'k' });
    await context('trusting', { Host: 'tcp://trusting:2376', SkipTLSVerify: true });

    expect((await find({ DOCKER_CONTEXT: 'safe' })).tls).toEqual({
      verify: true,
      ca: Buffer.from('a'),
      key: Buffer.from('k'),
    });
    expect((await find({ DOCKER_CONTEXT: 'trusting' })).tls).toEqual({ verify: false });
  });

  test('in the folder that DOCKER_CONFIG names', async () => {
    await configure({ currentContext: 'lost' }, join(home, 'elsewhere'));

    await expect(find({ DOCKER_CONFIG: join(home, 'elsewhere') })).rejects.toThrow(
      'the context “lost”, which does not exist',
    );
  });

  test('in the usual place, where the default context is meant or none is named', async () => {
    await configure({ currentContext: 'default', auths: {} });

    expect(await find()).toMatchObject({ by: 'the default location', tls: null });
    expect((await find({}, 'win32')).address).toBe('npipe:////./pipe/docker_engine');
  });

  test('and a configuration that cannot be read is named', async () => {
    await configure('{ "currentContext": ');

    await expect(find()).rejects.toThrow(`${join(home, '.docker', 'config.json')} cannot be read`);
  });
});

describe('a daemon', () => {
  test('sees the folders of this machine where its socket is here', () => {
    const at = (address: string) => ({ address, by: 'DOCKER_HOST', tls: null });

    expect(isLocal(at('unix:///var/run/docker.sock'))).toBe(true);
    expect(isLocal(at('npipe:////./pipe/docker_engine'))).toBe(true);
    expect(isLocal(at('tcp://localhost:2375'))).toBe(false);
    expect(isLocal(at('ssh://me@far'))).toBe(false);
  });

  test('is asked at its own address, whatever DOCKER_HOST says of another', async () => {
    const path = join(home, 'docker.sock');
    const asked = Promise.withResolvers<string>();
    const server = createServer((socket) => {
      socket.once('data', (data) => asked.resolve(data.toString()));
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nOK');
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());

    await clientOf({ address: `unix://${path}`, by: 'test', tls: null }).ping();

    expect(await asked.promise).toMatch(/^GET \/_ping /);
  });

  test('of an address that nobody understands is refused', () => {
    expect(() => clientOf({ address: 'fd://', by: 'test', tls: null })).toThrow(
      '“fd://” is not a valid Docker address',
    );
  });

  test('behind ssh is reached with arguments, never a line of shell', () => {
    expect(sshArguments(new URL('ssh://me@far:2222'))).toEqual(
      '-T -o BatchMode=yes -o ConnectTimeout=30 -l me -p 2222 -- far docker system dial-stdio'.split(' '),
    );
    const strange = sshArguments(new URL('ssh://far/run/other.sock'));
    expect(strange.slice(strange.indexOf('--'))).toEqual(
      '-- far docker --host unix:///run/other.sock system dial-stdio'.split(' '),
    );
  });
});

describe('a Docker host of several', () => {
  const named = (name: string, env: NodeJS.ProcessEnv = {}) => namedHost(name, { env, home, platform: 'linux' });

  test('is an address, whatever Docker itself uses', async () => {
    const env = { DOCKER_HOST: 'tcp://other', DOCKER_CONTEXT: 'other' };
    expect(await named('ssh://me@build-1', env)).toMatchObject({ address: 'ssh://me@build-1', tls: null });
    expect(await named('build-1:2375', env)).toMatchObject({ address: 'tcp://build-1:2375' });
  });

  test('has the certificates of DOCKER_CERT_PATH', async () => {
    await writeFile(join(home, 'ca.pem'), 'authority');
    const { tls } = await named('tcp://build-1:2376', { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: home });
    expect(tls).toMatchObject({ verify: true, ca: Buffer.from('authority') });
  });

  test('is a context with its certificates, or the default one', async () => {
    await context('far', { Host: 'tcp://far:2376' }, { 'ca.pem': 'far authority' });
    expect(await named('far')).toMatchObject({ address: 'tcp://far:2376', tls: { ca: Buffer.from('far authority') } });
    expect(await named('default', { DOCKER_HOST: 'tcp://other' })).toMatchObject({ by: 'the default location' });
    await expect(named('nowhere')).rejects.toThrow('the context “nowhere”, which does not exist');
  });
});
