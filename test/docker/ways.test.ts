import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect as connectSocket, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Lease, ServerError } from '../../src/placement/placement.ts';
import { itLong } from '../sample.ts';
import { task } from '../system/server/harness.ts';
import { builtImage, certificates, contextFolder, dockerAt, place, sshToHere } from './harness.ts';

beforeAll(builtImage);

/** The daemon behind TLS, as one on another machine: whoever has no certificate of the authority is turned away. */
async function daemonWithTls(folder: string): Promise<string> {
  const read = (name: string): Promise<Buffer> => readFile(join(folder, name));
  const [ca, cert, key] = await Promise.all(['ca.pem', 'server-cert.pem', 'server-key.pem'].map(read));
  const sockets = new Set<Socket>();
  const options = { ca, cert, key, requestCert: true, rejectUnauthorized: true, allowHalfOpen: true } as const;
  const server = createServer(options as never, (near) => {
    const far = connectSocket({ path: '/var/run/docker.sock', allowHalfOpen: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const PAGE = task('<title>From afar</title>');

/** What the task's page is called when it is run there; and where its files came from. */
async function runThere(): Promise<{ readonly title: string | undefined; readonly files: Lease['files'] }> {
  const { server, files } = await place().open(PAGE);
  const { session } = await server.request('session.open', {});
  const { info } = await server.request('session.reset', { session, task: PAGE, files, seed: 0 });
  return { title: info.title, files };
}

const AFAR = { title: 'From afar', files: { contents: expect.anything() } };

describe('a daemon on another machine', () => {
  test('is reached over TCP with TLS; the task’s files go with the reset', async () => {
    const folder = await certificates();
    dockerAt(await daemonWithTls(folder));
    vi.stubEnv('DOCKER_TLS_VERIFY', '1');
    vi.stubEnv('DOCKER_CERT_PATH', folder);

    expect(await runThere()).toMatchObject(AFAR);
  });

  test('is not taken for what it says where its certificate is not of the authority', async () => {
    dockerAt(await daemonWithTls(await certificates()));
    vi.stubEnv('DOCKER_TLS_VERIFY', '1');
    vi.stubEnv('DOCKER_CERT_PATH', await certificates());

    const failure = await place()
      .open(PAGE)
      .catch((error: Error) => error);

    expect(failure).toBeInstanceOf(ServerError);
    expect(failure).toMatchObject({ code: 'docker_missing', message: expect.stringMatching(/certificate/i) });
  });

  itLong('is reached through the current context and its certificates', async () => {
    const folder = await certificates();
    const config = await contextFolder('afar', await daemonWithTls(folder), folder, { currentContext: 'afar' });
    dockerAt('');
    vi.stubEnv('DOCKER_CONFIG', config);

    expect(await runThere()).toMatchObject(AFAR);
  });

  test('is reached through ssh', async () => {
    await sshToHere('afar');
    dockerAt('ssh://somebody@afar');

    expect(await runThere()).toMatchObject(AFAR);
  });

  test('says what ssh says where that cannot reach it', async () => {
    await sshToHere('afar');
    dockerAt('ssh://somebody@nowhere');

    const failure = await place()
      .open(PAGE)
      .catch((error: Error) => error);

    expect((failure as Error).message).toContain('no route to nowhere');
    expect(failure).toMatchObject({ code: 'docker_missing' });
  });
});
