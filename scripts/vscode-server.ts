import { spawn, spawnSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from './places.ts';
import type { InstalledServer } from './vscode-server-install.ts';

const START_LIMIT_MS = 60_000;

export interface ServerOptions {
  /** Settings, extensions and state of this server; kept between starts. */
  readonly dataFolder: string;
  /** 0 (the default) takes a free port. */
  readonly port?: number;
  /** Without one, everybody on this machine can open the workbench: for tests only. */
  readonly token?: string;
  /** Reads extension tests from the address; silences notifications. */
  readonly smokeTestDriver?: boolean;
  /** Asks whether a folder is trusted, as VS Code does by default. */
  readonly workspaceTrust?: boolean;
  /** Names of the built-in extensions; all by default. */
  readonly builtIn?: readonly string[];
  /** User settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A VS Code server that listens on the loopback address. */
export interface RunningServer {
  /** `127.0.0.1:PORT`, which is also the authority of its `vscode-remote:` addresses. */
  readonly authority: string;
  /** The workbench's address, with the token, for these query parameters. */
  address(query: Readonly<Record<string, string>>): string;
  /** Resolves when the server has ended, for any reason. */
  readonly end: Promise<void>;
  /** Ends the server and every process it started. */
  stop(): Promise<void>;
}

function baseArguments(server: InstalledServer, dataFolder: string): string[] {
  return [
    join(server.folder, 'out', 'server-main.js'),
    '--accept-server-license-terms',
    '--server-data-dir',
    dataFolder,
    '--telemetry-level',
    'off',
  ];
}

function environment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  // Without this the server looks for an extension gallery.
  return { ...process.env, EXTENSIONS_GALLERY: '{"serviceUrl":""}', ...extra };
}

/** A folder with links to some of the built-in extensions, and to the packages that they share. */
async function linkExtensions(server: InstalledServer, dataFolder: string, names: readonly string[]): Promise<string> {
  const folder = join(dataFolder, 'built-in');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const link = (name: string) => symlink(join(server.folder, 'extensions', name), join(folder, name));
  await Promise.all([...names, 'node_modules'].map(link));
  return folder;
}

/** Starts the server and waits until it listens. Rejects with its output if it ends or prints nothing. */
export async function startServer(server: InstalledServer, options: ServerOptions): Promise<RunningServer> {
  const user = join(options.dataFolder, 'data', 'User', 'settings.json');
  await mkdir(dirname(user), { recursive: true });
  await writeFile(user, `${JSON.stringify(options.settings ?? {}, null, 2)}\n`);
  // In a file that only this user can read: every user can read arguments.
  const tokenFile = join(options.dataFolder, 'token');
  if (options.token !== undefined) await writeFile(tokenFile, options.token, { mode: 0o600 });
  const args = [
    ...baseArguments(server, options.dataFolder),
    '--host',
    '127.0.0.1',
    '--port',
    String(options.port ?? 0),
    ...(options.token === undefined ? ['--without-connection-token'] : ['--connection-token-file', tokenFile]),
    ...(options.workspaceTrust === true ? [] : ['--disable-workspace-trust']),
    ...(options.builtIn === undefined
      ? []
      : ['--builtin-extensions-dir', await linkExtensions(server, options.dataFolder, options.builtIn)]),
    ...(options.smokeTestDriver === true ? ['--enable-smoke-test-driver'] : []),
  ];
  const guard = spawn(process.execPath, [join(root, 'scripts', 'process-guard.mjs'), server.node, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: environment(options.env),
  });
  guard.stdin.on('error', () => {
    // The process has ended: `ended` resolves.
  });
  const end = new Promise<void>((resolve) => guard.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    guard.stdin.end();
    await end;
  };

  let output = '';
  const port = await new Promise<string>((resolve, reject) => {
    const limit = setTimeout(() => fail(`said nothing for ${START_LIMIT_MS / 1000} s`), START_LIMIT_MS);
    const fail = (what: string): void => {
      clearTimeout(limit);
      void stop();
      reject(new Error(`The VS Code server ${what}:\n${output.trim()}`));
    };
    const read = (data: Buffer): void => {
      output = (output + data.toString()).slice(-8000);
      const match = /listening on (\d+)/.exec(output);
      if (match?.[1] === undefined) return;
      clearTimeout(limit);
      resolve(match[1]);
    };
    guard.stdout.on('data', read);
    guard.stderr.on('data', read);
    guard.once('error', (error) => fail(`could not be started (${error.message})`));
    void end.then(() => fail('ended before it listened'));
  });

  const authority = `127.0.0.1:${port}`;
  return {
    authority,
    address(query) {
      const url = new URL(`http://${authority}/`);
      if (options.token !== undefined) url.searchParams.set('tkn', options.token);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return url.href;
    },
    end: end,
    stop,
  };
}

/** Installs a packaged extension into a data folder, as VS Code does. */
export function installExtension(server: InstalledServer, dataFolder: string, vsix: string): void {
  const args = [...baseArguments(server, dataFolder), '--install-extension', vsix, '--force'];
  const done = spawnSync(server.node, args, { env: environment(), encoding: 'utf8' });
  if (done.status !== 0 || !/successfully installed/.test(done.stdout)) {
    throw new Error(`The extension could not be installed from ${vsix}:\n${done.stdout}${done.stderr}`);
  }
}
