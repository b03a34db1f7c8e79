import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import * as z from 'zod';
import { nullIfNotFound } from '../../base/file-kind.ts';
import { parseJson } from '../../base/parse-json.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { ServerError } from '../placement.ts';

/** Time limit for a credential helper, in ms: it may prompt the user. */
const HELPER_LIMIT = 60_000;
/** What a helper prints if it has no credentials for a registry. */
const NO_CREDENTIALS = /credentials not found/i;

/** Credentials in the form that Docker expects. */
export interface RegistryAuth {
  readonly username: string;
  readonly password: string;
  readonly serveraddress: string;
}

const configSchema = z.object({
  auths: z.record(z.string(), z.object({ auth: z.string().optional() })).default({}),
  credsStore: z.string().optional(),
  credHelpers: z.record(z.string(), z.string()).default({}),
});
/** What a credential helper prints. */
const helperSchema = z.object({ Username: z.string(), Secret: z.string() });

/**
 * Pushes an image to a registry, with the credentials of `docker login`. Resolves with a name with a digest, and with the
 * credentials, or null if there are none. Rejects with `image_unreachable`.
 */
export async function pushImage(
  docker: Docker,
  tag: string,
  registryName: string,
  progress: (text: string) => void,
  signal: AbortSignal,
): Promise<{ readonly reference: string; readonly auth: RegistryAuth | null }> {
  const registry = registryName.replace(/\/$/, '');
  const [repository = '', version = ''] = tag.split(':');
  const name = `${registry}/${repository}`;
  try {
    const auth = await readAuth(registry);
    await docker.getImage(tag).tag({ repo: name, tag: version });
    progress(`Pushing the image to ${registry}`);
    const image = docker.getImage(`${name}:${version}`);
    await untilTransferred(docker, await image.push({ authconfig: auth ?? {}, abortSignal: signal } as object));
    const { RepoDigests } = await image.inspect();
    const reference = RepoDigests.find((one) => one.startsWith(`${name}@`));
    if (reference === undefined) throw new Error('it reported no digest');
    return { reference, auth };
  } catch (error) {
    signal.throwIfAborted();
    const message = `The image could not be pushed to the registry ${registry}: ${(error as Error).message}.`;
    throw new ServerError('image_unreachable', message, { cause: error });
  }
}

/** Waits until an image is transferred. Rejects with the error that one of the events of the stream reports. */
export function untilTransferred(docker: Docker, events: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    docker.modem.followProgress(events, (error, all: readonly { readonly error?: string }[]) => {
      const failure = all?.find((event) => event.error !== undefined)?.error;
      if (error !== null) reject(error);
      else if (failure === undefined) resolve();
      else reject(new Error(failure));
    });
  });
}

/** The credentials of `docker login`, from Docker's configuration or a credential helper; null if there are none. */
async function readAuth(registry: string): Promise<RegistryAuth | null> {
  const path = join(process.env['DOCKER_CONFIG'] || join(homedir(), '.docker'), 'config.json');
  const text = await readFile(path, 'utf8').catch(nullIfNotFound);
  if (text === null) return null;
  const config = parse(configSchema, text);
  if (config === null) throw new Error(`${path} is not a configuration of Docker`);
  const { auths, credsStore, credHelpers } = config;
  const serveraddress = registry.split('/')[0] ?? registry;
  const helper = credHelpers[serveraddress] ?? credsStore;
  if (helper !== undefined) return askHelper(helper, serveraddress);
  const credentials = auths[serveraddress]?.auth;
  if (credentials === undefined) return null;
  const [username = '', ...password] = Buffer.from(credentials, 'base64').toString('utf8').split(':');
  return { username, password: password.join(':'), serveraddress };
}

/** Asks a credential helper, `docker-credential-NAME`, as Docker does. `limit`: how long it has to answer, in ms. */
export function askHelper(
  name: string,
  serveraddress: string,
  limit: number = HELPER_LIMIT,
): Promise<RegistryAuth | null> {
  const program = `docker-credential-${name}`;
  return new Promise((resolve, reject) => {
    const child = execFile(program, ['get'], { timeout: limit }, (error, stdout) => {
      if (error !== null && NO_CREDENTIALS.test(stdout)) return resolve(null);
      if (error?.killed === true) return reject(new Error(`${program} did not answer within ${limit / 1000} s`));
      if (error !== null) return reject(new Error(`${program} failed: ${stdout.trim() || describeSystemError(error)}`));
      const credentials = parse(helperSchema, stdout);
      if (credentials === null) return reject(new Error(`${program} did not answer with credentials`));
      return resolve({ username: credentials.Username, password: credentials.Secret, serveraddress });
    });
    // A program that does not start, or ends early, is reported above.
    child.stdin?.on('error', () => {});
    child.stdin?.end(serveraddress);
  });
}

/** Null for a text that is not JSON of the schema. */
function parse<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.parse(parseJson(text));
  } catch {
    return null;
  }
}
