import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import Docker from 'dockerode';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { OWNER_LABEL } from '../../src/placement/docker/owner.ts';
import { task } from '../system/server/harness.ts';
import { builtImage, daemon, dockerAt, place, temporaryFolder } from './harness.ts';

let image = '';

beforeAll(async () => {
  image = await builtImage();
});

/** A daemon of the test's own, beside the one that others use. */
class OwnDaemon {
  readonly docker: Docker;
  readonly socket: string;
  readonly #folder: string;
  #process: ChildProcess | null = null;

  constructor(folder: string) {
    this.#folder = folder;
    this.socket = join(folder, 'docker.sock');
    this.docker = new Docker({ socketPath: this.socket });
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const of = (name: string): string => join(this.#folder, name);
    const args = ['--host', `unix://${this.socket}`, '--data-root', of('data'), '--exec-root', of('exec')];
    const apart = ['--pidfile', of('pid'), '--bridge', 'none', '--iptables=false', '--ip6tables=false'];
    // In a network of its own: it would take away the bridge of the other one.
    this.#process = spawn('unshare', ['--net', 'dockerd', ...args, ...apart], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-2_000);
    });
    await vi
      .waitFor(() => this.docker.ping(), { timeout: 60_000, interval: 200 })
      .catch((error: Error) => {
        throw new Error(`A second Docker daemon does not start: ${said}`, { cause: error });
      });
  }

  /** As a restart of the service does it. */
  async stop(): Promise<void> {
    const ending = this.#process;
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return;
    ending.kill('SIGTERM');
    await once(ending, 'exit');
  }
}

/** The daemon under test, with our image in it. */
async function ownDaemon(): Promise<OwnDaemon> {
  const own = new OwnDaemon(await temporaryFolder());
  onTestFinished(() => own.stop());
  await own.start();
  const saved = await (await daemon()).getImage(image).get();
  const loading = await own.docker.loadImage(saved);
  await new Promise<void>((resolve, reject) => {
    own.docker.modem.followProgress(loading, (error) => (error === null ? resolve() : reject(error)));
  });
  return own;
}

const inCi = Boolean(process.env['CI']) && process.env['CI'] !== 'false';
const isRoot = process.getuid?.() === 0;
if (!isRoot && !inCi) process.stdout.write('A daemon that is restarted is skipped: only root may start a second one\n');

const SOME = task('<title>Still here</title>', { metadata: { docker: { network: 'none' } } });

test.runIf(isRoot || inCi)(
  'A daemon that is restarted during a run ends the run with words; the next one runs, and nothing is left',
  async () => {
    const own = await ownDaemon();
    dockerAt(`unix://${own.socket}`);
    const { open, placement } = place();
    const lease = await open(SOME);
    const { session } = await lease.server.request('session.open', {});
    await lease.server.request('session.reset', { session, task: SOME, files: lease.files, seed: 0 });
    const waiting = lease.server.request('session.step', { session, actions: ['noop(60000)'] });
    waiting.catch(() => {});

    await own.stop();

    await expect(waiting).rejects.toMatchObject({ code: expect.stringMatching(/^(docker_gone|container_died)$/) });
    await expect(waiting).rejects.toThrow(/run the task again/i);
    await lease.release();
    expect(placement.running()).toEqual([]);

    await own.start();
    const again = await open(SOME);
    const second = await again.server.request('session.open', {});
    const start = await again.server.request('session.reset', {
      session: second.session,
      task: SOME,
      files: again.files,
      seed: 0,
    });
    expect(start.info.title).toBe('Still here');
    await again.release();
    const left = await own.docker.listContainers({ all: true, filters: { label: [OWNER_LABEL] } });
    expect(left).toEqual([]);
  },
  300_000,
);
