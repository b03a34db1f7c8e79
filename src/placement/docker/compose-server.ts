import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { defined } from '../../base/defined.ts';
import { LAST_LINES, LogLines } from '../../base/log-lines.ts';
import { describeSystemError } from '../../base/system-error.ts';
import type { HudComposeSource } from '../../environments/kind.ts';
import { untilExit } from '../../processes/exit.ts';
import { Guard } from '../../processes/guard.ts';
import { inheritedVariables } from '../../processes/inherited-variables.ts';
import { readLines } from '../../server/log.ts';
import { HUD_PORT, hudImageService, NO_TELEMETRY } from '../hud/image-service.ts';
import { ServerError } from '../placement.ts';
import type { StartedServer } from '../shared-servers.ts';
import { sourceStamp } from '../source-stamp.ts';
import type { StartOptions } from './attached-container.ts';
import { type ComposeConfig, configSchema, isChecked, MAIN, portOwner, portsOf } from './compose-config.ts';
import { KIND_LABEL, OWNER_LABEL } from './owner.ts';
import { usageMeter } from './usage.ts';

/** The first version that reads `!override`. */
const MIN_VERSION = [2, 24] as const;
/** How long services may take to end by themselves, in seconds. */
const END_SECONDS = 2;

/** Removes the project when its input ends, and so also when its owner is killed. */
const REMOVER = 'cat >/dev/null; exec "$@" >/dev/null 2>&1';

export interface ComposeServerOptions extends StartOptions {
  /** The address of its daemon, as in `DOCKER_HOST`. */
  readonly host: string;
  /** Starts from the images that there are: none is pulled or built. */
  readonly offline?: boolean;
}

/**
 * Starts a Compose project whose service `main` serves a HUD environment, publishes that port and no other on the loopback
 * interface, and waits until it is ready. The project ends with this process. Rejects with `ServerError`, and removes the
 * project in that case.
 */
export async function startComposeServer(
  { hudCompose: document, startMs, resources }: HudComposeSource,
  options: ComposeServerOptions,
): Promise<StartedServer> {
  const { progress, signal } = options;
  progress('Starting the environment');
  const project = new Project(document, options);
  try {
    await project.checkVersion();
    const config = await project.config();
    await project.up(config, resources, startMs);
    const server = await project.server(config, startMs);
    signal.throwIfAborted();
    return server;
  } catch (error) {
    await project.remove();
    signal.throwIfAborted();
    throw projectError(document, error as Error);
  }
}

function projectError(document: string, error: Error): ServerError {
  if (error instanceof ServerError) return error;
  return new ServerError('start_failed', `The Compose project ${document} ${error.message}`, { cause: error });
}

/** The images of a Compose project; null if it builds one. Starts nothing. Rejects with `ServerError`. */
export async function composeImages(
  document: string,
  options: ComposeServerOptions,
): Promise<readonly string[] | null> {
  const project = new Project(document, options);
  try {
    await project.checkVersion();
    const services = Object.values((await project.config()).services);
    if (services.some(({ build }) => build !== undefined)) return null;
    return [...new Set(services.flatMap(({ image }) => image ?? []))];
  } catch (error) {
    throw projectError(document, error as Error);
  } finally {
    await project.remove();
  }
}

/** Changes when the project does: its file, its `.env`, or a Python file in its folder. Rejects with `ServerError`. */
export async function composeStamp(document: string): Promise<string> {
  try {
    const { mtimeMs } = await stat(document);
    // Most projects have none.
    const variables = await readFile(join(dirname(document), '.env'), 'utf8').catch(() => '');
    return [mtimeMs, variables, await sourceStamp(document)].join('\n');
  } catch (error) {
    const message = `The Compose file ${document} cannot be read: ${describeSystemError(error as NodeJS.ErrnoException)}.`;
    throw new ServerError('start_failed', message, { cause: error });
  }
}

/** A command of Compose that failed. Its message is the end of a sentence. */
class ComposeFailed extends Error {
  /** The last lines of its errors. */
  readonly lines: readonly string[];
  constructor(code: number | null, logLines: LogLines) {
    super(`could not be started (exit code ${code}).${logLines.lastOutput()}`);
    this.lines = logLines.last;
  }
}

class Project {
  readonly #name = `taskwright-${randomBytes(6).toString('hex')}`;
  readonly #document: string;
  readonly #options: ComposeServerOptions;
  readonly #env: NodeJS.ProcessEnv;
  readonly #logLines = new LogLines();
  /** Ends the programs that are in progress, even if this process is killed. */
  readonly #guard = new Guard('TASKWRIGHT_WORKSPACE');
  #remover: ChildProcess | null = null;
  #removal: Promise<void> | null = null;

  constructor(document: string, options: ComposeServerOptions) {
    this.#document = document;
    this.#options = options;
    const docker = Object.entries(process.env).filter(([name]) => name.startsWith('DOCKER_'));
    this.#env = { ...inheritedVariables(process.env), ...Object.fromEntries(docker), DOCKER_HOST: options.host };
  }

  /** Rejects if there is no Compose that can be used. */
  async checkVersion(): Promise<void> {
    const outcome = await this.#compose(['version', '--short'], { quiet: true }).then(
      (version) => `this is ${version.trim()}`,
      (error: Error) => {
        this.#options.signal.throwIfAborted();
        const reason = error instanceof ComposeFailed ? error.lines.find((line) => line.trim() !== '') : undefined;
        return `“docker compose version” fails: ${reason ?? error.message}`;
      },
    );
    const [, major = 0, minor = 0] = (/^this is v?(\d+)\.(\d+)/.exec(outcome) ?? []).map(Number);
    const [leastMajor, leastMinor] = MIN_VERSION;
    if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
    throw new ServerError(
      'start_failed',
      `A Compose project needs Docker's command line with its plugin Compose ${MIN_VERSION.join('.')} or newer; ${outcome}. Install it (Debian 13: apt-get install docker-cli docker-compose; others: https://docs.docker.com/compose/install).`,
    );
  }

  /** The project as Compose reads its file, with the services that are started. */
  async config(): Promise<ComposeConfig> {
    const read = await this.#compose([...this.#files(), 'config', '--format', 'json'], { quiet: true });
    const config = configSchema.parse(JSON.parse(read));
    if (config.services[MAIN] === undefined) {
      const names = Object.keys(config.services).map((name) => `“${name}”`);
      throw new Error(`has no service “${MAIN}”, which serves the environment; it has ${names.join(', ')}.`);
    }
    return config;
  }

  async up(config: ComposeConfig, resources: HudComposeSource['resources'], startMs: number): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'taskwright-compose-'));
    const late = AbortSignal.timeout(startMs);
    try {
      const [more, ports] = [join(folder, 'more.json'), join(folder, 'ports.yaml')];
      await writeFile(more, JSON.stringify(this.#additions(config, resources)));
      await writeFile(ports, portsOf(config.services));
      this.#startRemover();
      const files = this.#files(more, ports);
      const images = this.#options.offline === true ? ['--no-build', '--pull', 'never'] : ['--build'];
      await this.#compose([...files, 'up', '--detach', ...images, '--remove-orphans'], { late });
      const checkedServices = Object.entries(config.services).flatMap(([name, service]) =>
        isChecked(service) ? [name] : [],
      );
      const wait = ['up', '--wait', '--no-deps', '--no-recreate', '--no-build', ...checkedServices];
      if (checkedServices.length > 0) await this.#compose([...files, ...wait], { late });
    } catch (error) {
      if (late.aborted)
        throw new Error(`was not ready within ${startMs / 1000} s.${this.#logLines.lastOutput()}`, { cause: error });
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** The server of a project that was started. Rejects with the end of a sentence. */
  async server({ services }: ComposeConfig, startMs: number): Promise<StartedServer> {
    const { docker, signal } = this.#options;
    const container = docker.getContainer(await this.#idOf(MAIN));
    const logLines = this.#followLogs();
    const exit = container.wait().then(
      ({ StatusCode }: { StatusCode: number }) => `ended (exit code ${StatusCode})`,
      (error: Error) => `was removed: ${error.message}`,
    );
    const owner = docker.getContainer(await this.#idOf(portOwner(services)));
    const { NetworkSettings } = await owner.inspect();
    // A container that has ended has no ports.
    const address = `tcp://127.0.0.1:${NetworkSettings.Ports[`${HUD_PORT}/tcp`]?.[0]?.HostPort ?? 0}`;
    const ready = hudImageService(startMs).ready({ address, logLines, exit, signal });
    const about = await ready.catch(async (error: Error) => {
      // Its last output is an addition to the error.
      const last = ['logs', '--no-color', '--no-log-prefix', '--tail', String(LAST_LINES), MAIN];
      const lastOutput = await this.#compose(['--project-name', this.#name, ...last], { quiet: true }).catch(() => '');
      throw new Error(`${error.message}.${lastOutput === '' ? '' : ` Last output:\n${lastOutput}`}`, { cause: error });
    });
    return {
      ...about,
      name: basename(dirname(this.#document)),
      address,
      id: container.id,
      logLines,
      exit,
      usage: usageMeter(container),
      stop: () => this.remove(),
    };
  }

  /** Ends the project, with its networks and volumes. Never rejects. */
  remove(): Promise<void> {
    this.#removal ??= (async () => {
      await this.#guard.close();
      const remover = this.#remover;
      if (remover === null) return;
      remover.ref();
      const exit = untilExit(remover);
      remover.stdin?.end();
      await exit;
    })();
    return this.#removal;
  }

  /** Starts the program that removes the project. It does not need its files. */
  #startRemover(): void {
    const down = ['down', '--volumes', '--remove-orphans', '--timeout', String(END_SECONDS)];
    const remover = spawn('sh', ['-c', REMOVER, 'sh', 'docker', 'compose', '--project-name', this.#name, ...down], {
      env: this.#env,
      // Not in our process group, which may be killed.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    remover.on('error', () => {});
    remover.stdin?.on('error', () => {});
    remover.unref();
    (remover.stdin as unknown as { unref?(): void })?.unref?.();
    this.#remover = remover;
  }

  #files(...more: readonly string[]): string[] {
    const files = [this.#document, ...more].flatMap((file) => ['--file', file]);
    return ['--project-name', this.#name, '--project-directory', dirname(this.#document), ...files];
  }

  /** A Compose file that says whose project it is, and what `main` gets. */
  #additions({ services, networks, volumes }: ComposeConfig, { cpus, memory }: HudComposeSource['resources']) {
    const labels = { [OWNER_LABEL]: this.#options.owner, [KIND_LABEL]: 'custom' };
    const limits = defined({ cpus, mem_limit: memory === undefined ? undefined : `${memory}m` });
    const main = { environment: NO_TELEMETRY, ...limits };
    const withLabels = (parts: ComposeConfig['networks']) =>
      Object.fromEntries(
        Object.entries(parts).flatMap(([name, part]) => (part?.external === true ? [] : [[name, { labels }]])),
      );
    return {
      services: Object.fromEntries(Object.keys(services).map((name) => [name, { labels, ...(name === MAIN && main) }])),
      networks: withLabels(networks),
      volumes: withLabels(volumes),
    };
  }

  async #idOf(service: string): Promise<string> {
    const ids = await this.#compose(['--project-name', this.#name, 'ps', '--all', '--quiet', service], { quiet: true });
    return ids.trim().split('\n')[0] ?? '';
  }

  /** Logs what all services write. Returns the last lines of the main one, which grow. */
  #followLogs(): LogLines {
    const logLines = new LogLines();
    const child = this.#spawn(['compose', '--project-name', this.#name, 'logs', '--follow', '--no-color']);
    child.on('error', () => {});
    child.stderr.resume();
    void readLines(child.stdout, (text) => {
      const line = plain(text);
      this.#log(line);
      const [, own] = /^main-\d+\s+\| (.*)$/.exec(line) ?? [];
      if (own !== undefined) logLines.add(own);
    });
    return logLines;
  }

  /** Runs Compose. Resolves with its output. Rejects with the end of a sentence and its last lines. */
  #compose(
    args: readonly string[],
    { late, quiet = false }: { late?: AbortSignal; quiet?: boolean } = {},
  ): Promise<string> {
    const { signal, progress } = this.#options;
    const stop = late === undefined ? signal : AbortSignal.any([signal, late]);
    stop.throwIfAborted();
    return new Promise((resolve, reject) => {
      const all = ['compose', ...(quiet ? [] : ['--progress', 'plain']), ...args];
      const child = this.#spawn(all, stop);
      const output: string[] = [];
      const errors = new LogLines();
      const say = (text: string): void => {
        errors.add(text);
        if (quiet || text.trim() === '') return;
        this.#logLines.add(text);
        this.#log(text);
        progress(`Starting the environment: ${text.trim().slice(0, 120)}`);
      };
      const read = Promise.all([
        readLines(child.stdout, (text) => (quiet ? output.push(plain(text)) : say(text))),
        readLines(child.stderr, say),
      ]);
      child.once('error', (error) => {
        if (child.pid === undefined) reject(new Error(describeSystemError(error), { cause: error }));
      });
      child.once('close', (code) => {
        void read.then(() => {
          if (code === 0) return resolve(output.join('\n'));
          reject(new ComposeFailed(code, errors));
        });
      });
    });
  }

  #spawn(args: readonly string[], signal?: AbortSignal): ChildProcessByStdio<null, Readable, Readable> {
    const child = spawn('docker', args, {
      env: { ...this.#env, ...this.#guard.mark },
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...defined({ signal }),
    });
    if (child.pid !== undefined) this.#guard.add(child.pid);
    return child;
  }

  #log(text: string): void {
    this.#options.log(`[${basename(this.#document)}] ${text}`);
  }
}

/** Compose clears each line of a terminal, also where there is none. */
function plain(line: string): string {
  return line.replaceAll('\x1b[2K', '');
}
