import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { clientOf, connect, DockerMissing, isLocal } from '../../../../src/placement/docker/connection.ts';
import { findHost, listContexts, namedHost } from '../../../../src/placement/docker/host.ts';
import { adviceFor, reasonOf } from '../../../../src/placement/docker/host-failure.ts';
import { connectThroughSsh, sshArguments } from '../../../../src/placement/docker/ssh.ts';
import { needsPosix } from '../../../systems.ts';

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

const idOf = (context: string): string => createHash('sha256').update(context).digest('hex');
const certificatesOf = (context: string): string => join(home, '.docker/contexts/tls', idOf(context), 'docker');

/** A context as `docker context create` leaves it. */
async function context(name: string, docker: object, certificates: Record<string, string> = {}): Promise<void> {
  const [meta, tls] = [join(home, '.docker/contexts/meta', idOf(name)), certificatesOf(name)];
  await mkdir(meta, { recursive: true });
  await mkdir(tls, { recursive: true });
  await writeFile(join(meta, 'meta.json'), JSON.stringify({ Name: name, Metadata: {}, Endpoints: { docker } }));
  for (const [file, text] of Object.entries(certificates)) await writeFile(join(tls, file), text);
}

describe('the address of Docker', () => {
  test('is DOCKER_HOST if it is set', async () => {
    await configure({ currentContext: 'far' });
    await context('far', { Host: 'ssh://far' });

    const found = await find({ DOCKER_HOST: 'tcp://build:2375', DOCKER_CONTEXT: 'far' });

    expect(found).toEqual({ address: 'tcp://build:2375', by: 'DOCKER_HOST', tls: null });
  });

  test('has the certificates in DOCKER_CERT_PATH', async () => {
    await writeFile(join(home, 'ca.pem'), 'authority');

    const found = await find({ DOCKER_HOST: 'build:2376', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: home });

    expect(found).toMatchObject({
      address: 'tcp://build:2376',
      tls: { verify: true, folder: home, ca: Buffer.from('authority') },
    });
    expect(found.tls).not.toHaveProperty('key');
  });

  test('is that of DOCKER_CONTEXT, else of the current context', async () => {
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

  test('has the certificates of the context', async () => {
    await context(
      'safe',
      { Host: 'tcp://safe:2376', SkipTLSVerify: false },
      { 'ca.pem': 'a', 'cert.pem': 'c', 'key.pem': 'k' },
    );
    await context('trusting', { Host: 'tcp://trusting:2376', SkipTLSVerify: true });

    expect((await find({ DOCKER_CONTEXT: 'safe' })).tls).toEqual({
      verify: true,
      folder: certificatesOf('safe'),
      ca: Buffer.from('a'),
      cert: Buffer.from('c'),
      key: Buffer.from('k'),
    });
    expect((await find({ DOCKER_CONTEXT: 'trusting' })).tls).toMatchObject({ verify: false });
  });

  test('is read from the folder DOCKER_CONFIG', async () => {
    await configure({ currentContext: 'lost' }, join(home, 'elsewhere'));

    await expect(find({ DOCKER_CONFIG: join(home, 'elsewhere') })).rejects.toThrow(
      'the context “lost”, which does not exist',
    );
  });

  test('is the default location for the default context or none', async () => {
    await configure({ currentContext: 'default', auths: {} });

    expect(await find()).toMatchObject({ by: 'the default location', tls: null });
    expect((await find({}, 'win32')).address).toBe('npipe:////./pipe/docker_engine');
  });

  test('is an error that names a configuration that cannot be read', async () => {
    await configure('{ "currentContext": ');

    await expect(find()).rejects.toThrow(`${join(home, '.docker', 'config.json')} cannot be read`);
  });
});

describe('a daemon', () => {
  test('sees local folders if its socket is local', () => {
    const at = (address: string) => ({ address, by: 'DOCKER_HOST', tls: null });

    expect(isLocal(at('unix:///var/run/docker.sock'))).toBe(true);
    expect(isLocal(at('npipe:////./pipe/docker_engine'))).toBe(true);
    expect(isLocal(at('tcp://localhost:2375'))).toBe(false);
    expect(isLocal(at('ssh://me@far'))).toBe(false);
  });

  test('is reached at its own address, regardless of DOCKER_HOST', async () => {
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

  test.each(['ssh://me@far', 'tcp://far:2376', 'tcp://far:2375'])(
    'at %s is asked through an agent that VS Code does not replace: that of a socket',
    async (address) => {
      const request = vi.spyOn(http, 'request').mockImplementation(() => {
        throw new Error('asked');
      });
      onTestFinished(() => request.mockRestore());

      await expect(clientOf({ address, by: 'test', tls: null }).ping()).rejects.toThrow('asked');

      expect(request.mock.lastCall?.[0]).toMatchObject({ socketPath: address, agent: expect.any(http.Agent) });
    },
  );

  test.each(['tcp', 'https'])('that is gone is noticed (%s)', async (protocol) => {
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const checked = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const address = `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;

    await expect(clientOf({ address, by: 'test', tls: null }).ping()).rejects.toThrow();

    expect(checked).toHaveBeenCalledWith(true, 15_000);
  });

  // The stand-in for ssh is a shell script.
  test.skipIf(needsPosix('a daemon that is gone'))('that is gone is noticed (ssh)', async () => {
    await writeFile(join(home, 'ssh'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${home}${delimiter}${process.env['PATH']}`);

    expect(await text(connectThroughSsh(new URL('ssh://me@far')))).toMatch(
      /^-o ServerAliveInterval=15 -o ServerAliveCountMax=3 .*-- far docker system dial-stdio\n$/,
    );
  });

  test('cannot have an invalid address', () => {
    expect(() => clientOf({ address: 'fd://', by: 'test', tls: null })).toThrow(
      '“fd://” is not a valid Docker address',
    );
  });

  test('is reached through ssh with arguments, without a shell', () => {
    expect(sshArguments(new URL('ssh://me@far:2222'))).toEqual(
      '-T -o BatchMode=yes -o ConnectTimeout=30 -l me -p 2222 -- far docker system dial-stdio'.split(' '),
    );
    const strange = sshArguments(new URL('ssh://far/run/other.sock'));
    expect(strange.slice(strange.indexOf('--'))).toEqual(
      '-- far docker --host unix:///run/other.sock system dial-stdio'.split(' '),
    );
  });
});

describe('one of several Docker hosts', () => {
  const named = (name: string, env: NodeJS.ProcessEnv = {}) => namedHost(name, { env, home, platform: 'linux' });

  test('is an address, regardless of the one that Docker uses', async () => {
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

describe('the error of a Docker host that cannot be used', () => {
  const system = () => ({ env: {}, home, platform: 'linux' as const });
  /** What is said of a host that cannot be reached. */
  async function saidOf(host: string, env: NodeJS.ProcessEnv = {}): Promise<{ attempt: string; advice: string }> {
    const failure = await connect({ host, system: { ...system(), env }, limit: 500 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DockerMissing);
    const { attempt, advice, message } = failure as DockerMissing;
    expect(message).toContain(`${attempt}. ${advice}.`);
    return { attempt, advice };
  }

  test('lists the contexts for an unknown one', async () => {
    expect(await listContexts(system())).toEqual([]);
    expect(await saidOf('nowhere')).toEqual({
      attempt: 'the context “nowhere”, which does not exist',
      advice: 'There are no contexts but “default”, or create it with docker context create',
    });
    await context('near', { Host: 'unix:///near.sock' });
    await context('far', { Host: 'ssh://me@far' });
    expect(await listContexts(system())).toEqual(['far', 'near']);
    expect((await saidOf('nowhere')).advice).toBe('Use one of far, near, or create it with docker context create');
  });

  test('names the missing file for a certificate without its key', async () => {
    await writeFile(join(home, 'cert.pem'), 'certificate');
    const env = { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: home };
    expect(await saidOf('tcp://far:2376', env)).toEqual({
      attempt: `the certificates in ${home}, which has cert.pem but not key.pem`,
      advice: 'Put key.pem there too: a client needs both',
    });
  });

  test('lists what to check if nothing listens or the machine does not respond', async () => {
    const server = createServer((socket) => void socket.resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const address = `tcp://127.0.0.1:${port}`;
    const silent = await saidOf(address);
    expect(silent.attempt).toBe(`${address} (in the list of hosts): it did not answer within 0.5 s`);
    expect(silent.advice).toMatch(`its Docker daemon listens on port ${port} (https://docs.docker.com/`);
    await new Promise((resolve) => server.close(resolve));
    expect((await saidOf(address)).attempt).toContain('the connection was refused; the daemon is not running');
  });

  test('names a command to try if ssh fails', async () => {
    const error = new Error('me@far: Permission denied (publickey).');
    const host = { address: 'ssh://me@far:2222', by: 'test', tls: null };
    expect(reasonOf(error)).toBe('me@far: Permission denied (publickey)');
    expect(adviceFor(host, error, system())).toBe(
      'Check that this command works without a prompt: “ssh -o BatchMode=yes -o ConnectTimeout=30 -l me -p 2222 far docker version”',
    );
  });

  test.each([
    ['SELF_SIGNED_CERT_IN_CHAIN', 'not of an authority that is trusted here', 'into /certificates'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'for other names', 'Use a name that the certificate is for'],
    ['CERT_HAS_EXPIRED', 'has expired', 'Make a new certificate'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'does not accept this client', 'cert.pem, and key.pem'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'does not use TLS', 'unset DOCKER_TLS_VERIFY'],
    ['ERR_OSSL_PEM_NO_START_LINE', 'are damaged', 'into /certificates'],
  ])('TLS that fails with %s', (code, reason, advice) => {
    const error = Object.assign(new Error('TLS'), { code });
    const tls = { folder: '/certificates', verify: true };
    expect(reasonOf(error)).toContain(reason);
    expect(adviceFor({ address: 'tcp://far:2376', by: 'test', tls }, error, system())).toContain(advice);
  });

  test('explains how to set certificates for a daemon that requires TLS', () => {
    const error = new Error('(HTTP code 400) unexpected - Client sent an HTTP request to an HTTPS server.');
    expect(reasonOf(error)).toBe('it requires TLS');
    expect(adviceFor({ address: 'tcp://far:2376', by: 'test', tls: null }, error, system())).toMatch(
      /^Set DOCKER_TLS_VERIFY=1, and DOCKER_CERT_PATH to .*docker context create/,
    );
  });
});
