import { rm } from 'node:fs/promises';
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { ContainerAttachOptions, ContainerCreateOptions } from 'dockerode';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Container } from '../../src/placement/docker/container.ts';
import { DEFAULT_LIMITS } from '../../src/placement/docker/limits.ts';
import { ownerLabel, thisOwner } from '../../src/placement/docker/owner.ts';
import type { Lease } from '../../src/placement/placement.ts';
import type { Task } from '../../src/tasks/task.ts';
import { task } from '../system/server/harness.ts';
import { builtImage, containersOf, daemon, dockerAt, installation, place, temporaryFolder } from './harness.ts';

beforeAll(builtImage);

const SOME = task('<p>Hello</p>');

/** What asks the daemon its questions. */
interface Modem {
  dial(...question: readonly unknown[]): void;
}

/** A session with the task, at its start. */
async function begin(lease: Lease, which: Task): Promise<string> {
  const { session } = await lease.server.request('session.open', {});
  await lease.server.request('session.reset', { session, task: which, files: lease.files, seed: 0 });
  return session;
}

describe('a container', () => {
  test('that exits at once says its exit code and last words', async () => {
    const server = `console.error('no room in here'); process.exit(7);`;
    const { open } = place({ installation: await installation({ server }) });

    await expect(open(SOME)).rejects.toMatchObject({
      code: 'container_start_failed',
      message: expect.stringMatching(/exit code 7[\s\S]*no room in here/),
    });
    expect(await containersOf(process.pid)).toEqual([]);
  });

  test('that never gets ready is given up after a while, with its last words', async () => {
    const server = `console.error('thinking'); process.stdin.resume(); setInterval(() => {}, 1000);`;
    const { open } = place({ installation: await installation({ server }) });

    await expect(open(SOME)).rejects.toMatchObject({
      code: 'container_start_failed',
      message: expect.stringMatching(/did not respond within 60 s[\s\S]*thinking/),
    });
    expect(await containersOf(process.pid)).toEqual([]);
  });

  test('that says what nobody understands is not waited for', async () => {
    const server = `process.stdout.write('Hello! I am no server.'.repeat(10)); setInterval(() => {}, 1000);`;
    const { open } = place({ installation: await installation({ server }) });

    await expect(open(SOME)).rejects.toMatchObject({ code: 'server_not_understood' });
    expect(await containersOf(process.pid)).toEqual([]);
  });

  test('whose server dies during a run says so to whoever waits', async () => {
    const { open } = place();
    const lease = await open(SOME);
    const session = await begin(lease, SOME);
    const waiting = lease.server.request('session.step', { session, actions: ['noop(60000)'] });
    waiting.catch(() => {});

    const [id = ''] = await containersOf(process.pid);
    await (await daemon()).getContainer(id).kill();

    await expect(waiting).rejects.toMatchObject({
      code: 'container_died',
      message: expect.stringContaining('2048 MB'),
    });
    expect(await lease.server.whenEnded).toMatchObject({ code: 'container_died' });
  });

  test('whose page fills its memory says how much it has', async () => {
    const { open } = place();
    const html = `<button onclick="for (const all = []; ; ) all.push(new Uint8Array(16e6).fill(1))">Fill</button>`;
    const greedy = task(html, { metadata: { docker: { memory: 512 } } });
    const lease = await open(greedy);
    const session = await begin(lease, greedy);
    const ended = new Promise<unknown>((resolve) => {
      lease.server.onEvent((event) => event.event === 'session.ended' && resolve(event));
    });

    lease.server.request('session.step', { session, actions: [`click('button')`] }).catch(() => {});

    expect(await ended).toMatchObject({ code: 'out_of_memory', message: expect.stringContaining('512 MB') });
  });
});

describe('a run that is cancelled', () => {
  test.for([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'at the %i. question that making its container asks leaves none',
    async (last) => {
      const { open } = place();
      const cancel = new AbortController();
      const modem: Modem = Object.getPrototypeOf((await daemon()).modem);
      const dial = modem.dial;
      let asked = 0;
      const spy = vi.spyOn(modem, 'dial').mockImplementation(function (this: Modem, ...question) {
        asked += 1;
        dial.apply(this, question);
        if (asked === last) cancel.abort(new Error('cancelled'));
      });
      onTestFinished(() => spy.mockRestore());
      const opened = open(SOME, { signal: cancel.signal });

      const result = await opened.catch((error: Error) => error);

      // Where it was quicker than the cancel it is there, and goes with its release.
      if (result instanceof Error) expect(result.message).toBe('cancelled');
      else await result.release();
      expect(asked).toBeGreaterThanOrEqual(last);
      await expect.poll(() => containersOf(process.pid)).toEqual([]);
    },
  );

  test('between being attached and being started leaves none', async () => {
    const docker = await daemon();
    const cancel = new AbortController();
    const create = docker.createContainer.bind(docker);
    vi.spyOn(docker, 'createContainer').mockImplementation((async (options: ContainerCreateOptions) => {
      const made = await create(options);
      const attach = made.attach.bind(made);
      vi.spyOn(made, 'attach').mockImplementation((async (how: ContainerAttachOptions) => {
        const stream = await attach(how);
        cancel.abort(new Error('cancelled'));
        return stream;
      }) as never);
      return made;
    }) as never);
    const owner = ownerLabel(await thisOwner());
    const spec = {
      image: await builtImage(),
      kind: 'browser' as const,
      folder: null,
      limits: DEFAULT_LIMITS,
      miniwob: null,
    };
    const sealing = { owner, seccomp: '{"defaultAction":"SCMP_ACT_ALLOW"}', user: { uid: 10_001, gid: 10_001 } };

    const started = Container.start(docker, spec, sealing, () => {}, cancel.signal);

    await expect(started).rejects.toThrow('cancelled');
    expect(await containersOf(process.pid)).toEqual([]);
  });

  test('while it waits for a server that never gets ready leaves none', async () => {
    const server = `console.error('thinking'); process.stdin.resume(); setInterval(() => {}, 1000);`;
    const { open, log } = place({ installation: await installation({ server }) });
    const cancel = new AbortController();
    const opened = open(SOME, { signal: cancel.signal });
    opened.catch(() => {});
    await vi.waitFor(() => expect(log).toContain('thinking'), { timeout: 120_000 });

    cancel.abort(new Error('cancelled'));

    await expect(opened).rejects.toThrow('cancelled');
    await expect.poll(() => containersOf(process.pid)).toEqual([]);
  });
});

describe('a daemon', () => {
  test('that is not there is said with what was tried and how it is had', async () => {
    dockerAt('unix:///nowhere/docker.sock');
    const { open } = place();

    const failure = await open(SOME).catch((error: Error) => error);

    expect(failure).toMatchObject({ code: 'docker_missing' });
    expect((failure as Error).message).toMatch(
      /unix:\/\/\/nowhere\/docker\.sock \(DOCKER_HOST\): nothing was found there/,
    );
    expect((failure as Error).message).toMatch(/apt-get install docker\.io[\s\S]*--placement local/);
  });

  test('that goes away during a run ends it, and says so', async () => {
    const way = await wayToDaemon();
    dockerAt(`unix://${way.path}`);
    const { open } = place();
    const lease = await open(SOME);
    const session = await begin(lease, SOME);
    const waiting = lease.server.request('session.step', { session, actions: ['noop(60000)'] });
    waiting.catch(() => {});

    way.cut();

    await expect(waiting).rejects.toMatchObject({
      code: 'docker_gone',
      message: expect.stringContaining('Check that Docker is running'),
    });
    await lease.release();
    // Nobody holds its standard input any more.
    await vi.waitFor(async () => expect(await containersOf(process.pid)).toEqual([]), { timeout: 120_000 });
  });
});

/** A socket that leads to the real daemon until it is cut. */
async function wayToDaemon(): Promise<{ readonly path: string; cut(): void }> {
  const path = join(await temporaryFolder(), 'docker.sock');
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connectSocket({ path: '/var/run/docker.sock', allowHalfOpen: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(async () => {
    cut();
    await rm(path, { force: true });
  });
  return { path, cut };
}
