import * as z from 'zod';
import { type Connection, type ConnectOptions, connect } from '../docker/connection.ts';
import type { SwarmState } from '../docker/docker.ts';
import { ServerError } from '../placement.ts';

/** The minor version of Docker's API 1 whose services take seccomp profiles first: Docker 25. */
const MIN_API_MINOR = 44;

const infoSchema = z.object({
  Swarm: z.object({ LocalNodeState: z.string(), ControlAvailable: z.boolean().default(false) }),
});
const versionSchema = z.object({ ApiVersion: z.string() });
const nodeSchema = z.object({
  Spec: z.object({ Availability: z.string() }),
  Status: z.object({ State: z.string() }),
  Description: z.object({ Resources: z.object({ NanoCPUs: z.number(), MemoryBytes: z.number() }) }),
});

/** Connects to a manager of a swarm. Rejects with `docker_missing` or `swarm_missing`. */
export async function connectManager(options: ConnectOptions): Promise<Connection> {
  const connection = await connect(options);
  await checkManager(connection);
  return connection;
}

/** Whether a host is the manager of a swarm, and what room that has. Never rejects. */
export async function swarmOf(connection: Connection): Promise<SwarmState> {
  try {
    await checkManager(connection);
    const nodes = z.array(nodeSchema).parse(await connection.docker.listNodes());
    const ready = nodes.filter(({ Spec, Status }) => Spec.Availability === 'active' && Status.State === 'ready');
    const sum = (of: 'NanoCPUs' | 'MemoryBytes'): number =>
      ready.reduce((total, { Description }) => total + Description.Resources[of], 0);
    const room = { cpus: sum('NanoCPUs') / 1e9, memory: sum('MemoryBytes'), containers: null };
    return { found: true, nodes: nodes.length, ready: ready.length, room };
  } catch (error) {
    return { found: false, message: (error as Error).message };
  }
}

async function checkManager({ docker, host }: Connection): Promise<void> {
  const { Swarm } = infoSchema.parse(await docker.info());
  const { ApiVersion } = versionSchema.parse(await docker.version());
  const missing = (message: string): ServerError =>
    new ServerError('swarm_missing', `The Docker daemon at ${host.address} ${message}`);
  if (Swarm.LocalNodeState !== 'active') {
    throw missing('is not part of a swarm. Create one with “docker swarm init”, or use a Docker context of a manager.');
  }
  if (!Swarm.ControlAvailable) throw missing('is a worker of its swarm. Use a Docker context of a manager.');
  const [major = 0, minor = 0] = ApiVersion.split('.').map(Number);
  if (major < 1 || (major === 1 && minor < MIN_API_MINOR)) {
    throw missing('is too old for lanes. Install Docker 25 or newer on all nodes.');
  }
}
