import { Agent } from 'node:http';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectWithTls } from 'node:tls';
import Docker from 'dockerode';
import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { patient } from '../../base/patience.ts';
import { withLimit } from '../../base/timeout.ts';
import { ServerError } from '../placement.ts';
import { currentSystem, type DockerHost, findHost, namedHost, type SystemInfo, type Tls } from './host.ts';
import { adviceFor, NoAnswer, reasonOf } from './host-failure.ts';
import { connectThroughSsh } from './ssh.ts';

/** No Docker daemon could be reached. */
export class DockerMissing extends ServerError {
  /** The address that was tried, and the error. */
  readonly attempt: string;
  /** What the user can do, as a sentence without its full stop. */
  readonly advice: string;
  constructor(attempt: string, advice: string, options?: ErrorOptions) {
    const message = `Docker cannot be reached. Tried ${attempt}. ${advice}. To run tasks without Docker, choose this machine (\`--placement local\`).`;
    super('docker_missing', message, options);
    this.attempt = attempt;
    this.advice = advice;
  }
}

/** A connection to a daemon. */
export interface Connection {
  readonly docker: Docker;
  readonly host: DockerHost;
  readonly version: string;
  /** Whether folders of this machine can be mounted, because the daemon is reached through a local socket. */
  readonly local: boolean;
  /** Whether user ids in a container are user ids of this machine: no remapping, no rootless daemon, no SELinux. */
  readonly sameUsers: boolean;
  /** Number of processors, and bytes of memory. */
  readonly cpus: number;
  readonly memory: number;
  /** Number of containers that were running, whoever started them. */
  readonly containers: number;
}

const infoSchema = z.object({
  OSType: z.string(),
  ServerVersion: z.string(),
  SecurityOptions: z.array(z.string()).default([]),
  NCPU: z.number().default(1),
  MemTotal: z.number().default(0),
  ContainersRunning: z.number().default(0),
});

/** Docker's port for TLS. */
const TLS_PORT = '2376';

/** After how long without data the other end of a connection is checked, in ms. */
const ALIVE_PERIOD = 15_000;

const ANSWER_LIMIT = patient(10_000);
const SSH_LIMIT = patient(35_000);

/** Whether the daemon is reached through a local socket or pipe, and can mount local folders. */
export function isLocal(host: DockerHost): boolean {
  return /^(unix|npipe):/.test(host.address);
}

/** Creates a client for a host. It uses no environment variables. */
export function clientOf(host: DockerHost): Docker {
  return new Docker(clientOptions(host));
}

function clientOptions(host: DockerHost): Docker.DockerOptions & { pathPrefix: string } {
  const { address } = host;
  const none = { host: undefined, port: undefined, ca: undefined, cert: undefined, key: undefined };
  const plain = { ...none, timeout: undefined, pathPrefix: '/', protocol: 'http' as const };
  const socket = /^(?:unix|npipe):\/\/(.*)$/.exec(address)?.[1];
  if (socket !== undefined) return { ...plain, socketPath: socket } as never;
  const url = URL.canParse(address) ? new URL(address) : null;
  // VS Code replaces the agents of requests by its own, which know neither ssh nor the certificates, unless the requests go
  // to a socket.
  const own = { ...plain, socketPath: address };
  if (url?.protocol === 'ssh:') return { ...own, agent: hostAgent(() => connectThroughSsh(url), true) } as never;
  if (url === null || !/^(tcp|https?):$/.test(url.protocol)) {
    throw new Error(`“${address}” is not a valid Docker address. Use unix://, npipe://, tcp://, or ssh://`);
  }
  const agent = hostAgent(() => openSocket(url, host.tls).setKeepAlive(true, ALIVE_PERIOD));
  return { ...own, pathPrefix: url.pathname || '/', agent } as never;
}

/** Opens the connections of requests, regardless of the address in them. */
function hostAgent(createConnection: () => Duplex, keepAlive = false): Agent {
  return Object.assign(new Agent({ keepAlive }), { createConnection });
}

function openSocket(url: URL, tls: Tls | null): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = tls !== null || url.protocol === 'https:' || url.port === TLS_PORT;
  const port = Number(url.port || (secure ? TLS_PORT : '2375'));
  if (!secure) return connectSocket({ host, port });
  const { ca, cert, key, verify = true } = tls ?? {};
  const options = defined({ servername: isIP(host) === 0 ? host : undefined, ca, cert, key });
  return connectWithTls({ host, port, ...options, rejectUnauthorized: verify });
}

/** Which daemon to connect to, and how long to wait for it. */
export interface ConnectOptions {
  readonly system?: SystemInfo;
  /** See `namedHost`; absent: the host that Docker's own settings name. */
  readonly host?: string | undefined;
  /** In ms; absent: what a run waits, which is longer with ssh. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Connects to a daemon. Rejects with `DockerMissing`, which says what was tried and what to do. */
export async function connect({
  system = currentSystem(),
  host: name,
  limit,
  signal,
}: ConnectOptions = {}): Promise<Connection> {
  let host: DockerHost | null = null;
  try {
    host = await (name === undefined ? findHost(system) : namedHost(name, system));
    const docker = clientOf(host);
    const info = await ping(docker, limit ?? (host.address.startsWith('ssh:') ? SSH_LIMIT : ANSWER_LIMIT), signal);
    if (info.OSType !== 'linux') throw new Error(`it runs ${info.OSType} containers; switch it to Linux containers`);
    return {
      docker,
      host,
      version: info.ServerVersion,
      local: isLocal(host),
      cpus: info.NCPU,
      memory: info.MemTotal,
      containers: info.ContainersRunning,
      sameUsers: !info.SecurityOptions.some((option) => /^name=(rootless|userns|selinux)\b/.test(option)),
    };
  } catch (error) {
    signal?.throwIfAborted();
    const attempt = `${host === null ? '' : `${host.address} (${host.by}): `}${reasonOf(error)}`;
    throw new DockerMissing(attempt, adviceFor(host, error, system), { cause: error });
  }
}

/** The `info` of the daemon, within a time limit in ms. */
async function ping(docker: Docker, limit: number, signal?: AbortSignal) {
  // The method accepts options that its types do not declare.
  const info = docker.info as unknown as (options: object) => Promise<unknown>;
  const request = (abortSignal: AbortSignal): Promise<unknown> => info.call(docker, { abortSignal });
  return infoSchema.parse(await withLimit(limit, signal, request, (cause) => new NoAnswer(limit, { cause })));
}
