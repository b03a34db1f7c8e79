import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { pack } from 'tar-stream';
import { connect } from '../../src/placement/docker/connection.ts';
import { OWNER_LABEL, ownerLabel, thisOwner } from '../../src/placement/docker/owner.ts';
import { removeAbandoned } from '../../src/placement/docker/remove.ts';

/** A daemon new enough for lanes, whatever the version of the one that the tests use, and Compose, which this machine may lack. */
const IMAGE = 'taskwright-test-swarm-node:1';
const DOCKERFILE = `FROM debian:trixie-slim
RUN apt-get update -q \\
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends docker.io docker-compose docker-registry iptables procps \\
 && apt-get clean && rm -rf /var/lib/apt/lists/*
`;

/** Addresses that are reserved for tests of networks (RFC 2544), so that nothing else is reached by them. */
const ADDRESSES = ['--bip', '198.18.0.1/24', '--default-address-pool', 'base=198.18.64.0/18,size=24'];
const OVERLAYS = '198.19.0.0/16';
/** The registry of `startRegistry`, as nodes reach it, without TLS. */
const REGISTRY = 'registry:5000';
/** The configuration of the package requires passwords. */
const REGISTRY_CONFIG = `version: 0.1
storage: { filesystem: { rootdirectory: /var/lib/registry } }
http: { addr: ":5000" }`;

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
/** Runs `docker` with a folder that it needs, which goes with it: its owner may have been killed. */
const WITH_FOLDER = 'folder=$1; shift; docker "$@"; rm -rf "$folder"';
const READY_LIMIT = 120_000;

/** A daemon in a container of its own. */
export interface SwarmNode {
  /** For `--hosts`. */
  readonly address: string;
  readonly docker: Docker;
  /** Ends the daemon and everything in it at once, as a machine that loses its power. */
  kill(): Promise<void>;
  /** Stops processes that have a text in their command lines. False if there were none. */
  stopProcesses(text: string): Promise<boolean>;
  /** Processor time of everything that has run in it so far, in ms. */
  processorTime(): Promise<number>;
  end(): Promise<void>;
}

/** The first node is the manager, which has what a node has. */
export interface TestSwarm extends SwarmNode {
  readonly nodes: readonly SwarmNode[];
  /** Name of the network of the nodes. */
  readonly network: string;
}

/**
 * A swarm of daemons in containers, which has nothing to do with the swarm that the user's daemon may be part of. Removes the
 * networks of killed processes first. Rejects if this machine does not allow it.
 */
export async function startSwarm(size = 1): Promise<TestSwarm> {
  const { docker: outer } = await connect();
  const self = await thisOwner();
  await removeAbandoned(outer, self);
  await nodeImage();
  const name = `taskwright-swarm-${randomBytes(4).toString('hex')}`;
  const network = await createNetwork(outer, name, ownerLabel(self));
  const nodes: SwarmNode[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.end()));
    await network.remove();
  };
  try {
    const started = await Promise.allSettled(
      Array.from({ length: size }, (_, index) => startNode(outer, name, `${name}-${index + 1}`)),
    );
    nodes.push(...started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    const [manager, ...workers] = nodes as [SwarmNode, ...SwarmNode[]];
    const addresses = await Promise.all(nodes.map((_, index) => addressOf(outer, name, `${name}-${index + 1}`)));
    const join = (index: number) => ({ ListenAddr: '0.0.0.0:2377', AdvertiseAddr: `${addresses[index]}:2377` });
    await manager.docker.swarmInit({ ...join(0), DefaultAddrPool: [OVERLAYS], SubnetSize: 24 });
    const { JoinTokens } = (await manager.docker.swarmInspect()) as { JoinTokens: { Worker: string } };
    await Promise.all(
      workers.map(({ docker }, index) =>
        docker.swarmJoin({
          ...join(index + 1),
          RemoteAddrs: [`${addresses[0]}:2377`],
          JoinToken: JoinTokens.Worker,
        }),
      ),
    );
    return { ...manager, nodes, network: name, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** A network that reaches nothing else, at addresses that no other test has. */
async function createNetwork(outer: Docker, name: string, owner: string): Promise<Docker.Network> {
  for (let attempt = 1; ; attempt += 1) {
    const Subnet = `198.18.${128 + randomInt(128)}.0/24`;
    try {
      return await outer.createNetwork({
        Name: name,
        Internal: true,
        Labels: { [OWNER_LABEL]: owner },
        IPAM: { Config: [{ Subnet }] },
      });
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

async function addressOf(outer: Docker, network: string, container: string): Promise<string> {
  const { NetworkSettings } = await outer.getContainer(container).inspect();
  return NetworkSettings.Networks[network]?.IPAddress ?? '';
}

async function startNode(outer: Docker, network: string, name: string): Promise<SwarmNode> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-swarm-'));
  const run = ['run', '--rm', '--interactive', '--name', name, '--hostname', name, '--network', network];
  const volumes = ['--volume', '/var/lib/docker', '--volume', `${folder}:/node`, '--tmpfs', '/run:exec'];
  const command = [IMAGE, 'sh', '-c', ENTRY, 'sh', '--tls=false', '--insecure-registry', REGISTRY, ...ADDRESSES];
  const args = ['-c', WITH_FOLDER, 'sh', folder, ...run, ...volumes, ...RIGHTS, ...command];
  const child = spawn('sh', args, { stdio: ['pipe', 'ignore', 'pipe'] });
  const said = text(child.stderr);
  const ended = once(child, 'close');
  const end = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  const socketPath = join(folder, 'docker.sock');
  const docker = new Docker({ socketPath });
  try {
    await answering(docker, child);
    const { Swarm } = (await docker.info()) as { Swarm: { LocalNodeState: string } };
    if (Swarm.LocalNodeState !== 'inactive') throw new Error('it is in a swarm already');
  } catch (error) {
    await end();
    throw new Error(`${(error as Error).message}: ${(await said).slice(-500)}`, { cause: error });
  }
  const kill = async (): Promise<void> => {
    await outer.getContainer(name).kill();
    await ended;
  };
  const stopProcesses = async (words: string): Promise<boolean> => {
    const stopping = spawn('docker', ['exec', name, 'pkill', '-STOP', '--full', words], { stdio: 'ignore' });
    const [code] = (await once(stopping, 'close')) as [number];
    return code === 0;
  };
  const processorTime = async (): Promise<number> => {
    const { cpu_stats } = await outer.getContainer(name).stats({ stream: false });
    return cpu_stats.cpu_usage.total_usage / 1e6;
  };
  return { address: `unix://${socketPath}`, docker, kill, stopProcesses, processorTime, end };
}

/** Starts a registry that only the nodes of a swarm reach. */
export async function startRegistry({ network }: TestSwarm): Promise<{ readonly name: string; end(): Promise<void> }> {
  const run = ['run', '--rm', '--interactive', '--network', network, '--network-alias', 'registry'];
  // It ends when its standard input does.
  const script = `echo '${REGISTRY_CONFIG}' >/tmp/config.yml; docker-registry serve /tmp/config.yml </dev/null & cat >/dev/null`;
  const child = spawn('docker', [...run, IMAGE, 'sh', '-c', script], { stdio: ['pipe', 'ignore', 'pipe'] });
  const ended = once(child, 'close');
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      if (said.includes('listening on')) resolve();
    });
    child.once('close', () => reject(new Error(`the registry has ended: ${said.slice(-500)}`)));
  });
  const end = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  return { name: REGISTRY, end };
}

/** Copies an image of the tests' daemon to nodes. */
export async function copyImage(tag: string, nodes: readonly SwarmNode[]): Promise<void> {
  const { docker: outer } = await connect();
  const image = outer.getImage(tag);
  await Promise.all(
    nodes.map(async ({ docker }) => {
      const stream = await docker.loadImage(await image.get(), { quiet: true });
      await new Promise<void>((resolve, reject) => {
        docker.modem.followProgress(stream, (error) => (error === null ? resolve() : reject(error)));
      });
    }),
  );
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

/** The tag of the image of nodes, which is built if it is missing. */
export async function nodeImage(): Promise<string> {
  const { docker } = await connect();
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
  return IMAGE;
}
