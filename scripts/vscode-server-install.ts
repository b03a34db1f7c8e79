import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cacheFolder } from './places.ts';

/** code-server 4.139.1 carries the workbench and the extension host of VS Code 1.139.1. */
const CODE_SERVER = '4.139.1';

/** Native parts without prebuilt binaries. Without them logs are not written to files; all else works. */
const COMPILED = ['@vscode/spdlog', '@vscode/native-watchdog', '@vscode/deviceid'];

/** A VS Code server on disk, ready to be started. */
export interface InstalledServer {
  /** The Node program it runs with. */
  readonly node: string;
  /** The folder that holds `out/server-main.js`. */
  readonly folder: string;
}

function describe(base: string): InstalledServer {
  const modules = join(base, 'node_modules');
  return {
    node: join(modules, nodePackage(), 'bin', 'node'),
    folder: join(modules, 'code-server', 'lib', 'vscode'),
  };
}

function nodePackage(): string {
  return `node-${process.platform}-${process.arch}`;
}

/**
 * Installs the VS Code server from the npm registry into the cache folder, once. `say` receives progress messages.
 * Rejects with the last lines of npm's output where npm fails.
 */
export async function installServer(say: (text: string) => void): Promise<InstalledServer> {
  const target = join(cacheFolder, `server-${CODE_SERVER}`);
  if (existsSync(target)) return describe(target);
  if (process.platform === 'win32') {
    throw new Error(
      'The npm VS Code server does not run on Windows. Install the desktop VS Code and run npm start again.',
    );
  }
  say('Installing a VS Code server from npm (once, about a minute)...');
  // Installed in a temporary folder and renamed when complete, so that an interrupted installation leaves nothing half done.
  const building = join(cacheFolder, `installing-${process.pid}`);
  try {
    await mkdir(building, { recursive: true });
    await writeFile(join(building, 'package.json'), '{ "private": true }\n');
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await npm(building, building, ['install', ...quiet, `code-server@${CODE_SERVER}`, `${nodePackage()}@24`]);
    const { folder } = describe(building);
    const exact = ['ci', ...quiet, '--omit=dev', '--legacy-peer-deps'];
    await npm(building, folder, exact);
    await npm(building, join(folder, 'extensions'), exact);
    try {
      await npm(building, folder, ['rebuild', '--loglevel=error', ...COMPILED]);
    } catch {
      say('No C++ compiler here: this VS Code server writes no log files. Everything else works.');
    }
    await rename(building, target).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster.
      if (!existsSync(target)) throw error;
    });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return describe(target);
}

/** Runs npm with the server's own Node, so that its scripts are built for that version. */
function npm(base: string, cwd: string, args: readonly string[]): Promise<void> {
  const nodeFolder = join(base, 'node_modules', nodePackage());
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) {
    // Variables that npm set for this project do not apply to the server's.
    if (
      !/^npm_(package|lifecycle|command|execpath|node_execpath|config_(local_prefix|omit|ignore_scripts))/i.test(name)
    ) {
      env[name] = value;
    }
  }
  env['PATH'] = [join(nodeFolder, 'bin'), process.env['PATH'] ?? ''].join(delimiter);
  env['npm_config_nodedir'] = nodeFolder;
  // These parts do little: optimizing them takes longer than running them.
  env['CXXFLAGS'] = '-O0';
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let tail = '';
    const keep = (data: Buffer): void => {
      tail = (tail + data.toString()).slice(-4000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`npm ${args.join(' ')} failed (exit ${code}):\n${tail.trim()}`));
    });
  });
}
