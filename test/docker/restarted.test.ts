import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inCi } from '../../scripts/in-ci.ts';
import { EMPTY_RANGE } from '../../src/base/range.ts';
import { connect, type DockerMissing } from '../../src/placement/docker/connection.ts';
import { currentSystem } from '../../src/placement/docker/host.ts';
import { OWNER_LABEL } from '../../src/placement/docker/owner.ts';
import type { Call, Task } from '../../src/tasks/task.ts';
import type { RunRecord } from '../../src/traces/trace.ts';
import { itLong } from '../sample.ts';
import { start } from '../system/cli/program.ts';
import { miniwobTask, missing } from '../system/environments/miniwob-pages.ts';
import { root } from '../system/programs.ts';
import { task } from '../system/server/harness.ts';
import {
  builtImage,
  certificates,
  containersOf,
  contextFolder,
  daemon,
  dockerAt,
  forgetControllerImage,
  place,
  sshToHere,
  temporaryFolder,
} from './harness.ts';

/** Answers, but not while a certain file is there; leaves a file that says that it waits. */
const AGENT = `import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
export default async function answer(_, { step }) {
  writeFileSync(new URL(\`waits-\${process.pid}\`, import.meta.url), '');
  while (existsSync(new URL('hold', import.meta.url))) await wait(20);
  return step === 0 ? 'send_msg_to_user("yes")' : null;
}
`;

/** Gives the daemon a port on the loopback interface of this machine, though its own network is another one. */
const WITH_PORT = `import os, socket, sys
listening = socket.create_server(('127.0.0.1', 0))
print(listening.getsockname()[1], flush=True)
os.dup2(listening.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid()))
os.execvp(sys.argv[1], sys.argv[1:])
`;

/** A daemon of the test's own, beside the one that others use: at a socket, and at a port with TLS. */
class OwnDaemon {
  readonly docker: Docker;
  readonly socket: string;
  readonly #folder: string;
  readonly certificates: string;
  /** Since the last start. */
  port = 0;
  #process: ChildProcess | null = null;

  constructor(folder: string) {
    this.#folder = folder;
    this.certificates = join(folder, 'certificates');
    this.socket = join(folder, 'docker.sock');
    this.docker = new Docker({ socketPath: this.socket });
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const of = (name: string): string => join(this.#folder, name);
    const args = ['--host', `unix://${this.socket}`, '--data-root', of('data'), '--exec-root', of('exec')];
    const apart = ['--pidfile', of('pid'), '--bridge', 'none', '--iptables=false', '--ip6tables=false'];
    const tls = ['ca.pem', 'server-cert.pem', 'server-key.pem'].map((name) => join(this.certificates, name));
    const [ca, cert, key] = tls;
    const secure = ['--host', 'fd://', '--tlsverify', `--tlscacert=${ca}`, `--tlscert=${cert}`, `--tlskey=${key}`];
    // In a network of its own: it would take away the bridge of the other one.
    const command = ['unshare', '--net', 'dockerd', ...args, ...apart, ...secure];
    this.#process = spawn('python3', ['-c', WITH_PORT, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [said, port] = ['', ''];
    this.#process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      port = `${port}${text}`.slice(0, 20);
    });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-2_000);
    });
    await vi
      .waitFor(() => this.docker.ping(), { timeout: 120_000, interval: 200 })
      .catch((error: Error) => {
        throw new Error(`A second Docker daemon does not start: ${said}`, { cause: error });
      });
    this.port = Number.parseInt(port, 10);
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
async function ownDaemon(folder: string): Promise<OwnDaemon> {
  const own = new OwnDaemon(folder);
  await mkdir(own.certificates);
  await certificates(own.certificates);
  await own.start();
  const saved = await (await daemon()).getImage(image).get();
  const loading = await own.docker.loadImage(saved);
  await new Promise<void>((resolve, reject) => {
    own.docker.modem.followProgress(loading, (error) => (error === null ? resolve() : reject(error)));
  });
  return own;
}

/** A task that takes things of this machine along to its host. */
interface Loaded {
  readonly what: string;
  /** The task, and the call that needs these things. */
  make(): Promise<{ readonly of: Task; readonly call: Call }>;
  /** Whether the host only has to see the folders of this machine. */
  readonly near?: boolean;
}

const LOADED: readonly Loaded[] = [
  {
    what: 'the build context of a controller',
    make: async () => {
      const folder = await temporaryFolder();
      const controller = join(folder, 'controller');
      await cp(join(root, 'test', 'fixtures', 'controller'), controller, { recursive: true });
      const lines = [`FROM ${image}`, 'WORKDIR /controller', 'COPY . .', 'ENV PYTHONPATH=/controller/src', ''];
      await writeFile(join(controller, 'Dockerfile'), lines.join('\n'));
      forgetControllerImage(controller);
      const env = { type: 'public', location: 'local', image_or_build_context: './controller' };
      return { of: task('', { file: join(folder, 'some.task.json'), env }), call: callOf('prints') };
    },
  },
  {
    what: 'functions in Python',
    make: async () => {
      const folder = await temporaryFolder();
      await writeFile(
        join(folder, 'ripe.functions.py'),
        'def ripe(wanted: str) -> bool:\n    return len(wanted) > 3\n',
      );
      return { of: task('<p>Plum</p>', { file: join(folder, 'plum.task.json') }), call: callOf('ripe', ['Plum']) };
    },
  },
  ...(missing === null
    ? [
        {
          what: 'the pages of MiniWoB++',
          make: async () => ({
            of: task('', { initial_state: {}, env: miniwobTask('click-test').env }),
            call: callOf('element_exists', ['#subbtn']),
          }),
          near: true,
        },
      ]
    : []),
];

function callOf(name: string, args: string[] = []): Call {
  return { function: name, args, range: EMPTY_RANGE };
}

const isRoot = process.getuid?.() === 0;
if (!isRoot && !inCi) process.stdout.write('A daemon that is restarted is skipped: only root may start a second one\n');

const SOME = task('<title>Still here</title>', { metadata: { docker: { network: 'none' } } });

let image = '';
let folder = '';
let own: OwnDaemon;

describe.runIf(isRoot || inCi)('a daemon that goes away during a run', () => {
  beforeAll(async () => {
    image = await builtImage();
    folder = await mkdtemp(join(tmpdir(), 'taskwright-daemon-'));
    own = await ownDaemon(folder);
  }, 300_000);

  afterAll(async () => {
    await own?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('ends the run with words; the next one runs after its restart, and nothing is left', async () => {
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
  });

  test('says why it refuses a client without its certificates', async () => {
    const address = `tcp://127.0.0.1:${own.port}`;
    const tried = async (env: NodeJS.ProcessEnv): Promise<unknown> =>
      connect({ host: address, system: { ...currentSystem(), env } }).catch((error: DockerMissing) => error.attempt);
    const by = `${address} (in the list of hosts)`;
    expect(await tried({})).toBe(`${by}: it requires TLS`);
    const foreign = await certificates();
    expect(await tried({ DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: foreign })).toBe(
      `${by}: its certificate is not of an authority that is trusted here`,
    );
    await cp(join(own.certificates, 'ca.pem'), join(foreign, 'ca.pem'));
    for (const name of ['cert.pem', 'key.pem']) await rm(join(foreign, name));
    expect(await tried({ DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: foreign })).toBe(
      `${by}: it does not accept this client without a certificate of its authority`,
    );
  });

  itLong.each(LOADED)(
    'has what a task takes along, as the other host has: $what',
    async ({ make, near }) => {
      const { of, call } = await make();
      await sshToHere('afar');
      const { open } = place({ hosts: [near === true ? 'default' : 'ssh://somebody@afar', `unix://${own.socket}`] });
      const leases = await Promise.all([open(of), open(of)]);

      const outcomes = await Promise.all(
        leases.map(async ({ server, files }) => {
          const { session } = await server.request('session.open', {});
          await server.request('session.reset', { session, task: of, files, seed: 0 });
          return server.request('session.evaluate', { session, call, limit_ms: 60_000 });
        }),
      );

      expect(outcomes).toMatchObject([{ value: 1 }, { value: 1 }]);
      expect(new Set(leases.map(({ host }) => host)).size).toBe(2);
      for (const lease of leases) await lease.release();
    },
    300_000,
  );

  itLong(
    'gives its runs back to the other host',
    async () => {
      const cwd = await temporaryFolder();
      const hold = join(cwd, 'hold');
      const row = { id: 'say', prompt: 'Say yes.', gym: 'hud-browser', evaluate: ['response_includes', 'yes'] };
      const files = {
        'tasks.json': JSON.stringify([{ ...row, metadata: { docker: { network: 'none' } } }]),
        'slow.agent.mjs': AGENT,
        hold: '',
      };
      for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
      await sshToHere('afar');
      const config = await contextFolder('secure', `tcp://127.0.0.1:${own.port}`, own.certificates);
      const args = ['run', 'tasks.json', '--agent', 'module:slow.agent.mjs', '--group', '4', '--concurrency', '2'];
      const program = start(
        [...args, '--placement', 'docker', '--hosts', 'ssh://somebody@afar,secure', '--json', '--out', 'runs'],
        cwd,
        { DOCKER_CONFIG: config },
      );
      const { pid } = program.child;
      const label = [OWNER_LABEL];
      await vi.waitFor(
        async () => {
          expect((await readdir(cwd)).filter((name) => name.startsWith('waits-'))).toHaveLength(2);
          expect(await containersOf(pid)).not.toEqual([]);
          expect(await own.docker.listContainers({ filters: { label } })).not.toEqual([]);
        },
        { timeout: 120_000, interval: 100 },
      );

      await own.stop();
      await rm(hold);

      const { code, out, err } = await program.ended;
      expect(code, err).toBe(0);
      const { job_id, runs } = JSON.parse(out) as {
        job_id: string;
        runs: readonly { run_id: string; trace_dir: string; reward: number }[];
      };
      expect(runs.map(({ reward }) => reward)).toEqual([1, 1, 1, 1]);
      const recorded = await readdir(join(cwd, 'runs', job_id), { withFileTypes: true });
      const folders = recorded.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
      expect(folders.sort()).toEqual(runs.map(({ run_id }) => run_id).sort());
      const records = await Promise.all(
        runs.map(async ({ trace_dir }) => JSON.parse(await readFile(join(trace_dir, 'run.json'), 'utf8')) as RunRecord),
      );
      expect(new Set(records.map(({ host }) => host))).toEqual(new Set(['ssh://somebody@afar']));
      const retried = records.flatMap(({ retried }) => retried ?? []);
      expect(retried).toEqual([
        { code: expect.stringMatching(/^(docker_gone|container_died)$/), message: expect.any(String) },
      ]);
      expect(await containersOf(pid)).toEqual([]);
    },
    300_000,
  );
});
