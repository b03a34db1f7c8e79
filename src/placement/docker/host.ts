import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { nullIfNotFound } from '../../tasks/file-kind.ts';
import { describeSystemError } from '../../tasks/system-error.ts';

/** The address of a Docker daemon. */
export interface DockerHost {
  /**
   * In the syntax of `DOCKER_HOST`: `unix:///var/run/docker.sock`, `npipe://…`, `tcp://host:port`, `ssh://user@host`.
   */
  readonly address: string;
  /** The source of the address: `DOCKER_HOST`, `the context “build-machine”`, or `the default location`. */
  readonly by: string;
  readonly tls: Tls | null;
}

export interface Tls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** False accepts any certificate of the daemon. */
  readonly verify: boolean;
}

export interface SystemInfo {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

export function currentSystem(): SystemInfo {
  return { env: process.env, home: homedir(), platform: process.platform };
}

/**
 * Determines the address like the Docker command line: `DOCKER_HOST`, else `DOCKER_CONTEXT`, else the current context,
 * else the default locations. Throws if a name cannot be resolved.
 */
export async function findHost(system: SystemInfo): Promise<DockerHost> {
  const { env } = system;
  const config = configFolder(system);
  const host = env['DOCKER_HOST'];
  if (host) return addressedHost(host, 'DOCKER_HOST', system);
  const named = env['DOCKER_CONTEXT'] || (await currentContext(config));
  if (named !== null && named !== 'default') return contextHost(config, named);
  return { address: await defaultAddress(system), by: 'the default location', tls: null };
}

/** The host that a user names: an address as in `DOCKER_HOST`, or a context. Throws if it is an unknown context. */
export async function namedHost(name: string, system: SystemInfo): Promise<DockerHost> {
  if (name.includes(':')) return addressedHost(name, 'in the list of hosts', system);
  if (name === 'default') return { address: await defaultAddress(system), by: 'the default location', tls: null };
  return contextHost(configFolder(system), name);
}

async function addressedHost(host: string, by: string, system: SystemInfo): Promise<DockerHost> {
  const { env } = system;
  const address = host.includes('://') ? host : `tcp://${host}`;
  const certificates = env['DOCKER_CERT_PATH'] || configFolder(system);
  const verify = env['DOCKER_TLS_VERIFY'] ? true : env['DOCKER_TLS'] ? false : null;
  return { address, by, tls: verify === null ? null : await readCertificates(certificates, verify) };
}

function configFolder({ env, home }: SystemInfo): string {
  return env['DOCKER_CONFIG'] || join(home, '.docker');
}

/** Reads the certificates of a folder. Missing files are skipped. */
async function readCertificates(folder: string, verify: boolean): Promise<Tls> {
  const read = async (name: string) => readFile(join(folder, name)).catch(() => undefined);
  const [ca, cert, key] = await Promise.all([read('ca.pem'), read('cert.pem'), read('key.pem')]);
  return { verify, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

async function defaultAddress({ env, home, platform }: SystemInfo): Promise<string> {
  if (platform === 'win32') return 'npipe:////./pipe/docker_engine';
  const addresses = ['/var/run/docker.sock', join(home, '.docker', 'run', 'docker.sock')];
  const runtime = env['XDG_RUNTIME_DIR'];
  // Rootless Docker.
  if (runtime) addresses.push(join(runtime, 'docker.sock'));
  for (const place of addresses) {
    // Without a socket, Docker is reported as missing.
    const found = await stat(place).catch(() => null);
    if (found?.isSocket()) return `unix://${place}`;
  }
  return `unix://${addresses[0]}`;
}

const configSchema = z.object({ currentContext: z.string().optional() });

/** `contexts/meta/<sha256 of the name>/meta.json`, as Docker's command line writes it. */
const metaSchema = z.object({
  Endpoints: z.object({
    docker: z.object({ Host: z.string().optional(), SkipTLSVerify: z.boolean().optional() }).optional(),
  }),
});

/** The current context in Docker's configuration; null if there is none. */
async function currentContext(config: string): Promise<string | null> {
  const text = await readFile(join(config, 'config.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return configSchema.parse(JSON.parse(text)).currentContext || null;
  } catch (error) {
    throw new Error(`${join(config, 'config.json')} cannot be read: ${describeSystemError(error)}`, { cause: error });
  }
}

/** The address of a context. Throws an `Error` for the user if the context does not exist. */
async function contextHost(config: string, name: string): Promise<DockerHost> {
  const folder = createHash('sha256').update(name).digest('hex');
  const path = join(config, 'contexts', 'meta', folder, 'meta.json');
  const unreadable = (error: unknown): never => {
    throw new Error(`the context “${name}”, whose file ${path} cannot be read`, { cause: error });
  };
  const text = await readFile(path, 'utf8').catch(nullIfNotFound).catch(unreadable);
  if (text === null) throw new Error(`the context “${name}”, which does not exist (docker context ls lists them)`);
  let endpoint: { readonly Host?: string | undefined; readonly SkipTLSVerify?: boolean | undefined } | undefined;
  try {
    endpoint = metaSchema.parse(JSON.parse(text)).Endpoints.docker;
  } catch (error) {
    return unreadable(error);
  }
  if (!endpoint?.Host) throw new Error(`the context “${name}”, which names no Docker daemon`);
  const tls = await readCertificates(join(config, 'contexts', 'tls', folder, 'docker'), !endpoint.SkipTLSVerify);
  const secure = tls.ca !== undefined || tls.cert !== undefined || endpoint.SkipTLSVerify === true;
  return { address: endpoint.Host, by: `the context “${name}”`, tls: secure ? tls : null };
}
