import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { pack } from 'tar-stream';
import { daemon } from './harness.ts';

/** A daemon new enough for lanes, whatever the version of the one that the tests use. */
const IMAGE = 'taskwright-test-swarm-node:1';
const DOCKERFILE = `FROM debian:trixie-slim
RUN apt-get update -q \\
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends docker.io iptables procps \\
 && apt-get clean && rm -rf /var/lib/apt/lists/*
`;

/** Addresses that are reserved for tests of networks (RFC 2544), so that nothing else is reached by them. */
const ADDRESSES = ['--bip', '198.18.0.1/24', '--default-address-pool', 'base=198.18.64.0/18,size=24'];
const OVERLAYS = '198.19.0.0/16';

/** A daemon may use the control groups of its container. Without its owner, it ends. */
const ENTRY = `mount -o remount,rw,bind /sys
for folder in /sys/fs/cgroup /sys/fs/cgroup/*/; do mount -o remount,rw,bind $folder; done 2>/dev/null
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  mkdir -p /sys/fs/cgroup/init
  xargs -rn1 </sys/fs/cgroup/cgroup.procs >/sys/fs/cgroup/init/cgroup.procs
  sed -e 's/ / +/g' -e 's/^/+/' </sys/fs/cgroup/cgroup.controllers >/sys/fs/cgroup/cgroup.subtree_control
fi 2>/dev/null
dockerd -H unix:///node/docker.sock "$@" </dev/null &
daemon=$!
until [ -S /node/docker.sock ]; do sleep 0.1; done
chmod 666 /node/docker.sock
cat >/dev/null
kill $daemon
wait $daemon`;
const RIGHTS = [
  ...['--cap-add', 'ALL', '--cap-drop', 'SYS_RESOURCE', '--device-cgroup-rule', 'a *:* rwm'],
  ...['seccomp=unconfined', 'apparmor=unconfined', 'systempaths=unconfined'].flatMap((option) => [
    '--security-opt',
    option,
  ]),
];
const READY_LIMIT = 60_000;

export interface SwarmNode {
  /** For `DOCKER_HOST`. */
  readonly address: string;
  readonly docker: Docker;
  end(): Promise<void>;
}

/**
 * A swarm of one node: a daemon in a container, which has nothing to do with the swarm that the user's daemon may be part of.
 * Rejects if this machine does not allow it.
 */
export async function startSwarmNode(): Promise<SwarmNode> {
  const outer = await daemon();
  await buildNodeImage(outer);
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-swarm-'));
  const run = ['run', '--rm', '--interactive', '--volume', '/var/lib/docker', '--volume', `${folder}:/node`];
  const command = [IMAGE, 'sh', '-c', ENTRY, 'sh', '--tls=false', ...ADDRESSES];
  const child = spawn('docker', [...run, '--tmpfs', '/run:exec', ...RIGHTS, ...command], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const said = text(child.stderr);
  const ended = once(child, 'close');
  const end = async (): Promise<void> => {
    child.stdin.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const socketPath = join(folder, 'docker.sock');
  const docker = new Docker({ socketPath });
  try {
    await answering(docker, child);
    const { Swarm } = (await docker.info()) as { Swarm: { LocalNodeState: string } };
    if (Swarm.LocalNodeState !== 'inactive') throw new Error('it is a swarm already');
    await docker.swarmInit({
      ListenAddr: '127.0.0.1:2377',
      AdvertiseAddr: '127.0.0.1:2377',
      DefaultAddrPool: [OVERLAYS],
      SubnetSize: 24,
    });
    return { address: `unix://${socketPath}`, docker, end };
  } catch (error) {
    await end();
    throw new Error(`${(error as Error).message}: ${(await said).slice(-500)}`, { cause: error });
  }
}

/** Copies an image of the tests' daemon to the node. */
export async function copyImage(tag: string, { docker }: SwarmNode): Promise<void> {
  const stream = await docker.loadImage(await (await daemon()).getImage(tag).get(), { quiet: true });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(stream, (error) => (error === null ? resolve() : reject(error)));
  });
}

async function answering(docker: Docker, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + READY_LIMIT;
  for (;;) {
    try {
      await docker.ping();
      return;
    } catch (error) {
      if (child.exitCode !== null || performance.now() > deadline) throw error;
      await delay(100);
    }
  }
}

async function buildNodeImage(docker: Docker): Promise<void> {
  const context = pack();
  context.entry({ name: 'Dockerfile' }, DOCKERFILE);
  context.finalize();
  const stream = await docker.buildImage(context as never, { t: IMAGE });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(stream, (error, events: readonly { readonly error?: string }[]) => {
      const failed = events?.find((event) => event.error !== undefined)?.error;
      if (error === null && failed === undefined) resolve();
      else reject(error ?? new Error(failed));
    });
  });
}
