// Opens the examples in VS Code with this extension: in the desktop application if there is one, else in a VS Code server
// whose address it prints. `--port N` and `--no-open` select the server.

import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { findOrInstallBrowser } from './browser.ts';
import { build } from './build.ts';
import { findDesktop, openDesktop } from './desktop.ts';
import { beforeEnding, end } from './ending.ts';
import { cacheFolder, root } from './places.ts';
import { startServer } from './vscode-server.ts';
import { installServer } from './vscode-server-install.ts';

const FIRST = join('login', 'login.taskset.json');
const SETTINGS = {
  'chat.disableAIFeatures': true,
  'editor.minimap.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
};

const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** Registers this folder as an installed extension of a server, which so runs the current build. */
async function loadExtension(dataFolder: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const folder = join(dataFolder, 'extensions');
  await mkdir(folder, { recursive: true });
  const entry = {
    identifier: { id: `${manifest.publisher}.${manifest.name}` },
    version: manifest.version,
    location: { $mid: 1, path: pathToFileURL(root).pathname, scheme: 'file' },
    metadata: { source: 'vsix', isApplicationScoped: false },
  };
  await writeFile(join(folder, 'extensions.json'), JSON.stringify([entry]));
}

async function serve(folder: string, file: string, port: number): Promise<void> {
  const server = await installServer(say);
  const dataFolder = join(cacheFolder, 'start');
  await loadExtension(dataFolder);
  const token = randomBytes(16).toString('hex');
  const running = await startServer(server, { dataFolder, port, token, settings: SETTINGS });
  beforeEnding(() => running.stop());
  const payload = JSON.stringify([['openFile', `vscode-remote://${running.authority}${pathToFileURL(file).pathname}`]]);
  say('VS Code is ready. Open this address; press Ctrl+C here to end it.\n');
  process.stdout.write(`${running.address({ folder, payload })}\n`);
  await running.end;
  await end(1);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { port: { type: 'string' }, 'no-open': { type: 'boolean' } },
    allowPositionals: true,
  });
  // Without `--` before them npm takes the options for itself and passes them on in its environment.
  const { npm_config_port: npmPort, npm_config_open: npmOpen } = process.env;
  const requestedPort = values.port ?? (npmPort === 'true' ? positionals[0] : npmPort);
  const port = Number(requestedPort ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`--port ${requestedPort}: not a port number.`);
  const browser = await findOrInstallBrowser(say);
  say(`Browser for the environments: ${browser.name} ${browser.version ?? ''}`);
  await build();
  const folder = join(root, 'examples');
  const file = join(folder, FIRST);
  const serverRequested = requestedPort !== undefined || values['no-open'] === true || npmOpen !== undefined;
  const code = serverRequested ? null : await findDesktop(say);
  if (code === null) return serve(folder, file, port);
  openDesktop(code, root, folder, file);
  say('VS Code is open. Press Run above the first task.');
  return end(0);
}

try {
  await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  await end(1);
}
