import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { nullIfNotFound } from '../../base/file-kind.ts';
import { describeSystemError } from '../../base/system-error.ts';

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

/** The host that was named cannot be used: its context does not exist, or a certificate is missing. */
export class HostError extends Error {
  /** What the user can do, as a sentence without its full stop. */
  readonly advice: string;
  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options);
    this.advice = advice;
  }
}

export interface Tls {
  /** Where the files are, or should be. */
  readonly folder: string;
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
 * else the default locations. Rejects with `HostError` if a name cannot be resolved.
 */
export async function findHost(system: SystemInfo): Promise<DockerHost> {
  const { env } = system;
  const host = env['DOCKER_HOST'];
  if (host) return addressedHost(host, 'DOCKER_HOST', system);
  const context = env['DOCKER_CONTEXT'] || (await currentContext(configFolder(system)));
  if (context !== null && context !== 'default') return contextHost(system, context);
  return { address: await defaultAddress(system), by: 'the default location', tls: null };
}

/** The host that a user names: an address as in `DOCKER_HOST`, or a context. Rejects with `HostError` like `findHost`. */
export async function namedHost(name: string, system: SystemInfo): Promise<DockerHost> {
  if (name.includes(':')) return addressedHost(name, 'in the list of hosts', system);
  if (name === 'default') return { address: await defaultAddress(system), by: 'the default location', tls: null };
  return contextHost(system, name);
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

/** The names of all contexts, without `default`, in alphabetical order. */
export async function listContexts(system: SystemInfo): Promise<readonly string[]> {
  const folder = join(configFolder(system), 'contexts', 'meta');
  // Docker creates the folder with the first context.
  const ids = await readdir(folder).catch(() => []);
  const names = await Promise.all(
    ids.map(async (id) => {
      const text = await readFile(join(folder, id, 'meta.json'), 'utf8').catch(() => '');
      try {
        return [nameSchema.parse(JSON.parse(text)).Name];
      } catch {
        // Named when somebody uses the context.
        return [];
      }
    }),
  );
  return names.flat().sort();
}

/** Reads the certificates of a folder. A daemon may need all, some, or none of them. */
async function readCertificates(folder: string, verify: boolean): Promise<Tls> {
  const read = async (name: string) => {
    const path = join(folder, name);
    const content = await readFile(path)
      .catch(nullIfNotFound)
      .catch((error: unknown) => {
        const reason = `the certificates of the host, of which ${path} cannot be read: ${describeSystemError(error)}`;
        throw new HostError(reason, 'Give yourself access to the file', { cause: error });
      });
    return content ?? undefined;
  };
  const [ca, cert, key] = await Promise.all([read('ca.pem'), read('cert.pem'), read('key.pem')]);
  if ((cert === undefined) !== (key === undefined)) {
    const [there, missing] = cert === undefined ? ['key.pem', 'cert.pem'] : ['cert.pem', 'key.pem'];
    throw new HostError(
      `the certificates in ${folder}, which has ${there} but not ${missing}`,
      `Put ${missing} there too: a client needs both`,
    );
  }
  return { folder, verify, ...defined({ ca, cert, key }) };
}

async function defaultAddress({ env, home, platform }: SystemInfo): Promise<string> {
  if (platform === 'win32') return 'npipe:////./pipe/docker_engine';
  const addresses = ['/var/run/docker.sock', join(home, '.docker', 'run', 'docker.sock')];
  const runtime = env['XDG_RUNTIME_DIR'];
  // Rootless Docker.
  if (runtime) addresses.push(join(runtime, 'docker.sock'));
  for (const place of addresses) {
    // Without a socket, Docker is reported as missing.
    const stats = await stat(place).catch(() => null);
    if (stats?.isSocket()) return `unix://${place}`;
  }
  return `unix://${addresses[0]}`;
}

const configSchema = z.object({ currentContext: z.string().optional() });

const nameSchema = z.object({ Name: z.string().min(1) });

/** `contexts/meta/<sha256 of the name>/meta.json`, as Docker's command line writes it. */
const metaSchema = z.object({
  Endpoints: z.object({
    docker: z.object({ Host: z.string().optional(), SkipTLSVerify: z.boolean().optional() }).optional(),
  }),
});

/** The current context in Docker's configuration; null if there is none. */
async function currentContext(config: string): Promise<string | null> {
  const path = join(config, 'config.json');
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return configSchema.parse(JSON.parse(text)).currentContext || null;
  } catch (error) {
    const advice = 'Correct the file, or set DOCKER_HOST or DOCKER_CONTEXT';
    throw new HostError(`${path} cannot be read: ${describeSystemError(error)}`, advice, { cause: error });
  }
}

/** The address of a context. Rejects with `HostError` if the context cannot be used. */
async function contextHost(system: SystemInfo, name: string): Promise<DockerHost> {
  const config = configFolder(system);
  const folder = createHash('sha256').update(name).digest('hex');
  const path = join(config, 'contexts', 'meta', folder, 'meta.json');
  const again = `Create it again: docker context rm ${name}, then docker context create ${name}`;
  const unreadable = (error: unknown): never => {
    throw new HostError(`the context “${name}”, whose file ${path} cannot be read`, again, { cause: error });
  };
  const text = await readFile(path, 'utf8').catch(nullIfNotFound).catch(unreadable);
  if (text === null) {
    const others = await listContexts(system);
    const hint = others.length === 0 ? 'There are no contexts but “default”' : `Use one of ${others.join(', ')}`;
    const advice = `${hint}, or create it with docker context create`;
    throw new HostError(`the context “${name}”, which does not exist`, advice);
  }
  let endpoint: z.infer<typeof metaSchema>['Endpoints']['docker'];
  try {
    endpoint = metaSchema.parse(JSON.parse(text)).Endpoints.docker;
  } catch (error) {
    return unreadable(error);
  }
  if (!endpoint?.Host) throw new HostError(`the context “${name}”, which names no Docker daemon`, again);
  const tls = await readCertificates(join(config, 'contexts', 'tls', folder, 'docker'), !endpoint.SkipTLSVerify);
  const secure = tls.ca !== undefined || tls.cert !== undefined || endpoint.SkipTLSVerify === true;
  return { address: endpoint.Host, by: `the context “${name}”`, tls: secure ? tls : null };
}
